#!/usr/bin/env bash
# Runs commands at the same time, because each command leaves a core idle: scripts/steps/side-by-side.sh COMMAND...
#
# A COMMAND is one argument, a line for the shell. The last command prints during its run, every other command after its
# end. The first failing command ends the others, and the script has the exit code of this command.
set -uo pipefail
outputs=$(mktemp -d)
trap 'rm -rf "$outputs"' EXIT
# A program started in the background ignores interrupts, and the tests of Ctrl-C would inherit this setting.
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
