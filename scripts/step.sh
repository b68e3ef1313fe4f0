#!/usr/bin/env bash
# Runs one step of a longer run under a heading and says how long it took: scripts/step.sh NAME COMMAND [ARGUMENT]...
# The file that WOODSHED_STEP_SUMMARY names, if it is set, gathers the times of all steps and what the step that failed said
# of it: in thousands of lines of output, a test that fails is easily lost.
set -uo pipefail

name=$1
shift
summary=${WOODSHED_STEP_SUMMARY:-/dev/null}
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

printf '\n==> %s\n' "$name"
started=$SECONDS
"$@" 2>&1 | tee "$output"
status=${PIPESTATUS[0]}
line=$(printf '%5d s  %s' $((SECONDS - started)) "$name")
[ "$status" -eq 0 ] || line+="  FAILED ($status)"
echo "<== $line"
[ "$status" -eq 0 ] || tell_failure
echo "$line" >>"$summary"
exit "$status"
