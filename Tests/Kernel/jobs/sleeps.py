"""Takes interrupted by a sleep of the machine (S3) at a random moment are valid, bit for bit, and lack 200 ms at
most before the sleep, 500 ms beyond."""
import os
import random
import statistics

import moments
import sounds
import wakes

# A soak has more: WOODSHED_SLEEPS=100. WOODSHED_SEED repeats a run. With WOODSHED_LOAD=4 as many programs compute on
# the host beside every second machine.
COUNT = int(os.environ.get("WOODSHED_SLEEPS", "4"))
LOAD = int(os.environ.get("WOODSHED_LOAD", "0"))
# The emulated machine sleeps once a boot: takes at different moments share the sleep, and there are several machines.
# More recorders at once need more than the emulated processor on a slow host.
TAKES = 2
LIMIT = 1200 if LOAD else 400
# A machine whose time is counted in instructions does not wake. So takes may have dropouts, which a recorder reports as
# overruns.
COUNTED = False
# A busy or slow host slows the guest, but not the guest's clock.
FEED_SECONDS = 160
# The longest part of the sound after the wake that a take may lack.
MOST_LOST_BEYOND = 0.5
# arecord has one take in each machine.
PROGRAMS = ("woodshed",) * TAKES + ("arecord",)


def prepare(folder):
    (folder / "numbers.raw").write_bytes(sounds.numbered(moments.RATE * FEED_SECONDS).tobytes())


BEGIN = (
    r"""
# The shared folder does not outlive a sleep, its driver has no resume: the job goes on from memory, without it.
if [ -z "$MEMORY" ]; then cp /rig/job.sh /rig/library.sh /rig/numbers.raw /tmp; MEMORY=1 exec bash /tmp/job.sh >/dev/ttyS0 2>&1; fi
. /tmp/library.sh
drivers
"""
    + wakes.GUEST
    + r"""

# begins NUMBER PROGRAM: records the sound played on a cable, at the cable's other end.
begins() {
    local name=sleep-$2-$1 run
    aplay -q -D hw:Loopback,0,$1 -t raw -f S16_LE -r 48000 -c 2 --buffer-size=16384 /tmp/numbers.raw 2>/tmp/$name.feed &
    feeds="$feeds $!"
    until_running Loopback/pcm0p/sub$1
    if [ $2 = woodshed ]; then
        woodshed record /tmp/$name.wav --input hw:Loopback,1,$1 --json --bits 16 --period 1024 --periods 4 >/tmp/$name.out 2>/tmp/$name.notes & run=$!
    else
        arecord -q -D hw:Loopback,1,$1 -f S16_LE -r 48000 -c 2 /tmp/$name.wav 2>/tmp/$name.notes & run=$!
    fi
    runs="$runs $run"
    until_running Loopback/pcm1c/sub$1
}
"""
)
END = r"""
sleeps sleep
slept=$?
moment awake $runs >/tmp/sleep-figures
echo "slept: $slept" >/tmp/slept
sleep 3
moment end $runs >>/tmp/sleep-figures
kill $runs
# However late a take ends, it ends whole.
for run in $runs; do
    for turn in $(seq 900); do kill -0 $run 2>/dev/null || break; sleep 0.1; done
    kill -9 $run 2>/dev/null && echo "it did not end" >>/tmp/slept
    wait $run
done
kill $feeds; wait $feeds
modprobe 9pnet_virtio
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 rig /rig
"""


def machine(random_moment):
    """Returns the script of one machine."""
    lines = [BEGIN]
    for number, program in enumerate(PROGRAMS):
        lines += [f"sleep {round(random_moment.uniform(0, 0.5), 3)}", f"begins {number} {program}"]
    lines += [f"sleep {round(random_moment.uniform(0, 1), 3)}", "umount /rig; modprobe -r 9pnet_virtio"]
    # From here to the sleep no program is started.
    for number in range(len(PROGRAMS)):
        lines.append(f"mapfile -t captured{number} </proc/asound/Loopback/pcm1c/sub{number}/status")
        lines.append(f"mapfile -t played{number} </proc/asound/Loopback/pcm0p/sub{number}/status")
    lines.append(END)
    for number, program in enumerate(PROGRAMS):
        for kind in ("captured", "played"):
            lines.append(f"printf '%s\\n' \"${{{kind}{number}[@]}}\" >/tmp/sleep-{program}-{number}.{kind}")
    # The first program of the guest is this script by now.
    return "\n".join(lines) + "\nmv /tmp/sleep-* /tmp/slept /rig; umount /rig\necho 'init: the job ended'\npoweroff -f\n"


def scripts():
    """Returns a script for each machine."""
    random_moment = random.Random(moments.SEED)
    return [machine(random_moment) for _ in range(-(-COUNT // TAKES))]


def load(number):
    """Returns the number of programs that compute beside a machine, the first being 0."""
    return LOAD if number % 2 else 0


def beyond(folder):
    """Returns the losses of takes beyond the sleep, and their recorders' reports."""
    lost = {}
    for path in sorted(folder.rglob("sleep-*.wav")):
        name = f"{path.parent.name}/{path.stem}"
        try:
            outside, asleep = wakes.holes(path, moments.RATE)
        except ValueError:
            # An invalid take; the verdict on all takes reports it.
            continue
        words = f"{name}: {len(outside)} holes of {1000 * sum(outside):.0f} ms in all, and {1000 * sum(asleep):.0f} ms around the sleep"
        stopped = next((event for event in wakes.told(path) if event["event"] == "recording.stopped"), None)
        if stopped:
            lost[name] = sum(outside)
            words += (
                f"; told: {stopped['overruns']} overruns of the card, {stopped['dropped_frames']} frames without room, "
                f"{stopped['lost_frames']} of {stopped['frames']} frames lost, {stopped['scheduling']}"
            )
        yield words, None
    if lost:
        worst = max(lost, key=lost.get)
        words = f"beyond the sleep {len(lost)} takes lack {1000 * lost[worst]:.0f} ms at most, median {1000 * statistics.median(lost.values()):.0f} ms"
        yield words, f"{worst} lacks {1000 * lost[worst]:.0f} ms" if lost[worst] > MOST_LOST_BEYOND else None


def judge(folder):
    for slept in sorted(folder.rglob("slept")):
        if (text := slept.read_text().strip()) != "slept: 0":
            yield f"{slept.parent.name}: the machine sleeps", text
    for figures in sorted(folder.rglob("sleep-figures")):
        yield f"{figures.parent.name}: {wakes.machine(figures.read_text(), moments.RATE)}", None
    yield from beyond(folder)
    for notes in sorted(folder.rglob("sleep-woodshed-*.notes")):
        if "does not answer" in notes.read_text():
            yield f"{notes.parent.name}/{notes.stem}: the take is closed", notes.read_text().strip()
    wanted = -(-COUNT // TAKES) * TAKES
    yield from moments.verdicts(folder, "sleep", "the machine sleeps", wanted)


def table(folder):
    """Returns the losses of takes, and of arecord's takes, as Markdown."""
    yield from moments.rows(folder, {"sleep": "the machine sleeps (S3)"})
