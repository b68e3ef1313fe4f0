"""Woodshed for Python: plays recordings, loops their sections at any speed without changing the pitch.

    import woodshed

    with woodshed.Engine("file:loop.wav", sample_rate=44100, ends_with_players=True) as engine:
        clip = engine.clip("song.wav")
        player = engine.player(clip, sections=[woodshed.Section(44100, 88200, passes=3, speed=0.7)])
        player.start()
        engine.start()
        engine.wait()

The module has no dependencies but the shared library libwoodshed.so.1, and _woodshed_tables.py beside this file; the
environment variable WOODSHED_LIBRARY names another library. Positions and lengths are in frames at the engine's rate,
from 0; speeds are factors from 0.25 to 4. Every failure raises `Error`, with message, remedy and status. Any thread may
call any function. The header woodshed.h describes each function and each field.
"""
import ctypes
import os
from ctypes import POINTER, byref, c_float, c_int32, c_int64, c_void_p
from dataclasses import dataclass

import _woodshed_tables as _tables

NOW = _tables.NOW
ENDLESS = _tables.ENDLESS
# As `rewind_seconds` of a session: repeats more after a longer pause.
AUTOMATIC = _tables.REWIND_AUTOMATIC

EVENTS = {number: name for name, number in _tables.event_kind.items()}
# The member of an event's data for each kind with data.
_MEMBERS = {name: name for name, *_ in _tables.event_data._fields_} | {
    "resumed": "paused", "session_take_began": "session_take", "session_take_dropped": "session_take",
    "session_take_unlisted": "session_take_failed"}
_MEMBERS |= dict.fromkeys(
    "started section_started section_ended pass_started pass_ended moved speed_changed frozen unfrozen".split(), "place")
_MEMBERS |= dict.fromkeys("device_missing take_failed input_ended log_failed".split(), "failure")
RECORDER_STATES = list(_tables.recorder_state)
TAKE_ENDS = list(_tables.take_end)
STATES = list(_tables.player_state)
CLOCKS = _tables.clock
LOSS = _tables.loss_policy
JOINTS = _tables.joint
MATERIALS = _tables.material
FORMANTS = _tables.formants
# Without the "by" or "of" of the header: WOODSHED_TAKES_OF_PASSES is "passes".
TAKE_MODES = {name.split("_")[-1]: number for name, number in _tables.take_mode.items()}
CENTRES = _tables.centre
RATINGS = _tables.rating

_library = _tables.declare(ctypes.CDLL(os.environ.get("WOODSHED_LIBRARY", "libwoodshed.so.1")))


class Error(Exception):
    """A call refused or failed: `message` is the cause, `remedy` the solution, `status` a woodshed_status."""

    def __init__(self, status):
        self.status = status
        self.message = _library.woodshed_error_message().decode()
        self.remedy = _library.woodshed_error_remedy().decode()
        super().__init__(f"{self.message}\n{self.remedy}".rstrip())


def _result(name, *arguments):
    """Returns the result of a function. An argument of a wrong type raises TypeError."""
    try:
        return getattr(_library, "woodshed_" + name)(*arguments)
    except ctypes.ArgumentError as error:
        raise TypeError(f"woodshed_{name}: {error}") from None


def _call(name, *arguments):
    status = _result(name, *arguments)
    if status != 0:
        raise Error(status)


def version():
    """Returns the version of the library."""
    return _library.woodshed_version().decode()


def _values(struct):
    """Returns the fields of a struct, with the fields of the structs within, as a dictionary."""
    values = {}
    for name, *_ in struct._fields_:
        value = getattr(struct, name)
        if isinstance(value, ctypes.Structure):
            values |= _values(value)
        elif name not in ("size", "reserved"):
            values[name] = value.decode() if isinstance(value, bytes) else value
    return values


def _items(kind, handle):
    """Returns the items of a list, and closes the list."""
    try:
        return [_values(_result(kind + "_at", handle, place).contents) for place in range(_result(kind + "_count", handle))]
    finally:
        _call(kind + "_close", handle)


def devices():
    """Returns the sound devices, each a dictionary with name, description, is_input and is_default."""
    handle = c_void_p()
    _call("device_list_open", byref(handle))
    return _items("device_list", handle)


