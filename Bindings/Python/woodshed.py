"""Woodshed for Python: plays recordings, loops their sections at any speed without changing the pitch.

    import woodshed

    with woodshed.Engine("file:loop.wav", sample_rate=44100, ends_with_players=True) as engine:
        clip = engine.clip("song.wav")
        player = engine.player(clip, sections=[woodshed.Section(44100, 88200, passes=3, speed=0.7)])
        player.start()
        engine.start()
        engine.wait()

One file without dependencies, over the shared library libwoodshed.so.0; the environment variable WOODSHED_LIBRARY names another one.
Positions are in frames at the engine's rate, speeds are factors. Errors are exceptions of the class Error, with message, remedy and status.
The header woodshed.h says more about each function.
"""
import ctypes
import os
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from dataclasses import dataclass

NOW = -1
ENDLESS = -1

_library = ctypes.CDLL(os.environ.get("WOODSHED_LIBRARY", "libwoodshed.so.0"))
for _name in ("version", "error_message", "error_remedy"):
    getattr(_library, "woodshed_" + _name).restype = c_char_p


class Error(Exception):
    """What the library refused or could not do."""

    def __init__(self, status):
        self.status = status
        self.message = _library.woodshed_error_message().decode()
        self.remedy = _library.woodshed_error_remedy().decode()
        super().__init__(f"{self.message}\n{self.remedy}".rstrip())


def _call(name, *arguments):
    status = getattr(_library, "woodshed_" + name)(*arguments)
    if status != 0:
        raise Error(status)


class _Struct(ctypes.Structure):
    """A struct of the header, whose first field is its size."""

    def __init__(self, **fields):
        super().__init__(size=ctypes.sizeof(type(self)), **fields)


def _struct(name, fields):
    """A struct of 32-bit numbers (i), 64-bit numbers (q), floats of 64 bits (d), sizes (z), pointers (p) and texts (s)."""
    kinds = {"i": c_int32, "q": c_int64, "d": c_double, "z": c_size_t, "p": c_void_p, "s": c_char_p}
    pairs = [field.split(":") for field in fields.split()]
    return type(name, (_Struct,), {"_fields_": [("size", c_uint32)] + [(name, kinds[kind]) for name, kind in pairs]})


_EngineOptions = _struct(
    "EngineOptions",
    "sample_rate:i channels:i period_frames:i periods:i priority:i clock:i on_loss:i samples:i ends_with_players:i exclusive:i")
_Configuration = _struct("Configuration", "sample_rate:i channels:i period_frames:i buffer_frames:i")
_Position = _struct("Position", "reserved:i written:q heard:q")
_Statistics = _struct(
    "Statistics",
    "priority:i xruns:q lost_frames:q interruptions:q blocks:q frames:q median_microseconds:d maximum_microseconds:d")
_Device = _struct("Device", "is_input:i is_default:i reserved:i name:s description:s")
_ClipInfo = _struct(
    "ClipInfo", "channels:i sample_rate:i file_rate:i frames:q file_frames:q container:s codec:s")
_Section = _struct("Section", "passes:i start:q end:q speed:d speed_to:d speed_step:d name:s id:i reserved:i")
_Plan = _struct(
    "Plan",
    "passes:i sections:p section_count:z speed:d speed_to:d speed_step:d semitones:d gap_frames:q gap_passes:d joint:i "
    "material:i light:i varispeed:i reversed:i repeats:i formants:i reserved:i")
_Status = _struct(
    "Status",
    "state:i section:i pass_:i passes:i is_resting:i is_frozen:i is_reversed:i frame:q clip_frame:q speed:d semitones:d "
    "starved_frames:q dropped_events:q")
_Event = _struct(
    "Event",
    "kind:i player:p frame:q clip_frame:q section:i pass_:i passes:i reason:i speed:d semitones:d frames:q decibels:d "
    "events_lost:q text:s remedy:s request:q status:i reserved:i clip:p waveform:p loudness:p round_trip:p comparison:p")

