#!/usr/bin/env bash
# Fuzzes the readers of all outside data (Tests/FuzzTests), with libFuzzer and the address sanitizer of the toolchain.
#
#   scripts/soak/fuzz.sh [--seconds N] [READER]...   each for N seconds of processor time (60); default: all readers
#   scripts/soak/fuzz.sh --keep READER FILE...       copies inputs to the corpus in git, into the folder for the
#                                                    reader's verdict
#
# The fuzzer is built in .build-fuzz. Inputs that reach new code stay in .build-fuzz/corpus/READER for the next run.
# Inputs that end the reader, break a promise, take more than a second of processor time or too much memory are
# failures, in .build-fuzz/found/READER.
set -euo pipefail
cd "$(dirname "$0")/../.."
swift=${SWIFT:-swift}
committed=Tests/FuzzTests/Corpus
folder=.build-fuzz
seconds=60
keeps=no
inputs=()
case ${1:-} in
--seconds)
    [[ ${2:-} =~ ^[1-9][0-9]{0,8}$ ]] || { echo "fuzz: --seconds needs a number" >&2 && exit 64; }
    seconds=$2
    readers=("${@:3}")
    ;;
--keep)
    [ $# -ge 3 ] || { echo "fuzz: --keep needs a reader and files" >&2 && exit 64; }
    keeps=yes
    readers=("$2")
    inputs=("${@:3}")
    ;;
-*) echo "fuzz: there is no option $1" >&2 && exit 64 ;;
*) readers=("$@") ;;
esac
mapfile -t all_readers < <(sed -n 's/.*FuzzedReader(name: "\([a-z]*\)".*/\1/p' Tests/FuzzTests/Readers/FuzzedReader.swift)
for reader in "${readers[@]}"; do
    [[ " ${all_readers[*]} " == *" $reader "* ]] || { echo "fuzz: there is no reader $reader; there are ${all_readers[*]}" >&2 && exit 64; }
done
for input in "${inputs[@]}"; do
    [ -f "$input" ] || { echo "fuzz: there is no file $input" >&2 && exit 66; }
done
[ ${#readers[@]} -gt 0 ] || readers=("${all_readers[@]}")

options=(-c release --product woodshed-fuzz --sanitize fuzzer --sanitize address --scratch-path "$folder" -Xswiftc -enable-testing
    -Xswiftc -no-emit-module-separately-wmo -Xswiftc -use-ld=lld)
# Read by Package.swift.
export WOODSHED_FUZZES=1
# The leak detector stops the program like a debugger, which containers forbid. The limit of memory finds endless
# growth.
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
"$swift" build "${options[@]}"
fuzzer=$("$swift" build "${options[@]}" --show-bin-path)/woodshed-fuzz

if [ $keeps = yes ]; then
    reader=${readers[0]}
    for input in "${inputs[@]}"; do
        verdict=$(WOODSHED_FUZZ_READER=$reader WOODSHED_FUZZ_TELLS=1 "$fuzzer" "$input" 2>/dev/null | grep -xE 'accepted|refused' | tail -n 1)
        mkdir -p "$committed/$reader/$verdict"
        cp "$input" "$committed/$reader/$verdict/"
        echo "$committed/$reader/$verdict/$(basename "$input")"
    done
    exit
fi

# A reader with an immediate fault would never end.
most_faults=10

# A program's seconds of processor time, from a file of `time`.
taken() { awk '{ printf "%d", $1 + $2 + 0.5 }' "$1"; }

fuzz() {
    local reader=$1 left=$seconds faults=0 runs=0
    local known=$folder/corpus/$reader found=$folder/found/$reader log=$folder/$reader.log
    export WOODSHED_FUZZ_READER=$reader
    mkdir -p "$known" "$found"
    : >"$log"
    while [ "$left" -gt 0 ] && [ $faults -lt $most_faults ]; do
        local status=0
        { time WOODSHED_FUZZ_SECONDS=$left "$fuzzer" -timeout=300 -rss_limit_mb=2048 -malloc_limit_mb=512 -max_len=20000 \
            -print_final_stats=1 -artifact_prefix="$found/" "$known" "$committed/$reader" >"$log.run" 2>&1; } 2>"$log.time" || status=$?
        cat "$log.run" >>"$log"
        local units
        units=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log.run" | tail -n 1)
        runs=$((runs + ${units:-0}))
        left=$((left - $(taken "$log.time")))
        [ $status -eq 0 ] || faults=$((faults + 1))
    done
    # Of inputs with the same reach, the smallest stays.
    rm -rf "$known.smaller"
    mkdir -p "$known.smaller"
    "$fuzzer" -merge=1 "$known.smaller" "$known" >"$log.run" 2>&1 && rm -rf "$known" && mv "$known.smaller" "$known"
    local coverage
    coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    printf '%-10s %12d %8d %8d %8d %8d\n' "$reader" "$runs" $((seconds - left)) "${coverage:-0}" "$(find "$known" -type f | wc -l)" $faults
    [ $faults -eq 0 ] || {
        grep -hE '^(broken promise|hang|SUMMARY|Fatal error)|: Fatal error' "$log" | sort | uniq -c | sed 's/^/    /'
        find "$found" -type f | sort | sed 's/^/    /'
        return 1
    }
}

export TIMEFORMAT='%U %S'
faulty=0
printf '%-10s %12s %8s %8s %8s %8s\n' reader runs seconds coverage inputs faults
for reader in "${readers[@]}"; do
    fuzz "$reader" || faulty=$((faulty + 1))
done
[ $faulty -eq 0 ] || { echo "fuzz: $faulty readers have faults" >&2; exit 1; }
