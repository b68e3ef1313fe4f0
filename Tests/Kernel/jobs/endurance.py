"""All cards at once, for long, while other programs work: no dropouts, and every take over a loop in its place."""
import json
import os

import sounds

# A soak has more: WOODSHED_ENDURANCE=1800.
LENGTH = int(os.environ.get("WOODSHED_ENDURANCE", "12"))
RATE, PASS = 48000, 4
LIMIT = 200 + 12 * LENGTH
# The shortest buffers without dropouts. The cable has its step of 192 frames, so 128 x 3 may stop it (see periods).
CARDS = {
    "USB, 128 x 3": ("hw:Audio", 128, 3),
    "loopback, 256 x 3": ("hw:Loopback,0,0", 256, 3),
    "HDA, 256 x 2": ("hw:Intel", 256, 2),
    "the other HDA, 128 x 3": ("hw:Intel_1", 128, 3),
}
DUPLEX = "USB with takes, 256 x 2"
# Two programs that take the processor for 3 to 30 ms at a time, a tenth of it in all.
LOAD = "while :; do turn=0; while [ $turn -lt $((RANDOM / 8)) ]; do turn=$((turn + 1)); done; sleep 0.15; done"


def slug(name):
    return name.replace(" ", "-").replace(",", "")


def passes():
    return max(2, LENGTH // PASS)


def prepare(folder):
    sounds.write(folder / "song.wav", sounds.sound(RATE, PASS), RATE)


def script():
    loop = f"woodshed practice /tmp/song.wav --section 0-{PASS} -n {passes()} --json --no-mpris"
    lines = [
        ". /rig/library.sh",
        "drivers; modprobe vhci_hcd; plug",
        "cp /rig/song.wav /tmp; mkdir /tmp/takes",
    ]
    runs = [(DUPLEX, "--output hw:Cable --period 256 --periods 2 --record passes --take-folder /tmp/takes")]
    runs += [(case, f"--output {device} --period {period} --periods {periods}") for case, (device, period, periods) in CARDS.items()]
    for number, (case, options) in enumerate(runs):
        name = f"/tmp/{slug(case)}"
        # In sequence: the emulated HDA card takes the first buffers too fast, which must not meet the opening of
        # another card.
        lines.append(f"({loop} {options} >{name}.out 2>{name}.err; echo $? >{name}.status; mv {name}.* /rig) & run{number}=$!; sleep 1")
    lines += [
        *(f"({LOAD}) & load{number}=$!" for number in range(2)),
        f"wait {' '.join(f'$run{number}' for number in range(len(runs)))}",
        "kill $load0 $load1; out",
        "mv /tmp/takes /rig",
    ]
    return "\n".join(lines) + "\n"


def told(folder, case):
    return [json.loads(line) for line in (folder / f"{slug(case)}.out").read_text().splitlines()]


def fault(folder, case):
    """Returns the fault in the sound of a card, or None."""
    status = (folder / f"{slug(case)}.status").read_text().strip()
    if status != "0":
        return f"it ended with {status}: {(folder / f'{slug(case)}.err').read_text().strip()}"
    events = told(folder, case)
    names = [event["event"] for event in events]
    disturbing = {name: names.count(name) for name in ("xrun", "interrupted", "overrun", "device.stalled") if name in names}
    if disturbing:
        return f"told: {disturbing}"
    last = next(event for event in events if event["event"] == "playback.finished")
    if last["reason"] != "completed" or last["xruns"] or last["starved_frames"]:
        return f"it finished with {last}"
    return None if names.count("pass.ended") == passes() else f"{names.count('pass.ended')} passes"


def judge(folder):
    for case in [*CARDS, DUPLEX]:
        yield f"{case}: {passes() * PASS} s without a dropout", fault(folder, case)
    song = sounds.sound(RATE, PASS)
    takes = [event for event in told(folder, DUPLEX) if event["event"] == "take.ended"]
    faults = {}
    for take in takes:
        path = folder / "takes" / take["path"].rsplit("/", 1)[-1]
        # The joints of the loop are at the section's ends.
        found = sounds.place_fault(path, take["model_start_frame"], song, 0, PASS * RATE, RATE)
        if found:
            faults[take["pass"]] = found
    yield f"{DUPLEX}: {len(takes)} takes, each in its place to the frame", None if len(takes) == passes() and not faults else f"not: {faults}"
