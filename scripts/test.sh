#!/usr/bin/env bash
# Runs tests: scripts/test.sh [arguments of swift test].
#
# So many at a time as finish in turn. Without a limit all begin at once, and one that waits for a task of its own waits behind a thousand
# others, for as long as the whole run takes. Swift before 6.3 has no such limit.
#
# If WOODSHED_TEST_RECORDS names a file, what ran is recorded in it; scripts/test-records.py reads it.
set -euo pipefail
swift=${SWIFT:-swift}
width=--experimental-maximum-parallelization-width
if "$swift" test --help-hidden 2>/dev/null | grep -q -- "$width"; then set -- "$width" "${WOODSHED_TESTS_AT_ONCE:-16}" "$@"; fi
[ -z "${WOODSHED_TEST_RECORDS:-}" ] || set -- --event-stream-output-path "$WOODSHED_TEST_RECORDS" --event-stream-version 0 "$@"
exec "$swift" test "$@"
