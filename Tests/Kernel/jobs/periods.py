"""No dropouts from 256 x 2 and 128 x 3 frames on, on each driver, where aplay has none with the same period and
buffer."""
import json

import sounds

CARDS = {"HDA": "hw:Intel", "USB": "hw:Audio", "loopback": "hw:Loopback,0,0"}
SHAPES = [(period, periods) for period in (64, 128, 256, 512, 1024, 2048) for periods in (2, 3, 4)]
LIMIT = 580


def prepare(folder):
    sounds.write(folder / "song.wav", sounds.sound(48000, 1.2), 48000)


def script():
    # From memory: a player that waits for the shared folder has dropouts of its own.
    lines = [". /rig/library.sh", "drivers", "cp /rig/song.wav /tmp"]
    for card, device in CARDS.items():
        for period, periods in SHAPES:
            name = f"{card}-{period}-{periods}"
            lines += [
                # The cable may stand still for good with a buffer of less than three of its steps.
                f"timeout 15 woodshed play /tmp/song.wav --to 1 --output {device} --period {period} --periods {periods} --json "
                f">/tmp/{name}.out 2>/tmp/{name}.err; echo $? >/tmp/{name}.status",
                f"timeout 15 aplay -v -D {device} --period-size={period} --buffer-size={period * periods} -d 1 /tmp/song.wav "
                f">/tmp/{name}.aplay 2>&1; echo $? >/tmp/{name}.aplay-status",
                # Not before: see ended.
                f"mv /tmp/{name}.* /rig",
            ]
    return "\n".join(lines) + "\n"


def dropouts(folder, name):
    """Returns the numbers of dropouts of the two programs, or their failures."""
    events = [json.loads(line) for line in (folder / f"{name}.out").read_text().splitlines()]
    status, peer = ((folder / f"{name}.{end}").read_text().strip() for end in ("status", "aplay-status"))
    text = (folder / f"{name}.aplay").read_text()
    lost = sum(event["event"] == "interrupted" for event in events)
    ours = sum(event["event"] == "xrun" for event in events) if status == "0" and not lost else f"lost {lost} times{'' if status == '0' else ', ended with ' + status}"
    return ours, text.count("underrun") if peer == "0" else f"ended with {peer}"


def judge(folder):
    for card in CARDS:
        for period, periods in SHAPES:
            ours, peer = dropouts(folder, f"{card}-{period}-{periods}")
            what = f"{card} {period} x {periods}: ours {ours}, aplay {peer}"
            is_required = (period >= 256 or period >= 128 and periods >= 3) and peer == 0
            if ours == 0 or not is_required:
                yield what if is_required else f"{what}, nothing is required", None
            else:
                yield what, "there are dropouts"


def table(folder):
    """Returns dropouts in a second of sound, as Markdown."""
    yield "Dropouts in a second of sound, ours and `aplay`'s with the same period and buffer:"
    yield ""
    yield "| period x periods | " + " | ".join(CARDS) + " |"
    yield "| --- |" + " --- |" * len(CARDS)
    for period, periods in SHAPES:
        cells = [dropouts(folder, f"{card}-{period}-{periods}") for card in CARDS]
        yield f"| {period} x {periods} | " + " | ".join(f"{ours}; {peer}" for ours, peer in cells) + " |"
