#!/usr/bin/env bash
# Runs one step of a longer run under a heading and says how long it took: scripts/step.sh NAME COMMAND [ARGUMENT]...
# The times of all steps are gathered in the file that WOODSHED_STEP_TIMES names, if it is set.
set -uo pipefail

name=$1
shift
printf '\n==> %s\n' "$name"
started=$SECONDS
"$@"
status=$?
line=$(printf '%5d s  %s' $((SECONDS - started)) "$name")
[ $status -eq 0 ] || line+="  FAILED ($status)"
echo "<== $line"
[ -z "${WOODSHED_STEP_TIMES:-}" ] || echo "$line" >>"$WOODSHED_STEP_TIMES"
exit $status
