#!/usr/bin/env bash
# Builds what a later step needs while this step's tests run, because the tests wait more than they compute:
#
#   scripts/beside.sh BUILD... -- COMMAND...
#
# The build only gets processor time that the tests do not need (SCHED_IDLE), so it does not slow them down. Its output is
# discarded: the later step builds again, finds most of it done, and reports errors. Ends when both have ended, with COMMAND's
# exit code; if COMMAND fails, the build is ended.
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
# If the tests have failed, the build is not needed.
[ $status -eq 0 ] || "$(dirname "$0")/end-descendants.py" $$ >/dev/null
wait
exit $status
