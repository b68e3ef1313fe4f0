#!/usr/bin/env bash
# Runs one step of a longer run under a heading and says how long it took: scripts/step.sh NAME COMMAND [ARGUMENT]...
# The file that WOODSHED_STEP_SUMMARY names, if it is set, gathers the times of all steps and what the step that failed said
# of it: in thousands of lines of output, a test that fails is easily lost.
set -uo pipefail

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

# All that a process has started, itself last.
descendants() {
    local child
    for child in $(pgrep -P "$1"); do descendants "$child"; done
    echo "$1"
}

# What stands still would use up the whole run's time without a word: it is shown and ended.
end_when_late() {
    trap 'kill $!' TERM
    sleep "$limit" >/dev/null 2>&1 &
    wait $! || return
    local watch=$BASHPID late shown
    late=$(descendants "$1" | grep -vxE "$1|$watch")
    shown=$(ps -o pid,ppid,stat,etime,time,wchan:24,args --forest -p "$(echo "$late" | paste -sd,)" | cut -c1-200)
    for process in $late; do kill -KILL "$process" 2>/dev/null; done
    printf "error: '%s' has taken %s s; what ran:\n%s\n" "$name" "$limit" "$shown"
}

printf '\n==> %s\n' "$name"
started=$SECONDS
(
    step=$BASHPID
    end_when_late "$step" &
    trap 'kill $! 2>/dev/null' EXIT
    "$@"
) 2>&1 | tee "$output"
status=${PIPESTATUS[0]}
line=$(printf '%5d s  %s' $((SECONDS - started)) "$name")
[ "$status" -eq 0 ] || line+="  FAILED ($status)"
echo "<== $line"
[ "$status" -eq 0 ] || tell_failure
echo "$line" >>"$summary"
exit "$status"
