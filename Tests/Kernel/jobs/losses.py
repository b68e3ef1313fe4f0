"""The times until the report of a pulled-out card and until sound again; the effect of each --on-loss in playing and
in loops."""
import json
import os
import statistics

import sounds

# A soak has more: WOODSHED_UNPLUGS=100.
UNPLUGS = int(os.environ.get("WOODSHED_UNPLUGS", "10"))
LIMIT = 300 + 8 * UNPLUGS
SECONDS = 40 + 6 * UNPLUGS
LOOP = "practice /rig/loop.wav --section 0-2"
TOLD, SOUND = 50, 500  # the longest times, in ms
UNAVAILABLE = "69"
# name: (words, the user's action when the card is back)
CASES = {
    "play, wait": ("play /rig/song.wav --on-loss wait", ""),
    "loop, wait": (f"{LOOP} --on-loss wait", ""),
    "loop, fallback": (f"{LOOP} --on-loss fallback", ""),
    "play, pause": ("play /rig/song.wav --on-loss pause", "pause"),
    "loop, pause": (f"{LOOP} --on-loss pause", "pause"),
}
# Without keys and without a socket no request could resume the run.
ENDING = {
    "play, pause, nobody to resume": "play /rig/song.wav --on-loss pause",
    "loop, pause, nobody to resume": f"{LOOP} --on-loss pause",
    "loop with takes": f"{LOOP} --record passes --take-folder /rig/takes",
}
TAKEN = "taken"


def slug(name):
    return name.replace(" ", "-").replace(",", "")


def times(case):
    """Returns the number of times the card is pulled out in a case."""
    return UNPLUGS if case == "play, wait" else 2 if case.endswith("wait") else 1


