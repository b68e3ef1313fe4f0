#!/usr/bin/env bash
# Runs one step of a longer run, with a heading and its duration: scripts/step.sh NAME COMMAND [ARGUMENT]...
# If WOODSHED_STEP_SUMMARY names a file, the durations of all steps and the errors of a failed step are appended to it, because
# a failed test is easily overlooked in thousands of lines of output.
# A step that prints nothing for WOODSHED_STEP_SECONDS (900) stands still and is ended. Its whole duration has no limit, because a busy
# machine takes many times longer than an idle one.
# If WOODSHED_STEP_TESTS names a file, the tests that ran and the tests that were skipped are appended to it; scripts/skipped.sh
# finds those that no step ran. scripts/test.sh has them recorded in the file that WOODSHED_TEST_RECORDS names. A command that
# exits with 77 was itself skipped, and prints the reason in a line that begins with "not run here: ".
set -uo pipefail

scripts=$(dirname "$0")
name=$1
shift
limit=${WOODSHED_STEP_SECONDS:-900}
summary=${WOODSHED_STEP_SUMMARY:-/dev/null}
tests=${WOODSHED_STEP_TESTS:-/dev/null}
output=$(mktemp)
# A step inside this one has a file of its own.
WOODSHED_TEST_RECORDS=$(mktemp)
export WOODSHED_TEST_RECORDS
trap 'rm -f "$output" "$WOODSHED_TEST_RECORDS"{,.[0-9]*}' EXIT

# The names of failed tests and their reasons, compiler errors, where a step stood still, and the end of the output; only from the
# innermost step.
tell_failure() {
    grep -q '^      | ' "$summary" && return
    {
        grep -aE '✘|(error|WARNING|FAILED): |[Ss]anitizer: ' "$output" | head -n 20
        grep -aE '^(begun, and not ended: | *[0-9]+  (started by|ended)|stack of [0-9]+: )' "$output" | head -n 60
        tail -n 5 "$output"
    } | cut -c1-300 | awk '!seen[$0]++' | sed 's/^/      | /' >>"$summary"
}

# Reports skipped tests, because a run that leaves something out must not look like a complete one.
tell_skipped() { "$scripts/test-records.py" --told "$WOODSHED_TEST_RECORDS" | tee -a "$summary"; }
note_tests() {
    {
        "$scripts/test-records.py" "$WOODSHED_TEST_RECORDS"
        [ "$status" -ne 77 ] || sed -n "s/^not run here: /skipped\t$name\t/p" "$output"
    } >>"$tests"
}

# A step that hangs would use up the time of the whole run without a message, so it is shown and ended. The step keeps this
# function's input open until it ends, so this function then ends by itself. Looks are counted, and not the clock: a computer that
# slept has not stood still.
end_when_still() {
    local length=-1 now looks=0 pause=$((limit < 10 ? 1 : 10))
    while [ $((looks * pause)) -lt "$limit" ]; do
        read -r -t "$pause"
        [ $? -gt 128 ] || return
        now=$(stat -c %s "$output")
        if [ "$now" = "$length" ]; then looks=$((looks + 1)); else length=$now looks=0; fi
    done
    printf "\nerror: '%s' has printed nothing for %s s; what ran, and was ended:\n" "$name" "$limit"
    "$scripts/test-records.py" --begun "$WOODSHED_TEST_RECORDS"
    "$scripts/end-descendants.py" "$1" "$BASHPID"
}

printf '\n==> %s\n' "$name"
started=$SECONDS
(
    step=$BASHPID
    exec 3> >(end_when_still "$step")
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
# Whether tests may be skipped is checked at the end of the run.
[ "$status" -ne 77 ] || status=0
exit "$status"
