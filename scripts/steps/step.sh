#!/usr/bin/env bash
# Runs one step of a longer run, with a heading and its duration: scripts/steps/step.sh NAME COMMAND [ARGUMENT]...
# If WOODSHED_STEP_SUMMARY names a file, the script appends the durations of all steps and the errors of a failed step
# to this file, because a failed test is easily overlooked in thousands of lines of output.
# A step that prints nothing for WOODSHED_STEP_SECONDS (900) stands still, and the script ends the step. The whole
# duration has no limit, because a busy machine takes many times longer than an idle machine.
# If WOODSHED_STEP_TESTS names a file, the script appends the names of run and skipped tests to this file;
# scripts/steps/skipped.sh finds tests not run by any step. scripts/steps/test.sh records the tests in the file named by
# WOODSHED_TEST_RECORDS. A command with exit code 77 was itself skipped, and prints the reason in a line that begins
# with "not run here: ".
set -uo pipefail

scripts=$(dirname "$0")
name=$1
shift
limit=${WOODSHED_STEP_SECONDS:-900}
summary=${WOODSHED_STEP_SUMMARY:-/dev/null}
tests=${WOODSHED_STEP_TESTS:-/dev/null}
output=$(mktemp)
# An inner step has a separate file.
WOODSHED_TEST_RECORDS=$(mktemp)
export WOODSHED_TEST_RECORDS
trap 'rm -f "$output" "$WOODSHED_TEST_RECORDS"{,.[0-9]*}' EXIT

# The names of failed tests and their reasons, compiler errors, the place where a step stood still, and the end of the
# output; only from the innermost step.
tell_failure() {
    grep -q '^      | ' "$summary" && return
    {
        grep -aE '✘|(error|WARNING|FAILED): |[Ss]anitizer: ' "$output" | head -n 20
        grep -aE '^(begun, and not ended: | *[0-9]+  (started by|ended)|stack of [0-9]+: )' "$output" | head -n 60
        tail -n 5 "$output"
    } | cut -c1-300 | awk '!seen[$0]++' | sed 's/^/      | /' >>"$summary"
}

# Reports skipped tests, because a partial run must not look complete.
tell_skipped() { "$scripts/test-records.py" --told "$WOODSHED_TEST_RECORDS" | tee -a "$summary"; }
note_tests() {
    {
        "$scripts/test-records.py" "$WOODSHED_TEST_RECORDS"
        [ "$status" -ne 77 ] || sed -n "s/^not run here: /skipped\t$name\t/p" "$output"
    } >>"$tests"
}

# A step that hangs would use up the time of the whole run without a message, so the script shows and ends the step. The
# step keeps this function's input open until the end, so this function then ends by itself. The function counts looks,
# not the clock: a computer that slept has not stood still.
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
# The end of the run checks the skipped tests.
[ "$status" -ne 77 ] || status=0
exit "$status"
