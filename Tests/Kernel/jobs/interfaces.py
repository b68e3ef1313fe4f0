"""Cards of other shapes: two channels of eighteen, a card of 32 bits, a card of 96 kHz, and a card shared by two
programs."""
import json

import sounds

LIMIT = 300
# The limit of full-speed USB: the eighteen channels have a low rate.
WIDE_RATE, WIDE = 16000, 18
# name: (rate, bits, channels) of a card; the sound has 24 bits at most, the limit of a take of 24 bits.
CARDS = {"32 bit": (48000, 32, 2), "96 kHz, mono": (96000, 24, 1)}
UNAVAILABLE = "69"


def slug(name):
    return name.replace(" ", "-").replace(",", "")


def samples(card):
    rate, bits, channels = CARDS[card]
    return sounds.sound(rate, 1, channels, min(bits, 24))


def wide():
    return sounds.sound(WIDE_RATE, 1, 2, 16, seed=3)


def prepare(folder):
    for card, (rate, bits, channels) in CARDS.items():
        sounds.write(folder / f"{slug(card)}.wav", samples(card) + [0] * (rate // 10 * channels), rate, channels, min(bits, 24))
    sounds.write(folder / "wide.wav", wide() + [0] * (WIDE_RATE // 5), WIDE_RATE)
    sounds.write(folder / "long.wav", sounds.sound(48000, 3), 48000)


def script():
    lines = [
        ". /rig/library.sh",
        "modprobe vhci_hcd; modprobe snd-usb-audio; modprobe snd-aloop id=Loopback",
    ]
    for name, (rate, bits, channels) in CARDS.items():
        case = slug(name)
        lines += [
            f"plug {rate} {bits} {channels}",
            f"(ended {case}-record woodshed record /tmp/{case}.wav --input hw:Cable --json --duration 3 --rate {rate} --bits 24 "
            f"--channels {channels} --exact) & run=$!",
            "until_running Cable/pcm0c/sub0; sleep 0.3",
            f"ended {case}-play woodshed play /rig/{case}.wav --output hw:Cable --json; wait $run",
            f"mv /tmp/{case}.wav /rig/{case}-take.wav; out",
        ]
    lines += [
        f"plug {WIDE_RATE} 16 {WIDE}",
        # One run plays on channels 3 and 4 and records from both; another run records from 4 and 3.
        *(
            line
            for case, channels in (("in-order", "3,4"), ("crossed", "4,3"))
            for line in (
                f"(ended {case}-record woodshed record /tmp/{case}.wav --input hw:Cable --json --duration 3 --rate {WIDE_RATE} --bits 16 "
                f"--input-channel {channels}) & run=$!",
                "until_running Cable/pcm0c/sub0; sleep 0.3",
                f"ended {case}-play woodshed play /rig/wide.wav --output hw:Cable --output-channel 3,4 --json; wait $run",
                f"mv /tmp/{case}.wav /rig/{case}-take.wav",
            )
        ),
        f"ended usual woodshed record /rig/usual.wav --input hw:Cable --duration 0.5 --rate {WIDE_RATE}",
        "ended exact woodshed record /rig/exact.wav --input hw:Cable --duration 0.5 --rate 48000 --exact",
        "ended far woodshed record /rig/far.wav --input hw:Cable --duration 0.5 --input-channel 19",
        "out",
        # Two programs on one card, as ALSA shares it.
        "cat >/tmp/shared.conf <<END\n</usr/share/alsa/alsa.conf>\n"
        'pcm.shared { type plug slave.pcm { type dmix ipc_key 4711 slave { pcm "hw:Loopback,0,0" rate 48000 format S16_LE period_size 1024 buffer_size 8192 } } }\nEND',
        "export ALSA_CONFIG_PATH=/tmp/shared.conf",
        "arecord -q -D hw:Loopback,1,0 -t raw -f S16_LE -r 48000 -c 2 --buffer-size=65536 /tmp/shared.raw & capture=$!",
        "(ended first woodshed play /rig/long.wav --output shared --json) & run=$!",
        "sleep 1; ended second woodshed play /rig/long.wav --to 1 --output shared --json; wait $run",
        "sleep 0.3; kill -INT $capture; wait $capture; mv /tmp/shared.raw /rig",
    ]
    return "\n".join(lines) + "\n"


def status(folder, name, wanted="0"):
    found = (folder / f"{name}.status").read_text().strip()
    return None if found == wanted else f"it ended with {found}, not {wanted}: {(folder / f'{name}.err').read_text().strip()}"


def cable_fault(folder, card):
    """Returns the difference between a card's playback and its recording, or None."""
    rate, bits, channels = CARDS[card]
    failure = status(folder, f"{slug(card)}-record") or status(folder, f"{slug(card)}-play")
    if failure:
        return failure
    found_rate, found_channels, found_bits, data = sounds.read(folder / f"{slug(card)}-take.wav")
    if (found_rate, found_channels, found_bits) != (rate, channels, 24):
        return f"the take has {(found_rate, found_channels, found_bits)}"
    return sounds.fault(data, sounds.encoded(samples(card), min(bits, 24), "S24_3LE"), 3 * channels, quiet=rate // 20)


def wide_fault(folder, case, wanted):
    """Returns the difference between a take of two of the eighteen channels and their playback, or None."""
    failure = status(folder, f"{case}-record") or status(folder, f"{case}-play")
    if failure:
        return failure
    rate, channels, bits, data = sounds.read(folder / f"{case}-take.wav")
    if (rate, channels, bits) != (WIDE_RATE, 2, 16):
        return f"the take has {(rate, channels, bits)}"
    return sounds.fault(data, sounds.encoded(wanted, 16, "S16_LE"), 4, quiet=WIDE_RATE // 20)


def judge(folder):
    for card in CARDS:
        yield f"{card}: what is played is recorded bit for bit", cable_fault(folder, card)
    sound = wide()
    crossed = [sound[place ^ 1] for place in range(len(sound))]
    yield "channels 3 and 4 of eighteen", wide_fault(folder, "in-order", sound)
    yield "channels 4 and 3 of eighteen", wide_fault(folder, "crossed", crossed)
    words = (folder / "usual.err").read_text()
    fault = status(folder, "usual") or (None if "has 18 channels; the first 2 are recorded" in words else f"told: {words.strip()}")
    yield "without a choice, the first two, and it is said", fault or (None if sounds.read(folder / "usual.wav")[1] == 2 else "the take has others")
    words = (folder / "exact.err").read_text()
    fault = status(folder, "exact", UNAVAILABLE) or (None if f"runs at {WIDE_RATE} Hz, not at 48000" in words else f"told: {words.strip()}")
    yield "--exact refuses another rate", fault or ("there is a file" if (folder / "exact.wav").exists() else None)
    yield "a channel that the card does not have is refused", status(folder, "far", UNAVAILABLE)
    events = [json.loads(line) for name in ("first", "second") for line in (folder / f"{name}.out").read_text().splitlines()]
    dropouts = sum(event["event"] == "xrun" for event in events)
    yield "two programs share a card (dmix)", status(folder, "first") or status(folder, "second") or (f"{dropouts} dropouts" if dropouts else None)
    # The first half second is the first program's alone.
    wanted = sounds.encoded(sounds.sound(48000, 3)[: 2 * 24000], 16, "S16_LE")
    data = (folder / "shared.raw").read_bytes()
    place = data.find(wanted[:256])
    yield "what one plays alone is right bit for bit, through dmix", None if place >= 0 and data[place : place + len(wanted)] == wanted else "it is not there"
