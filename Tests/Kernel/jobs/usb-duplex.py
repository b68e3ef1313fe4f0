"""A USB card with both directions and a cable behind: the round trip, takes in place, and the card pulled out."""
import json

import sounds

RATE, SECONDS = 48000, 4
# The practised section.
FROM, TO = 1, 2
RUNS = 5
PERIODS = (64, 256, 1024)
LIMIT = 400
UNAVAILABLE = "69"
# name: (rate, bits, channels) of a card
CARDS = {"16 bit": (48000, 16, 2), "44100 Hz, 24 bit": (44100, 24, 2), "4 channels": (48000, 24, 4)}


def slug(name):
    return name.replace(" ", "-").replace(",", "")


def samples(card):
    rate, bits, channels = CARDS[card]
    return sounds.sound(rate, 1, channels, bits)


def prepare(folder):
    sounds.write(folder / "song.wav", sounds.sound(RATE, SECONDS), RATE)
    for card, (rate, bits, channels) in CARDS.items():
        # The driver's drain loses up to 240 frames, of every program's sound: silence is at the end.
        sounds.write(folder / f"{slug(card)}.wav", samples(card) + [0] * (rate // 10 * channels), rate, channels, bits)


def script():
    lines = [
        ". /rig/library.sh",
        # The shared folder answers by the host's clock, so nothing is read or written there while a card runs.
        "cp /rig/*.wav /tmp; mkdir /tmp/takes /tmp/pulled",
        "modprobe vhci_hcd; modprobe snd-usb-audio",
    ]
    for name, (rate, bits, channels) in CARDS.items():
        case = slug(name)
        lines += [
            f"plug {rate} {bits} {channels}",
            f"(ended {case}-record woodshed record /tmp/{case}-take.wav --input hw:Cable --json --duration 3 --rate {rate} --bits {bits} "
            f"--channels {channels}) & run=$!",
            "until_running Cable/pcm0c/sub0; sleep 0.3",
            f"ended {case}-play woodshed play /tmp/{case}.wav --output hw:Cable --json; wait $run",
            f"mv /tmp/{case}-take.wav /rig; out",
        ]
    lines.append("plug")
    lines += [
        f"ended calibrate{period}-{run} woodshed calibrate --output hw:Cable --period {period} --periods 3 --json"
        for period in PERIODS
        for run in range(RUNS)
    ]
    lines += [
        f"ended practice woodshed practice /tmp/song.wav --section {FROM}-{TO} -n 3 --record passes --output hw:Cable --json --take-folder /tmp/takes",
        "(ended pulled-record woodshed record /tmp/pulled.wav --input hw:Cable --json --bits 16) & run=$!",
        "until_running Cable/pcm0c/sub0; sleep 2; kill -USR1 $card; wait $run; mv /tmp/pulled.wav /rig",
        "sleep 3; until_there /proc/asound/Cable/pcm0c; sleep 0.5",
        "(ended pulled-play woodshed play /tmp/song.wav --output hw:Cable --json) & run=$!",
        "until_running Cable/pcm0p/sub0; sleep 2; kill -USR1 $card; wait $run",
        "(ended pulled-practice woodshed practice /tmp/song.wav --section 0-4 -n 1 --record passes --output hw:Cable --json "
        "--take-folder /tmp/pulled) & run=$!",
        "until_running Cable/pcm0c/sub0; sleep 2; kill -USR1 $card; wait $run; sleep 3",
        "out; mv /tmp/takes /tmp/pulled /rig",
    ]
    return "\n".join(lines) + "\n"


def status(folder, name, wanted="0"):
    found = (folder / f"{name}.status").read_text().strip()
    return None if found == wanted else f"it ended with {found}, not {wanted}: {(folder / f'{name}.err').read_text().strip()}"


def told(folder, name):
    return [json.loads(line) for line in (folder / f"{name}.out").read_text().splitlines()]


def cable_fault(folder, card):
    """Returns the difference between a card's playback and its recording, or None."""
    rate, bits, channels = CARDS[card]
    fault = status(folder, f"{slug(card)}-record") or status(folder, f"{slug(card)}-play")
    if fault:
        return fault
    found_rate, found_channels, found_bits, data = sounds.read(folder / f"{slug(card)}-take.wav")
    if (found_rate, found_channels, found_bits) != (rate, channels, bits):
        return f"the take has {(found_rate, found_channels, found_bits)}"
    wanted = sounds.encoded(samples(card), bits, "S16_LE" if bits == 16 else "S24_3LE")
    return sounds.fault(data, wanted, bits // 8 * channels, quiet=rate // 20)


def take_faults(folder, song):
    """Returns the number of each take over the loop, and why it is not at its stated place, or None."""
    for take in (event for event in told(folder, "practice") if event["event"] == "take.ended"):
        path = folder / "takes" / take["path"].rsplit("/", 1)[-1]
        yield take["pass"], sounds.place_fault(path, take["model_start_frame"], song, FROM * RATE, TO * RATE, RATE)


def judge(folder):
    for card in CARDS:
        yield f"{card}: what is played is recorded bit for bit", cable_fault(folder, card)
    for period in PERIODS:
        names = [f"calibrate{period}-{run}" for run in range(RUNS)]
        fault = next(filter(None, (status(folder, name) for name in names)), None)
        results = [] if fault else [told(folder, name)[0] for name in names]
        # The played sound returns in the same millisecond, so the drivers' delays are the whole round trip.
        added = sorted({(result["added_frames"], result["spread_frames"]) for result in results})
        fault = fault or (None if added == [(0, 0)] else f"it is not: (added frames, spread) are {added}")
        yield f"calibrate, {period} x 3, {RUNS} runs: what the drivers report is the round trip to the frame", fault
    takes = [] if status(folder, "practice") else list(take_faults(folder, sounds.sound(RATE, SECONDS)))
    yield "practice records three passes", status(folder, "practice") or (None if len(takes) == 3 else f"there are {len(takes)} takes")
    for number, fault in takes:
        yield f"the take of pass {number} is in its place to the frame", fault
    events = {event["event"]: event for event in told(folder, "pulled-record")}
    frames = len(sounds.read(folder / "pulled.wav")[3]) // 4
    fault = status(folder, "pulled-record", UNAVAILABLE) or (None if "input.lost" in events else f"told: {sorted(events)}")
    yield "pulled out while it records: told", fault
    yield "pulled out while it records: the take is whole", None if frames == events["recording.stopped"]["frames"] > RATE else f"{frames} frames"
    events = {event["event"]: event for event in told(folder, "pulled-play")}
    places = [events.get(name, {}).get("clip_frame") for name in ("paused", "resumed")]
    fault = status(folder, "pulled-play") or (None if places[0] == places[1] is not None else f"the places are {places}, told: {sorted(events)}")
    yield "pulled out while it plays: it goes on at its place", fault
    ended = [event for event in told(folder, "pulled-practice") if event["event"] == "take.ended"]
    fault = status(folder, "pulled-practice", UNAVAILABLE)
    yield "pulled out while a loop is recorded: told", fault
    lengths = [len(sounds.read(path)[3]) for path in sorted((folder / "pulled").glob("*.wav"))]
    yield "pulled out while a loop is recorded: the take is whole", None if len(lengths) == len(ended) == 1 else f"{len(lengths)} files, told: {ended}"
