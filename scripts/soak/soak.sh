#!/usr/bin/env bash
# Runs the long forms of tests whose short forms run in `make test`; each prints its seed and its results.
#
#   scripts/soak/soak.sh [NAME]...      only these tests; default: all
#
# Environment variables set the lengths (defaults in brackets); WOODSHED_SEED repeats a run:
#   faults      WOODSHED_FAULT_SCHEDULES  random schedules of twenty faults (10000)
#   starts      WOODSHED_DUPLEX_STARTS    starts, with the offset of both clocks compared with the card's own records
#                                         (1000)
#   open-close  WOODSHED_OPEN_CLOSE       streams opened, started, stopped and closed (100000)
#   hours       WOODSHED_SOAK_HOURS       hours of audio on a virtual clock: looping, seeking, recorded and compared
#                                         (1000)
#   dropouts    WOODSHED_DROPOUT_SECONDS  seconds of a slowed loop on a busy machine; threads record its gaps (28800)
#   drift       WOODSHED_DRIFT_HOURS      hours of two clocks 500 ppm apart, computed and on virtual cards (10)
#   ends        WOODSHED_FILE_LENGTHS     of three lengths of a file, with jumps to the end: the number of jumps (3)
#   minutes     WOODSHED_MINUTE_SECONDS   seconds of a song, slowed down from a file of every kind, and compared with
#                                         the whole song in memory (200)
#   edits       WOODSHED_EDIT_RUNS        players with random commands, at random frames and at joints, compared with a
#                                         slow one (1000)
#   losses      WOODSHED_LOSSES           random schedules of device losses, with the times until the sound is back
#                                         (500)
#   kills       WOODSHED_KILLS            kills of a take's writer, of the command or of a store's; the kept data is
#                                         then read (1000)
#   power       WOODSHED_CRASHES          disks after a loss of power, for each kind of file: takes, exports, databases,
#                                         ... (20000)
#   waveforms   WOODSHED_FUZZ_WAVEFORMS   waveform and peak files with a few wrong bytes, read (1000000)
#   stores      WOODSHED_FUZZ_STORES      stores damaged in each of twenty ways, opened and repaired (200)
#   pages       WOODSHED_DAMAGED_PAGES    pages of each kind of each table of a store, damaged and repaired, also beside
#                                         `.recover` of SQLite's shell, compiled here unless WOODSHED_SQLITE_SHELL names
#                                         a shell (1000)
#   early-ends  WOODSHED_EARLY_ENDS       kills, full disks and losses of power, each during a repair, an import, a
#                                         backup and the cancelling of a fetch (300)
#   marks       WOODSHED_FUZZ_MARKS       files with marks and with a few wrong bytes, read (1000000)
#   formats     WOODSHED_FUZZ_FORMATS     files of sections in all formats and with a few wrong bytes, read (2000000)
#   fuzz        WOODSHED_FUZZ_SECONDS     seconds of processor time for each reader of outside data, under the address
#                                         sanitizer (1800)
#   keys        WOODSHED_KEYS             random keys in each of six sessions, compared with a slow one frame by frame
#                                         (100000)
#   presses     WOODSHED_PRESSES          random keys over a recorded loop, on a failing card (20000)
#   real        WOODSHED_RECORDINGS       folder of real recordings, used as in an hour of a user's work; a missing
#                                         folder is downloaded (in the folder for temporary files: woodshed-recordings)
#   clean       WOODSHED_CLEAN_SECONDS    limit in seconds for each of `make demo` and `make test` on a machine with
#                                         nothing installed, as root and not, with and without /dev/pts and /sys; needs
#                                         root (7200)
#   threads     WOODSHED_THREADS_EVERYWHERE  the command and its tests under the thread sanitizer; not in .ci/run (1)
#   packages    WOODSHED_PACKAGES_SECONDS limit in seconds for each command on the bare machine where the Debian
#                                         packages are installed, run and removed; needs root or sudo (900)
#   kernel      WOODSHED_KERNEL_SECONDS   limit in seconds for an emulated machine with the kernel's own sound drivers
#                                         (14400)
#
# To add a test, add a line to the table below and a line above.
set -euo pipefail
cd "$(dirname "$0")/../.."
swift=${SWIFT:-swift}

# These tests take hours: the limit ends only a step that hangs for days.
export WOODSHED_STEP_SECONDS=${WOODSHED_STEP_SECONDS:-200000}

