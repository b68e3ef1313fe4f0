#!/usr/bin/env bash
# Builds the programs in Examples/ as an embedder would, runs them, and checks their output. Does the same with the
# programs of the articles and the tutorial of the reference.
set -uo pipefail
cd "$(dirname "$0")/../../Examples" || exit 1

failures=0
fail() {
    failures=$((failures + 1))
    echo "examples: $1" >&2
}
build=(../scripts/build.sh --package)
programs=$("${build[@]}" Examples --show-bin-path) || exit 1
articles=$PWD/../.build-articles
mapfile -t shown < <(../scripts/docs/articles.py "$articles" ..)
[ ${#shown[@]} -gt 0 ] || exit 1
# The build does not detect changes in the modules re-exported by `Woodshed`, so the script always compiles the programs
# again.
for program in Looper LevelMeter Monitor Shelf TakeReport Trainer "${shown[@]}"; do
    rm -rf "${programs:?}/$program" "$programs/$program".build/*.o "$programs/Modules/$program.swiftmodule"
done
"${build[@]}" Examples || exit 1
"${build[@]}" "$articles" || exit 1

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
# Unfinished takes of a program do not go to the user's folder.
export XDG_STATE_HOME=$folder/state
sox -n -r 44100 -c 2 -b 16 song.wav synth 3 pluck C4 gain -6 || exit 1

# One second at 70 % is 63,000 frames, three passes 189,000; the events and the file must agree.
expect_events() {
    for line in 'frame 0: passStarted, pass 1 of 3' 'frame 63000: passStarted, pass 2 of 3' \
        'frame 126000: passStarted, pass 3 of 3' 'frame 189000: finished'; do
        grep -qF "$line" said || fail "Looper on $1 did not say '$line' but: $(cat said)"
    done
}
if timeout 300 "$programs/Looper" song.wav null >said 2>&1; then expect_events null; else fail "Looper: $(cat said)"; fi
if timeout 300 "$programs/Looper" song.wav file:loop.wav >said 2>&1; then
    expect_events file:loop.wav
    [ "$(soxi -s loop.wav)" = 189000 ] || fail "Looper wrote $(soxi -s loop.wav) frames, not 189000"
else
    fail "Looper: $(cat said)"
fi

# The second run finds the section kept by the first run, in a file of another name, and adds none.
for name in song.wav renamed.wav; do
    if timeout 300 "$programs/Trainer" $name null >said 2>&1; then
        [ "$(cat said)" = "$(printf 'section 1 of 1: Riff\ndone')" ] || fail "Trainer said: $(cat said)"
    else
        fail "Trainer: $(cat said)"
    fi
    [ -e renamed.wav ] || mv song.wav renamed.wav
done
mv renamed.wav song.wav

# A recording that the shelf has already, in a file of another name, is known.
mkdir shelf && cp song.wav same.wav
if timeout 300 "$programs/Shelf" shelf 'sông' song.wav same.wav >said 2>&1; then
    [ "$(cat said)" = "$(printf 'added: song\nknown: song\n1: song, 3.0 s, 0 sections')" ] || fail "Shelf said: $(cat said)"
else
    fail "Shelf: $(cat said)"
fi

# Its own test tone: half of full scale is -6.0 dB, a tenth -20.0 dB.
if timeout 300 "$programs/LevelMeter" >said 2>&1; then
    grep -qE 'channel 1 #+ +-6\.0 dB' said || fail "LevelMeter did not show -6.0 dB on channel 1 but: $(cat said)"
    grep -qE 'channel 2 #+ +-20\.0 dB' said || fail "LevelMeter did not show -20.0 dB on channel 2 but: $(cat said)"
else
    fail "LevelMeter: $(cat said)"
fi
"$programs/LevelMeter" missing.wav >said 2>&1 && fail "LevelMeter plays a file that does not exist"
grep -q 'missing.wav' said || fail "LevelMeter does not say which file is missing but: $(cat said)"

# A second of the song through a file, by the virtual clock: bit for bit the same as the song's left channel.
sox song.wav -r 48000 -e floating-point -b 32 -c 1 mono.wav remix 1 || exit 1
if timeout 300 "$programs/Monitor" file:heard.wav file:mono.wav 1 >said 2>&1; then
    grep -q '^48000 frames, 0 xruns, 0 overruns$' said || fail "Monitor said: $(cat said)"
    sox mono.wav -c 2 expected.wav remix 1 1 trim 0 48000s && sox heard.wav heard.raw && sox expected.wav expected.raw
    cmp -s heard.raw expected.raw || fail "Monitor did not play what it recorded"
else
    fail "Monitor: $(cat said)"
fi

# Two seconds of a tone at a tenth of full scale, from a file of three: -20.0 dB. The waveform line contains no digits
# except 0.
sox -n -r 44100 -c 2 -b 24 tone.wav synth 3 sine 1000 vol 0.1 || exit 1
if timeout 300 "$programs/TakeReport" take.wav file:tone.wav 2 >said 2>&1; then
    grep -qE '^88200 frames, 0 lost, peak -20\.0 dB$' said || fail "TakeReport said: $(cat said)"
    grep -qE '^most at (9[89][0-9]|100[0-9]|101[0-9]) Hz$' said || fail "TakeReport said: $(cat said)"
    grep -qE '^0{60}$' said || fail "TakeReport drew no waveform: $(cat said)"
    [ "$(soxi -s take.wav)" = 88200 ] || fail "TakeReport wrote $(soxi -s take.wav) frames, not 88200"
else
    fail "TakeReport: $(cat said)"
fi
"$programs/TakeReport" take.wav file:tone.wav 1 >said 2>&1 && fail "TakeReport records over a file"

# The programs of the articles and the tutorial: expect_shown "PROGRAM ARGUMENT..." LINE...
expect_shown() {
    local program words line
    read -ra words <<<"$1"
    program=${words[0]}
    shift
    timeout 300 "$programs/$program" "${words[@]:1}" >said 2>&1 || fail "$program ended with $?: $(cat said)"
    for line in "$@"; do grep -qF -- "$line" said || fail "$program did not say '$line' but: $(cat said)"; done
}
expect_frames() { [ "$(soxi -s "$1")" = "$2" ] || fail "$1 has $(soxi -s "$1") frames, not $2"; }
expect_shown "ArticleFirstSound null" 'frame 126000: pass 3 of Riff at 0.7' 'missing.wav: there is no such file'
expect_frames riff.wav 189000
expect_shown ArticleLoops '634130 frames in all' 'frame 132300: moved' 'frame 220500: moved' 'loop 44100..<88200' 'done'
# Six seconds, and the fade of the stop.
expect_frames loops.wav 264821
rm take.wav
expect_shown "ArticleRecordingTakes file:song.wav" '44100 frames, 0 lost' '44100 frames in take.flac' ': 55125 frames' ': 59535 frames'
expect_frames take.flac 44100
expect_shown ArticleYourOwnAudioThread '1379 blocks' '24000 frames, '
expect_shown ArticleWoodshedLibrary added '1: song, 3.0 s'
expect_shown "ArticleRealTimeRules file:song.wav" '(samples: 44'
expect_shown "$(printf '%s\n' "${shown[@]}" | tail -n 1) song.wav null file:song.wav" 'pass 4 of 4' ' frames in ./take-' 'done'

echo "examples: 6 programs and ${#shown[@]} of the reference, $failures failures"
[ $failures -eq 0 ]
