"""The machine sleeps, and the drivers alone suspend, while a card plays or records: the sound continues, and takes
are whole."""
import json

import sounds

# On a busy host the emulated cards do not keep time: long enough that no card has ended before the sleep.
SECONDS = 10
LIMIT = 400
# A machine whose time is counted in instructions does not wake. So this job does not judge dropouts.
COUNTED = False
# The emulated machine sleeps once; a later sleep ends at once. So all cards play and record in the same sleep.
PROGRAMS = {
    # name: (verb, device)
    "play on HDA": ("play", "hw:Intel"),
    "play on USB": ("play", "hw:Audio"),
    "play on the cable": ("play", "hw:Loopback,0,0"),
    "record from HDA": ("record", "hw:Intel_1"),
}
HOWS = {"sleep": "the machine sleeps", "drivers": "the drivers suspend"}
BEGIN, END = "=== begin ", "=== end"


def prepare(folder):
    sounds.write(folder / "song.wav", sounds.sound(48000, SECONDS), 48000)


def place(device, verb):
    """Returns the file below /proc/asound that shows whether a device runs."""
    return f"{device[3:].split(',')[0]}/pcm0{'p' if verb == 'play' else 'c'}/sub0"


def script():
    # The shared folder does not outlive a sleep, because its driver has no resume: the job goes on from memory, and
    # reports to the console.
    lines = [
        'if [ -z "$MEMORY" ]; then cp /rig/job.sh /rig/library.sh /rig/song.wav /tmp; MEMORY=1 exec bash /tmp/job.sh >/dev/ttyS0 2>&1; fi',
        ". /tmp/library.sh",
        "drivers",
    ]
    for how in HOWS:
        for number, (verb, device) in enumerate(PROGRAMS.values()):
            what = f"play /tmp/song.wav --output {device}" if verb == "play" else f"record /tmp/take.wav --input {device} --duration {SECONDS} --bits 16"
            lines.append(f"timeout 60 woodshed {what} --json --period 1024 --periods 4 >/tmp/out{number} 2>/tmp/err{number} & run{number}=$!")
        lines += [f"until_running {place(device, verb)}" for verb, device in PROGRAMS.values()]
        lines.append("sleep 1")
        lines += [f"state{number}=$(grep state: /proc/asound/{place(device, verb)}/status)" for number, (verb, device) in enumerate(PROGRAMS.values())]
        lines.append(f"sleeps {how}; slept=$?")
        for number, name in enumerate(PROGRAMS):
            lines += [
                f"wait $run{number}; status=$?",
                f"echo '{BEGIN}{HOWS[how]}: {name}'; echo \"slept: $slept\"; echo \"status: $status\"; echo \"before: $state{number}\"",
                f"grep -v '\"level\"' /tmp/out{number}; sed 's/^/stderr: /' /tmp/err{number}",
                "[ ! -e /tmp/take.wav ] || woodshed info --json /tmp/take.wav" if name.startswith("record") else ":",
                f"echo '{END}'",
            ]
        lines.append("rm -f /tmp/take.wav")
    # The first program of the guest is this script by now.
    return "\n".join(lines) + "\necho 'init: the job ended'\npoweroff -f\n"


def reports(folder):
    """Returns the guest's console output, by the name of the case."""
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
    """Returns the fault of a case, or None."""
    events = [json.loads(line) for line in lines if line.startswith("{")]
    if "slept: 0" not in lines:
        return f"the machine did not sleep: {lines}"
    if "before: state: RUNNING" not in lines:
        return f"it did not run when the sleep began: {[line for line in lines if line.startswith('before')]}"
    if "status: 0" not in lines:
        return f"it did not end by itself: {[line for line in lines if line.startswith(('status', 'stderr'))]}"
    told = [event["event"] for event in events if "event" in event]
    if verb == "play":
        last = next(event for event in events if event.get("event") == "playback.finished")
        if last["reason"] != "completed" or last["clip_frame"] != SECONDS * 48000:
            return f"it ended at frame {last['clip_frame']}, {last['reason']}"
        if "device.suspended" not in told and "interrupted" not in told:
            return f"the sleep is not told: {told}"
        paused = [event["clip_frame"] for event in events if event.get("event") in ("paused", "resumed")]
        return None if paused[::2] == paused[1::2] else f"the places are {paused}"
    stopped = next((event for event in events if event.get("event") == "recording.stopped"), None)
    length = next((event["frames"] for event in events if "codec" in event), None)
    if stopped is None or length != stopped["frames"]:
        return f"told {told}, {length} frames in the file"
    if stopped["lost_frames"] == 0:
        return f"the sleep is not told: {told}"
    return None if length == SECONDS * 48000 else f"{length} frames instead of {SECONDS * 48000}"


def judge(folder):
    found = reports(folder)
    woken = "WAKEUP" in (folder / "monitor.log").read_text()
    yield "the machine slept, and was woken", None if woken else "the emulator tells of no sleep"
    for how in HOWS.values():
        for name, (verb, _) in PROGRAMS.items():
            lines = found.get(f"{how}: {name}")
            yield f"{how}: {name}", "it was not reached" if lines is None else fault(verb, lines)
