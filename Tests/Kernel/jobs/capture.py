"""A take is bit for bit the sound that another program plays on the cable, in each format, rate and number of
channels; a killed take too."""
import json

import sounds

# A sound begins after silence, in which the recording begins, and ends with silence, because the cable's drain loses
# its end.
LEAD, SECONDS, SILENCE = 1.2, 0.6, 1.0
LIMIT = 300
ALSA_FORMATS = {"16": "S16_LE", "24": "S24_3LE", "32": "S32_LE", "float": "FLOAT_LE"}
CASES = {
    # name: (bits of the take, rate, channels, bits of the sound, options)
    "16-bit": ("16", 48000, 2, 16, ""),
    "24-bit": ("24", 48000, 2, 24, ""),
    # A take of 32 bits has the 24 bits of a Float32.
    "32-bit": ("32", 48000, 2, 24, ""),
    "float": ("float", 48000, 2, 24, ""),
    "44100": ("16", 44100, 2, 16, ""),
    "96000": ("24", 96000, 2, 24, "--period 1024 --periods 4"),
    "192000": ("24", 192000, 2, 24, "--period 2048 --periods 4"),
    "mono": ("16", 48000, 1, 16, ""),
    "8-channels": ("24", 48000, 8, 24, ""),
}
# The recording opens the cable first and chooses the format; the other program converts.
FIRST = {"opened-first": ("24", 48000, 2, 24, "")}
KILLED = ("16", 48000, 2, 16, "")


def samples(case):
    _, rate, channels, bits, _ = case
    return sounds.sound(rate, SECONDS, channels, bits)


def prepare(folder):
    for name, case in {**CASES, **FIRST, "killed": KILLED}.items():
        _, rate, channels, bits, _ = case
        lead, end = ([0] * (int(rate * seconds) * channels) for seconds in (LEAD, SILENCE))
        sounds.write(folder / f"{name}.wav", lead + samples(case) + end, rate, channels, bits)


def script():
    lines = [". /rig/library.sh", "drivers"]
    for name, case in {**CASES, **FIRST}.items():
        bits, rate, channels, _, options = case
        feed = f"aplay -q -D {'plughw' if name in FIRST else 'hw'}:Loopback,0,0 --period-size=2048 --buffer-size=16384 /rig/{name}.wav"
        lines += [
            f"(sleep 0.8; exec {feed}) & feed=$!" if name in FIRST else f"{feed} & feed=$!; until_running Loopback/pcm0p/sub0",
            f"ended {name} woodshed record /tmp/{name}.wav --input hw:Loopback,1,0 --json --duration {4 if name in FIRST else 2.2} "
            f"--bits {bits} --rate {rate} --channels {channels} {options}",
            "wait $feed",
            f"mv /tmp/{name}.wav /rig/{name}-take.wav",
        ]
    lines += [
        "aplay -q -D hw:Loopback,0,0 --period-size=2048 --buffer-size=16384 /rig/killed.wav & feed=$!",
        "until_running Loopback/pcm0p/sub0",
        "woodshed record /tmp/killed.wav --input hw:Loopback,1,0 --json --bits 16 >/rig/killed-before.out 2>&1 & run=$!",
        "sleep 2.6; kill -9 $run; wait $run; say ended with $?; wait $feed",
        "ended killed woodshed record --recover --json",
        "mv /tmp/killed.wav /rig/killed-take.wav",
        "ended again woodshed record --recover --json",
    ]
    return "\n".join(lines) + "\n"


def fault(folder, name, case):
    """Returns the fault of a take, or None."""
    bits, rate, channels, sound_bits, _ = case
    status = (folder / f"{name}.status").read_text().strip()
    if status != "0":
        return f"it ended with {status}: {(folder / f'{name}.err').read_text().strip()}"
    try:
        found_rate, found_channels, found_bits, data = sounds.read(folder / f"{name}-take.wav")
    except ValueError as error:
        return str(error)
    found, wanted = (found_rate, found_channels, found_bits), (rate, channels, 32 if bits == "float" else int(bits))
    if found != wanted:
        return f"the take has (rate, channels, bits) {found}, not {wanted}"
    sound = sounds.encoded(samples(case), sound_bits, ALSA_FORMATS[bits])
    return sounds.fault(data, sound, wanted[2] // 8 * channels, quiet=int(rate * 0.1))


def judge(folder):
    for name, case in {**CASES, **FIRST}.items():
        yield name, fault(folder, name, case)
    yield "killed: the recovered take has all that was played", fault(folder, "killed", KILLED)
    told = [json.loads(line) for line in (folder / "killed.out").read_text().splitlines()]
    recovered = [event["frames"] for event in told if event["event"] == "recording.recovered"]
    frames = len(sounds.read(folder / "killed-take.wav")[3]) // 4
    yield "killed: the recovery is told, with its frames", None if recovered == [frames] else f"{frames} frames, told: {told}"
    again = (folder / "again.out").read_text().strip()
    yield "killed: there is nothing to recover then", f"told again: {again}" if again else None
