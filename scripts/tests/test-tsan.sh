#!/usr/bin/env bash
# Runs the tests under the thread sanitizer: a data race fails the run.
#
#   scripts/tests/test-tsan.sh [arguments of swift test, such as --filter Engine]
#   scripts/tests/test-tsan.sh --build          only builds them
#
# With WOODSHED_THREADS_EVERYWHERE=1, as in the soak, the command and its tests are among them
# (docs/decisions/building.md has the reason).
#
# First, the memory orderings in a copy of the module Realtime are weakened, one in each of its parts, and each must be
# reported; otherwise the sanitizer is not active and the other results mean nothing. The modules under test are
# optimised as a whole, because unoptimised generic code accesses memory inside the runtime, which is not instrumented.
set -euo pipefail
cd "$(dirname "$0")/../.."
swift=${SWIFT:-swift}
# shellcheck source=scripts/release-options.sh
. scripts/release-options.sh
# With the checks of the standard library that only unoptimised code makes: of the bounds of unsafe buffers, for
# example.
options=(-c release --sanitize=thread -Xswiftc -enable-testing -Xswiftc -no-emit-module-separately-wmo -Xswiftc -assert-config -Xswiftc Debug)
# Read by Package.swift, as is WOODSHED_THREADS_EVERYWHERE: the command then links the support for Swift's Mutex under
# the sanitizer, as the tests do.
export WOODSHED_SANITIZES_THREADS=1
# By default a program with threads waits a second at its exit for races among the last of them. The command exits
# without waiting for threads that have nothing to finish, and without that second they would be reported.
export TSAN_OPTIONS="exitcode=66 atexit_sleep_ms=0 report_thread_leaks=0 ${TSAN_OPTIONS:-}"

if [ "${1:-}" = --build ]; then
    exec "$swift" build --build-tests "${options[@]}" --scratch-path .build-tsan
fi

fail() {
    printf 'thread sanitizer: %s\n' "$@" >&2
    exit 1
}

# weaken FILE FROM TO: replaces FROM in a file of the copy; if FROM is not there, this test must be updated.
weaken() {
    grep -qF "$2" "$planted/$1" || fail "nothing to weaken in $1: it no longer says '$2'; bring scripts/tests/test-tsan.sh up to date"
    sed -i "s/$2/$3/" "$planted/$1"
}

# must_be_caught TESTS: the weakened copy's TESTS must end with a report of a race. Whether two threads meet in the race
# depends on when they run, and the sanitizer can hang while it writes the report; such a run is repeated.
must_be_caught() {
    local log=$planted/$1.log
    for _ in 1 2 3 4 5; do
        TSAN_OPTIONS="halt_on_error=1 $TSAN_OPTIONS" timeout --kill-after=5 120 \
            "$swift" test "${options[@]}" --package-path "$planted" --skip-build --filter "$1" >"$log" 2>&1 || true
        grep -q 'WARNING: ThreadSanitizer: data race' "$log" && return
    done
    tail -n 40 "$log"
    fail "a weakened memory ordering went unnoticed by $1"
}

echo "thread sanitizer: planted faults"
planted=.build-tsan/planted
mkdir -p "$planted"
rm -rf "${planted:?}"/{Package.swift,CSources,Sources,Tests}
mkdir -p "$planted"/{CSources,Sources,Tests/TestSupport}
cp -r CSources/{CRealtime,CAllocationCounter,CSanitizerSupport} "$planted/CSources/"
cp -r Sources/{Explanations,Realtime} "$planted/Sources/"
cp -r Tests/RealtimeTests "$planted/Tests/"
cp Tests/TestSupport/{Allocations,Patience,Privileges,Sanitizers,SeededGenerator,Traps}.swift "$planted/Tests/TestSupport/"
cat >"$planted/Package.swift" <<'END'
// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
]
let package = Package(
    name: "planted",
    targets: [
        .target(name: "CRealtime", path: "CSources/CRealtime"),
        .target(name: "CAllocationCounter", path: "CSources/CAllocationCounter"),
        .target(name: "Explanations", swiftSettings: settings),
        .target(name: "Realtime", dependencies: ["Explanations", "CRealtime"], swiftSettings: settings),
        .target(name: "CSanitizerSupport", path: "CSources/CSanitizerSupport"),
        .target(
            name: "TestSupport", dependencies: ["CAllocationCounter", "CSanitizerSupport"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .testTarget(name: "RealtimeTests", dependencies: ["Realtime", "TestSupport"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
END
weaken Sources/Realtime/RingProducer.swift 'store(position, ordering: .releasing)' 'store(position, ordering: .relaxed)'
weaken Sources/Realtime/Snapshot.swift 'exchange(slot | freshBit, ordering: .acquiringAndReleasing)' \
    'exchange(slot | freshBit, ordering: .relaxed)'
weaken Sources/Realtime/ReadEpoch.swift 'add(1, ordering: .releasing)' 'add(1, ordering: .relaxed)'
"$swift" build "${options[@]}" --package-path "$planted" --build-tests >"$planted/build.log" 2>&1 || {
    cat "$planted/build.log"
    exit 1
}
must_be_caught RingThreadTests
must_be_caught SnapshotTests
must_be_caught ReadEpochTests

echo "thread sanitizer: tests"
# Built as --build does: a build by `swift test` compiles everything again.
"$swift" build --build-tests "${options[@]}" --scratch-path .build-tsan
tests=(scripts/steps/test.sh "${options[@]}" --scratch-path .build-tsan "$@")
[ -n "${WOODSHED_THREADS_EVERYWHERE:-}" ] || exec "${tests[@]}"

# The tests of the command only start it and read what it writes. They run as built for the other tests, and start the
# command of this build. Their records have names of their own.
env -u WOODSHED_SANITIZES_THREADS scripts/tests/test-rtsan.sh --build
bin=$("$swift" build "${options[@]}" --scratch-path .build-tsan --show-bin-path)
records=${WOODSHED_TEST_RECORDS:+$WOODSHED_TEST_RECORDS.9}
command_tests=(env "WOODSHED_TESTED_COMMAND=$bin/woodshed" "WOODSHED_TEST_RECORDS=$records" scripts/steps/test.sh "${release[@]}"
    --skip '^(?!WoodshedCLITests[.])' "$@")
told=.build-tsan/command-tests.log
scripts/steps/side-by-side.sh "set -o pipefail; $(printf '%q ' "${command_tests[@]}") 2>&1 | tee $told" "$(printf '%q ' "${tests[@]}")"
# A pattern that leaves out every test passes, too.
[ $# -gt 0 ] || grep -qa 'Test run with [1-9]' "$told" || fail "no test of the command has run"
