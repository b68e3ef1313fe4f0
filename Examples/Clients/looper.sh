#!/usr/bin/env bash
# Loops one second of a recording three times at 70 %, into a file, and prints the events of passes:
# looper.sh FILE [file:OUTPUT]
set -euo pipefail
output=${2:-file:loop.wav}
woodshed render "${1:-song.wav}" --section 1-2 -n 3 --speed 70% -o "${output#file:}" --json --quiet |
    jq -r 'select(.pass) | "frame \(.frame): \(.event), pass \(.pass)"'
