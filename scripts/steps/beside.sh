#!/usr/bin/env bash
# Builds the products of a later step during this step's tests, because the tests wait more than they compute:
#
#   scripts/steps/beside.sh BUILD... -- COMMAND...
#
# The build gets only the idle time of the tests (SCHED_IDLE), and does not slow the tests down. Beside other computing
# programs the build would never end. So the script ends the build with the tests, and completes the build at the usual
# priority, with output. The later step builds once more, and reports errors. Ends with COMMAND's exit code; if COMMAND
# fails, the script builds nothing more.
set -uo pipefail
build=()
while [ "$1" != -- ]; do
    build+=("$1")
    shift
done
shift
idle=(nice -n 19)
# A container may forbid SCHED_IDLE, or lack chrt; the lowest priority is nearly as good.
chrt --idle 0 true 2>/dev/null && idle=(chrt --idle 0)
"${idle[@]}" "${build[@]}" >/dev/null 2>&1 </dev/null &
"$@"
status=$?
running=$(jobs -r)
"$(dirname "$0")/end-descendants.py" $$ >/dev/null
wait
[ $status -ne 0 ] || [ -z "$running" ] || "${build[@]}" </dev/null
exit $status
