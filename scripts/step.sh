#!/usr/bin/env bash
# Runs one step of a longer run under a heading and says how long it took: scripts/step.sh NAME COMMAND [ARGUMENT]...
# The file that WOODSHED_STEP_SUMMARY names, if it is set, gathers the times of all steps and what the step that failed said
# of it: in thousands of lines of output, a test that fails is easily lost.
# The file that WOODSHED_STEP_TESTS names, if it is set, gathers which tests ran and which were skipped: scripts/skipped.sh looks
# which ran in no step. A command that ends with 77 was skipped itself, and says why in a line that begins with "not run here: ".
set -uo pipefail

scripts=$(dirname "$0")
name=$1
shift
limit=${WOODSHED_STEP_SECONDS:-1500}
summary=${WOODSHED_STEP_SUMMARY:-/dev/null}
tests=${WOODSHED_STEP_TESTS:-/dev/null}
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# Names of tests that failed and their reasons, errors of compilers, and how the output ends; of the innermost step alone.
tell_failure() {
    grep -q '^      | ' "$summary" && return
    {
        grep -aE '✘|(error|WARNING|FAILED): |[Ss]anitizer: ' "$output" | head -n 20
        tail -n 5 "$output"
    } | cut -c1-300 | awk '!seen[$0]++' | sed 's/^/      | /' >>"$summary"
}

# What could not be done here: a run that leaves something out must not look like one that did it all. An outer step has it from
# the inner one.
tell_skipped() {
    grep -aqE '^(not run here: |<== )' "$output" && return
    sed -nE 's/^.*(Test|Suite) (.*) skipped: "(.*)"$/not run here: \2: \3/p' "$output" | sort -u | tee -a "$summary"
}
note_tests() {
    grep -aq '^<== ' "$output" && return
    {
        sed -nE 's/^[^ ]+ Test (.*) skipped(: "(.*)")?\.?$/skipped\t\1\t\3/p' "$output"
        sed -nE '/^[^ ]+ Test run with /d; s/^[^ ]+ Test (.*) (passed|failed) after .*$/ran\t\1/p' "$output" | sed -E 's/ with [0-9]+ test cases?$//'
        [ "$status" -ne 77 ] || sed -n "s/^not run here: /skipped\t$name\t/p" "$output"
    } >>"$tests"
}

# What stands still would use up the whole run's time without a word: it is shown and ended. The step holds this one's input open
# until it ends, so nothing has to be ended then but by itself.
end_when_late() {
    read -r -t "$limit"
    [ $? -gt 128 ] || return
    printf "error: '%s' has taken %s s; what ran, and was ended:\n" "$name" "$limit"
    "$scripts/end-descendants.py" "$1" "$BASHPID"
}

printf '\n==> %s\n' "$name"
started=$SECONDS
(
    step=$BASHPID
    exec 3> >(end_when_late "$step")
    "$@" 3>&-
) 2>&1 | tee "$output"
status=${PIPESTATUS[0]}
line=$(printf '%5d s  %s' $((SECONDS - started)) "$name")
if [ "$status" -eq 77 ]; then
    line+="  SKIPPED"
    grep -a '^not run here: ' "$output" >>"$summary"
elif [ "$status" -ne 0 ]; then
    line+="  FAILED ($status)"
fi
tell_skipped
note_tests
echo "<== $line"
[ "$status" -eq 0 ] || [ "$status" -eq 77 ] || tell_failure
echo "$line" >>"$summary"
# Whether what was skipped may be is for the end of the run to say.
[ "$status" -ne 77 ] || status=0
exit "$status"
