#!/usr/bin/env bash
# Tests scripts/steps/step.sh and the scripts around it: a failed step, a skipped test and a step that stands still must
# be told.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
scripts=$PWD/scripts
# The settings of .ci/run would change the results.
unset WOODSHED_WARNINGS_AS_ERRORS WOODSHED_SKIPS_FAIL WOODSHED_STEP_SUMMARY WOODSHED_STEP_TESTS WOODSHED_STEP_SECONDS

# shellcheck source=scripts/tests/planted-faults.sh
. scripts/tests/planted-faults.sh

# A failure in the middle of a long run must be listed at the end, once, even if steps are nested.
names_failure() {
    WOODSHED_STEP_SUMMARY=$folder/summary "$scripts/steps/step.sh" outer "$scripts/steps/step.sh" inner bash -c "$1"
    [ "$(grep -c '| .*✘ Test \"loud\" failed' "$folder/summary")" -ne 1 ]
}
: >"$folder/summary"
expect found "the name of a test that failed, in the summary" \
    names_failure 'echo "✘ Test \"loud\" failed"; seq 100; exit 1'
: >"$folder/summary"
expect nothing "a summary of steps that passed" names_failure 'seq 100'
: >"$folder/summary"
step_passes_on() { WOODSHED_STEP_SUMMARY=$folder/summary "$scripts/steps/step.sh" sample bash -c "exit $1"; }
expect found "the exit code of a step" step_passes_on 3
expect nothing "the exit code of a step that passed" step_passes_on 0
# The build beside a step must not change the step's result, and must not outlive it.
expect nothing "a build beside a step" bash -c "$scripts/steps/beside.sh touch $folder/built -- true && test -f $folder/built"
starves="mkdir $folder/begun 2>/dev/null && exec sleep 600; touch $folder/ended"
expect nothing "a build beside a step that gets no processor time, and is made afterwards" \
    bash -c "timeout 150 $scripts/steps/beside.sh bash -c '$starves' -- bash -c 'until test -d $folder/begun; do :; done' && test -f $folder/ended"
expect nothing "a build beside a step that fails" "$scripts/steps/beside.sh" false -- true
expect nothing "a step that fails and ends the build beside it, with its own exit code" \
    bash -c "timeout 150 $scripts/steps/beside.sh sleep 600 -- sh -c 'exit 3'; test \$? -eq 3"
# Of commands side by side each must run, and one that fails must end the others.
side_by_side() { timeout 150 "$scripts/steps/side-by-side.sh" "$@"; }
meet() { side_by_side "mkfifo $folder/pipe; echo met >$folder/pipe" "until [ -p $folder/pipe ]; do sleep 0.1; done; cat $folder/pipe" | grep '^met' >/dev/null; }
expect nothing "commands side by side, which run at the same time" meet
tells_all() { [ "$(side_by_side 'echo one' 'echo two >&2' 'echo three' 2>&1 | sort | paste -sd' ')" = 'one three two' ]; }
expect nothing "what commands side by side print" tells_all
fails_first() { side_by_side 'sleep 600' "exit $1" 'sleep 600'; [ $? -eq "$1" ]; }
expect nothing "a command that fails, ends those beside it, and gives its exit code" fails_first 3
last_fails() { side_by_side 'sleep 600' 'exit 4'; [ $? -eq 4 ]; }
expect nothing "a last command that fails, ends those beside it, and gives its exit code" last_fails
hears_interrupts() { side_by_side true 'trap "echo heard; exit" INT; kill -INT $$; sleep 600' | grep heard >/dev/null; }
expect nothing "a command side by side that hears an interrupt" hears_interrupts

