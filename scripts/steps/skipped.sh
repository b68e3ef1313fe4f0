#!/usr/bin/env bash
# Lists the tests not run by any step of the run, by name and with the reason; the last lines of `make test`.
#
#   scripts/steps/skipped.sh FILE        the file named by WOODSHED_STEP_TESTS for scripts/steps/step.sh
#
# A test skipped by one step and run by another has run. With WOODSHED_SKIPS_FAIL, as in .ci/run, a test not run by any
# step is a failure, unless .ci/may-skip lists the test: each line there is the beginning of a test's name, two spaces,
# and the reason why the machine cannot run the test.
set -uo pipefail
[ -f "$1" ] || { echo "skipped: there is no $1: nothing ran under scripts/steps/step.sh" >&2 && exit 1; }
permitted=${WOODSHED_MAY_SKIP:-$(dirname "$0")/../../.ci/may-skip}

may_be_skipped() {
    # The run prints a test's display name in quotes, and the name of a function without quotes.
    local line name test=${1#\"}
    while IFS= read -r line; do
        name=${line%%  *}
        [ -n "$name" ] && [ "$name" != '#' ] && [[ $test == "$name"* ]] && return
    done < <(grep -v '^#' "$permitted" 2>/dev/null)
    return 1
}

faults=0
skipped=0
while IFS=$'\t' read -r name reason; do
    skipped=$((skipped + 1))
    echo "ran nowhere: $name: ${reason:-no reason given}"
    if [ -n "${WOODSHED_SKIPS_FAIL:-}" ] && ! may_be_skipped "$name"; then faults=$((faults + 1)); fi
done < <(awk -F '\t' '$1 == "ran" { ran[$2] = 1 } $1 == "skipped" && (!($2 in why) || why[$2] == "") { why[$2] = $3 }
    END { for (name in why) if (!(name in ran)) print name "\t" why[name] }' "$1" | sort)

ran=$(awk -F '\t' '$1 == "ran"' "$1" | sort -u | wc -l)
echo "tests: $ran ran, $skipped were skipped wherever they could have run"
[ $faults -eq 0 ] || { echo "skipped: $faults of them should run on this machine (.ci/may-skip)" >&2 && exit 1; }
