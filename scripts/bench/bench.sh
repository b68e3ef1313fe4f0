#!/usr/bin/env bash
# Measures the parts of the engine beside comparable libraries, and then the command beside programs for the same task:
# medians of wall time in one run. The figures depend on the machine: compare ratios, not milliseconds.
#
#   scripts/bench/bench.sh [--long] [NAME]...   with --long also the memory for playing and recording 10 hours (needs 12
#                                               GB of disk); with names only these parts: Ring, Engine, Stretch, Meter,
#                                               Compare, CardFault, Record, Waveform, Store, picture, start, keys,
#                                               fetch, pedals, phrases, calls, library, whole, batch,
#                                               types
#
# `--rates LIST`, `--speeds LIST`, `--draws N` and `--seed N` go to the modulations of Stretch; `--rates all` measures
# them at every rate of sound cards.
#
# The script also writes the figures to a JSON file, with machine, kernel and commit: .build-bench/COMMIT-TIME.json, or
# the file named by WOODSHED_BENCH_JSON. `make bench-compare OLD=FILE NEW=FILE` lists the changes between two files.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD

long=no
parts=' '
stretch=()
while [ $# -gt 0 ]; do
    argument=$1
    shift
    case $argument in
    --long) long=yes ;;
    --rates | --speeds | --draws | --seed)
        [ $# -gt 0 ] || { echo "bench: $argument needs a value" >&2 && exit 64; }
        stretch+=("$argument" "$1")
        shift
        ;;
    Ring | Engine | Stretch | Meter | Compare | CardFault | Record | Waveform | Store | picture | start | keys | fetch | pedals | phrases | calls | library | whole | batch | types) parts+="$argument " ;;
    *) echo "bench: there is no part '$argument'" >&2 && exit 64 ;;
    esac
done
# wanted PART: whether to measure the part.
wanted() { [ "$parts" = ' ' ] || [[ $parts == *" $1 "* ]]; }

commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
[ -z "$(git status --porcelain 2>/dev/null)" ] || commit+=-changed
mkdir -p .build-bench
file=${WOODSHED_BENCH_JSON:-$root/.build-bench/$commit-$(date +%Y%m%dT%H%M%S).json}
WOODSHED_BENCH_ROWS=$(mktemp)
export WOODSHED_BENCH_ROWS
folder=$(mktemp -d)
trap 'rm -rf "$folder" "$WOODSHED_BENCH_ROWS"' EXIT
scripts/bench/bench-file.py --head "$commit" | tee "$folder/head"

scripts/build.sh --package Benchmarks
programs=$(readlink -f .build/release)
# Uses the scheduling of a render thread if permitted; otherwise the slowest blocks show the machine's other work.
fifo=(chrt --fifo 60)
"${fifo[@]}" true 2>/dev/null || fifo=()
for name in Ring Engine Stretch Meter Compare; do
    wanted "$name" || continue
    printf '\n==> %s\n' "${name}Benchmark"
    options=()
    [ $name != Stretch ] || options=("${stretch[@]}")
    "${fifo[@]}" "$programs/${name}Benchmark" "${options[@]}"
done

cd "$folder"
woodshed=$root/.build/release/woodshed
sox -n -r 44100 -c 2 -b 16 long.wav synth 600 pinknoise synth 600 sine amod 220 gain -12
sox long.wav long.flac

# record BENCHMARK NAME UNIT FACTOR VALUE...: adds a figure to the file, in the programs' form, with the values divided
# by FACTOR.
record() {
    printf '%s\n' "${@:5}" | awk -v head="{\"benchmark\":\"$1\",\"name\":\"$2\",\"unit\":\"$3\",\"better\":\"lower\",\"values\":[" -v factor="$4" \
        '{ values = values (NR > 1 ? "," : "") $1 / factor } END { print head values "]}" }' >>"$WOODSHED_BENCH_ROWS"
}

# measure RUNS DESCRIPTION COMMAND...: the median of the wall time, also in $median, in µs.
measure() {
    local runs=$1 description=$2 times=() started
    shift 2
    for ((run = 0; run < runs; run++)); do
        started=${EPOCHREALTIME/./}
        "$@" >/dev/null 2>&1 || { echo "  $description: failed" && return; }
        times+=($((${EPOCHREALTIME/./} - started)))
    done
    record command "$description" ms 1000 "${times[@]}"
    median=$(printf '%s\n' "${times[@]}" | sort -n | awk '{ t[NR] = $1 } END { print t[int((NR + 1) / 2)] }')
    awk -v description="$description" -v median="$median" 'BEGIN { printf "  %-52s %9.1f ms\n", description, median / 1000 }'
}

# These programs choose their own scheduling: with real-time scheduling, an endless loop would block the machine. The
# file does not contain the results of single faults.
if wanted CardFault; then
    printf '\n==> CardFaultBenchmark\n'
    sox -n -r 48000 -c 2 -b 16 tone.wav synth 15 sine 440 gain -12
    "$programs/CardFaultBenchmark" "$woodshed" "$PWD/tone.wav"