_TakeOptions = _struct("TakeOptions", "samples:i frame_limit:q")
_Take = _struct("Take", "sample_rate:i frames:q lost_frames:q loudness:d true_peak:d end:i reserved:i")
_RecorderStatus = _struct("RecorderStatus", "state:i sample_rate:i channels:i frames:q lost_frames:q seconds_left:d")
_Loudness = _struct(
    "Loudness",
    "reserved:i integrated:d maximum_momentary:d maximum_short_term:d range:d true_peak:d sample_peak:d overs:q frames:q")
_RoundTrip = _struct(
    "RoundTrip", "input_channel:i frames:d spread_frames:d reported_frames:q gain_decibels:d is_inverted:i sample_rate:i")
_KeptSection = _struct("KeptSection", "number:i id:i is_hard:i start:q end:q name:s text:s")
_KeptTake = _struct(
    "KeptTake",
    "number:i sample_rate:i channels:i frames:q time:q model_start:q model_end:q model_seconds:d speed:d semitones:d pass_:i "
    "section_id:i rating:i reserved:i path:s name:s note:s")
_SessionTakes = _struct(
    "SessionTakes",
    "mode:i samples:i input_channel:i is_off:i is_measured:i folder:s name:s added_frames:d lead_seconds:d tail_seconds:d "
    "device:s")
_DueSection = _struct(
    "DueSection", "number:i id:i overdue_days:i start:q end:q retrievability:d last_speed:d name:s recording:s")
_Strip = _struct(
    "Strip", "centre:i left_channel:i right_channel:i balance:d low_decibels:d mid_decibels:d high_decibels:d")
_Passage = _struct("Passage", "reserved:i path:s start:q end:q speed:d semitones:d")
_Comparison = _struct(
    "Comparison",
    "reserved:i offset_seconds:d length_ratio:d spread_seconds:d pitch_offset_cents:d pitch_cents:d energy_decibels:d "
    "hit_attacks:q missed_attacks:q added_attacks:q")
_SessionOptions = _struct(
    "SessionOptions",
    "is_shuffled:i seed:q first_section:i count_in_clicks:i count_in_tempo:d first_frame:q rewind_seconds:d snaps_edges:i "
    "reserved:i")
_SessionStatus = _struct(
    "SessionStatus",
    "section:i section_count:i section_id:i passes:i is_looping:i loop_start:q loop_end:q heard:q speed:d semitones:d "
    "gap_frames:q gap_passes:d")


class _Level(ctypes.Structure):
    _fields_ = [("peak", c_float), ("rms", c_float), ("held_decibels", c_double), ("overs", c_int64)]


class _Column(ctypes.Structure):
    _fields_ = [("minimum", c_float), ("maximum", c_float), ("rms", c_float), ("is_clipped", c_int32)]


EVENTS = dict(
    enumerate(
        (
            "none closed started section_started section_ended pass_started pass_ended moved speed_changed xrun starved limited "
            "paused resumed frozen unfrozen finished device_lost device_back device_missing disturbed material_chosen").split()))
EVENTS |= dict(
    enumerate(
        "take_started take_paused take_resumed take_marked take_stopped take_overrun take_clipped disk_low take_failed input_ended".split(),
        start=32))
EVENTS |= dict(
    enumerate(
        "session_started session_proceeded loop_changed session_completed session_stopped log_failed session_take_began "
        "session_take_lost session_take_ended session_take_dropped session_take_failed session_take_unlisted".split(), start=48))
EVENTS[64] = "answer"
RECORDER_STATES = "idle armed recording paused stopped".split()
TAKE_ENDS = "asked limit input_ended failed".split()
STATES = "idle playing paused stopping finished".split()
CLOCKS = {"auto": 0, "real": 1, "virtual": 2}
LOSS = {"wait": 0, "pause": 1, "fall_back": 2}
JOINTS = {"crossfade": 0, "fade": 1, "hard": 2}
MATERIALS = {"auto": 0, "music": 1, "speech": 2}
FORMANTS = {"auto": 0, "keep": 1, "move": 2}
TAKE_MODES = {"key": 0, "passes": 1, "gaps": 2}
CENTRES = {"as_recorded": 0, "kept": 1, "removed": 2}
RATINGS = {"again": 1, "hard": 2, "good": 3, "easy": 4}
# As the rewind of a session: more after a longer pause.
AUTOMATIC = -1

