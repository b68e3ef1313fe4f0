#!/usr/bin/env python3
"""Uses every class of Bindings/Python/woodshed.py: scripts/tests/test-python.py RECORDING FOLDER. Run by
scripts/tests/test-c.sh.

scripts/checks/python-tables.py compares the module's structs with the header.
"""
import pathlib
import sys
import time

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "Bindings/Python"))
import woodshed  # noqa: E402

recording, folder = sys.argv[1], pathlib.Path(sys.argv[2])
failures = 0


def expect(condition, what):
    global failures
    if not condition:
        failures += 1
        print(f"python: {what}", file=sys.stderr)


# The names of numbers, which programs compare and pass.
expect((woodshed.NOW, woodshed.ENDLESS, woodshed.AUTOMATIC) == (-1, -1, -1), "the constants")
expect(woodshed.STATES == ["idle", "playing", "paused", "stopping", "finished"], f"states of a player: {woodshed.STATES}")
expect(woodshed.RECORDER_STATES == ["idle", "armed", "recording", "paused", "stopped"], f"states of a recorder: {woodshed.RECORDER_STATES}")
expect(woodshed.TAKE_ENDS == ["asked", "limit", "input_ended", "failed"], f"ends of takes: {woodshed.TAKE_ENDS}")
for names, wanted in [
    (woodshed.CLOCKS, {"auto": 0, "real": 1, "virtual": 2}), (woodshed.LOSS, {"wait": 0, "pause": 1, "fall_back": 2}),
    (woodshed.JOINTS, {"crossfade": 0, "fade": 1, "hard": 2}), (woodshed.MATERIALS, {"auto": 0, "music": 1, "speech": 2}),
    (woodshed.FORMANTS, {"auto": 0, "keep": 1, "move": 2}), (woodshed.TAKE_MODES, {"key": 0, "passes": 1, "gaps": 2}),
    (woodshed.CENTRES, {"as_recorded": 0, "kept": 1, "removed": 2}), (woodshed.RATINGS, {"again": 1, "hard": 2, "good": 3, "easy": 4}),
]:
    expect(wanted.items() <= names.items(), f"other names than {wanted}: {names}")
expect((woodshed.EVENTS[0], woodshed.EVENTS[16], woodshed.EVENTS[64]) == ("none", "finished", "answer"), f"events: {woodshed.EVENTS}")
without = set(woodshed.EVENTS.values()) - woodshed._MEMBERS.keys()
expect(without == {"none", "closed", "take_paused", "take_resumed", "session_completed", "session_stopped"}, f"events without data: {without}")

expect("." in woodshed.version(), "the version")
expect(all(device["name"] for device in woodshed.devices()), "the devices")
loudness = woodshed.measure(recording)
expect(-60 < loudness["integrated"] < 0, "the loudness")
try:
    woodshed.compare(recording, recording, "at the beginning")
    expect(False, "a text as a number of seconds")
except TypeError as error:
    expect("woodshed_compare" in str(error), f"the words for an argument of a wrong type: {error}")
try:
    woodshed.calibrate("null", "null")
    expect(False, "null has a round trip")
except woodshed.Error as error:
    expect(error.message and error.remedy and error.status == 64, "the words of an error")

with woodshed.Engine(None, clock="virtual", sample_rate=44100) as engine, engine.listen() as events:
    clip = engine.clip(recording)
    expect(clip.info["frames"] == loudness["frames"] and clip.frame_of_file(10) == 10, "the clip")
    sections = [woodshed.Section(0, 8000, passes=2, speed=0.8, name="Intro")]
    player = engine.player(clip, sections=sections, gap_frames=100, joint="fade", material="music")
    player.prepare()
    player.start(0)
    for request, arguments in [
        ("set_gain", (-6,)), ("set_strip", ()), ("set_speed", (0.7,)), ("set_pitch", (1,)), ("set_reversed", (True,)), ("pause", ()), ("resume", ()),
        ("freeze", ()), ("unfreeze", ()), ("seek", (100,)), ("skip", (1,)), ("start_in", (1, 50)), ("stop", (20000,)),
    ]:
        getattr(player, request)(*arguments)
    player.set_plan(sections=sections, repeats=1)
    engine.start()
    (left, right), count = engine.render(30000)
    expect(count == 30000 and any(left) and any(right), "the sound")
    expect(player.status["state"] == "finished" and player.heard(1000) is not None, "the status of a player")
    expect(max(player.take_peaks()) > 0 and engine.position["written"] == 30000, "the peaks")
    expect(engine.statistics["blocks"] > 0 and engine.configuration["channels"] == 2, "the statistics")
    told = {event["kind"]: event for event in (events.next(1) for _ in range(5))}
    expect(events.fileno() > 2 and {"material_chosen", "started"} <= told.keys(), "the events")
    expect(told["started"]["frame"] >= 0 and told["started"]["pass"] == 1, "the first event")
    expect(told["material_chosen"]["material"] in (1, 2) and told["material_chosen"]["explanation"], "the choice of material")
    engine.stop()

