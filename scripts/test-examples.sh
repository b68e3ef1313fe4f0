#!/usr/bin/env bash
# Builds the programs in Examples/ as an embedder would, runs them, and checks their output.
set -uo pipefail
cd "$(dirname "$0")/../Examples" || exit 1

failures=0
fail() {
    failures=$((failures + 1))
    echo "examples: $1" >&2
}
# The same build folder as for the benchmarks, because both need the same modules.
build=(swift build --scratch-path ../.build-packages)
programs=$("${build[@]}" --show-bin-path) || exit 1
# The build does not detect changes in the modules that `Woodshed` re-exports, so the programs are always compiled again.
rm -rf "$programs"/{Looper,LevelMeter,Monitor,TakeReport,Trainer}{,.build/*.o} \
    "$programs"/Modules/{Looper,LevelMeter,Monitor,TakeReport,Trainer}.swiftmodule
"${build[@]}" || exit 1

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
sox -n -r 44100 -c 2 -b 16 song.wav synth 3 pluck C4 gain -6 || exit 1

# One second at 70 % is 63,000 frames, three passes 189,000; the events and the file must agree.
expect_events() {
    for line in 'frame 0: passStarted, pass 1 of 3' 'frame 63000: passStarted, pass 2 of 3' \
        'frame 126000: passStarted, pass 3 of 3' 'frame 189000: finished'; do
        grep -qF "$line" said || fail "Looper on $1 did not say '$line' but: $(cat said)"
    done
}
if timeout 120 "$programs/Looper" song.wav null >said 2>&1; then expect_events null; else fail "Looper: $(cat said)"; fi
if timeout 120 "$programs/Looper" song.wav file:loop.wav >said 2>&1; then
    expect_events file:loop.wav
    [ "$(soxi -s loop.wav)" = 189000 ] || fail "Looper wrote $(soxi -s loop.wav) frames, not 189000"
else
    fail "Looper: $(cat said)"
fi

# The second run finds the section that the first has kept, in a file of another name, and adds none.
for name in song.wav renamed.wav; do
    if timeout 120 "$programs/Trainer" $name null >said 2>&1; then
        [ "$(cat said)" = "$(printf 'section 1 of 1: Riff\ndone')" ] || fail "Trainer said: $(cat said)"
    else
        fail "Trainer: $(cat said)"
    fi
    [ -e renamed.wav ] || mv song.wav renamed.wav
done
mv renamed.wav song.wav

# Its own test tone: half of full scale is -6.0 dB, a tenth -20.0 dB.
if timeout 60 "$programs/LevelMeter" >said 2>&1; then
    grep -qE 'channel 1 #+ +-6\.0 dB' said || fail "LevelMeter did not show -6.0 dB on channel 1 but: $(cat said)"
    grep -qE 'channel 2 #+ +-20\.0 dB' said || fail "LevelMeter did not show -20.0 dB on channel 2 but: $(cat said)"
else
    fail "LevelMeter: $(cat said)"
fi
"$programs/LevelMeter" missing.wav >said 2>&1 && fail "LevelMeter plays a file that does not exist"
grep -q 'missing.wav' said || fail "LevelMeter does not say which file is missing but: $(cat said)"

# A second of the song through a file: bit for bit the same as the song's left channel. On a busy machine a block may be late,
# which is reported and changes no frame.
sox song.wav -r 48000 -e floating-point -b 32 -c 1 mono.wav remix 1 || exit 1
if timeout 60 "$programs/Monitor" file:heard.wav file:mono.wav 1 >said 2>&1; then
    grep -qE '^48000 frames, [0-9]+ xruns, 0 overruns$' said || fail "Monitor said: $(cat said)"
    sox mono.wav -c 2 expected.wav remix 1 1 trim 0 48000s && sox heard.wav heard.raw && sox expected.wav expected.raw
    cmp -s heard.raw expected.raw || fail "Monitor did not play what it recorded"
else
    fail "Monitor: $(cat said)"
fi

# Two seconds of a tone at a tenth of full scale, from a file of three: -20.0 dB. The waveform line contains no digits except 0.
sox -n -r 44100 -c 2 -b 24 tone.wav synth 3 sine 1000 vol 0.1 || exit 1
if timeout 60 "$programs/TakeReport" take.wav file:tone.wav 2 >said 2>&1; then
    grep -qE '^88200 frames, 0 lost, peak -20\.0 dB$' said || fail "TakeReport said: $(cat said)"
    grep -qE '^most at (9[89][0-9]|100[0-9]|101[0-9]) Hz$' said || fail "TakeReport said: $(cat said)"
    grep -qE '^0{60}$' said || fail "TakeReport drew no waveform: $(cat said)"
    [ "$(soxi -s take.wav)" = 88200 ] || fail "TakeReport wrote $(soxi -s take.wav) frames, not 88200"
else
    fail "TakeReport: $(cat said)"
fi
"$programs/TakeReport" take.wav file:tone.wav 1 >said 2>&1 && fail "TakeReport records over a file"

echo "examples: 5 programs, $failures failures"
[ $failures -eq 0 ]
