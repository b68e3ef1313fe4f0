#!/usr/bin/env bash
# Runs each waiting test many times, on a busy machine, and keeps a record, because the runs take hours:
#
#   scripts/soak/repeat.sh [--times N] [--load N] [--seconds N] [FILE]...
#
#   --times N      how often each file's tests run in all (50)
#   --load N       number of computing processes beside the tests (8)
#   --seconds N    begins no further run after this time; the record says where the next call continues
#   FILE           only the tests in these files of Tests/; default: all files whose tests wait, start a program, or use
#                  a clock, a thread or a card
#
# Tests/repeats.txt has a line for each file: the hash of the file's content, the numbers of passed and failed runs with
# this content, and the name. A changed file begins anew. The output of failed runs is in .build-tests/repeat.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
times=50
load=8
seconds=1000000000
files=()
while [ $# -gt 0 ]; do
    case $1 in
    --times | --load | --seconds)
        [[ ${2:-} =~ ^[0-9]{1,9}$ ]] || { echo "repeat: $1 needs a number" >&2 && exit 64; }
        declare "${1#--}=$2"
        shift
        ;;
    -*) echo "repeat: there is no option $1" >&2 && exit 64 ;;
    *)
        [ -f "$1" ] || { echo "repeat: there is no file $1" >&2 && exit 66; }
        files+=("$1")
        ;;
    esac
    shift
done

waits='eventually\(|Command\.run|TerminalRun|VirtualCardRig|studio\.run|Thread|ProcessHandle|usleep|clock: \.real|ContinuousClock'
waits+='|processExitsWith|Server|\.wait\(|Task\.sleep'
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(grep -rlE "$waits" Tests/*Tests --include='*.swift' | sort)

record=Tests/repeats.txt
failures=.build-tests/repeat
mkdir -p "$failures"
touch "$record"

# counts FILE HASH: the numbers of passed and failed runs.
counts() { awk -v file="$1" -v hash="$2" '$4 == file && $1 == hash { print $2, $3; found = 1 } END { if (!found) print 0, 0 }' "$record"; }
# note FILE HASH PASSED FAILED
note() {
    { awk -v file="$1" '$4 != file' "$record" && echo "$2 $3 $4 $1"; } | sort -k4 >"$failures/record" && mv "$failures/record" "$record"
}
# A pattern for the suites of a file, for `swift test --filter`; empty if the file has only helpers.
pattern() {
    local module=${1#Tests/} suites
    suites=$(grep -oP '^(@MainActor )?(final )?(struct|class|enum|actor|extension) \K\w+' "$1" | sort -u | paste -sd '|')
    grep -q '@Test' "$1" && [ -n "$suites" ] && printf '^%s\\.(%s)/' "${module%%/*}" "$suites"
}

# shellcheck source=scripts/release-options.sh
. scripts/release-options.sh
scripts/tests/test-rtsan.sh --build || exit 1
export WOODSHED_TESTED_COMMAND=$PWD/.build/release/woodshed-sanitized

end_load() { for ((number = 1; number <= load; number++)); do kill "%$number"; done 2>/dev/null; }
trap end_load EXIT
for ((number = 1; number <= load; number++)); do (while :; do :; done) & done

failed=0
done_runs=0
for ((round = 1; round <= times; round++)); do
    for file in "${files[@]}"; do
        [ "$SECONDS" -lt "$seconds" ] || break 2
        filter=$(pattern "$file") || continue
        hash=$(git hash-object "$file" | cut -c1-12)
        read -r passed lost < <(counts "$file" "$hash")
        [ $((passed + lost)) -lt "$times" ] || continue
        log=$failures/$(basename "$file" .swift)-$((passed + lost + 1)).log
        done_runs=$((done_runs + 1))
        # A pattern without a test passes, too.
        if scripts/steps/test.sh "${release[@]}" --filter "$filter" >"$log" 2>&1 && grep -qa 'Test run with [1-9]' "$log"; then
            passed=$((passed + 1))
            rm -f "$log"
        else
            lost=$((lost + 1))
            failed=$((failed + 1))
            echo "repeat: $file failed in run $((passed + lost)): $log"
            grep -a '✘' "$log" | head -n 3
        fi
        note "$file" "$hash" "$passed" "$lost"
    done
done
echo "repeat: $done_runs runs, $failed failed"
[ "$failed" -eq 0 ]
