"""Takes that end or are interrupted at random moments are valid, bit for bit, and lack 200 ms at most before the
moment."""
import os
import random
import statistics

import sounds

# A soak has more: WOODSHED_MOMENTS=100. WOODSHED_SEED repeats a run.
COUNT = int(os.environ.get("WOODSHED_MOMENTS", "4"))
SEED = int(os.environ.get("WOODSHED_SEED", random.randrange(1 << 32)))
# arecord has the same events, a few times: its takes are for the table.
COMPARED = max(1, min(COUNT // 4, 10))
RATE, FEED_SECONDS, MOST_LOST = 48000, 12, 0.2
KINDS = {
    # name: (the event, the recorded device, the played device: none for a card without a cable)
    "unplug": ("the USB card is pulled out", "Cable", "hw:Cable"),
    "removal": ("the card is removed from the bus", "Intel_1", None),
    "unbind": ("the driver is unbound", "Loopback", "hw:Loopback,0,0"),
    "kill": ("kill -9", "Loopback", "hw:Loopback,0,0"),
    "drivers": ("the drivers suspend", "Loopback", "hw:Loopback,0,0"),
}
PROGRAMS = ("woodshed", "arecord")
LIMIT = 120 + 12 * COUNT * len(KINDS)


def cases():
    """Returns kind, program, number of the case, and its time after the start of the recording."""
    moments = random.Random(SEED)
    for kind in KINDS:
        for program, count in zip(PROGRAMS, (COUNT, COMPARED)):
            for number in range(count):
                yield kind, program, number, round(moments.uniform(0, 1.5), 3)


def prepare(folder):
    (folder / "numbers.raw").write_bytes(sounds.numbered(RATE * FEED_SECONDS).tobytes())


SCRIPT = r"""
# The shared folder does not outlive a sleep of its driver: the job goes on from memory.
if [ -z "$MEMORY" ]; then cp /rig/job.sh /rig/library.sh /rig/numbers.raw /tmp; MEMORY=1 exec bash /tmp/job.sh >/dev/ttyS0 2>&1; fi
. /tmp/library.sh
drivers
modprobe vhci_hcd
usbcard >/tmp/last-frames & usb=$!
until_there /proc/asound/Cable/pcm0c
sleep 0.5

# ends PID: waits up to ten seconds for a program's end, then ends it.
ends() {
    local turn
    for turn in $(seq 100); do kill -0 $1 2>/dev/null || break; sleep 0.1; done
    kill -9 $1 2>/dev/null && echo "it did not end" >>/tmp/$name.notes
    wait $1
}

# one KIND PROGRAM NUMBER SECONDS CARD FEED: a recording, and an event after some time.
one() {
    # The virtual port of USB refuses to suspend while a card is in it.
    [ $1 != drivers ] || [ -z "$usb" ] || { kill $usb; wait $usb; usb=; }
    local kind=$1 name=$1-$2-$3 program=$2 seconds=$4 card=$5 feed= run= place=$5/pcm0c/sub0 input=hw:$5 long= device status other
    [ $card != Loopback ] || { input=hw:Loopback,1,0; place=Loopback/pcm1c/sub0; }
    if [ -n "$6" ]; then
        aplay -q -D $6 -t raw -f S16_LE -r 48000 -c 2 --buffer-size=16384 /tmp/numbers.raw & feed=$!
        until_running ${card}/pcm0p/sub0
    fi
    if [ $program = woodshed ]; then
        # Long periods: see remove.
        [ $kind != removal ] || long="--period 2048 --periods 4"
        woodshed record /tmp/take.wav --input $input --json --bits 16 $long >/tmp/$name.out 2>/tmp/$name.notes & run=$!
    else
        [ $kind != removal ] || long="--period-size=2048 --buffer-size=8192"
        arecord -q -D $input -f S16_LE -r 48000 -c 2 $long /tmp/take.wav 2>/tmp/$name.notes & run=$!
    fi
    device=$(device_of $card)
    until_running $place
    sleep $seconds
    [ $kind != drivers ] || { umount /rig; modprobe -r 9pnet_virtio; }
    # From here to the event no program is started.
    mapfile -t status </proc/asound/$place/status
    [ -z "$feed" ] || mapfile -t other </proc/asound/$card/pcm0p/sub0/status
    case $kind in
        unplug) kill -USR1 $usb ;;
        removal) echo 1 >$device/remove ;;
        unbind) echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/unbind ;;
        kill) kill -9 $run ;;
        drivers) sleeps drivers 0; sleep 1; kill $run ;;
    esac
    ends $run 2>/dev/null
    echo $? >/tmp/$name.status
    [ -z "$feed" ] || { kill $feed; wait $feed; } 2>/dev/null
    printf '%s\n' "${status[@]}" >/tmp/$name.captured
    printf '%s\n' "${other[@]}" >/tmp/$name.played
    case $kind in
        unplug) tail -n 1 /tmp/last-frames >/tmp/$name.wire; until_there /proc/asound/Cable/pcm0c ;;
        removal) echo 1 >/sys/bus/pci/rescan; until_there /proc/asound/Intel_1/pcm0c ;;
        unbind) echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/bind; until_there /proc/asound/Loopback/pcm1c ;;
        kill) [ $program = arecord ] || woodshed record --recover --json >>/tmp/$name.out 2>>/tmp/$name.notes ;;
        drivers) modprobe 9pnet_virtio; mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 rig /rig ;;
    esac
    [ ! -e /tmp/take.wav ] || mv /tmp/take.wav /rig/$name.wav
    mv /tmp/$name.* /rig
}
"""


def script():
    lines = [f"one {kind} {program} {number} {seconds} {KINDS[kind][1]} {KINDS[kind][2] or ''}" for kind, program, number, seconds in cases()]
    return SCRIPT + "\n".join(lines) + "\n"


def position(path):
    """Returns the number of frames that a driver had moved, by the kernel's report."""
    return next((int(line.split(":")[1]) for line in path.read_text().splitlines() if line.startswith("hw_ptr")), 0)


def shape_fault(kind, found):
    """Returns the difference between the pieces of a take and the playback, or None."""
    if kind == "removal":
        return None if all(first == 0 for first, _ in found) else "other sound than silence"
    heard = [piece for piece in found if piece[0]]
    if any(first + count > after for (first, count), (after, _) in zip(heard, heard[1:])):
        return f"a sound twice: {found}"
    # A sleep is a gap; every other event ends the take.
    return None if kind in ("drivers", "sleep") or len(heard) <= 1 and (not heard or found[-1] == heard[0]) else f"a gap: {found}"


def look(path):
    """Returns the fault of a take, or None; and the seconds that the take lacks before the moment."""
    kind, captured, fault, data = path.stem.split("-")[0], position(path.with_suffix(".captured")), None, b""
    try:
        *form, data = sounds.read(path)
        fault = None if form == [RATE, 2, 16] else f"it has (rate, channels, bits) {form}"
    except FileNotFoundError:
        # Before the first frame there is nothing to keep.
        fault = "there is no take" if captured > MOST_LOST * RATE else None
    except ValueError:
        fault, data = "it is no whole WAV file", path.read_bytes()[44:]
    try:
        found = list(sounds.pieces(data))
    except ValueError as error:
        fault, found = fault or str(error), []
    if kind == "unplug":
        reached = int.from_bytes(bytes.fromhex(path.with_suffix(".wire").read_text()), "little")
    else:
        reached = position(path.with_suffix(".played"))
    # The take's last frame from before the moment; for sound without numbers, from its length.
    last = max((min(first + count - 1, reached) for first, count in found if 0 < first <= reached), default=None)
    lost = captured - len(data) // 4 if last is None else reached - last
    notes = path.with_suffix(".notes").read_text()
    return fault or shape_fault(kind, found) or ("it did not end" if "it did not end" in notes else None), max(0, lost) / RATE


def figures(folder, kind, program):
    """Returns the findings for a kind of event and a program: faults by the case, and the lost seconds."""
    paths = sorted(folder.rglob(f"{kind}-{program}-*.captured"))
    looks = {str(path.relative_to(folder).with_suffix("")): look(path.with_suffix(".wav")) for path in paths}
    return {name: fault for name, (fault, _) in looks.items() if fault}, {name: lost for name, (_, lost) in looks.items()}


def in_words(faults, lost):
    valid = len(lost) - len(faults)
    return f"{valid} of {len(lost)} valid, lost {1000 * max(lost.values()):.0f} ms at most, median {1000 * statistics.median(lost.values()):.0f} ms"


def verdicts(folder, kind, what, count):
    """Returns the judge's verdict on a kind of event, with the expected number of events."""
    faults, lost = figures(folder, kind, "woodshed")
    if len(lost) != count:
        yield what, f"there are {len(lost)} takes, not {count}"
        return
    longest = max(lost, key=lost.get)
    too_long = f"{longest} lost {1000 * lost[longest]:.0f} ms" if lost[longest] > MOST_LOST else None
    first = next((f"{name}: {fault}" for name, fault in faults.items()), None)
    yield f"{what} (WOODSHED_SEED={SEED}): {in_words(faults, lost)}", first or too_long


def judge(folder):
    for kind, (what, _, _) in KINDS.items():
        yield from verdicts(folder, kind, what, COUNT)


def rows(folder, kinds):
    """Returns the losses of takes, and of arecord's takes, as Markdown."""
    yield "Takes at a random moment: valid, and what they lack before it:"
    yield ""
    yield "| what happens | " + " | ".join(PROGRAMS) + " |\n| --- | --- | --- |"
    for kind, what in kinds.items():
        yield f"| {what} | " + " | ".join(in_words(*figures(folder, kind, program)) for program in PROGRAMS) + " |"


def table(folder):
    yield from rows(folder, {kind: what for kind, (what, _, _) in KINDS.items()})
