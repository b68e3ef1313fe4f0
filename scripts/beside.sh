#!/usr/bin/env bash
# Builds what a later step needs while this step's tests run, which wait more than they compute:
#
#   scripts/beside.sh BUILD... -- COMMAND...
#
# The build gets only what the tests leave of the processors (SCHED_IDLE), so it disturbs none of them. What it says is left
# out: the later step builds again, finds most of it done, and tells what is wrong. Ends when both have ended, with COMMAND's
# exit code; a COMMAND that fails ends the build.
set -uo pipefail
build=()
while [ "$1" != -- ]; do
    build+=("$1")
    shift
done
shift
idle=(nice -n 19)
# A container may forbid it, and some have no chrt; the lowest priority is nearly as good.
chrt --idle 0 true 2>/dev/null && idle=(chrt --idle 0)
"${idle[@]}" "${build[@]}" >/dev/null 2>&1 </dev/null &
"$@"
status=$?
# Nobody waits for a build when the tests have failed.
[ $status -eq 0 ] || "$(dirname "$0")/end-descendants.py" $$ >/dev/null
wait
exit $status