_LISTS = {"device_list": _Device, "section_list": _KeptSection, "due_list": _DueSection, "take_list": _KeptTake}
for _name in _LISTS:
    _count, _at = getattr(_library, f"woodshed_{_name}_count"), getattr(_library, f"woodshed_{_name}_at")
    (_count.argtypes, _count.restype) = [c_void_p], c_size_t
    (_at.argtypes, _at.restype) = [c_void_p, c_size_t], POINTER(_LISTS[_name])
_library.woodshed_clip_frame_of_file.restype = c_int64


def version():
    """The version of the library."""
    return _library.woodshed_version().decode()


def _values(struct):
    """The fields of a struct as a dictionary."""
    values = {name.rstrip("_"): getattr(struct, name) for name, *_ in struct._fields_ if name not in ("size", "reserved")}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in values.items()}


def _items(kind, handle):
    """The items of a list, which is closed."""
    try:
        count, at = getattr(_library, f"woodshed_{kind}_count"), getattr(_library, f"woodshed_{kind}_at")
        return [_values(at(handle, place).contents) for place in range(count(handle))]
    finally:
        _call(kind + "_close", handle)


def devices():
    """The sound devices, each a dictionary with name, description, is_input and is_default."""
    handle = c_void_p()
    _call("device_list_open", byref(handle))
    return _items("device_list", handle)


def measure(path):
    """The loudness and the peaks of a recording."""
    loudness = _Loudness()
    _call("measure", os.fsencode(path), byref(loudness))
    return _values(loudness)


def calibrate(output="default", input="default", **options):
    """Measures the round trip from an output to an input."""
    trip = _RoundTrip()
    _call("calibrate", os.fsencode(output), os.fsencode(input), byref(_EngineOptions(**options)), byref(trip))
    return _values(trip)


def _passage(path, start=0, end=0, speed=0, semitones=0):
    return _Passage(path=os.fsencode(path), start=start, end=end, speed=speed, semitones=semitones)


def compare(take, model, start_seconds=0, **passage):
    """How a take differs from the recording that it was played to; `passage` are start, end, speed and semitones of the model."""
    comparison = _Comparison()
    _call("compare", os.fsencode(take), byref(_passage(model, **passage)), c_double(start_seconds), byref(comparison))
    return _values(comparison)


@dataclass
class Section:
    """A part of a clip, from frame `start` to the one before `end`; `id` is that of a kept section."""

    start: int
    end: int
    passes: int = 0
    speed: float = 0
    speed_to: float = 0
    speed_step: float = 0
    name: str = None
    id: int = 0


def _sections(sections):
    return (_Section * len(sections))(
        *(_Section(**{**vars(each), "name": each.name.encode() if each.name else None}) for each in sections))


def _plan(sections=(), joint="crossfade", material="auto", formants="auto", **settings):
    array = _sections(sections)
    plan = _Plan(
        sections=ctypes.cast(array, c_void_p) if sections else None, section_count=len(sections), joint=JOINTS[joint],
        material=MATERIALS[material], formants=FORMANTS[formants], **settings)
    # The plan refers to the array, which has to live as long.
    plan._array = array
    return plan


class _Handle:
    """Something open, closed by `close()` or at the end of a `with`."""

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
        # What its engine has closed already is refused.
        try:
            self.close()
        except Error:
            pass


