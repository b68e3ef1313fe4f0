"""The machine sleeps, and the drivers alone suspend, while a card plays or records: the sound goes on, and takes are whole."""
import json

import sounds

SECONDS = 6
LIMIT = 400
# A machine whose time is counted in instructions does not wake. So nothing is said about dropouts here.
COUNTED = False
CASES = {
    # name: (how, verb, device)
    "sleep, play on HDA": ("sleep", "play", "hw:Intel"),
    "sleep, play on USB": ("sleep", "play", "hw:Audio"),
    "sleep, record from HDA": ("sleep", "record", "hw:Intel_1"),
    "drivers, play on HDA": ("drivers", "play", "hw:Intel"),
    "drivers, play on USB": ("drivers", "play", "hw:Audio"),
    "drivers, record from HDA": ("drivers", "record", "hw:Intel_1"),
    "drivers, play on the cable": ("drivers", "play", "hw:Loopback,0,0"),
}
BEGIN, END = "=== begin ", "=== end"


def prepare(folder):
    sounds.write(folder / "song.wav", sounds.sound(48000, SECONDS), 48000)


def script():
    # The shared folder does not outlive a sleep, its driver has no resume: the job goes on from memory, and reports to the console.
    lines = [
        'if [ -z "$MEMORY" ]; then cp /rig/job.sh /rig/library.sh /rig/song.wav /tmp; MEMORY=1 exec bash /tmp/job.sh >/dev/ttyS0 2>&1; fi',
        ". /tmp/library.sh",
        "drivers",
    ]
    for name, (how, verb, device) in CASES.items():
        command = (
            f"woodshed play /tmp/song.wav --output {device} --json --period 1024 --periods 4" if verb == "play" else
            f"woodshed record /tmp/take.wav --input {device} --json --bits 16 --duration {SECONDS} --period 1024 --periods 4")
        lines += [
            f"rm -f /tmp/take.wav; timeout 40 {command} >/tmp/out 2>/tmp/err & run=$!",
            f"sleep 2; sleeps {how}; echo \"slept: $?\" >/tmp/slept",
            "wait $run; echo \"status: $?\" >>/tmp/slept",
            f"echo '{BEGIN}{name}'; cat /tmp/slept; grep -v '\"level\"' /tmp/out; sed 's/^/stderr: /' /tmp/err",
            "[ ! -e /tmp/take.wav ] || woodshed info --json /tmp/take.wav",
            f"echo '{END}'",
        ]
    # The first program of the guest is this one by now.
    return "\n".join(lines) + "\necho 'init: the job ended'\npoweroff -f\n"


def reports(folder):
    """What the guest wrote to the console, by the name of the case."""
    found, name = {}, None
    for line in (folder / "console.log").read_text(errors="replace").replace("\r", "").splitlines():
        if line.startswith(BEGIN):
            name = line[len(BEGIN) :]
            found[name] = []
        elif line.startswith(END):
            name = None
        elif name:
            found[name].append(line)
    return found


def fault(verb, lines):
    """Why a case is not right, or None."""
    events = [json.loads(line) for line in lines if line.startswith("{")]
    if "slept: 0" not in lines:
        return f"the machine did not sleep: {lines}"
    if "status: 0" not in lines:
        return f"it did not end by itself: {[line for line in lines if line.startswith(('status', 'stderr'))]}"
    told = [event["event"] for event in events if "event" in event]
    if verb == "play":
        last = next(event for event in events if event.get("event") == "playback.finished")
        if last["reason"] != "completed" or last["clip_frame"] != SECONDS * 48000:
            return f"it ended at frame {last['clip_frame']}, {last['reason']}"
        paused = [event["clip_frame"] for event in events if event.get("event") in ("paused", "resumed")]
        return None if paused[::2] == paused[1::2] else f"the places are {paused}"
    stopped = next((event for event in events if event.get("event") == "recording.stopped"), None)
    length = next((event["frames"] for event in events if "codec" in event), None)
    if stopped is None or length != stopped["frames"]:
        return f"told {told}, {length} frames in the file"
    return None if length == SECONDS * 48000 else f"{length} frames instead of {SECONDS * 48000}"


def judge(folder):
    found = reports(folder)
    for name, (_, verb, _) in CASES.items():
        lines = found.get(name)
        yield name, "it was not reached" if lines is None else fault(verb, lines)