fi

if wanted Record; then
    printf '\n==> RecordBenchmark\n'
    sox -D -n -r 48000 -c 8 -b 16 eight.wav synth 20 pinknoise gain 6
    "$programs/RecordBenchmark" eight.wav take.wav
fi

if wanted Store; then
    printf '\n==> StoreBenchmark\n'
    (cd "$folder" && "$programs/StoreBenchmark")
fi
if wanted Waveform; then
    printf '\n==> WaveformBenchmark\n'
    lame --quiet -b 192 long.wav long.mp3
    oggenc -Q -q 6 -o long.ogg long.wav
    "$programs/WaveformBenchmark" long.wav long.flac long.mp3 long.ogg
fi

# spend RUNS DESCRIPTION COMMAND...: the median of the processor time, and the largest memory.
spend() {
    local runs=$1 description=$2 times memories
    shift 2
    for ((run = 0; run < runs; run++)); do
        command time -f '%U %S %M' -o spent "$@" >/dev/null 2>&1 || { echo "  $description: failed" && return; }
        cat spent
    done | sort -n >spents
    mapfile -t times < <(awk '{ print $1 + $2 }' spents)
    mapfile -t memories < <(awk '{ print $3 }' spents)
    record picture "$description, processor" ms 0.001 "${times[@]}"
    record picture "$description, memory" MB 1000 "${memories[@]}"
    sort -n spents | awk -v description="$description" '{ t[NR] = $1 + $2; if ($3 > most) most = $3 }
        END { printf "  %-52s %9.0f ms processor, %d MB\n", description, t[int((NR + 1) / 2)] * 1000, most / 1000 }'
}

if wanted picture; then
    printf '\n==> a picture of a 10-min WAV\n'
    spend 5 "woodshed waveform, whole pyramid with colour" "$woodshed" waveform long.wav -o ours.png --width 1200 --height 400 --no-cache
    spend 5 "woodshed waveform, .dat" "$woodshed" waveform long.wav -o ours.dat
    spend 5 "ffmpeg showwavespic" ffmpeg -nostdin -v error -y -i long.wav -filter_complex showwavespic=s=1200x400 -frames:v 1 theirs.png
    # Not a Debian package; measured if installed.
    command -v audiowaveform >/dev/null && spend 5 "audiowaveform, .dat" audiowaveform -q -i long.wav -o theirs.dat -z 256 -b 16
    sox long.wav hour.wav repeat 5
    export XDG_CACHE_HOME=$folder/cache
    measure 1 "woodshed waveform, an hour, first showing" "$woodshed" waveform hour.wav
    sleep 3
    measure 1 "woodshed waveform, an hour, second showing" "$woodshed" waveform hour.wav
    measure 21 "woodshed waveform, an hour, later showings" "$woodshed" waveform hour.wav
fi

if wanted start; then
    printf '\n==> the command: start\n'
    measure 101 "woodshed --version" "$woodshed" --version
    measure 101 "sox --version" sox --version
    measure 101 "/bin/true" /bin/true
    measure 21 "woodshed --help" "$woodshed" --help
    measure 21 "woodshed play, first 10 ms of a 10-min FLAC" \
        "$woodshed" play long.flac --to 0.01 --output null --clock virtual --quiet
    measure 21 "mpv --ao=null, first 10 ms of the same" \
        mpv --no-config --really-quiet --no-video --ao=null --untimed --end=0.01 long.flac
    # A thousand sections of half a second each; the run plays a section near the end once.
    awk 'BEGIN { for (i = 0; i < 1000; i++) printf "%.3f\t%.3f\tPhrase %d\n", i * 0.6, i * 0.6 + 0.5, i + 1 }' >labels.txt
    awk 'BEGIN { print ";FFMETADATA1"
        for (i = 0; i < 1000; i++) printf "[CHAPTER]\nTIMEBASE=1/1000\nSTART=%d\nEND=%d\n", i * 600, i * 600 + 500 }' >chapters.txt
    export XDG_DATA_HOME=$folder/data
    "$woodshed" sections long.flac import labels.txt --quiet >/dev/null
    # From the second run on the store knows the file without reading, as on the second day.
    sleep 4
    "$woodshed" practice long.flac --section 1 -n 1 --output null --clock virtual --quiet
    measure 21 "woodshed practice, 0.5 s, one of 1000 saved sections" \
        "$woodshed" practice long.flac --section 990 -n 1 --output null --clock virtual --quiet
    measure 21 "mpv --ao=null, 0.5 s, one of 1000 chapters" mpv --no-config --really-quiet --no-video --ao=null --untimed \
        --chapters-file=chapters.txt --start=#990 --length=0.5 long.flac
fi

if wanted keys; then
    printf '\n==> from a key to the changed sound\n'
    "$root/scripts/build.sh" VirtualCardPlugIn
    "$root/scripts/bench/bench-keys.py" "$root/.build/release/libVirtualCardPlugIn.so" "$woodshed"