class Engine(_Handle):
    """An open output with its players; without an output, one for `render()`; with an input, one for `Session.record()`."""

    _kind = "engine"

    def __init__(self, output="default", clock="auto", on_loss="wait", input=None, input_channels=0, **options):
        super().__init__()
        settings = _EngineOptions(clock=CLOCKS[clock], on_loss=LOSS[on_loss], **options)
        if input is not None:
            _call(
                "engine_open_duplex", os.fsencode(output), os.fsencode(input), c_int32(input_channels), byref(settings),
                byref(self._handle))
        elif output is None:
            _call("engine_open_pulled", byref(settings), byref(self._handle))
        else:
            _call("engine_open", os.fsencode(output), byref(settings), byref(self._handle))

    def clip(self, path):
        """Opens a recording."""
        return Clip(self, path)

    def player(self, clip, **plan):
        """Adds a player of a clip; `plan` are the fields of woodshed_plan, and a list of `Section`."""
        return Player(self, clip, _plan(**plan))

    def session(self, clip, options=None, **plan):
        """Prepares a session; `options` is a dictionary of fields of woodshed_session_options, `plan` as for a player."""
        return Session(self, clip, _plan(**plan), options or {})

    def listen(self, capacity=0):
        """Opens a queue of events."""
        return Listener(self, capacity)

    def start(self):
        _call("engine_start", self._handle)

    def wait(self):
        _call("engine_wait", self._handle)

    def stop(self):
        _call("engine_stop", self._handle)

    def render(self, frames, delay_frames=0):
        """The next frames of an engine without a device (`output=None`): an array of floats for each channel, and how many are sound."""
        channels = self.configuration["channels"]
        buffers = [(c_float * frames)() for _ in range(channels)]
        pointers = (c_void_p * channels)(*(ctypes.addressof(buffer) for buffer in buffers))
        count = _library.woodshed_engine_render(self._handle, pointers, c_int32(frames), c_int64(delay_frames))
        if count < 0:
            raise ValueError("the engine is closed, or has a device")
        return buffers, count

    def _read(self, name, struct):
        _call("engine_" + name, self._handle, byref(struct))
        return _values(struct)

    @property
    def configuration(self):
        return self._read("configuration", _Configuration())

    @property
    def position(self):
        return self._read("position", _Position())

    @property
    def statistics(self):
        return self._read("statistics", _Statistics())


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
        """The frame of the clip for a frame of its file; None if there is none."""
        frame = _library.woodshed_clip_frame_of_file(self._handle, c_int64(file_frame))
        return None if frame < 0 else frame

    @property
    def info(self):
        info = _ClipInfo()
        _call("clip_get_info", self._handle, byref(info))
        return _values(info)


class Player(_Handle):
    """A clip that is played by a plan. `at` is an output frame, or NOW."""

    _kind = "player"

    def __init__(self, engine, clip, plan):
        super().__init__()
        _call("player_open", engine._handle, clip._handle, byref(plan), byref(self._handle))
        # A player does not outlive its engine.
        self._engine = engine

    def start(self, at=NOW):
        _call("player_start", self._handle, c_int64(at))

    def start_in(self, section, clip_frame=-1, at=NOW):
        _call("player_start_in", self._handle, c_int32(section), c_int64(clip_frame), c_int64(at))

    def pause(self, at=NOW):
        _call("player_pause", self._handle, c_int64(at))

    def resume(self, at=NOW):
        _call("player_resume", self._handle, c_int64(at))

    def stop(self, at=NOW):
        _call("player_stop", self._handle, c_int64(at))

    def seek(self, clip_frame, at=NOW):
        _call("player_seek", self._handle, c_int64(clip_frame), c_int64(at))

    def skip(self, section, at=NOW):
        _call("player_skip", self._handle, c_int32(section), c_int64(at))

    def set_speed(self, speed, glide_frames=-1, at=NOW):
        _call("player_set_speed", self._handle, c_double(speed), c_int64(glide_frames), c_int64(at))

    def set_pitch(self, semitones, at=NOW):
        _call("player_set_pitch", self._handle, c_double(semitones), c_int64(at))

    def set_gain(self, decibels, at=NOW):
        _call("player_set_gain", self._handle, c_double(decibels), c_int64(at))

    def set_reversed(self, is_reversed, at=NOW):
        _call("player_set_reversed", self._handle, c_int32(is_reversed), c_int64(at))

    def set_plan(self, at=NOW, **plan):
        _call("player_set_plan", self._handle, byref(_plan(**plan)), c_int64(at))

    def set_strip(self, at=NOW, centre="as_recorded", **strip):
        """Changes the channels, the centre, the balance and the equaliser; without arguments they are neutral."""
        _call("player_set_strip", self._handle, byref(_Strip(centre=CENTRES[centre], **strip)), c_int64(at))

    def freeze(self, at=NOW):
        _call("player_freeze", self._handle, c_int64(at))

    def unfreeze(self, at=NOW):
        _call("player_unfreeze", self._handle, c_int64(at))

    def prepare(self):
        _call("player_prepare", self._handle)

    def heard(self, frame):
        """The frame of the clip that was heard at an output frame; None if none was."""
        clip_frame = c_int64()
        _call("player_heard", self._handle, c_int64(frame), byref(clip_frame))
        return None if clip_frame.value < 0 else clip_frame.value

    def take_peaks(self, count=2):
        peaks = (c_float * count)()
        _call("player_take_peaks", self._handle, peaks, c_size_t(count))
        return list(peaks)

    @property
    def status(self):
        status = _Status()
        _call("player_get_status", self._handle, byref(status))
        values = _values(status)
        return {**values, "state": STATES[values["state"]]}