def measure(path):
    """Measures a whole recording; returns a dictionary of the fields of woodshed_loudness, levels in LUFS, dBTP and
    dB."""
    loudness = _tables.loudness()
    _call("measure", os.fsencode(path), byref(loudness))
    return _values(loudness)


def calibrate(output="default", input="default", **options):
    """Measures the round trip from an output to an input, in frames, by playing chirps; returns the fields of
    woodshed_round_trip."""
    trip = _tables.round_trip()
    _call("calibrate", os.fsencode(output), os.fsencode(input), byref(_tables.engine_options(**options)), byref(trip))
    return _values(trip)


def _passage(path, start=0, end=0, speed=0, semitones=0):
    return _tables.passage(path=os.fsencode(path), start=start, end=end, speed=speed, semitones=semitones)


def compare(take, model, start_seconds=0, **passage):
    """Compares a take with the recording heard, at most ten minutes each; returns the fields of woodshed_comparison.

    `start_seconds` is the second of the take at which the model's first frame was heard. `passage` is the start and the
    end of the model, in frames of its file, and its speed and semitones.
    """
    comparison = _tables.comparison()
    _call("compare", os.fsencode(take), byref(_passage(model, **passage)), start_seconds, byref(comparison))
    return _values(comparison)


@dataclass
class Section:
    """A part of a clip, from frame `start` to the frame before `end`. `id` is the id of a kept section; 0 if not kept.

    A field of 0 takes the plan's value. `speed_to` and `speed_step` make a ramp from pass to pass.
    """

    start: int
    end: int
    passes: int = 0
    speed: float = 0
    speed_to: float = 0
    speed_step: float = 0
    name: str = None
    id: int = 0


def _sections(sections):
    return (_tables.section * len(sections))(
        *(_tables.section(**{**vars(each), "name": each.name.encode() if each.name else None}) for each in sections))


def _plan(sections=(), joint="crossfade", material="auto", formants="auto", **settings):
    array = _sections(sections)
    # The plan keeps the array.
    return _tables.plan(
        sections=array if sections else None, section_count=len(sections), joint=JOINTS[joint], material=MATERIALS[material],
        formants=FORMANTS[formants], **settings)


