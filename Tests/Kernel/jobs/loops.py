"""A slowed loop played on the cable is bit for bit the output of render, from the second pass on."""
import json

import sounds

RATE, SECONDS = 48000, 3
LIMIT = 300
# name: options of practice and render
CASES = {
    "70 percent, twice": "--from 0.5 --to 1.5 -s 70% -n 3 --material music",
    "50 percent, with a gap": "--from 1 --to 1.6 -s 50% -n 3 --gap 0.2 --material speech",
    "three semitones up": "--from 1 --to 2 --pitch +3 -n 3 --material music",
    "faster with each pass": "--from 1 --to 1.5 --ramp 60%:100%:20% -n 3 --material music",
}
# The cable's drain loses the end of a sound, so the judge ignores the last period.
PERIOD = 1024
# A live pass does not wait for the analysis, so the first pass may be stretched differently (`plain`); it fades into
# the second pass.
FADE = 4800


def slug(name):
    return name.replace(" ", "-").replace(",", "")


def prepare(folder):
    sounds.write(folder / "song.wav", sounds.sound(RATE, SECONDS), RATE)


def script():
    lines = [". /rig/library.sh", "drivers"]
    for name, options in CASES.items():
        case = slug(name)
        lines += [
            # The command remembers earlier practice, with its speed.
            f"export HOME=/tmp/home-{case}; mkdir $HOME",
            f"ended {case}-render woodshed render /rig/song.wav {options} --bits float --period {PERIOD} -o /tmp/{case}.wav",
            f"mv /tmp/{case}.wav /rig",
            f"arecord -q -D hw:Loopback,1,0 -t raw -f FLOAT_LE -r {RATE} -c 2 --buffer-size=65536 /tmp/{case} & feed=$!",
            "until_running Loopback/pcm1c/sub0",
            f"ended {case} woodshed practice /rig/song.wav {options} --period {PERIOD} --output hw:Loopback,0,0 --json",
            "sleep 0.3; kill -INT $feed; wait $feed",
            f"mv /tmp/{case} /rig/{case}.raw",
        ]
    return "\n".join(lines) + "\n"


def fault(folder, case):
    for name in (f"{case}-render", case):
        status = (folder / f"{name}.status").read_text().strip()
        if status != "0":
            return f"{name} ended with {status}: {(folder / f'{name}.err').read_text().strip()}"
    rate, channels, bits, rendered = sounds.read(folder / f"{case}.wav")
    if (rate, channels, bits) != (RATE, 2, 32):
        return f"what was rendered has (rate, channels, bits) {(rate, channels, bits)}"
    told = [json.loads(line) for line in (folder / f"{case}.out").read_text().splitlines()]
    made = {event["pass"]: (event["frame"], event["sound"]) for event in told if event["event"] == "pass.started"}
    if made[2][1] == "plain":
        return "the second pass did not use the analysis"
    # Both begin with the same sound, although the method of the first pass differs.
    frame, captured = 2 * 4, (folder / f"{case}.raw").read_bytes()
    captured = captured[first_sound(captured, frame) - first_sound(rendered, frame) :]
    begin, end = (made[2][0] + FADE) * frame, len(rendered) - PERIOD * frame
    wrong = next((place for place in range(begin, end, frame) if rendered[place : place + frame] != captured[place : place + frame]), None)
    return None if wrong is None else f"frame {wrong // frame} is the first that differs, of {len(rendered) // frame}"


def first_sound(samples, frame):
    return next(place for place in range(0, len(samples), frame) if any(samples[place : place + frame]))


def judge(folder):
    for name in CASES:
        yield name, fault(folder, slug(name))
