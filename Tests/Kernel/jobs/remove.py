"""Cards and drivers removed, held or in use: each is reported, takes are valid, and playing continues at its place."""
import json

import sounds

SECONDS = 8
LIMIT = 300
REMOVE = 'echo 1 >"$(device_of {})/remove"'
UNBIND = "echo snd_dummy.0 >/sys/bus/platform/drivers/snd_dummy/unbind"
BIND = UNBIND.replace("unbind", "bind")
# With shorter periods the emulated card's steps keep a work item of snd-hda-intel busy, and Linux 6.1 has an oops if
# the card is removed meanwhile (azx_irq_pending_work).
LONG = "--period 2048 --periods 4"
PLAYS = {
    # name: (device, the command that removes the card, the command that restores it)
    "removed from the bus": ("Intel", REMOVE.format("Intel"), "echo 1 >/sys/bus/pci/rescan"),
    "its driver is unbound": ("Dummy", UNBIND, BIND),
}
# Exit status of a command whose device does not exist, or is held by another program.
UNAVAILABLE = "69"


def slug(name):
    return name.replace(" ", "-")


def prepare(folder):
    sounds.write(folder / "song.wav", sounds.sound(48000, SECONDS), 48000)


def script():
    lines = [". /rig/library.sh", "drivers"]
    for name, (card, away, back) in PLAYS.items():
        lines += [
            f"(ended {slug(name)} woodshed play /rig/song.wav --output hw:{card} --json {LONG}) & run=$!",
            f"until_running {card}/pcm0p/sub0; sleep 2; say away; {away}",
            f"sleep 2; say back; {back}",
            f"wait $run; until_there /proc/asound/{card}",
        ]
    lines += [
        # A driver in use stays: the kernel refuses, and the command reports nothing.
        "(ended in-use woodshed play /rig/song.wav --to 4 --output hw:Dummy --json) & run=$!",
        "until_running Dummy/pcm0p/sub0; sleep 1; modprobe -r snd-dummy; echo $? >/rig/in-use.modprobe; wait $run",
        f"(ended take woodshed record /tmp/take.wav --input hw:Intel_1 --json --bits 16 {LONG}) & run=$!",
        f"until_running Intel_1/pcm0c/sub0; sleep 2; {REMOVE.format('Intel_1')}; wait $run",
        "mv /tmp/take.wav /rig; ended recover woodshed record --recover --json",
        "echo 1 >/sys/bus/pci/rescan; until_there /proc/asound/Intel_1",
        "(ended calibrate woodshed calibrate --output hw:Dummy --json) & run=$!",
        f"until_running Dummy/pcm0c/sub0; sleep 0.5; {UNBIND}; wait $run",
        f"{BIND}; until_there /proc/asound/Dummy",
        "aplay -q -D hw:Intel /rig/song.wav & holder=$!; until_running Intel/pcm0p/sub0",
        "ended held-play woodshed play /rig/song.wav --output hw:Intel --json",
        "kill -INT $holder; wait $holder",
        "arecord -q -D hw:Intel_1 -f S16_LE -r 48000 -c 2 /tmp/held.wav & holder=$!; until_running Intel_1/pcm0c/sub0",
        "ended held-record woodshed record /tmp/none.wav --input hw:Intel_1 --json; [ -e /tmp/none.wav ] && touch /rig/none.wav",
        "kill -INT $holder; wait $holder",
        "ended freed-again woodshed play /rig/song.wav --to 1 --output hw:Intel --json",
        "aplay -q -D hw:Intel -d 1 /rig/song.wav & until_running Intel/pcm0p/sub0; sleep 0.5",
        "ended freed-soon woodshed play /rig/song.wav --to 1 --output hw:Intel --json; wait",
        "ended gone woodshed play /rig/song.wav --output hw:Gone --json",
    ]
    return "\n".join(lines) + "\n"


def status(folder, name):
    return (folder / f"{name}.status").read_text().strip()


def told(folder, name):
    return [json.loads(line) for line in (folder / f"{name}.out").read_text().splitlines()]


def ended(folder, name, wanted="0", words=""):
    """Returns the fault of a command's end, or None."""
    text = (folder / f"{name}.err").read_text().strip()
    if status(folder, name) != wanted:
        return f"it ended with {status(folder, name)}, not {wanted}: {text}"
    return None if words in text else f"it does not name {words}: {text}"


def went_on(folder, name):
    """Returns why playing did not go on at its place after a loss, or None."""
    fault = ended(folder, name)
    events = {event["event"]: event for event in told(folder, name)}
    missing = [event for event in ("interrupted", "paused", "device.resumed", "resumed") if event not in events]
    if fault or missing:
        return fault or f"missing: {missing}, told: {sorted(events)}"
    places = [events[event]["clip_frame"] for event in ("paused", "resumed")]
    if events["interrupted"]["reason"] != "device_lost":
        return f"the reason is {events['interrupted']['reason']}"
    return None if places[0] == places[1] else f"paused at {places[0]}, resumed at {places[1]}"


def take_fault(folder):
    """Returns the fault of a removed card's take, or None."""
    events = {event["event"]: event for event in told(folder, "take")}
    if "input.lost" not in events or "recording.stopped" not in events:
        return f"told: {sorted(events)}"
    rate, channels, bits, data = sounds.read(folder / "take.wav")
    frames = len(data) // (channels * bits // 8)
    if frames != events["recording.stopped"]["frames"]:
        return f"{frames} frames in the file, {events['recording.stopped']['frames']} told"
    return None if 1.5 * rate < frames < 4 * rate else f"{frames} frames of more than two seconds"


def judge(folder):
    for name in PLAYS:
        yield f"playing, {name}: told, and it goes on at its place", went_on(folder, slug(name))
    quiet = [event["event"] for event in told(folder, "in-use") if event["event"] in ("xrun", "interrupted", "paused")]
    yield "modprobe -r of a driver in use is refused", "it was not" if (folder / "in-use.modprobe").read_text().strip() == "0" else None
    yield "modprobe -r disturbs no playing", ended(folder, "in-use") or (f"told: {quiet}" if quiet else None)
    yield "recording, removed from the bus: told, with a valid take", ended(folder, "take", UNAVAILABLE) or take_fault(folder)
    recovered = (folder / "recover.out").read_text().strip()
    yield "recording, removed from the bus: nothing to recover", f"told: {recovered}" if recovered else ended(folder, "recover")
    yield "calibrate, its driver is unbound", ended(folder, "calibrate", UNAVAILABLE)
    yield "play, held by another program: refused, naming it", ended(folder, "held-play", UNAVAILABLE, "aplay")
    yield "record, held by another program: refused, naming it", ended(folder, "held-record", UNAVAILABLE, "arecord")
    yield "record, held by another program: no file is left", "there is one" if (folder / "none.wav").exists() else None
    yield "play, freed", ended(folder, "freed-again")
    yield "play, freed within a second: waited for", ended(folder, "freed-soon")
    yield "play, a card that is not there", ended(folder, "gone", UNAVAILABLE)
