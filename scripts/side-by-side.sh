#!/usr/bin/env bash
# Runs commands at the same time, because each of them leaves a core idle: scripts/side-by-side.sh COMMAND...
#
# A COMMAND is one argument, a line for the shell. The last one prints while it runs, and each of the others when it has ended. The first
# command that fails ends the others, and its exit code is that of the script.
set -uo pipefail
outputs=$(mktemp -d)
trap 'rm -rf "$outputs"' EXIT
# A program that is started in the background ignores interrupts, and the tests of Ctrl-C would inherit that.
shell=(env "--default-signal=INT,QUIT" bash -c)
for ((number = 1; number < $#; number++)); do
    {
        "${shell[@]}" "${!number}" >"$outputs/$number" 2>&1
        status=$?
        cat "$outputs/$number"
        exit "$status"
    } &
done
"${shell[@]}" "${!#}" &

status=0
for ((number = 1; number <= $#; number++)); do
    wait -n || {
        status=$?
        break
    }
done
[ "$status" -eq 0 ] || "$(dirname "$0")/end-descendants.py" $$ >/dev/null
wait
exit "$status"