# Skipped tests are reported, and are a failure at the end of a run in which all tests should run. The steps write
# records as the test library does: records NAME testEnded, or records NAME testSkipped REASON.
records() {
    printf '{"kind":"test","payload":{"displayName":"%s","id":"%s","kind":"function","name":"sample()"},"version":0}\n' "$1" "$1"
    printf '{"kind":"event","payload":{"kind":"%s","testID":"%s","messages":[{"symbol":"","text":"%s"}]},"version":0}\n' \
        "$2" "$1" "Test \\\"$1\\\" skipped${3:+: \\\"$3\\\"}"
}
export -f records
skips() {
    export WOODSHED_STEP_TESTS=$folder/tests WOODSHED_STEP_SUMMARY=$folder/summary
    : >"$folder/tests"
    : >"$folder/summary"
    "$scripts/steps/step.sh" first bash -c '{ records loud testEnded; records soft testSkipped "no ear"; } >"$WOODSHED_TEST_RECORDS"' || return 1
    "$scripts/steps/step.sh" outer "$scripts/steps/step.sh" second bash -c "{ $1; } >\"\$WOODSHED_TEST_RECORDS\"; ${2:-true}" || return 1
    "$scripts/steps/skipped.sh" "$folder/tests"
}
skip_told() { skips "$@" && grep -q 'not run here: .*soft.*: no ear' "$folder/output" && grep -q 'not run here: .*soft.*: no ear' "$folder/summary"; }
all_ran() { WOODSHED_SKIPS_FAIL=1 skips "$@"; }
expect nothing "a test that one step skips and another runs" all_ran 'records soft testEnded'
expect nothing "a test that one step skips, in what is told" skip_told 'records soft testEnded'
expect nothing "a test that another process of the step ran" all_ran ':; records soft testEnded >"$WOODSHED_TEST_RECORDS.1"'
expect nothing "a run that was ended while it wrote a record" all_ran 'records soft testEnded; echo -n "{\"kind\":"'
expect found "a test that every step skips" all_ran 'records soft testSkipped "no ear"'
expect found "a test that every step skips, though the run prints that it passed" \
    all_ran 'records soft testSkipped "no ear"' 'echo "✔ Test \"soft\" passed after 1 second."'
printf '# comment\nsof  it has no ear\n' >"$folder/may-skip"
may_skip() { WOODSHED_MAY_SKIP=$folder/may-skip all_ran "records $1 testSkipped 'no ear'"; }
expect nothing "a test that every step skips, and may skip" may_skip soft
expect found "a test that every step skips, beside one that may be skipped" may_skip loft
expect found "a test that is skipped without a reason" all_ran 'records soft testEnded; records mute testSkipped'
no_server="echo 'not run here: sample: no server'; exit 77"
expect found "a step that is skipped" all_ran 'records soft testEnded' "$no_server"
step_skip_told() { skips 'records soft testEnded' "$no_server" && grep -q 'not run here: sample: no server' "$folder/summary"; }
expect nothing "a step that is skipped, where it may be, is told" step_skip_told

# A script with long work refuses a wrong argument before the work, which begins with the pretended compiler.
mkdir "$folder/pretended" && printf '#!/bin/sh\ntouch %s/worked\nexit 1\n' "$folder" >"$folder/pretended/swift" && chmod +x "$folder/pretended/swift"
# works SCRIPT ARGUMENT...: whether the script begins its work.
works() {
    rm -f "$folder/worked"
    SWIFT=swift PATH=$folder/pretended:$PATH "$scripts/$1" "${@:2}" >"$folder/said" 2>&1 </dev/null
    [ -e "$folder/worked" ]
}
expect nothing "the work of a script with right arguments" works soak/fuzz.sh --seconds 5 feed
# refuses MESSAGE SCRIPT ARGUMENT...
refuses() { ! works "${@:2}" && grep -F -- "$1" "$folder/said"; }
expect nothing "an unknown option of the fuzzer" refuses 'no option --second' soak/fuzz.sh --second 5
expect nothing "a length for the fuzzer that is no number" refuses 'needs a number' soak/fuzz.sh --seconds feed
expect nothing "a length for the fuzzer that is missing" refuses 'needs a number' soak/fuzz.sh --seconds
expect nothing "an unknown reader for the fuzzer" refuses 'no reader fed' soak/fuzz.sh feed fed
expect nothing "inputs to keep for an unknown reader" refuses 'no reader fed' soak/fuzz.sh --keep fed "$scripts/build.sh"
expect nothing "an input to keep that does not exist" refuses 'no file gone' soak/fuzz.sh --keep feed gone
expect nothing "a reader without inputs to keep" refuses 'needs a reader and files' soak/fuzz.sh --keep feed
expect nothing "an unknown job for an emulated machine" refuses 'no job dance' tests/test-kernel.sh dance
expect nothing "an unknown option of the documentation build" refuses 'no option --surfaces' docs/docs.sh --surfaces
expect nothing "an unknown option of lint" refuses 'no option --shells' checks/lint.sh --shells
expect nothing "an unknown option of the packages' test" refuses 'no option --build' tests/test-packages.sh --build
expect nothing "an unknown option of the build times" refuses 'build-times.py --slow' bench/build-times.py --slower