class _Handle:
    """An open object of the library; `close()` or the end of a `with` closes the object."""

    _kind = ""

    def __init__(self):
        self._handle = c_void_p()

    def close(self):
        handle, self._handle = self._handle, c_void_p()
        if handle:
            _call(self._kind + "_close", handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        # The library refuses an object that the engine has closed already.
        try:
            self.close()
        except Error:
            pass


class Engine(_Handle):
    """An open output and the players on this output.

    `output` is "default", the name of an ALSA device, "null" or "file:PATH"; None makes an engine for `render()`. With
    an `input`, takes can be recorded by `Session.record()`. `options` are further fields of woodshed_engine_options.
    """

    _kind = "engine"

    def __init__(self, output="default", clock="auto", on_loss="wait", input=None, input_channels=0, **options):
        super().__init__()
        settings = _tables.engine_options(clock=CLOCKS[clock], on_loss=LOSS[on_loss], **options)
        if input is not None:
            _call("engine_open_duplex", os.fsencode(output), os.fsencode(input), input_channels, byref(settings), byref(self._handle))
        elif output is None:
            _call("engine_open_pulled", byref(settings), byref(self._handle))
        else:
            _call("engine_open", os.fsencode(output), byref(settings), byref(self._handle))

    def clip(self, path):
        """Opens a recording at the engine's rate."""
        return Clip(self, path)

    def player(self, clip, **plan):
        """Adds a player of a clip. `plan` has fields of woodshed_plan; `sections` is a list of `Section`."""
        return Player(self, clip, _plan(**plan))

    def session(self, clip, options=None, **plan):
        """Prepares a session. `options` is a dictionary of fields of woodshed_session_options; `plan` is as for a
        player."""
        return Session(self, clip, _plan(**plan), options or {})

    def listen(self, capacity=0):
        """Opens a queue of the events from now on; a queue opened before the players misses no event. `capacity` 0
        is 4096 events."""
        return Listener(self, capacity)

    def start(self):
        """Starts the device, once per engine, after the beginning of every player's sound is decoded."""
        _call("engine_start", self._handle)

    def wait(self):
        """Waits until the last player has finished and the device has played the sound, or the engine is stopped or
        closed."""
        _call("engine_wait", self._handle)

    def stop(self):
        """Stops the device at once and for good."""
        _call("engine_stop", self._handle)

    def render(self, frames, delay_frames=0):
        """Returns the next frames of an engine without a device (`output=None`): an array of floats per channel, and
        the frames of sound.

        `delay_frames` counts the frames from the first frame of the block until this frame is heard. Not for an audio
        thread: Python allocates.
        """
        channels = self.configuration["channels"]
        buffers = [(c_float * frames)() for _ in range(channels)]
        pointers = (POINTER(c_float) * channels)(*buffers)
        count = _result("engine_render", self._handle, pointers, frames, delay_frames)
        if count < 0:
            raise ValueError("the engine is closed, or has a device")
        return buffers, count

    def _read(self, name, struct):
        _call("engine_get_" + name, self._handle, byref(struct))
        return _values(struct)

    @property
    def configuration(self):
        return self._read("configuration", _tables.configuration())

    @property
    def position(self):
        return self._read("position", _tables.position())

    @property
    def statistics(self):
        return self._read("statistics", _tables.statistics())


class Clip(_Handle):
    """An open recording."""

    _kind = "clip"

    def __init__(self, engine, path, handle=None):
        super().__init__()
        if handle is None:
            _call("clip_open", engine._handle, os.fsencode(path), byref(self._handle))
        else:
            self._handle = c_void_p(handle)

    def frame_of_file(self, file_frame):
        """Returns the frame of the clip for a frame of the file."""
        frame = c_int64()
        _call("clip_get_frame_of_file", self._handle, file_frame, byref(frame))
        return frame.value

    @property
    def info(self):
        info = _tables.clip_info()
        _call("clip_get_info", self._handle, byref(info))
        return _values(info)


class Player(_Handle):
    """A clip played by a plan. `at` is the output frame of a request, or NOW for the next block. Sections count
    from 1."""

    _kind = "player"

    def __init__(self, engine, clip, plan):
        super().__init__()
        _call("player_open", engine._handle, clip._handle, byref(plan), byref(self._handle))
        # A player does not outlive its engine.
        self._engine = engine

    def start(self, at=NOW):
        _call("player_start", self._handle, at)

    def start_in(self, section, clip_frame=-1, at=NOW):
        _call("player_start_in", self._handle, section, clip_frame, at)

    def pause(self, at=NOW):
        _call("player_pause", self._handle, at)

    def resume(self, at=NOW):
        _call("player_resume", self._handle, at)

    def stop(self, at=NOW):
        _call("player_stop", self._handle, at)

    def seek(self, clip_frame, at=NOW):
        _call("player_seek", self._handle, clip_frame, at)

    def skip(self, section, at=NOW):
        _call("player_skip", self._handle, section, at)

    def set_speed(self, speed, glide_frames=-1, at=NOW):
        _call("player_set_speed", self._handle, speed, glide_frames, at)

    def set_pitch(self, semitones, at=NOW):
        _call("player_set_pitch", self._handle, semitones, at)

    def set_gain(self, decibels, at=NOW):
        _call("player_set_gain", self._handle, decibels, at)

    def set_reversed(self, is_reversed, at=NOW):
        _call("player_set_reversed", self._handle, is_reversed, at)

    def set_plan(self, at=NOW, **plan):
        _call("player_set_plan", self._handle, byref(_plan(**plan)), at)

    def set_strip(self, at=NOW, centre="as_recorded", **strip):
        """Changes the channels, the centre, the balance and the equaliser; without arguments the strip becomes
        neutral."""
        _call("player_set_strip", self._handle, byref(_tables.strip(centre=CENTRES[centre], **strip)), at)

    def freeze(self, at=NOW):
        _call("player_freeze", self._handle, at)

    def unfreeze(self, at=NOW):
        _call("player_unfreeze", self._handle, at)

    def prepare(self):
        """Waits until the clip is analysed around the player's place."""
        _call("player_prepare", self._handle)

    def heard(self, frame):
        """Returns the frame of the clip heard at an output frame of the last minute; None if no frame was heard."""
        clip_frame = c_int64()
        _call("player_get_heard_frame", self._handle, frame, byref(clip_frame))
        return None if clip_frame.value < 0 else clip_frame.value

    def take_peaks(self, count=2):
        """Returns the highest absolute sample of each of the first `count` channels, at most 8, since the last call;
        1 is full scale."""
        peaks = (c_float * count)()
        _call("player_take_peaks", self._handle, peaks, count)
        return list(peaks)

    @property
    def status(self):
        status = _tables.player_status()
        _call("player_get_status", self._handle, byref(status))
        values = _values(status)
        return {**values, "state": STATES[values["state"]]}


class _SessionPlayer(Player):
    """The player of a session. Closing the session closes the player."""

    def __init__(self, session, handle):
        _Handle.__init__(self)
        (self._handle, self._session) = (handle, session)

    def close(self):
        self._handle = c_void_p()


class Session(_Handle):
    """Leads through sections, and loops passages marked by ear during playback. Frames are frames of the clip."""

    _kind = "session"

    def __init__(self, engine, clip, plan, options):
        super().__init__()
        _call("session_open", engine._handle, clip._handle, byref(plan), byref(_tables.session_options(**options)), byref(self._handle))
        self._engine = engine
        player = c_void_p()
        _call("session_get_player", self._handle, byref(player))
        self.player = _SessionPlayer(self, player)

    def keep_log(self, store, recording):
        """Writes the practice log to a store. Call this method before `start()`, once per session."""
        _call("session_keep_log", self._handle, store._handle, os.fsencode(recording))

    def record(self, store=None, recording=None, mode="key", folder=None, name=None, device=None, **takes):
        """Records takes over the session, before the engine's start. `takes` has further fields of
        woodshed_session_takes.

        `mode` is "key" (from one `toggle_take()` to the next), "passes" (each pass is a take) or "gaps" (each gap is a
        take).
        """
        names = {"folder": folder, "name": name, "device": device}
        settings = _tables.session_takes(
            mode=TAKE_MODES[mode], **{name: os.fsencode(text) for name, text in names.items() if text is not None}, **takes)
        _call(
            "session_record", self._handle, byref(settings), store._handle if store else None,
            None if recording is None else os.fsencode(recording))

    def toggle_take(self):
        """Begins or ends a take; returns whether takes are recorded from now on."""
        is_on = c_int32()
        _call("session_toggle_take", self._handle, byref(is_on))
        return bool(is_on.value)

    def start(self, at=NOW):
        _call("session_start", self._handle, at)

    def stop(self):
        _call("session_stop", self._handle)

    def pause(self):
        _call("session_pause", self._handle)

    def resume(self):
        _call("session_resume", self._handle)

    def set_loop_start(self):
        _call("session_set_loop_start", self._handle)

    def set_loop_end(self):
        _call("session_set_loop_end", self._handle)

    def loop(self, start, end):
        _call("session_loop", self._handle, start, end)

    def loop_last_heard(self):
        _call("session_loop_last_heard", self._handle)

    def toggle_loop(self):
        _call("session_toggle_loop", self._handle)

    def move_edge(self, edge, frames):
        """Moves the edge "start" or "end" of the loop."""
        _call("session_move_edge", self._handle, _tables.edge[edge], frames)

    def set_speed(self, speed):
        _call("session_set_speed", self._handle, speed)

    def set_pitch(self, semitones):
        _call("session_set_pitch", self._handle, semitones)

    def set_passes(self, passes):
        _call("session_set_passes", self._handle, passes)

    def set_gap(self, frames=0, passes=0):
        _call("session_set_gap", self._handle, frames, passes)

    def skip(self, count=1):
        _call("session_skip", self._handle, count)

    def go(self, section):
        _call("session_go", self._handle, section)

    def set_sections(self, sections):
        _call("session_set_sections", self._handle, _sections(sections), len(sections))

    def set_reversed(self, is_reversed):
        _call("session_set_reversed", self._handle, is_reversed)

    def jump_to_start(self):
        _call("session_jump_to_start", self._handle)

    def set_frozen(self, is_frozen):
        _call("session_set_frozen", self._handle, is_frozen)

    @property
    def status(self):
        status = _tables.session_status()
        _call("session_get_status", self._handle, byref(status))
        return _values(status)


class Listener(_Handle):
    """A queue of events: iterate over the queue until the engine is closed, or call `next()`.

    An event is a dictionary: `kind`, `frame` (-1 without a frame), `player`, `events_lost`, and the fields that
    woodshed.h describes for the kind.

    Without an engine or a recorder, a queue is for answers: the methods with names that begin with `request_` start
    work on another thread, and return a number. The event "answer" has the same `request`, and `status` 0 with a
    result, or `message` and `remedy`.
    """

    _kind = "listener"

    def __init__(self, source=None, capacity=0):
        super().__init__()
        name = "listener_open_recorder" if isinstance(source, Recorder) else "listener_open"
        _call(name, source._handle if source else None, capacity, byref(self._handle))

    def _request(self, name, *arguments):
        number = c_int64()
        _call(name + "_request", self._handle, *arguments, byref(number))
        return number.value

    def request_clip(self, engine, path):
        return self._request("clip", engine._handle, os.fsencode(path))

    def request_prepare(self, player):
        return self._request("player_prepare", player._handle)

    def request_measure(self, path):
        return self._request("measure", os.fsencode(path))

    def request_waveform(self, path):
        return self._request("waveform", os.fsencode(path))

    def request_calibrate(self, output="default", input="default", **options):
        return self._request("calibrate", os.fsencode(output), os.fsencode(input), byref(_tables.engine_options(**options)))

    def request_compare(self, take, model, start_seconds=0, **passage):
        return self._request("compare", os.fsencode(take), byref(_passage(model, **passage)), start_seconds)

    def cancel(self, request):
        """Cancels a request; the answer has the status 130, and comes at once."""
        _call("request_cancel", self._handle, request)

    @staticmethod
    def _answered(values):
        """Returns the results of an answer as objects."""
        makers = {
            "clip": lambda handle: Clip(None, None, handle), "waveform": lambda handle: Waveform(None, handle),
            **dict.fromkeys(("loudness", "round_trip", "comparison"), lambda pointer: _values(pointer.contents))}
        return {name: make(values[name]) if values[name] else None for name, make in makers.items()}

    def next(self, seconds=-1):
        """Returns the next event; the kind is "none" after `seconds` without an event. Below 0 waits without limit."""
        event = POINTER(_tables.event)()
        _call("listener_next", self._handle, seconds, byref(event))
        event = event.contents
        kind = EVENTS.get(event.kind, str(event.kind))
        values = {"kind": kind, "frame": event.frame, "player": event.player, "events_lost": event.events_lost}
        if kind in _MEMBERS:
            values |= _values(getattr(event.data, _MEMBERS[kind]))
        return {**values, **self._answered(values)} if kind == "answer" else values

    def fileno(self):
        """Returns a descriptor that is readable while there are events, for `select` and similar functions."""
        descriptor = c_int32()
        _call("listener_get_descriptor", self._handle, byref(descriptor))
        return descriptor.value

    def __iter__(self):
        while (event := self.next())["kind"] not in ("closed", "none"):
            yield event


class Recorder(_Handle):
    """An open input that records one take."""

    _kind = "recorder"

    def __init__(self, input="default", clock="auto", **options):
        super().__init__()
        _call("recorder_open", os.fsencode(input), byref(_tables.engine_options(clock=CLOCKS[clock], **options)), byref(self._handle))

    def listen(self, capacity=0):
        """Opens a queue of the recorder's events."""
        return Listener(self, capacity)

    def arm(self):
        """Starts capturing without writing; a later take contains the half second before its start."""
        _call("recorder_arm", self._handle)

    def record(self, path, samples=0, frame_limit=0):
        """Begins a take in a new file with the ending .wav or .caf; `frame_limit` 0 is without a limit."""
        options = _tables.take_options(samples=samples, frame_limit=frame_limit)
        _call("recorder_record", self._handle, os.fsencode(path), byref(options))

    def pause(self):
        _call("recorder_pause", self._handle)

    def resume(self):
        _call("recorder_resume", self._handle)

    def mark(self, name):
        _call("recorder_mark", self._handle, name.encode())

    def stop(self):
        """Ends the take; returns the fields of woodshed_take when the take is complete on the disk."""
        take = _tables.take()
        _call("recorder_stop", self._handle, byref(take))
        values = _values(take)
        return {**values, "end": TAKE_ENDS[values["end"]]}

    def discard(self):
        """Ends the take and removes its file."""
        _call("recorder_discard", self._handle)

    def levels(self, count=2):
        levels = (_tables.level * count)()
        _call("recorder_get_levels", self._handle, levels, count)
        return [_values(level) for level in levels]

    @property
    def status(self):
        status = _tables.recorder_status()
        _call("recorder_get_status", self._handle, byref(status))
        values = _values(status)
        return {**values, "state": RECORDER_STATES[values["state"]]}


class Waveform(_Handle):
    """The outline of a recording. Frames are at the file's rate."""

    _kind = "waveform"

    def __init__(self, path, handle=None):
        super().__init__()
        if handle is None:
            _call("waveform_open", os.fsencode(path), byref(self._handle))
        else:
            self._handle = c_void_p(handle)

    @property
    def frames(self):
        frames = c_int64()
        _call("waveform_get_frames", self._handle, byref(frames))
        return frames.value

    def columns(self, count, start=0, end=None, channel=-1):
        """Returns the columns of a picture, each a dictionary with minimum, maximum, rms and is_clipped; channel -1
        is all channels."""
        columns = (_tables.column * count)()
        end = self.frames if end is None else end
        _call("waveform_get_columns", self._handle, start, end, channel, columns, count)
        return [_values(column) for column in columns]


class Meter(_Handle):
    """A meter for the program's own samples. Not for an audio thread."""

    _kind = "meter"

    def __init__(self, sample_rate, channels):
        super().__init__()
        _call("meter_open", sample_rate, channels, byref(self._handle))
        self._channels = channels

    def add(self, channels):
        """Reads the next frames: a sequence or an array of floats for each channel, all of one length."""
        if len(channels) != self._channels or len({len(samples) for samples in channels}) != 1:
            raise ValueError("a block has as many channels as the meter, all of one length")
        buffers = [
            samples if isinstance(samples, ctypes.Array) else (c_float * len(samples))(*samples) for samples in channels]
        pointers = (POINTER(c_float) * self._channels)(*buffers)
        _call("meter_add", self._handle, pointers, len(channels[0]))

    def finish(self):
        """Returns the measurement of all frames read, as `measure()` does; the meter begins anew."""
        loudness = _tables.loudness()
        _call("meter_finish", self._handle, byref(loudness))
        return _values(loudness)


class Store(_Handle):
    """The store of sections, takes and ratings; without a path the user's own store. Frames are at the file's rate."""

    _kind = "store"

    def __init__(self, path=None):
        super().__init__()
        _call("store_open", None if path is None else os.fsencode(path), byref(self._handle))

    def sections(self, recording):
        handle = c_void_p()
        _call("section_list_open", self._handle, os.fsencode(recording), byref(handle))
        return _items("section_list", handle)

    def add(self, recording, start, end, name="", text=""):
        """Adds a section; returns the section's id."""
        new = c_int32()
        _call("store_add_section", self._handle, os.fsencode(recording), start, end, name.encode(), text.encode(), byref(new))
        return new.value

    def mark(self, recording, frame, name=""):
        _call("store_mark", self._handle, os.fsencode(recording), frame, name.encode())

    def move(self, recording, section, start, end):
        _call("store_move_section", self._handle, os.fsencode(recording), section, start, end)

    def rename(self, recording, section, name):
        _call("store_rename_section", self._handle, os.fsencode(recording), section, name.encode())

    def remove(self, recording, section):
        _call("store_remove_section", self._handle, os.fsencode(recording), section)

    def undo(self, recording):
        _call("store_undo", self._handle, os.fsencode(recording))

    def redo(self, recording):
        _call("store_redo", self._handle, os.fsencode(recording))

    def takes(self, recording=None):
        """Returns the kept takes, the newest first; without a recording the takes of all recordings."""
        handle = c_void_p()
        _call("take_list_open", self._handle, None if recording is None else os.fsencode(recording), byref(handle))
        return _items("take_list", handle)

    def rate(self, recording, section, rating):
        """Rates a section as practised now: "again" (failed), "hard" (with mistakes), "good" (correct) or "easy"
        (without effort)."""
        _call("store_rate_section", self._handle, os.fsencode(recording), section, RATINGS[rating])

    def due(self, recording=None):
        """Returns the sections due today, the most overdue first."""
        handle = c_void_p()
        _call("due_list_open", self._handle, None if recording is None else os.fsencode(recording), byref(handle))
        return _items("due_list", handle)
