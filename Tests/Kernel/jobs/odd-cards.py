"""Rare cards: USB audio 2 with a clock of its own, a late input, a card that falls silent, one direction only, no
mmap."""
import json
import os

import sounds

RATE, SECONDS = 48000, 3
# The practised section, and its passes; 60 passes are a minute.
FROM, TO = 1, 2
PASSES = int(os.environ.get("WOODSHED_CARD_PASSES", "10"))
LIMIT = 500 + 10 * PASSES
UNAVAILABLE, INTERRUPTED = "69", "130"
# name: options of the card. The clock of a card of class 2 is wrong by so many ppm.
CARDS = {"class 2, 200 ppm fast": "-2 -p 200 48000 24", "class 2, 200 ppm slow": "-2 -p -200", "late input": "-l 300"}
CLASS_2 = [name for name in CARDS if name.startswith("class 2")]
# A card that does not answer is lost after a second. On closing, the kernel waits five seconds for an answer to each
# request.
TOLD, PATIENCE = 2, 20


def slug(name):
    return name.replace(" ", "-").replace(",", "")


def bits(card):
    return 24 if CARDS[card].endswith("24") else 16


def song():
    return sounds.sound(RATE, SECONDS)


def prepare(folder):
    end = [0] * (RATE // 5 * 2)
    sounds.write(folder / "song.wav", song() + end, RATE)
    for width in (16, 24):
        sounds.write(folder / f"short-{width}.wav", sounds.sound(RATE, 1, 2, width) + end, RATE, 2, width)


def script():
    # Nothing is read from the shared folder while a card runs: the folder answers by the host's clock.
    lines = [". /rig/library.sh", "cp /rig/*.wav /tmp", "modprobe vhci_hcd; modprobe snd-usb-audio; modprobe snd-aloop id=Loopback"]
    for name, options in CARDS.items():
        case = slug(name)
        lines += [
            # A measurement of another card of the same name is of no use here.
            f"export HOME=/tmp/home-{case}; mkdir $HOME /tmp/takes-{case}",
            f"plug {options} >/rig/{case}-card.txt",
            f"(ended {case}-record woodshed record /tmp/{case}-take.wav --input hw:Cable --json --duration 2.5 --bits {bits(name)}) & run=$!",
            "until_running Cable/pcm0c/sub0; sleep 0.5",
            f"ended {case}-play woodshed play /tmp/short-{bits(name)}.wav --output hw:Cable --json; wait $run; mv /tmp/{case}-take.wav /rig",
            f"ended {case}-calibrate woodshed calibrate --output hw:Cable --json",
            f"ended {case}-practice woodshed practice /tmp/song.wav --section {FROM}-{TO} -n 3 --record passes --output hw:Cable --json "
            f"--take-folder /tmp/takes-{case}; mv /tmp/takes-{case} /rig",
        ]
        if name == CLASS_2[0]:
            lines.append(f"SECONDS_LIMIT={60 + 2 * PASSES} ended loop woodshed practice /tmp/song.wav --section {FROM}-{TO} -n {PASSES} --output hw:Cable --json")
        lines.append("out")
    silent = {
        "silent-play": "play /tmp/song.wav --output hw:Cable --json",
        "silent-record": "record /tmp/silent.wav --input hw:Cable --json --bits 16",
        "silent-stop": "play /tmp/song.wav --output hw:Cable --json --on-loss wait",
    }
    for name, command in silent.items():
        lines += [
            "plug",
            # The times of reported events, by the guest's clock.
            f"(ended {name} woodshed {command}; now >/rig/{name}.ended) & run=$!",
            f"until_running Cable/pcm0{'c' if 'record' in name else 'p'}/sub0; sleep 1; kill -USR2 $card; now >/rig/{name}.began",
            f"(until grep -qE '\"(interrupted|input.lost)\"' /tmp/{name}.out 2>/dev/null; do sleep 0.05; done; now >/rig/{name}.told) & told=$!",
        ]
        # The usual --on-loss waits, so the job stops the first program after its report, and the other program at once.
        if name == "silent-play":
            lines.append(f"until [ -e /rig/{name}.told ] || ! kill -0 $run; do sleep 0.1; done; kill -INT $(pidof woodshed)")
        if name == "silent-stop":
            lines.append("sleep 0.5; kill -INT $(pidof woodshed)")
        # A report at the very end is still found.
        lines.append(f"wait $run; sleep 0.2; kill $told; {'mv /tmp/silent.wav /rig; ' if 'record' in name else ''}out")
    lines += [
        "plug; kill -USR2 $card; now >/rig/doctor.began; ended doctor woodshed doctor --output hw:Cable --input hw:Cable; now >/rig/doctor.ended; out",
    ]
    for name, option in (("only-output", "-o"), ("only-input", "-i")):
        lines += [
            f"plug {option}",
            f"ended {name}-doctor woodshed doctor --output hw:Cable --input hw:Cable; ended {name}-devices woodshed devices",
            f"ended {name}-play woodshed play /tmp/short-16.wav --output hw:Cable",
            f"ended {name}-record woodshed record /tmp/{name}.wav --input hw:Cable --duration 0.5",
            "out",
        ]
    for access, library in (("mapped", ""), ("written", "/lib/no-mmap.so")):
        lines += [
            "arecord -q -D hw:Loopback,1,0 -t raw -f S16_LE -r 48000 -c 2 --buffer-size=65536 /tmp/heard.raw & capture=$!",
            "until_running Loopback/pcm1c/sub0",
            f"(ended {access} env LD_PRELOAD={library} woodshed play /tmp/short-16.wav --output hw:Loopback,0,0 --json) & run=$!",
            f"until_running Loopback/pcm0p/sub0; grep access /proc/asound/Loopback/pcm0p/sub0/hw_params >/rig/{access}.access",
            f"wait $run; sleep 0.3; kill -INT $capture; wait $capture; mv /tmp/heard.raw /rig/{access}.raw",
            "aplay -q -D hw:Loopback,1,0 --buffer-size=16384 /tmp/song.wav & feed=$!; until_running Loopback/pcm1p/sub0",
            f"(ended {access}-record env LD_PRELOAD={library} woodshed record /tmp/take.wav --input hw:Loopback,0,0 --duration 2 --bits 16) & run=$!",
            f"until_running Loopback/pcm0c/sub0; grep access /proc/asound/Loopback/pcm0c/sub0/hw_params >>/rig/{access}.access",
            f"wait $run $feed; mv /tmp/take.wav /rig/{access}-take.wav",
        ]
    return "\n".join(lines) + "\n"


def status(folder, name, wanted="0"):
    found = (folder / f"{name}.status").read_text().strip()
    return None if found == wanted else f"it ended with {found}, not {wanted}: {(folder / f'{name}.err').read_text().strip()}"


def told(folder, name):
    return [json.loads(line) for line in (folder / f"{name}.out").read_text().splitlines()]


def cable_fault(folder, card):
    """Returns the difference between a card's playback and its recording, or None."""
    fault = status(folder, f"{slug(card)}-record") or status(folder, f"{slug(card)}-play")
    if fault:
        return fault
    width = bits(card)
    wanted = sounds.encoded(sounds.sound(RATE, 1, 2, width), width, "S16_LE" if width == 16 else "S24_3LE")
    return sounds.fault(sounds.read(folder / f"{slug(card)}-take.wav")[3], wanted, width // 8 * 2, quiet=RATE // 20)


def dropouts_fault(folder, name):
    lost = sum(event["event"] in ("xrun", "device.stalled", "interrupted") for event in told(folder, name))
    return status(folder, name) or (f"{lost} dropouts" if lost else None)


def take_places(folder, card):
    """Returns the distance in frames of each take over the loop from its claimed place; None for a take with wrong
    sound."""
    for take in (event for event in told(folder, f"{slug(card)}-practice") if event["event"] == "take.ended"):
        _, channels, width, data = sounds.read(folder / f"takes-{slug(card)}" / take["path"].rsplit("/", 1)[-1])
        # Without the joints of the loop.
        frame, margin = channels * width // 8, RATE // 20
        wanted = sounds.encoded(song()[2 * (FROM * RATE + margin) : 2 * (TO * RATE - margin)], 16, f"S{width}_3LE" if width == 24 else f"S{width}_LE")
        place = data.find(wanted[: 64 * frame])
        yield place // frame - margin - take["model_start_frame"] if place >= 0 and data[place : place + len(wanted)] == wanted else None


def place_fault(places, claims):
    """Returns why takes are not at their claimed places, or None. An unmeasured place is only the driver's report."""
    if claims != {"measured"}:
        return None if "measured" not in claims else f"the claims are {claims}"
    worst = max(abs(place) for place in places)
    # The position reported by such a card's driver moves by the packets of microframes, and the card's own clock moves
    # against them. A packet has one frame more now and then if the card's clock is the faster clock.
    return f"they are up to {worst} frames from there" if worst > RATE // 8000 + 1 else None


def seconds(folder, name, end):
    """Returns the time from the card's silence to an event, or None if the event never came."""
    path = folder / f"{name}.{end}"
    return float(path.read_text()) - float((folder / f"{name}.began").read_text()) if path.exists() else None


def silence_fault(folder, name, end, limit):
    taken = seconds(folder, name, end)
    return "never" if taken is None else None if taken < limit else f"after {taken:.1f} s"


def judge(folder):
    for card in CARDS:
        yield f"{card}: what is played is recorded bit for bit", cable_fault(folder, card)
        places = [] if status(folder, f"{slug(card)}-practice") else list(take_places(folder, card))
        calibration = told(folder, f"{slug(card)}-calibrate")
        found = f"{calibration[0]['added_frames']:g} frames, spread {calibration[0]['spread_frames']:g}" if calibration else "refused"
        fault = None if calibration and calibration[0]["spread_frames"] == 0 else status(folder, f"{slug(card)}-calibrate", UNAVAILABLE)
        yield f"{card}: calibrate: {found}", fault
        fault = status(folder, f"{slug(card)}-practice") or (None if len(places) == 3 and None not in places else "a take is not right bit for bit")
        yield f"{card}: three takes over a loop", fault
        claims = {event["alignment"] for event in told(folder, f"{slug(card)}-practice") if event["event"] == "take.ended"}
        yield f"{card}: the takes are {places} frames beside their places, which are {'/'.join(claims)}", place_fault(places, claims)
    for card in CLASS_2:
        # Played, calibrated, practised, and looped: each starts the output once. An additional start is a gap that the
        # host left.
        starts = 4 if card == CLASS_2[0] else 3
        words, *times = (folder / f"{slug(card)}-card.txt").read_text().splitlines()
        times = [float(time.split()[1]) for time in times]
        # The kernel may restart the output within the first milliseconds, and later on a busy host: 4 ms mostly, 14 ms
        # once. A dropout does not come before the first buffer, of 16 ms, has been played.
        begun = sum(time - before > 0.016 for before, time in zip([0, *times], times))
        is_followed = begun == starts and "ran dry: 0, overflowed: 0" in words and "feedbacks: 0" not in words
        yield f"{card}: its clock was followed ({words})", None if is_followed else f"there should be {starts} starts, and no gap"
    yield f"{CLASS_2[0]}: a loop of {PASSES} s without a dropout", dropouts_fault(folder, "loop")
    yield f"silent while it plays: told within {TOLD} s", silence_fault(folder, "silent-play", "told", TOLD)
    yield f"silent while it plays: stopped, it ends within {PATIENCE} s", (
        status(folder, "silent-play", INTERRUPTED) or silence_fault(folder, "silent-play", "ended", PATIENCE)
    )
    yield f"silent while it plays: stopped at once, it ends within {PATIENCE} s", (
        status(folder, "silent-stop", INTERRUPTED) or silence_fault(folder, "silent-stop", "ended", PATIENCE)
    )
    yield f"silent while it records: told within {TOLD} s", silence_fault(folder, "silent-record", "told", TOLD)
    yield f"silent while it records: it ends within {PATIENCE} s", (
        status(folder, "silent-record", UNAVAILABLE) or silence_fault(folder, "silent-record", "ended", PATIENCE)
    )
    stopped = next(event for event in told(folder, "silent-record") if event["event"] == "recording.stopped")
    frames = len(sounds.read(folder / "silent.wav")[3]) // 4
    yield "silent while it records: the take is whole", None if frames == stopped["frames"] > RATE // 2 else f"{frames} frames"
    words = (folder / "doctor.out").read_text()
    fault = status(folder, "doctor", UNAVAILABLE) or (None if words.count("hw:Cable does not answer") == 2 else f"told: {words}")
    yield "silent: doctor says so", fault or silence_fault(folder, "doctor", "ended", PATIENCE)
    for name, missing, words in (("only-output", "record", "only plays; it cannot record"), ("only-input", "play", "only records; it cannot play")):
        said = f"the device hw:Cable {words}"
        fault = None if said in (folder / f"{name}-doctor.out").read_text() else (folder / f"{name}-doctor.out").read_text()
        yield f"{name}: doctor says so", status(folder, f"{name}-doctor", UNAVAILABLE) or fault
        fault = status(folder, f"{name}-{missing}", UNAVAILABLE) or (None if said in (folder / f"{name}-{missing}.err").read_text() else "not said")
        yield f"{name}: {missing} says so", fault
        outputs, inputs = (folder / f"{name}-devices.out").read_text().split("Inputs (--input)")
        listed = "hw:CARD=Cable" in outputs, "hw:CARD=Cable" in inputs
        yield f"{name}: devices lists it there alone", None if listed == (missing == "record", missing == "play") else f"in outputs, inputs: {listed}"
    wanted = sounds.encoded(sounds.sound(RATE, 1), 16, "S16_LE")
    piece = sounds.encoded(song(), 16, "S16_LE")[RATE * 4 : RATE * 6]
    for access, way in (("mapped", "MMAP_INTERLEAVED"), ("written", "RW_INTERLEAVED")):
        found = (folder / f"{access}.access").read_text().split()
        fault = status(folder, access) or (None if found == ["access:", way] * 2 else f"it was {found}")
        yield f"{way}: played bit for bit", fault or sounds.fault((folder / f"{access}.raw").read_bytes(), wanted, 4, quiet=RATE // 20)
        take = sounds.read(folder / f"{access}-take.wav")[3]
        yield f"{way}: recorded bit for bit", status(folder, f"{access}-record") or (None if piece in take else "a half second of the sound is not there")
