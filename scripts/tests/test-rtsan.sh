#!/usr/bin/env bash
# Runs the tests as shipped, optimised, under the real-time sanitizer: a render path that allocates, locks or blocks
# ends the run (exit code 43). Only the link differs from that of the shipped program: the same objects, and the
# sanitizer's interceptors. The tests start a command linked in this way, .build/release/woodshed-sanitized;
# .build/release/woodshed stays the shipped command.
#
#   scripts/tests/test-rtsan.sh [arguments of swift test, such as --filter Engine]
#   scripts/tests/test-rtsan.sh --build         only builds the tests
#
# First, the sanitizer must catch a planted allocation; otherwise the sanitizer is not active and the other results mean
# nothing. The Swift compiler has no option for this sanitizer; its runtime, which is part of the toolchain, is linked
# whole and intercepts the C library. Optimised, because unoptimised generic code uses locks.
set -euo pipefail
cd "$(dirname "$0")/../.."
swift=${SWIFT:-swift}

fail() {
    printf 'real-time sanitizer: %s\n' "$@" >&2
    exit 1
}

resources=$("$swift" -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
runtime=$resources/clang/lib/linux/libclang_rt.rtsan-$(uname -m).a
[ -f "$runtime" ] || fail "this toolchain has no runtime of it at $runtime" "use a toolchain of swift.org, 6.2 or later"

# shellcheck source=scripts/release-options.sh
. scripts/release-options.sh
log=$(mktemp)
trap 'rm -f "$log"' EXIT

WOODSHED_REALTIME_SANITIZER=$runtime scripts/build.sh --tests woodshed-sanitized
export WOODSHED_TESTED_COMMAND=$PWD/.build/release/woodshed-sanitized
grep -q __rtsan_realtime_enter "$WOODSHED_TESTED_COMMAND" || fail "the command under test does not contain its runtime"
[ "${1:-}" != --build ] || exit 0

echo "real-time sanitizer: planted fault"
"$swift" test --skip-build "${release[@]}" --filter RealtimeSafetyTests >"$log" 2>&1 || { cat "$log"; exit 1; }
grep -qE 'Test "the real-time sanitizer ends a program that allocates in a scope" passed' "$log" || {
    cat "$log"
    fail "a planted allocation was not caught"
}

echo "real-time sanitizer: tests"
# The C library overwrites freed memory (set by an environment variable), so a later read fails every time rather than
# once in a hundred.
MALLOC_PERTURB_=165 scripts/steps/test.sh "${release[@]}" "$@"
