"""PipeWire as on Debian, on a card and on a sink without a card: sound in both directions, reported dropouts, and a
server that dies."""
import json

import loops
import sounds

RATE = 48000
LIMIT = 900
SYSTEM = "servers"
# Sound converted by the server cannot be compared bit for bit: a tone for each channel.
TONES, TONE_RATE, TONE_SECONDS = (440, 660), 44100, 1
LOOP = "70 percent, twice"
UNAVAILABLE = "69"
# In a virtual machine the server's cycle has at least 1024 frames, and a buffer of less runs dry again and again,
# `aplay`'s too.
CYCLE = 1024


def song():
    return sounds.sound(RATE, 1.5)


def prepare(folder):
    end = [0] * (RATE // 5 * 2)
    sounds.write(folder / "short.wav", song() + end, RATE)
    sounds.write(folder / "long.wav", sounds.sound(RATE, 4) + end, RATE)
    sounds.write(folder / "tones.wav", sounds.tones(TONE_RATE, TONE_SECONDS, TONES) + end, TONE_RATE)
    loops.prepare(folder)


# The guest's functions. The server needs only folders to watch of systemd.
FUNCTIONS = r"""
export PATH=$PATH:/usr/bin XDG_RUNTIME_DIR=/run/user/0
mkdir -p $XDG_RUNTIME_DIR /run/systemd/{seats,sessions,users,machines} /etc/pipewire/pipewire.conf.d
chmod 700 $XDG_RUNTIME_DIR
# As on a real machine.
cycle() { echo "context.properties = { vm.overrides = { default.clock.min-quantum = $1 } }" >/etc/pipewire/pipewire.conf.d/cycle.conf; }
until_said() { # PATTERN COMMAND...
    local turn
    for turn in $(seq 100); do
        "${@:2}" 2>/dev/null | grep "$1" >/dev/null && return 0
        sleep 0.1
    done
    echo "'${*:2}' does not say $1 (after $turn looks)"
    return 1
}
start_server() {
    pipewire >>/rig/pipewire.log 2>&1 & server=$!
    until_said . pw-cli info 0
    wireplumber >>/rig/wireplumber.log 2>&1 & manager=$!
    until_said alsa_output wpctl inspect @DEFAULT_AUDIO_SINK@
    until_said alsa_input wpctl inspect @DEFAULT_AUDIO_SOURCE@
    wpctl set-volume @DEFAULT_AUDIO_SINK@ 1.0
    wpctl set-volume @DEFAULT_AUDIO_SOURCE@ 1.0
    say "the server runs"
}
stop_server() { kill $manager $server; wait $manager $server; }
to_nowhere() {
    pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=nowhere media.class=Audio/Sink object.linger=true
        audio.position=[FL FR] audio.rate=48000 monitor.channel-volumes=true }' >/dev/null
    until_said '"nowhere"' pw-cli ls Node
    wpctl set-default "$(pw-cli ls Node | awk '/id [0-9]+,/ { id = $2 } /"nowhere"/ { print id + 0 }')"
    until_said nowhere wpctl inspect @DEFAULT_AUDIO_SINK@
}
# nowhere NAME FORMAT COMMAND...: captures a command's sound on the sink without a card.
nowhere() {
    pw-record --target nowhere -P '{ stream.capture.sink = true }' --rate 48000 --channels 2 --format $2 /tmp/$1.wav & capture=$!
    until_said pw-record:input_FR pw-link --links
    ended $1 "${@:3}"
    sleep 0.5; kill -INT $capture; wait $capture
    mv /tmp/$1.wav /rig
}
# heard NAME COMMAND...: captures a command's sound on the card, at the other end of the cable.
heard() {
    arecord -q -D hw:Loopback,1,0 -t raw -f S16_LE -r 48000 -c 2 --buffer-size=65536 /tmp/$1.raw & capture=$!
    until_running Loopback/pcm1c/sub0
    ended "$@"
    sleep 0.5; kill -INT $capture; wait $capture
    mv /tmp/$1.raw /rig
}
"""


def script():
    lines = [
        ". /rig/library.sh",
        FUNCTIONS,
        # Nothing is read from the shared folder while a card runs: the folder answers by the host's clock.
        "cp /rig/*.wav /tmp",
        "/lib/systemd/systemd-udevd --daemon",
        "modprobe snd-aloop id=Loopback; udevadm trigger; udevadm settle",
        "DBUS_SESSION_BUS_ADDRESS=$(dbus-daemon --session --fork --print-address=1); export DBUS_SESSION_BUS_ADDRESS",
        "cycle 32; start_server",
        "heard card woodshed play /tmp/short.wav --json",
        "heard tones woodshed play /tmp/tones.wav --json",
        f"ended {loops.slug(LOOP)}-render woodshed render /tmp/song.wav {loops.CASES[LOOP]} --bits float --period {loops.PERIOD} -o /tmp/loop.wav",
        # A program that stands still for half a second.
        "(sleep 1.5; kill -STOP $(pidof woodshed); sleep 0.5; kill -CONT $(pidof woodshed)) &",
        "heard stopped woodshed play /tmp/long.wav --json",
        "aplay -q -D hw:Loopback,1,0 --buffer-size=16384 /tmp/long.wav & feed=$!; until_running Loopback/pcm1p/sub0",
        "ended record woodshed record /tmp/record.wav --json --bits 16 --duration 3; mv /tmp/record.wav /rig; wait $feed",
        "aplay -q -D hw:Loopback,1,0 --buffer-size=16384 /tmp/long.wav & feed=$!; until_running Loopback/pcm1p/sub0",
        "(ended dies-record woodshed record /tmp/dies.wav --json --bits 16) & run=$!",
        "until_running Loopback/pcm0c/sub0; sleep 1.5; kill -9 $server; wait $run; mv /tmp/dies.wav /rig; kill $manager; wait $feed; wait $manager",
        "start_server; to_nowhere",
        "nowhere nowhere s16 woodshed play /tmp/short.wav --json",
        f"nowhere {loops.slug(LOOP)} f32 woodshed practice /tmp/song.wav {loops.CASES[LOOP]} --period {loops.PERIOD} --json",
        f"mv /rig/{loops.slug(LOOP)}.wav /rig/loop-heard.wav; mv /tmp/loop.wav /rig/{loops.slug(LOOP)}.wav",
        "(ended dies woodshed play /tmp/long.wav --json) & run=$!",
        "until_said 'ALSA Playback' pw-cli ls Node; sleep 1.5; say killed; kill -9 $server; wait $server; kill $manager; wait $manager",
        "sleep 1; start_server; wait $run; stop_server",
        f"cycle {CYCLE}; start_server",
        "heard virtual woodshed play /tmp/long.wav --json",
        "stop_server",
    ]
    return "\n".join(lines) + "\n"


def status(folder, name, wanted="0"):
    found = (folder / f"{name}.status").read_text().strip()
    return None if found == wanted else f"it ended with {found}, not {wanted}: {(folder / f'{name}.err').read_text().strip()}"


def told(folder, name):
    return [json.loads(line) for line in (folder / f"{name}.out").read_text().splitlines()]


def dropouts(events):
    """Returns the frames of each dropout. The plug-in may hide a dropout, and then the device stands still."""
    return [event["lost_frames"] for event in events if event["event"] in ("xrun", "device.stalled")]


def played_fault(folder, name, capture):
    """Returns why a capture is not the whole short recording, without a dropout, or None."""
    lost = dropouts(told(folder, name))
    return status(folder, name) or (f"{len(lost)} dropouts" if lost else sounds.fault(capture, sounds.encoded(song(), 16, "S16_LE"), 4, quiet=RATE // 20))


def judge(folder):
    yield "on a card: left and right arrive bit for bit", played_fault(folder, "card", (folder / "card.raw").read_bytes())
    yield "on a sink without a card: the same", played_fault(folder, "nowhere", sounds.read(folder / "nowhere.wav")[3])
    tones = sounds.values((folder / "tones.raw").read_bytes(), "S16_LE")
    fault = status(folder, "tones") or sounds.tone_fault(tones, RATE, TONE_SECONDS, TONES)
    yield "44100 Hz, which the server converts: a tone left and another right, without a gap", fault
    (folder / f"{loops.slug(LOOP)}.raw").write_bytes(sounds.read(folder / "loop-heard.wav")[3])
    yield "a slowed loop is what render writes", loops.fault(folder, loops.slug(LOOP))
    whole = sounds.encoded(sounds.sound(RATE, 4), 16, "S16_LE")
    lost = dropouts(told(folder, "stopped"))
    fault, quiet = sounds.interrupted_fault((folder / "stopped.raw").read_bytes(), whole, 4)
    yield f"a program stopped for 0.5 s: each frame is heard once, with {quiet} of silence", status(folder, "stopped") or fault
    yield f"a program stopped for 0.5 s: the dropout is told, {lost}", None if 0.3 * RATE < sum(lost) < 0.8 * RATE else "not as long as it was"
    take = sounds.read(folder / "record.wav")[3]
    piece = whole[RATE * 4 : RATE * 8]
    yield "recording: bit for bit", status(folder, "record") or (None if piece in take else "the second second of what was played is not in the take")
    events = {event["event"]: event for event in told(folder, "dies-record")}
    frames = len(sounds.read(folder / "dies.wav")[3]) // 4
    fault = status(folder, "dies-record", UNAVAILABLE) or (
        None if "has stopped working" in events["input.lost"]["message"] else f"told: {events['input.lost']['message']}"
    )
    yield "the server is killed while it records: told", fault
    yield "the server is killed while it records: the take is whole", None if frames == events["recording.stopped"]["frames"] > RATE else f"{frames} frames"
    events = {event["event"]: event for event in told(folder, "dies")}
    reason = events.get("interrupted", {}).get("reason")
    yield "the server is killed while it plays: told", None if reason == "server_gone" else f"the reason: {reason}, told: {sorted(events)}"
    places = [events.get(name, {}).get("clip_frame") for name in ("paused", "resumed", "pass.ended")]
    wrong = places[0] != places[1] or places[2] != 4.2 * RATE
    yield "the server is started again: it goes on at its place, to the end", status(folder, "dies") or (f"the places are {places}" if wrong else None)
    events = told(folder, "virtual")
    periods = [event["period"] for event in events if event["event"] == "device.resumed"]
    fault = None if events[-1]["clip_frame"] == 4.2 * RATE and periods == [512] else f"it ended at {events[-1].get('clip_frame')}, periods {periods}"
    yield f"a cycle longer than our buffer: told ({len(dropouts(events))} dropouts), then a longer period", status(folder, "virtual") or fault