def prepare(folder):
    sounds.write(folder / "loop.wav", sounds.sound(48000, 4), 48000)
    # The content does not matter, and a long sound of noise takes Python its time.
    sounds.write(folder / "song.wav", sounds.sound(48000, 4) * (SECONDS // 4), 48000)


def script():
    lines = [
        ". /rig/library.sh",
        "mkdir /rig/takes; mkfifo /tmp/nothing; exec 8<>/tmp/nothing; export XDG_RUNTIME_DIR=/tmp",
        "modprobe vhci_hcd; modprobe snd-usb-audio; modprobe snd-dummy id=Dummy",
        "printf '</usr/share/alsa/alsa.conf>\\npcm.!default { type plug slave.pcm \"hw:Dummy\" }\\n' >/tmp/alsa.conf",
        "export ALSA_CONFIG_PATH=/tmp/alsa.conf",
        "plug >/dev/null",
        "nap() { read -r -t 0.005 <&8; }",
        "stamp() { local line; while IFS= read -r line; do echo \"$EPOCHREALTIME $line\"; done; }",
        # noted EVENT: writes the time beside an event.
        "noted() { echo \"$EPOCHREALTIME $1\" >>/rig/$case.times; }",
        # sounding: whether the card plays. Without a process of its own, which would take longer than the measured
        # time.
        "sounding() { local text; read -r text </proc/asound/Cable/pcm0p/sub0/status && [ \"$text\" = 'state: RUNNING' ]; } 2>/dev/null",
        "until_sounding() { until sounding; do nap; done; }",
        # pull: pulls the card out, and notes the time of its return.
        "pull() { noted pulled; kill -USR1 $card; while [ -e /proc/asound/Cable ]; do nap; done; "
        "until [ -e /proc/asound/Cable/pcm0p ]; do nap; done; noted node; }",
        "run() { case=$1; shift; rm -f /tmp/done; "
        "{ timeout 600 woodshed \"$@\" --output hw:Cable --json --no-mpris 2>/rig/$case.err; echo $? >/rig/$case.status; } | stamp >/tmp/$case.out & "
        "until_running Cable/pcm0p/sub0; sleep 1; }",
        "finish() { woodshed ctl quit >/dev/null; wait %2; mv /tmp/$case.out /rig; }",
    ]
    for case, (words, answer) in CASES.items():
        lines.append(f"run {slug(case)} {words} --control socket")
        for _ in range(times(case)):
            # A card lost within two seconds of its return is searched for less often.
            lines += ["pull"]
            lines += [f"sleep 1; noted asked; woodshed ctl {answer}"] if answer else []
            lines += ["sleep 2"] if "fallback" in case else ["until_sounding; noted sound; sleep 2.5"]
        lines.append("finish; until_there /proc/asound/Cable; sleep 0.5")
    lines += [
        # The run sees neither the loss nor the return before another program has the card.
        f"run {TAKEN} play /rig/song.wav --control socket; kill -STOP $(pidof woodshed); pull >/dev/null",
        "aplay -q -D hw:Cable -d 2 /rig/loop.wav & holder=$!; until_running Cable/pcm0p/sub0; kill -CONT $(pidof woodshed)",
        "wait $holder; until_sounding; sleep 1; finish; sleep 0.5",
    ]
    for case, words in ENDING.items():
        lines += [f"run {slug(case)} {words}", "pull; wait %2; mv /tmp/$case.out /rig; sleep 0.5"]
    return "\n".join([*lines, "out"]) + "\n"


def stamped(path):
    """Returns the lines of a file, each with its time in ms."""
    for line in path.read_text().splitlines():
        time, text = line.split(" ", 1)
        yield float(time.replace(",", ".")) * 1000, text


def events(folder, case):
    return [(time, json.loads(text)) for time, text in stamped(folder / f"{slug(case)}.out")]


def after(moments, others):
    """Returns the time from each moment to the next of the other moments; nothing where none came."""
    return [next((other - moment for other in others if other >= moment), None) for moment in moments]


def measured(folder, case):
    """Returns, for each loss of the card, the ms until its report, and the ms from the card's return until sound."""
    # A run that records ends with its device.
    told = [time for time, event in events(folder, case) if event["event"] in ("interrupted", "take.ended")]
    noted = {what: [time for time, text in stamped(folder / f"{slug(case)}.times") if text == what] for what in ("pulled", "node", "sound")}
    return after(noted["pulled"], told), after(noted["node"], noted["sound"])


def status(folder, case, wanted="0"):
    found = (folder / f"{slug(case)}.status").read_text().strip()
    return None if found == wanted else f"it ended with {found}, not {wanted}: {(folder / f'{slug(case)}.err').read_text().strip()}"


def fault(folder, case):
    """Returns why a case did not go on, or None."""
    found = [event for _, event in events(folder, case)]
    names = [event["event"] for event in found]
    back = "fellback" if "fallback" in case else "device.resumed"
    wanted = {"interrupted": times(case), "paused": times(case), back: times(case), "resumed": times(case)}
    counts = {name: names.count(name) for name in wanted}
    if counts != wanted:
        return status(folder, case) or f"told: {counts}, not {wanted}"
    places = [event["clip_frame"] for event in found if event["event"] in ("paused", "resumed")]
    if places[::2] != places[1::2]:
        return f"the places are {places}"
    if "loop" in case and names.count("pass.started") < 2:
        return "the loop does not go on"
    if "pause" in case:
        asked = [time for time, text in stamped(folder / f"{slug(case)}.times") if text == "asked"]
        resumed = [time for time, event in events(folder, case) if event["event"] == "resumed"]
        if resumed[0] < asked[0]:
            return "it went on before it was asked to"
    return status(folder, case)


def taken_fault(folder):
    """Returns why a run whose card another program took did not report that, or did not go on; otherwise None."""
    found = [event for _, event in events(folder, TAKEN)]
    paused = [(event["reason"], event["clip_frame"]) for event in found if event["event"] in ("paused", "resumed")]
    missing = [event for event in found if event["event"] == "device.missing"]
    if [reason for reason, _ in paused] != ["device_lost", "device_taken", "device_taken"] or len({frame for _, frame in paused}) != 1:
        return status(folder, TAKEN) or f"paused and resumed: {paused}"
    if not missing or "aplay" not in missing[0]["message"]:
        return f"the other program is not named: {missing}"
    return status(folder, TAKEN)


def longest(values, limit):
    """Returns the fault of these times, or None."""
    if None in values or not values:
        return f"not each time: {values}"
    late = [round(value) for value in values if value > limit]
    return f"longer than {limit} ms: {late}" if late else None


def judge(folder):
    for case in CASES:
        yield f"{case}: {times(case)} times pulled out, told, and on at its place", fault(folder, case)
        told, sound = measured(folder, case)
        yield f"{case}: told within {TOLD} ms, at most {max(map(round, filter(None, told)), default=0)} ms", longest(told, TOLD)
        if case.endswith("wait"):
            text = f"{case}: sound within {SOUND} ms of the card's return, at most {max(map(round, filter(None, sound)), default=0)} ms"
            yield text, longest(sound, SOUND)
    yield "taken by another program when it is back: told, naming it, and on at its place when it is free", taken_fault(folder)
    for case in ENDING:
        told, _ = measured(folder, case)
        yield f"{case}: told within {TOLD} ms, and it ends with {UNAVAILABLE}", status(folder, case, UNAVAILABLE) or longest(told, TOLD)
    lengths = [len(sounds.read(path)[3]) for path in (folder / "takes").glob("*.wav")]
    yield "loop with takes: the take is whole", None if len(lengths) == 1 and lengths[0] > 0 else f"the lengths are {lengths}"


def table(folder):
    told, sound = (list(filter(None, values)) for values in measured(folder, "play, wait"))
    yield f"A USB card is pulled out {UNPLUGS} times while it plays; `aplay` and `arecord` end with 1:\n"
    yield "| until | median | longest |"
    yield "| --- | --- | --- |"
    for what, values in (("the loss is told", told), ("there is sound, from the card's return on", sound)):
        yield f"| {what} | {statistics.median(values):.0f} ms | {max(values):.0f} ms |"
