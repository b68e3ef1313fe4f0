"""A card pulled out and plugged in again and again while a loop plays: nothing leaks, and nothing is stuck."""
import json
import os

import sounds

# A soak has more: WOODSHED_PLUG_CYCLES=1000.
CYCLES = int(os.environ.get("WOODSHED_PLUG_CYCLES", "100"))
LIMIT = 200 + 6 * CYCLES
UNPLUG = '{"execute":"device_del","arguments":{"id":"usb0"}}'
PLUG = '{"execute":"device_add","arguments":{"driver":"usb-audio","id":"usb0","audiodev":"usb","bus":"xhci.0"}}'
# The first ten cycles, or a tenth of all, warm the caches; after them memory may grow by this much.
KIBIBYTES = 1024


def prepare(folder):
    sounds.write(folder / "song.wav", sounds.sound(48000, 2), 48000)


def script():
    # The search for the device runs every 50 to 250 ms, and less often if the device is lost again within two seconds:
    # so the device plays for some time.
    return f"""
. /rig/library.sh
drivers
cp /rig/song.wav /tmp
woodshed practice /tmp/song.wav --section 0-1 --output hw:Audio --json --control none --no-mpris >/tmp/out 2>/tmp/err & run=$!
until_running Audio/pcm0p/sub0
measure() {{
    echo "$1 $(ls /proc/$run/fd | wc -l) $(ls /proc/$run/task | wc -l) $(sed -n 's/VmRSS:[^0-9]*\\([0-9]*\\) kB/\\1/p' /proc/$run/status)" >>/tmp/measures
}}
sleep 2
measure 0
for cycle in $(seq {CYCLES}); do
    monitor '{UNPLUG}' >/dev/null
    turn=0; while [ -e /proc/asound/Audio ] && [ $turn -lt 100 ]; do sleep 0.05; turn=$((turn + 1)); done
    monitor '{PLUG}' >/dev/null
    until_running Audio/pcm0p/sub0 || break
    sleep 0.5
    measure $cycle
done
kill -TERM $run; wait $run; echo $? >/rig/practice.status
mv /tmp/out /rig/practice.out; mv /tmp/err /rig/practice.err; mv /tmp/measures /rig
"""


def judge(folder):
    measures = [[int(word) for word in line.split()] for line in (folder / "measures").read_text().splitlines()]
    told = [json.loads(line) for line in (folder / "practice.out").read_text().splitlines()]
    counts = {name: sum(event["event"] == name for event in told) for name in ("interrupted", "device.resumed")}
    done = measures[-1][0]
    yield f"{CYCLES} cycles", None if done == CYCLES else f"the device did not play again in cycle {done + 1}"
    yield "each loss and each return is told", None if set(counts.values()) == {CYCLES} else f"told: {counts}"
    places = [event["clip_frame"] for event in told if event["event"] in ("paused", "resumed")]
    wrong = sum(one != other for one, other in zip(places[::2], places[1::2]))
    yield "each time it goes on at its place", f"{wrong} times it does not" if wrong else None
    warm = measures[max(10, len(measures) // 10) :]
    for column, what, most in ((1, "descriptors", 0), (2, "threads", 0), (3, "KiB of memory", KIBIBYTES)):
        first, last = warm[0][column], min(line[column] for line in warm[-3:])
        yield f"{what}: {first} at first, {last} at the end", "they grow" if last > first + most else None
    status = (folder / "practice.status").read_text().strip()
    yield "it ends when it is told to", None if status in ("0", "143") else f"it ended with {status}"
