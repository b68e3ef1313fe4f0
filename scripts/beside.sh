#!/usr/bin/env bash
# Builds what a later step needs while this step's tests run, because the tests wait more than they compute:
#
#   scripts/beside.sh BUILD... -- COMMAND...
#
# The build only gets processor time that the tests do not need (SCHED_IDLE), so it does not slow them down. Beside other programs that compute
# it would never end. So it is ended with the tests, and the rest is built at the usual priority, with its output. The later step builds
# once more, and reports errors. Ends with COMMAND's exit code; if COMMAND fails, nothing more is built.
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
running=$(jobs -r)
"$(dirname "$0")/end-descendants.py" $$ >/dev/null
wait
[ $status -ne 0 ] || [ -z "$running" ] || "${build[@]}" </dev/null
exit $status