class _SessionPlayer(Player):
    """The player of a session, which is closed with it."""

    def __init__(self, session, handle):
        _Handle.__init__(self)
        (self._handle, self._session) = (handle, session)

    def close(self):
        self._handle = c_void_p()


class Session(_Handle):
    """Leads through sections, and loops what is marked by ear while it plays."""

    _kind = "session"

    def __init__(self, engine, clip, plan, options):
        super().__init__()
        _call("session_open", engine._handle, clip._handle, byref(plan), byref(_SessionOptions(**options)), byref(self._handle))
        self._engine = engine
        player = c_void_p()
        _call("session_get_player", self._handle, byref(player))
        self.player = _SessionPlayer(self, player)

    def keep_log(self, store, recording):
        """Writes down what is practised, in a store; before `start()`."""
        _call("session_keep_log", self._handle, store._handle, os.fsencode(recording))

    def record(self, store=None, recording=None, mode="key", folder=None, name=None, device=None, **takes):
        """Records takes over the session: "key", "passes" or "gaps"; `takes` are further fields of woodshed_session_takes."""
        names = {"folder": folder, "name": name, "device": device}
        settings = _SessionTakes(
            mode=TAKE_MODES[mode], **{name: os.fsencode(text) for name, text in names.items() if text is not None}, **takes)
        _call(
            "session_record", self._handle, byref(settings), store._handle if store else None,
            None if recording is None else os.fsencode(recording))

    def toggle_take(self):
        """Begins or ends a take, and returns whether takes are recorded from now on."""
        is_on = c_int32()
        _call("session_toggle_take", self._handle, byref(is_on))
        return bool(is_on.value)

    def start(self, at=NOW):
        _call("session_start", self._handle, c_int64(at))

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
        _call("session_loop", self._handle, c_int64(start), c_int64(end))

    def loop_last_heard(self):
        _call("session_loop_last_heard", self._handle)

    def toggle_loop(self):
        _call("session_toggle_loop", self._handle)

    def move_edge(self, edge, frames):
        """Moves the edge "start" or "end" of the loop."""
        _call("session_move_edge", self._handle, c_int32({"start": 0, "end": 1}[edge]), c_int64(frames))

    def set_speed(self, speed):
        _call("session_set_speed", self._handle, c_double(speed))

    def set_pitch(self, semitones):
        _call("session_set_pitch", self._handle, c_double(semitones))

    def set_passes(self, passes):
        _call("session_set_passes", self._handle, c_int32(passes))

    def set_gap(self, frames=0, passes=0):
        _call("session_set_gap", self._handle, c_int64(frames), c_double(passes))

    def skip(self, count=1):
        _call("session_skip", self._handle, c_int32(count))

    def go(self, section):
        _call("session_go", self._handle, c_int32(section))

    def set_sections(self, sections):
        _call("session_set_sections", self._handle, _sections(sections), c_size_t(len(sections)))

    def set_reversed(self, is_reversed):
        _call("session_set_reversed", self._handle, c_int32(is_reversed))

    def jump_to_start(self):
        _call("session_jump_to_start", self._handle)

    def set_frozen(self, is_frozen):
        _call("session_set_frozen", self._handle, c_int32(is_frozen))

    @property
    def status(self):
        status = _SessionStatus()
        _call("session_get_status", self._handle, byref(status))
        return _values(status)