with woodshed.Engine("null", clock="real", sample_rate=44100) as engine, engine.listen() as events:
    clip = engine.clip(recording)
    session = engine.session(clip, {"first_section": 1, "rewind_seconds": 1}, sections=sections, passes=woodshed.ENDLESS)
    with woodshed.Store(folder / "python-log.db") as store:
        session.keep_log(store, recording)
        session.start()
        engine.start()
        while events.next(10)["kind"] not in ("pass_started", "none"):
            pass
        session.loop(2000, 12000)
        for request, arguments in [
            ("move_edge", ("end", 100)), ("set_speed", (0.8,)), ("set_pitch", (1,)), ("set_passes", (3,)), ("set_gap", (100,)),
            ("set_reversed", (True,)), ("jump_to_start", ()), ("set_reversed", (False,)), ("set_frozen", (True,)),
            ("set_frozen", (False,)), ("pause", ()), ("resume", ()),
        ]:
            getattr(session, request)(*arguments)
        status = session.status
        expect(status["is_looping"] and (status["loop_start"], status["loop_end"]) == (2000, 12100), f"the loop: {status}")
        expect(status["speed"] == 0.8 and session.player.status["state"] == "playing", f"the status of a session: {status}")
        session.toggle_loop()
        # Just after a jump there is no heard sound to loop.
        for attempt in range(200):
            try:
                session.loop_last_heard()
                break
            except woodshed.Error:
                time.sleep(0.01)
        expect(session.status["is_looping"], "a loop of what was heard")
        session.set_loop_start()
        while events.next(0)["kind"] != "none":
            pass
        try:
            session.set_loop_end()
        except woodshed.Error as error:
            expect("after its start" in error.message, "the end of a loop")
        session.set_sections([woodshed.Section(0, 8000), woodshed.Section(8000, 9000, id=2)])
        session.go(2)
        expect(session.status["section_id"] == 2, "the section of a session")
        session.skip(-1)
        session.stop()
        while (kind := events.next(10)["kind"]) not in ("session_stopped", "none"):
            pass
        expect(kind == "session_stopped", "the end of a session")
        session.close()

over = folder / "python-over"
over.mkdir()
with woodshed.Engine(
        "null", clock="virtual", input="file:" + recording, sample_rate=44100, ends_with_players=True) as engine:
    clip = engine.clip(recording)
    session = engine.session(clip, sections=[woodshed.Section(1000, 20000, passes=2)])
    with woodshed.Store(folder / "python-takes.db") as store:
        session.record(store, recording, mode="passes", folder=over, lead_seconds=0.05)
        session.start(0)
        engine.start()
        engine.wait()
        takes = store.takes(recording)
        expect([each["pass"] for each in takes] == [2, 1] and takes == store.takes(), f"takes over a session: {takes}")
        expect(not session.toggle_take(), "a session that is over records")

with woodshed.Engine("null") as engine, woodshed.Listener() as answers:
    requests = [
        answers.request_clip(engine, recording), answers.request_measure(recording), answers.request_waveform(recording),
        answers.request_compare(recording, recording), answers.request_calibrate("null", "null"),
        answers.request_measure("/no/such/file")]
    found = {}
    for _ in requests:
        event = answers.next(60)
        found[event["request"]] = event
    clip, measured, waveform, compared, calibrated, missing = (found[number] for number in requests)
    expect(clip["clip"].info["file_frames"] == loudness["frames"], "a clip by request")
    expect(measured["loudness"] == loudness and waveform["waveform"].frames == loudness["frames"], "measures by request")
    expect(abs(compared["comparison"]["offset_seconds"]) < 0.01, "a comparison by request")
    expect(calibrated["status"] == 64 and calibrated["message"] and missing["status"] == 66, "requests that fail")
    prepared = answers.request_prepare(engine.player(clip["clip"]))
    expect(answers.next(60)["request"] == prepared, "a player is prepared by request")
    for number in [answers.request_waveform(recording) for _ in range(20)][-1:]:
        answers.cancel(number)
    statuses = [answers.next(60)["status"] for _ in range(20)]
    expect(statuses.count(130) == 1 and statuses.count(0) == 19, f"a request that is cancelled: {statuses}")

with woodshed.Meter(48000, 1) as meter:
    meter.add([[0.5] * 4800])
    expect(meter.finish()["sample_peak"] < -6, "a meter")
expect(abs(woodshed.compare(recording, recording, end=44100)["length_ratio"]) > 0, "a comparison")

take = folder / "python.wav"
with woodshed.Recorder("file:" + recording, clock="virtual") as recorder, recorder.listen() as events:
    recorder.record(take, frame_limit=5000)
    recorder.mark("A")
    while (event := events.next(10))["kind"] not in ("take_stopped", "none"):
        pass
    expect(recorder.status["state"] == "stopped" and event["frame"] == 5000 and event["end"] == 1, "the recorder")
    expect(recorder.levels()[0]["rms"] >= 0, "the levels")
    done = recorder.stop()
    expect(done["frames"] == 5000 and done["end"] == "limit", f"the take: {done}")
for method in ("pause", "resume", "discard"):
    with woodshed.Recorder("file:" + recording) as recorder:
        recorder.arm()
        try:
            getattr(recorder, method)()
            expect(False, f"{method} without a take")
        except woodshed.Error as error:
            expect(error.status == 64, method)

with woodshed.Waveform(recording) as waveform:
    columns = waveform.columns(50)
    expect(len(columns) == 50 and max(column["maximum"] for column in columns) > 0, "the waveform")

with woodshed.Store(folder / "python.db") as store:
    section = store.add(recording, 100, 900, "Vers", "eine Zeile")
    store.mark(recording, 20000, "B")
    store.undo(recording)
    store.redo(recording)
    store.rename(recording, section, "Strophe")
    store.move(recording, section, 100, 950)
    names = {each["name"]: each for each in store.sections(recording)}
    expect(names["Strophe"]["end"] == 950 and names["Strophe"]["text"] == "eine Zeile" and "B" in names, "the sections")
    store.rate(recording, section, "good")
    expect(store.due(recording) == [] and store.due() == [], "what is rated today is due later")
    store.remove(recording, section)
    expect("Strophe" not in {each["name"] for each in store.sections(recording)}, "a section that was removed")

print(f"python: {failures} failures")
sys.exit(failures != 0)
