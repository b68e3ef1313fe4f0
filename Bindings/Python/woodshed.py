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
_Section = _struct("Section", "passes:i start:q end:q speed:d speed_to:d speed_step:d name:s")
_Plan = _struct(
    "Plan",
    "passes:i sections:p section_count:z speed:d speed_to:d speed_step:d semitones:d gap_frames:q gap_passes:d joint:i "
    "material:i light:i varispeed:i reversed:i repeats:i")
_Status = _struct(
    "Status",
    "state:i section:i pass_:i passes:i is_resting:i is_frozen:i is_reversed:i frame:q clip_frame:q speed:d semitones:d "
    "starved_frames:q")
_Event = _struct(
    "Event",
    "kind:i player:p frame:q clip_frame:q section:i pass_:i passes:i reason:i speed:d semitones:d frames:q decibels:d "
    "events_lost:q text:s remedy:s")

EVENTS = (
    "none closed started section_started section_ended pass_started pass_ended moved speed_changed xrun starved limited paused "
    "resumed frozen unfrozen finished device_lost device_back device_missing disturbed").split()
STATES = "idle playing paused stopping finished".split()
CLOCKS = {"auto": 0, "real": 1, "virtual": 2}
LOSS = {"wait": 0, "pause": 1, "fall_back": 2}
JOINTS = {"crossfade": 0, "fade": 1, "hard": 2}
MATERIALS = {"auto": 0, "music": 1, "speech": 2}

for _name in ("device_list_count", "device_list_at"):
    getattr(_library, "woodshed_" + _name).argtypes = [c_void_p] + [c_size_t] * _name.endswith("at")
_library.woodshed_device_list_count.restype = c_size_t
_library.woodshed_device_list_at.restype = POINTER(_Device)


def version():
    """The version of the library."""
    return _library.woodshed_version().decode()


def _values(struct):
    """The fields of a struct as a dictionary."""
    values = {name.rstrip("_"): getattr(struct, name) for name, *_ in struct._fields_ if name not in ("size", "reserved")}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in values.items()}


def devices():
    """The sound devices, each a dictionary with name, description, is_input and is_default."""
    handle = c_void_p()
    _call("device_list_open", byref(handle))
    try:
        count = _library.woodshed_device_list_count(handle)
        return [_values(_library.woodshed_device_list_at(handle, place).contents) for place in range(count)]
    finally:
        _call("device_list_close", handle)


@dataclass
class Section:
    """A part of a clip, from frame `start` to the one before `end`."""

    start: int
    end: int
    passes: int = 0
    speed: float = 0
    speed_to: float = 0
    speed_step: float = 0
    name: str = None


def _plan(sections=(), joint="crossfade", material="auto", **settings):
    array = (_Section * len(sections))(
        *(_Section(**{**vars(each), "name": each.name.encode() if each.name else None}) for each in sections))
    plan = _Plan(
        sections=ctypes.cast(array, c_void_p) if sections else None, section_count=len(sections), joint=JOINTS[joint],
        material=MATERIALS[material], **settings)
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
    """An open output with its players."""

    _kind = "engine"

    def __init__(self, output="default", clock="auto", on_loss="wait", **options):
        super().__init__()
        settings = _EngineOptions(clock=CLOCKS[clock], on_loss=LOSS[on_loss], **options)
        if output is None:
            _call("engine_open_pulled", byref(settings), byref(self._handle))
        else:
            _call("engine_open", os.fsencode(output), byref(settings), byref(self._handle))

    def clip(self, path):
        """Opens a recording."""
        return Clip(self, path)

    def player(self, clip, **plan):
        """Adds a player of a clip; `plan` are the fields of woodshed_plan, and a list of `Section`."""
        return Player(self, clip, _plan(**plan))

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

    def __init__(self, engine, path):
        super().__init__()
        _call("clip_open", engine._handle, os.fsencode(path), byref(self._handle))

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


class Listener(_Handle):
    """A queue of events: iterate over it until the engine is closed, or ask for the next one. An event is a dictionary."""

    _kind = "listener"

    def __init__(self, engine, capacity):
        super().__init__()
        _call("listener_open", engine._handle, c_int32(capacity), byref(self._handle))

    def next(self, seconds=-1):
        """The next event; its kind is "none" if there is none within the time."""
        event = POINTER(_Event)()
        _call("listener_next", self._handle, c_double(seconds), byref(event))
        values = _values(event.contents)
        known = values["kind"] < len(EVENTS)
        return {**values, "kind": EVENTS[values["kind"]] if known else str(values["kind"])}

    def fileno(self):
        """A descriptor that is readable while there are events, for select and its like."""
        descriptor = c_int32()
        _call("listener_descriptor", self._handle, byref(descriptor))
        return descriptor.value

    def __iter__(self):
        while (event := self.next())["kind"] != "closed":
            yield event