class Listener(_Handle):
    """A queue of events: iterate over it until the engine is closed, or ask for the next one. An event is a dictionary.

    Without an engine or a recorder it is for answers: the methods whose names begin with `request_` start work on another thread, and
    return a number. The event "answer" has the same `request`, and `status` 0 and a result, or `text` and `remedy`.
    """

    _kind = "listener"

    def __init__(self, source=None, capacity=0):
        super().__init__()
        name = "recorder_listen" if isinstance(source, Recorder) else "listener_open"
        _call(name, source._handle if source else None, c_int32(capacity), byref(self._handle))

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
        return self._request("calibrate", os.fsencode(output), os.fsencode(input), byref(_EngineOptions(**options)))

    def request_compare(self, take, model, start_seconds=0, **passage):
        return self._request("compare", os.fsencode(take), byref(_passage(model, **passage)), c_double(start_seconds))

    def cancel(self, request):
        _call("request_cancel", self._handle, c_int64(request))

    @staticmethod
    def _result(values):
        """Puts what an answer brought into objects."""
        makers = {
            "clip": lambda handle: Clip(None, None, handle), "waveform": lambda handle: Waveform(None, handle),
            "loudness": lambda place: _values(_Loudness.from_address(place)),
            "round_trip": lambda place: _values(_RoundTrip.from_address(place)),
            "comparison": lambda place: _values(_Comparison.from_address(place))}
        return {name: make(values[name]) if values[name] else None for name, make in makers.items()}

    def next(self, seconds=-1):
        """The next event; its kind is "none" if there is none within the time."""
        event = POINTER(_Event)()
        _call("listener_next", self._handle, c_double(seconds), byref(event))
        values = _values(event.contents)
        return {**values, **self._result(values), "kind": EVENTS.get(values["kind"], str(values["kind"]))}

    def fileno(self):
        """A descriptor that is readable while there are events, for select and its like."""
        descriptor = c_int32()
        _call("listener_descriptor", self._handle, byref(descriptor))
        return descriptor.value

    def __iter__(self):
        while (event := self.next())["kind"] not in ("closed", "none"):
            yield event


class Recorder(_Handle):
    """An open input that records one take."""

    _kind = "recorder"

    def __init__(self, input="default", clock="auto", **options):
        super().__init__()
        _call("recorder_open", os.fsencode(input), byref(_EngineOptions(clock=CLOCKS[clock], **options)), byref(self._handle))

    def listen(self, capacity=0):
        """Opens a queue of events."""
        return Listener(self, capacity)

    def arm(self):
        _call("recorder_arm", self._handle)

    def record(self, path, samples=0, frame_limit=0):
        options = _TakeOptions(samples=samples, frame_limit=frame_limit)
        _call("recorder_record", self._handle, os.fsencode(path), byref(options))

    def pause(self):
        _call("recorder_pause", self._handle)

    def resume(self):
        _call("recorder_resume", self._handle)

    def mark(self, name):
        _call("recorder_mark", self._handle, name.encode())

    def stop(self):
        """Ends the take, and returns what became of it."""
        take = _Take()
        _call("recorder_stop", self._handle, byref(take))
        values = _values(take)
        return {**values, "end": TAKE_ENDS[values["end"]]}

    def discard(self):
        _call("recorder_discard", self._handle)

    def levels(self, count=2):
        levels = (_Level * count)()
        _call("recorder_get_levels", self._handle, levels, c_size_t(count))
        return [_values(level) for level in levels]

    @property
    def status(self):
        status = _RecorderStatus()
        _call("recorder_get_status", self._handle, byref(status))
        values = _values(status)
        return {**values, "state": RECORDER_STATES[values["state"]]}


