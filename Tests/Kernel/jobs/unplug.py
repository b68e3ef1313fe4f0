"""A USB card pulled out during playing: the loss is reported, and the sound continues at its place when the card is
back."""
import json

import sounds

SECONDS = 12
LIMIT = 300
# The time at which the card is pulled out, and the duration.
UNPLUG = '{"execute":"device_del","arguments":{"id":"usb0"}}'
PLUG = '{"execute":"device_add","arguments":{"driver":"usb-audio","id":"usb0","audiodev":"usb","bus":"xhci.0"}}'
CASES = {"wait": "--on-loss wait", "fallback": "--on-loss fallback"}


def prepare(folder):
    sounds.write(folder / "song.wav", sounds.sound(48000, SECONDS), 48000)


def script():
    lines = [". /rig/library.sh", "drivers", "export ALSA_CONFIG_PATH=/rig/alsa.conf"]
    lines += [
        # Without a sound server the default is the first card, not the card pulled out.
        "cat >/rig/alsa.conf <<END\n</usr/share/alsa/alsa.conf>\npcm.!default { type plug slave.pcm \"hw:Intel\" }\nEND",
    ]
    for case, options in CASES.items():
        lines += [
            f"(ended {case} woodshed play /rig/song.wav --output hw:Audio --json {options}) & run=$!",
            # A busy host holds up the shared folder, from which the sound is read.
            "until_running Audio/pcm0p/sub0; sleep 2",
            "say unplug",
            f"monitor '{UNPLUG}'",
            "sleep 2",
            "say plug",
            f"monitor '{PLUG}'",
            "wait $run",
            "until_there /proc/asound/Audio",
        ]
    return "\n".join(lines) + "\n"


def events(folder, case):
    for line in (folder / f"{case}.out").read_text().splitlines():
        yield json.loads(line)


def judge(folder):
    for case, back in (("wait", "device.resumed"), ("fallback", "fellback")):
        status = (folder / f"{case}.status").read_text().strip()
        if status != "0":
            yield case, f"it ended with {status}: {(folder / f'{case}.err').read_text().strip()}"
            continue
        told = {event["event"]: event for event in events(folder, case)}
        missing = [name for name in ("interrupted", "paused", back, "resumed") if name not in told]
        yield f"{case}: the loss and the return are told", f"missing: {missing}, told: {sorted(told)}" if missing else None
        if missing:
            continue
        places = [told[name]["clip_frame"] for name in ("paused", "resumed")]
        yield f"{case}: it goes on at the same place", None if places[0] == places[1] else f"paused at {places[0]}, resumed at {places[1]}"