fi

if wanted fetch; then
    printf '\n==> fetching beside curl, and playing meanwhile\n'
    "$root/scripts/build.sh" VirtualCardPlugIn
    # In memory: a disk would distort the times.
    "$root/scripts/bench/bench-fetch.py" /dev/shm "$programs/FetchBenchmark" '{url}' '{file}'
    "$root/scripts/bench/bench-playing.py" "$root/.build/release/libVirtualCardPlugIn.so" "$woodshed"
fi

if wanted pedals; then
    printf '\n==> from a pedal to its action\n'
    "$root/scripts/bench/bench-pedals.py" "$woodshed"
fi

if wanted phrases; then
    printf '\n==> phrases in 10 min of speech-like noise\n'
    sox -n -r 44100 -c 1 -b 16 phrase.wav synth 2 pinknoise tremolo 4 60 gain -12 pad 0 0.5
    sox phrase.wav phrases.wav repeat 239
    measure 5 "woodshed sections auto" "$woodshed" sections phrases.wav auto --json
    measure 5 "ffmpeg silencedetect" ffmpeg -nostdin -v error -i phrases.wav -af silencedetect=noise=-40dB:d=0.3 -f null -
fi

if wanted whole; then
    printf '\n==> the command: a 10-min FLAC, whole\n'
    measure 5 "woodshed render at 100 %" "$woodshed" render long.flac -o out.wav
    measure 5 "woodshed render at 75 %" "$woodshed" render long.flac --speed 75% -o out.wav
    measure 5 "flac --decode, alone" flac --silent --force --decode long.flac -o out.wav
    measure 5 "sox, to WAV" sox long.flac -e floating-point out.wav
fi

if wanted calls; then
    printf '\n==> calls of the interface for C, beside Swift\n'
    (cd "$root" && scripts/build-library.sh >/dev/null)
    "$programs/CallBenchmark" "$root/.build/release/libwoodshed.so.1" long.wav
fi

if wanted library; then
    printf '\n==> large libraries: 100,000 recordings, 5,000 addresses, 50 feeds, 17,000 sections\n'
    "$root/scripts/bench/bench-library.py" "$woodshed" 2>"$folder/library.log" || { cat "$folder/library.log" >&2 && exit 1; }
fi

if wanted batch; then
    # WOODSHED_BENCH_FILES: the number of recordings.
    count=${WOODSHED_BENCH_FILES:-40}
    printf '\n==> %d recordings of a minute, two at a time\n' "$count"
    mkdir batch
    sox -n -r 44100 -c 2 -b 16 batch/1.wav synth 60 pinknoise synth 60 sine amod 220 gain -12
    # Many names for one recording, so the disk does not distort the times.
    for ((number = 2; number <= count; number++)); do ln batch/1.wav "batch/$number.wav"; done
    printf '%s\0' batch/*.wav >names
    measure 3 "woodshed measure --jobs 2, $count files" "$woodshed" measure batch/*.wav --jobs 2 --json
    ours=$median
    # Loudness alone, and with true peaks, as `measure`.
    for filter in ebur128 ebur128=peak=true; do
        theirs=(xargs -0 -a names -P2 -I NAME ffmpeg -nostdin -v error -i NAME -af "$filter" -f null -)
        measure 3 "xargs -P2, ffmpeg $filter" "${theirs[@]}"
        awk -v ours="$ours" -v theirs="$median" 'BEGIN { printf "  takes %.1f times as long\n", theirs / ours }'
    done
    spend 1 "xargs -P2, ffmpeg $filter" "${theirs[@]}"
    # More recordings take no more memory.
    spend 1 "woodshed measure --jobs 2, 2 files" "$woodshed" measure batch/1.wav batch/2.wav --jobs 2 --json
    spend 1 "woodshed measure --jobs 2, $count files" "$woodshed" measure batch/*.wav --jobs 2 --json
fi

if wanted types; then
    printf '\n==> expressions whose types take the compiler long\n'
    "$root/scripts/bench/build-times.py" --slow
fi

if [ $long = yes ]; then
    printf '\n==> memory, 10 hours of FLAC, a jump every second\n'
    sox -D -n -r 44100 -c 2 -b 16 -C 0 hours.flac synth 36000 sine 441 gain -12
    "$programs/LongFileBenchmark" hours.flac
    printf '\n==> memory, the waveform of 10 hours\n'
    command time -f '  woodshed waveform: %M KB at most, %e s' "$woodshed" waveform hours.flac --no-cache --height 1 >/dev/null
    printf '\n==> memory, 10 hours recorded\n'
    command time -f '  woodshed record, as fast as it goes: %M KB at most, %e s' \
        "$woodshed" record --input file:hours.flac --clock virtual --quiet -o hours.wav
fi

"$root/scripts/bench/bench-file.py" "$folder/head" "$WOODSHED_BENCH_ROWS" "$file"
