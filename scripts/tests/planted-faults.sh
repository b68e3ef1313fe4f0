#!/usr/bin/env bash
# shellcheck disable=SC2034 # the sourcing script's variables
#
# For tests of checks: plants faults in a separate folder, which the checks must find. To be sourced, not run.

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
checks=0

# Creates a module without a fault, anew for every check.
lay_module() {
    rm -rf "${folder:?}"/*
    mkdir -p "$folder/Sources/Sample" "$folder/scripts/checks"
    printf '// Counts frames; knows nothing of time.\n\n/// How many frames there are.\npublic let frameCount = 1\n' \
        >"$folder/Sources/Sample/Sample.swift"
}

# expect found|nothing DESCRIPTION COMMAND...
expect() {
    local wanted=$1 description=$2 outcome=nothing
    shift 2
    "$@" >"$folder/output" 2>&1 || outcome=found
    checks=$((checks + 1))
    if [ $outcome != "$wanted" ]; then
        failures=$((failures + 1))
        echo "gate: $description: expected '$wanted', got '$outcome'" >&2
        cat "$folder/output" >&2
    fi
}

# git without the user's settings, in the folder.
plain_git() { GIT_CONFIG_GLOBAL=/dev/null git -C "$folder" -c user.name=Test -c user.email=test@example.org "$@"; }