# The shipped command in a user's work.
real() {
    make --no-print-directory build && Tests/Real/get-recordings.sh "$WOODSHED_RECORDINGS" &&
        Tests/Real/hour.py .build/release/woodshed "$WOODSHED_RECORDINGS"
}
clean() { scripts/tests/test-clean-machine.sh; }
packages() { make --no-print-directory test-packages; }
threads() { scripts/tests/test-tsan.sh; }
fuzz() { scripts/soak/fuzz.sh --seconds "$WOODSHED_FUZZ_SECONDS"; }
kernel() {
    WOODSHED_PLUG_CYCLES=1000 WOODSHED_UNPLUGS=100 WOODSHED_MOMENTS=100 WOODSHED_SLEEPS=100 WOODSHED_ENDURANCE=1800 \
        timeout --kill-after=30 "$WOODSHED_KERNEL_SECONDS" make --no-print-directory test-kernel
}
export -f real clean packages threads fuzz kernel

# Name, environment variable, length, and a test, or the function above with that name.
table="
faults      WOODSHED_FAULT_SCHEDULES  10000   FaultScheduleTests
starts      WOODSHED_DUPLEX_STARTS    1000    DuplexTests/everyStart
open-close  WOODSHED_OPEN_CLOSE       100000  OpenCloseTests
hours       WOODSHED_SOAK_HOURS       1000    HoursTests
dropouts    WOODSHED_DROPOUT_SECONDS  28800   DropoutTests/dropouts
drift       WOODSHED_DRIFT_HOURS      10      ClockBridgeTests/hardship|TwoClockTests/drift
ends        WOODSHED_FILE_LENGTHS     3       FormatTests/jumpsToTheEnd
minutes     WOODSHED_MINUTE_SECONDS   200     MinutesTests
edits       WOODSHED_EDIT_RUNS        1000    JointCommandTests/everywhere|PlayerEditTests
losses      WOODSHED_LOSSES           500     InterruptionScheduleTests|RecoveryTimeTests
kills       WOODSHED_KILLS            1000    TakeKillTests|RecordTests/killed|StoreProcessTests/kills
power       WOODSHED_CRASHES          20000   PowerTests
waveforms   WOODSHED_FUZZ_WAVEFORMS   1000000 WaveformFuzzTests
stores      WOODSHED_FUZZ_STORES      200     StoreDamageTests
pages       WOODSHED_DAMAGED_PAGES    1000    SalvageTests|RecoverTests
early-ends  WOODSHED_EARLY_ENDS       300     LossTests
marks       WOODSHED_FUZZ_MARKS       1000000 MarkFuzzTests
formats     WOODSHED_FUZZ_FORMATS     2000000 SectionFormatTests/damaged
fuzz        WOODSHED_FUZZ_SECONDS     1800
keys        WOODSHED_KEYS             100000  RandomKeysTests
presses     WOODSHED_PRESSES          20000   LoopTakesTests/random
real        WOODSHED_RECORDINGS       ${TMPDIR:-/tmp}/woodshed-recordings
clean       WOODSHED_CLEAN_SECONDS    7200
packages    WOODSHED_PACKAGES_SECONDS 900
threads     WOODSHED_THREADS_EVERYWHERE 1
kernel      WOODSHED_KERNEL_SECONDS   14400
"

# The text at the top has a line for each row.
while read -r name variable _; do
    [ -z "$name" ] || grep -q "^#   $name *$variable " scripts/soak/soak.sh || { echo "soak: its text at the top has no line for $name" >&2; exit 1; }
done <<<"$table"
for name in "$@"; do
    awk '{ print $1 }' <<<"$table" | grep -xF -- "$name" >/dev/null || { echo "soak: there is no $name" >&2; exit 2; }
done

# shellcheck source=scripts/release-options.sh
. scripts/release-options.sh
is_built=no
failures=0
while read -r name variable length test <&3; do
    [ -n "$name" ] || continue
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    if [ -z "$test" ]; then
        run=(bash -c "$name")
    else
        run=("$swift" test "${release[@]}" --skip-build --filter "$test")
        if [ "$name" = pages ]; then
            WOODSHED_SQLITE_SHELL=$(scripts/soak/recover-shell.sh)
            export WOODSHED_SQLITE_SHELL
        fi
        if [ $is_built = no ]; then scripts/build.sh --tests; fi
        is_built=yes
    fi
    scripts/steps/step.sh "soak: $name" env "$variable=${!variable:-$length}" "${run[@]}" || failures=$((failures + 1))
done 3<<<"$table"
[ "$failures" -eq 0 ] || { echo "soak: $failures failed" >&2; exit 1; }
