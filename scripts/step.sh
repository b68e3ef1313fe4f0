#!/usr/bin/env bash
# Runs one step of a longer run under a heading and says how long it took: scripts/step.sh NAME COMMAND [ARGUMENT]...
# The file that WOODSHED_STEP_SUMMARY names, if it is set, gathers the times of all steps and what the step that failed said
# of it: in thousands of lines of output, a test that fails is easily lost.
set -uo pipefail

scripts=$(dirname "$0")
name=$1
shift
limit=${WOODSHED_STEP_SECONDS:-1500}
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

# What tests say that they could not do here: a run that leaves something out must not look like one that did it all.
tell_skipped() {
    grep -q '^not run here: ' "$output" && return
    sed -nE 's/^.*(Test|Suite) (.*) skipped: "(.*)"$/not run here: \2: \3/p' "$output" | sort -u | tee -a "$summary"
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
[ "$status" -eq 0 ] || line+="  FAILED ($status)"
tell_skipped
echo "<== $line"
[ "$status" -eq 0 ] || tell_failure
echo "$line" >>"$summary"
exit "$status"
