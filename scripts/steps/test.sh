#!/usr/bin/env bash
# Runs tests that `swift build --build-tests` has built: scripts/steps/test.sh [arguments of swift test].
#
# Without --filter, the tests run in five processes side by side. A test that waits for a program or for a device holds
# a thread of its process's pool, which has one for each core; one process alone leaves half of the processor idle.
# Each process begins only as many tests as finish in turn. Without that limit all begin at once, and one that waits for
# a task of its own waits behind a thousand others. Swift before 6.3 has no such limit.
#
# If WOODSHED_TEST_RECORDS names a file, the tests that ran are recorded in files of this name with a number behind it,
# one for each process; scripts/steps/test-records.py reads them.
set -uo pipefail
swift=${SWIFT:-swift}
records=${WOODSHED_TEST_RECORDS:-}
width=--experimental-maximum-parallelization-width
if [[ $("$swift" test --help-hidden 2>/dev/null) == *"$width"* ]]; then set -- "$width" "${WOODSHED_TESTS_AT_ONCE:-16}" "$@"; fi

# Groups of tests that take about the same time. Tests that are in no group run in the last process.
groups=('WoodshedCLITests\.[A-L]' 'WoodshedCLITests\.[^A-L]' '(EngineTests|DSPTests|PracticeTests)\.'
    '(AudioDevicesTests|AudioFilesTests|QueueTests|VirtualCardTests)\.')
parts=()
for group in "${groups[@]}"; do parts+=("--filter=^$group"); done
parts+=("--skip=^($(IFS='|' && echo "${groups[*]}"))")
case " $* " in *' --filter'*) parts=("") ;; esac

processes=()
for part in "${parts[@]}"; do
    number=${#processes[@]}
    # A program that is started in the background ignores interrupts, and the tests of Ctrl-C would inherit that.
    env --default-signal=INT,QUIT "$swift" test --skip-build --ignore-lock ${part:+"$part"} \
        ${records:+--event-stream-output-path "$records.$number" --event-stream-version 0} "$@" &
    processes+=($!)
done
status=0
for process in "${processes[@]}"; do
    wait "$process" || status=$?
done
exit $status