# Messages of these steps must not reach a summary.
unset WOODSHED_STEP_TESTS
export WOODSHED_STEP_SUMMARY=/dev/null
# A busy machine may delay a step's program for longer than the step may stand still, but not each time.
tries() {
    for _ in 1 2 3 4 5; do
        : >"$folder/summary"
        "$@" && return
    done
    return 1
}
stands_still() { WOODSHED_STEP_SECONDS=1 timeout 150 "$scripts/steps/step.sh" sample bash -c 'sleep 300; true'; [ $? -eq 137 ]; }
expect nothing "a step that stands still is ended" stands_still
goes_on() { WOODSHED_STEP_SECONDS=3 timeout 150 "$scripts/steps/step.sh" sample bash -c 'for i in 1 2 3 4 5 6; do sleep 1; echo $i; done'; }
expect nothing "a step that takes longer than it may stand still, and goes on" tries goes_on
names_begun() {
    WOODSHED_STEP_SECONDS=1 WOODSHED_STEP_SUMMARY=$folder/summary timeout 150 "$scripts/steps/step.sh" sample bash -c \
        '{ records loud testStarted; records soft testStarted; records soft testEnded; } >"$WOODSHED_TEST_RECORDS"; sleep 300; true'
    [ "$(grep -c '| begun, and not ended: ' "$folder/summary")" -eq 1 ] && grep -q '| begun, and not ended: "loud"' "$folder/summary"
}
expect nothing "the test in which a step stood still, in the summary" tries names_begun
# With a gdb of the test's own, which knows one stack.
names_stack() (
    mkdir -p "$folder/tools" && cp "$(command -v sleep)" "$folder/own-sleep" && cd "$folder" || return 2
    printf '#!/bin/sh\nprintf "\\nThread 1:\\n#0  0x1 in poll () at ../poll.c:1\\n#1  0x2 in $run () at %%s/Sources/A/B.swift:3\\n" "$PWD"\n' \
        >tools/gdb && chmod +x tools/gdb
    PATH=$folder/tools:$PATH WOODSHED_STEP_SECONDS=1 WOODSHED_STEP_SUMMARY=$folder/summary timeout 150 \
        "$scripts/steps/step.sh" sample bash -c './own-sleep 300; true'
    grep -q '| stack of [0-9]*: poll < Sources/A/B.swift:3$' "$folder/summary"
)
expect nothing "the stack of the program in which a step stood still, in the summary" tries names_stack
# A program started in the background ignores interrupts, and the tests of Ctrl-C would inherit that. (If this script
# itself was started in that way, nothing it starts can be interrupted, and a step must then behave the same.)
interruptible() {
    local program='kill -INT $$; exit 3' alone
    bash -c "$program"
    alone=$?
    "$scripts/steps/step.sh" sample bash -c "$program"
    [ $? -eq $alone ]
}
expect nothing "what a step runs can be interrupted" interruptible

echo "steps: $((checks - failures)) of $checks behave"
[ $failures -eq 0 ]