class Waveform(_Handle):
    """The outline of a recording."""

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
        _call("waveform_frames", self._handle, byref(frames))
        return frames.value

    def columns(self, count, start=0, end=None, channel=-1):
        """Columns of a picture, each a dictionary with minimum, maximum, rms and is_clipped."""
        columns = (_Column * count)()
        end = self.frames if end is None else end
        _call(
            "waveform_columns", self._handle, c_int64(start), c_int64(end), c_int32(channel), columns, c_size_t(count))
        return [_values(column) for column in columns]


class Meter(_Handle):
    """A meter for samples of one's own."""

    _kind = "meter"

    def __init__(self, sample_rate, channels):
        super().__init__()
        _call("meter_open", c_int32(sample_rate), c_int32(channels), byref(self._handle))
        self._channels = channels

    def add(self, channels):
        """Reads the next frames: a sequence of floats, or an array of them, for each channel."""
        if len(channels) != self._channels or len({len(samples) for samples in channels}) != 1:
            raise ValueError("a block has as many channels as the meter, all of one length")
        buffers = [
            samples if isinstance(samples, ctypes.Array) else (c_float * len(samples))(*samples) for samples in channels]
        pointers = (c_void_p * self._channels)(*(ctypes.addressof(buffer) for buffer in buffers))
        _call("meter_add", self._handle, pointers, c_int32(len(channels[0])))

    def finish(self):
        """What was read; the meter begins anew."""
        loudness = _Loudness()
        _call("meter_finish", self._handle, byref(loudness))
        return _values(loudness)


class Store(_Handle):
    """The sections that are kept with recordings; without a path the user's own. Frames are at the file's rate."""

    _kind = "store"

    def __init__(self, path=None):
        super().__init__()
        _call("store_open", None if path is None else os.fsencode(path), byref(self._handle))

    def sections(self, recording):
        handle = c_void_p()
        _call("store_sections", self._handle, os.fsencode(recording), byref(handle))
        return _items("section_list", handle)

    def add(self, recording, start, end, name="", text=""):
        """Adds a section, and returns its id."""
        new = c_int32()
        _call(
            "store_add_section", self._handle, os.fsencode(recording), c_int64(start), c_int64(end), name.encode(),
            text.encode(), byref(new))
        return new.value

    def mark(self, recording, frame, name=""):
        _call("store_mark", self._handle, os.fsencode(recording), c_int64(frame), name.encode())

    def move(self, recording, section, start, end):
        _call("store_move_section", self._handle, os.fsencode(recording), c_int32(section), c_int64(start), c_int64(end))

    def rename(self, recording, section, name):
        _call("store_rename_section", self._handle, os.fsencode(recording), c_int32(section), name.encode())

    def remove(self, recording, section):
        _call("store_remove_section", self._handle, os.fsencode(recording), c_int32(section))

    def undo(self, recording):
        _call("store_undo", self._handle, os.fsencode(recording))

    def redo(self, recording):
        _call("store_redo", self._handle, os.fsencode(recording))

    def takes(self, recording=None):
        """The takes that are kept, the newest first."""
        handle = c_void_p()
        _call("store_takes", self._handle, None if recording is None else os.fsencode(recording), byref(handle))
        return _items("take_list", handle)

    def rate(self, recording, section, rating):
        """Rates how a section went: "again", "hard", "good" or "easy"."""
        _call("store_rate_section", self._handle, os.fsencode(recording), c_int32(section), c_int32(RATINGS[rating]))

    def due(self, recording=None):
        """The sections that are due today."""
        handle = c_void_p()
        _call("store_due", self._handle, None if recording is None else os.fsencode(recording), byref(handle))
        return _items("due_list", handle)
