"""The numbers, structs and functions of woodshed.h for ctypes; made by scripts/checks/python-tables.py from the header.

The names are those of the header without `woodshed_`; the names of numbers are without the words common to an
enumeration.
"""
from ctypes import c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p, CFUNCTYPE, POINTER, sizeof, Structure, Union


class _Sized(Structure):
    """A struct that begins with its size."""

    def __init__(self, **fields):
        super().__init__(size=sizeof(self), **fields)


API_VERSION = 200
NOW = -1
ENDLESS = -1
REWIND_AUTOMATIC = -1
status = {
    "ok": 0, "invalid": 64, "bad_data": 65, "not_found": 66, "unavailable": 69, "internal": 70, "cannot_create": 73,
    "io": 74, "try_again": 75, "no_permission": 77, "configuration": 78, "cancelled": 130, "closed_pipe": 141
}
loss_policy = {"wait": 0, "pause": 1, "fall_back": 2}
clock = {"auto": 0, "real": 1, "virtual": 2}
samples = {"default": 0, "int16": 16, "int24": 24, "int32": 32, "float32": 33}
joint = {"crossfade": 0, "fade": 1, "hard": 2}
material = {"auto": 0, "music": 1, "speech": 2}
formants = {"auto": 0, "keep": 1, "move": 2}
player_state = {"idle": 0, "playing": 1, "paused": 2, "stopping": 3, "finished": 4}
centre = {"as_recorded": 0, "kept": 1, "removed": 2}
event_kind = {
    "none": 0, "closed": 1, "started": 2, "section_started": 3, "section_ended": 4, "pass_started": 5, "pass_ended": 6,
    "moved": 7, "speed_changed": 8, "xrun": 9, "starved": 10, "limited": 11, "paused": 12, "resumed": 13, "frozen": 14,
    "unfrozen": 15, "finished": 16, "device_lost": 17, "device_back": 18, "device_missing": 19, "disturbed": 20,
    "material_chosen": 21, "take_started": 32, "take_paused": 33, "take_resumed": 34, "take_marked": 35,
    "take_stopped": 36, "take_overrun": 37, "take_clipped": 38, "disk_low": 39, "take_failed": 40, "input_ended": 41,
    "session_started": 48, "session_proceeded": 49, "loop_changed": 50, "session_completed": 51, "session_stopped": 52,
    "log_failed": 53, "session_take_began": 54, "session_take_lost": 55, "session_take_ended": 56,
    "session_take_dropped": 57, "session_take_failed": 58, "session_take_unlisted": 59, "answer": 64
}
take_end = {"asked": 0, "limit": 1, "input_ended": 2, "failed": 3}
reason = {
    "user": 0, "suspended": 1, "device_lost": 2, "server_gone": 3, "device_stopped": 4, "device_suspended": 5,
    "device_taken": 6, "hearing": 7
}
finish = {"completed": 0, "stopped": 1, "failed": 2}
recorder_state = {"idle": 0, "armed": 1, "recording": 2, "paused": 3, "stopped": 4}
rating = {"again": 1, "hard": 2, "good": 3, "easy": 4}
edge = {"start": 0, "end": 1}
take_mode = {"by_key": 0, "of_passes": 1, "of_gaps": 2}


class engine_options(_Sized):
    _fields_ = [
        ("size", c_uint32), ("sample_rate", c_int32), ("channels", c_int32), ("period_frames", c_int32),
        ("periods", c_int32), ("priority", c_int32), ("clock", c_int32), ("on_loss", c_int32), ("samples", c_int32),
        ("ends_with_players", c_int32), ("exclusive", c_int32)
    ]


class configuration(_Sized):
    _fields_ = [
        ("size", c_uint32), ("sample_rate", c_int32), ("channels", c_int32), ("period_frames", c_int32),
        ("buffer_frames", c_int32)
    ]


class position(_Sized):
    _fields_ = [("size", c_uint32), ("reserved", c_int32), ("written", c_int64), ("heard", c_int64)]


class statistics(_Sized):
    _fields_ = [
        ("size", c_uint32), ("priority", c_int32), ("xruns", c_int64), ("lost_frames", c_int64),
        ("interruptions", c_int64), ("blocks", c_int64), ("frames", c_int64), ("median_microseconds", c_double),
        ("maximum_microseconds", c_double)
    ]


class device(_Sized):
    _fields_ = [
        ("size", c_uint32), ("is_input", c_int32), ("is_default", c_int32), ("reserved", c_int32), ("name", c_char_p),
        ("description", c_char_p)
    ]


class clip_info(_Sized):
    _fields_ = [
        ("size", c_uint32), ("channels", c_int32), ("sample_rate", c_int32), ("file_rate", c_int32),
        ("frames", c_int64), ("file_frames", c_int64), ("container", c_char_p), ("codec", c_char_p)
    ]


class section(_Sized):
    _fields_ = [
        ("size", c_uint32), ("passes", c_int32), ("start", c_int64), ("end", c_int64), ("speed", c_double),
        ("speed_to", c_double), ("speed_step", c_double), ("name", c_char_p), ("id", c_int32), ("reserved", c_int32)
    ]


class plan(_Sized):
    _fields_ = [
        ("size", c_uint32), ("passes", c_int32), ("sections", POINTER(section)), ("section_count", c_size_t),
        ("speed", c_double), ("speed_to", c_double), ("speed_step", c_double), ("semitones", c_double),
        ("gap_frames", c_int64), ("gap_passes", c_double), ("joint", c_int32), ("material", c_int32),
        ("light", c_int32), ("varispeed", c_int32), ("reversed", c_int32), ("repeats", c_int32), ("formants", c_int32),
        ("reserved", c_int32)
    ]


class player_status(_Sized):
    _fields_ = [
        ("size", c_uint32), ("state", c_int32), ("section", c_int32), ("pass", c_int32), ("passes", c_int32),
        ("is_resting", c_int32), ("is_frozen", c_int32), ("is_reversed", c_int32), ("frame", c_int64),
        ("clip_frame", c_int64), ("speed", c_double), ("semitones", c_double), ("starved_frames", c_int64),
        ("dropped_events", c_int64)
    ]


class strip(_Sized):
    _fields_ = [
        ("size", c_uint32), ("centre", c_int32), ("left_channel", c_int32), ("right_channel", c_int32),
        ("balance", c_double), ("low_decibels", c_double), ("mid_decibels", c_double), ("high_decibels", c_double)
    ]


class place(Structure):
    _fields_ = [
        ("clip_frame", c_int64), ("section", c_int32), ("pass", c_int32), ("passes", c_int32), ("reserved", c_int32),
        ("speed", c_double), ("semitones", c_double)
    ]


class failure(Structure):
    _fields_ = [("message", c_char_p), ("remedy", c_char_p)]


class xrun_event(Structure):
    _fields_ = [("place", place), ("lost_frames", c_int64)]


class starved_event(Structure):
    _fields_ = [("place", place), ("silent_frames", c_int64)]


class limited_event(Structure):
    _fields_ = [("place", place), ("reduction_decibels", c_double)]


class paused_event(Structure):
    _fields_ = [("place", place), ("reason", c_int32), ("reserved", c_int32)]


class finished_event(Structure):
    _fields_ = [("place", place), ("finish", c_int32), ("reserved", c_int32), ("failure", failure)]


class material_chosen_event(Structure):
    _fields_ = [("place", place), ("material", c_int32), ("reserved", c_int32), ("explanation", c_char_p)]


class device_lost_event(Structure):
    _fields_ = [("unheard_frames", c_int64), ("reason", c_int32), ("reserved", c_int32), ("failure", failure)]


class device_back_event(Structure):
    _fields_ = [("device_name", c_char_p)]


class disturbed_event(Structure):
    _fields_ = [("lost_frames", c_int64)]


class take_started_event(Structure):
    _fields_ = [("input_frame", c_int64), ("earlier_frames", c_int64)]


class take_marked_event(Structure):
    _fields_ = [("name", c_char_p)]


class take_stopped_event(Structure):
    _fields_ = [("end", c_int32), ("reserved", c_int32)]


class take_overrun_event(Structure):
    _fields_ = [("lost_frames", c_int64)]


class take_clipped_event(Structure):
    _fields_ = [("input_frame", c_int64), ("channel", c_int32), ("reserved", c_int32)]


class disk_low_event(Structure):
    _fields_ = [("seconds_left", c_double)]


class session_started_event(Structure):
    _fields_ = [("section_count", c_int32), ("reserved", c_int32)]


class session_proceeded_event(Structure):
    _fields_ = [("section", c_int32), ("reserved", c_int32)]


class loop_changed_event(Structure):
    _fields_ = [("loop_start", c_int64), ("loop_end", c_int64), ("is_looping", c_int32), ("reserved", c_int32)]


class session_take_event(Structure):
    _fields_ = [
        ("input_frame", c_int64), ("take_id", c_int32), ("number", c_int32), ("path", c_char_p), ("speed", c_double),
        ("semitones", c_double), ("pass", c_int32), ("reserved", c_int32)
    ]


class session_take_lost_event(Structure):
    _fields_ = [("take", session_take_event), ("lost_frames", c_int64)]


class session_take_ended_event(Structure):
    _fields_ = [("take", session_take_event), ("frames", c_int64)]


class session_take_failed_event(Structure):
    _fields_ = [("take", session_take_event), ("failure", failure)]


class loudness(_Sized):
    _fields_ = [
        ("size", c_uint32), ("reserved", c_int32), ("integrated", c_double), ("maximum_momentary", c_double),
        ("maximum_short_term", c_double), ("range", c_double), ("true_peak", c_double), ("sample_peak", c_double),
        ("overs", c_int64), ("frames", c_int64)
    ]


class round_trip(_Sized):
    _fields_ = [
        ("size", c_uint32), ("input_channel", c_int32), ("frames", c_double), ("spread_frames", c_double),
        ("reported_frames", c_int64), ("gain_decibels", c_double), ("is_inverted", c_int32), ("sample_rate", c_int32)
    ]


class comparison(_Sized):
    _fields_ = [
        ("size", c_uint32), ("reserved", c_int32), ("offset_seconds", c_double), ("length_ratio", c_double),
        ("spread_seconds", c_double), ("pitch_offset_cents", c_double), ("pitch_cents", c_double),
        ("energy_decibels", c_double), ("hit_attacks", c_int64), ("missed_attacks", c_int64), ("added_attacks", c_int64)
    ]


class answer_event(Structure):
    _fields_ = [
        ("request", c_int64), ("status", c_int32), ("reserved", c_int32), ("failure", failure), ("clip", c_void_p),
        ("waveform", c_void_p), ("loudness", POINTER(loudness)), ("round_trip", POINTER(round_trip)),
        ("comparison", POINTER(comparison))
    ]


class event_data(Union):
    _fields_ = [
        ("place", place), ("xrun", xrun_event), ("starved", starved_event), ("limited", limited_event),
        ("paused", paused_event), ("finished", finished_event), ("material_chosen", material_chosen_event),
        ("device_lost", device_lost_event), ("device_back", device_back_event), ("disturbed", disturbed_event),
        ("failure", failure), ("take_started", take_started_event), ("take_marked", take_marked_event),
        ("take_stopped", take_stopped_event), ("take_overrun", take_overrun_event),
        ("take_clipped", take_clipped_event), ("disk_low", disk_low_event), ("session_started", session_started_event),
        ("session_proceeded", session_proceeded_event), ("loop_changed", loop_changed_event),
        ("session_take", session_take_event), ("session_take_lost", session_take_lost_event),
        ("session_take_ended", session_take_ended_event), ("session_take_failed", session_take_failed_event),
        ("answer", answer_event), ("reserved", c_int64 * 20)
    ]


class event(_Sized):
    _fields_ = [
        ("size", c_uint32), ("kind", c_int32), ("frame", c_int64), ("player", c_void_p), ("events_lost", c_int64),
        ("data", event_data)
    ]


class take_options(_Sized):
    _fields_ = [("size", c_uint32), ("samples", c_int32), ("frame_limit", c_int64)]


class take(_Sized):
    _fields_ = [
        ("size", c_uint32), ("sample_rate", c_int32), ("frames", c_int64), ("lost_frames", c_int64),
        ("loudness", c_double), ("true_peak", c_double), ("end", c_int32), ("reserved", c_int32)
    ]


class recorder_status(_Sized):
    _fields_ = [
        ("size", c_uint32), ("state", c_int32), ("sample_rate", c_int32), ("channels", c_int32), ("frames", c_int64),
        ("lost_frames", c_int64), ("seconds_left", c_double)
    ]


class level(Structure):
    _fields_ = [("peak", c_float), ("rms", c_float), ("held_decibels", c_double), ("overs", c_int64)]


class column(Structure):
    _fields_ = [("minimum", c_float), ("maximum", c_float), ("rms", c_float), ("is_clipped", c_int32)]


class passage(_Sized):
    _fields_ = [
        ("size", c_uint32), ("reserved", c_int32), ("path", c_char_p), ("start", c_int64), ("end", c_int64),
        ("speed", c_double), ("semitones", c_double)
    ]


class kept_section(_Sized):
    _fields_ = [
        ("size", c_uint32), ("number", c_int32), ("id", c_int32), ("is_hard", c_int32), ("start", c_int64),
        ("end", c_int64), ("name", c_char_p), ("text", c_char_p)
    ]


class kept_take(_Sized):
    _fields_ = [
        ("size", c_uint32), ("number", c_int32), ("sample_rate", c_int32), ("channels", c_int32), ("frames", c_int64),
        ("time", c_int64), ("model_start", c_int64), ("model_end", c_int64), ("model_seconds", c_double),
        ("speed", c_double), ("semitones", c_double), ("pass", c_int32), ("section_id", c_int32), ("rating", c_int32),
        ("reserved", c_int32), ("path", c_char_p), ("name", c_char_p), ("note", c_char_p)
    ]


class due_section(_Sized):
    _fields_ = [
        ("size", c_uint32), ("number", c_int32), ("id", c_int32), ("overdue_days", c_int32), ("start", c_int64),
        ("end", c_int64), ("retrievability", c_double), ("last_speed", c_double), ("name", c_char_p),
        ("recording", c_char_p)
    ]


class session_options(_Sized):
    _fields_ = [
        ("size", c_uint32), ("is_shuffled", c_int32), ("seed", c_int64), ("first_section", c_int32),
        ("count_in_clicks", c_int32), ("count_in_tempo", c_double), ("first_frame", c_int64),
        ("rewind_seconds", c_double), ("snaps_edges", c_int32), ("reserved", c_int32)
    ]


class session_status(_Sized):
    _fields_ = [
        ("size", c_uint32), ("section", c_int32), ("section_count", c_int32), ("section_id", c_int32),
        ("passes", c_int32), ("is_looping", c_int32), ("loop_start", c_int64), ("loop_end", c_int64),
        ("heard", c_int64), ("speed", c_double), ("semitones", c_double), ("gap_frames", c_int64),
        ("gap_passes", c_double)
    ]


class session_takes(_Sized):
    _fields_ = [
        ("size", c_uint32), ("mode", c_int32), ("samples", c_int32), ("input_channel", c_int32), ("is_off", c_int32),
        ("is_measured", c_int32), ("folder", c_char_p), ("name", c_char_p), ("added_frames", c_double),
        ("lead_seconds", c_double), ("tail_seconds", c_double), ("device", c_char_p)
    ]


event_callback = CFUNCTYPE(None, c_void_p, POINTER(event))


_FUNCTIONS = {
    "api_version": [c_int32],
    "version": [c_char_p],
    "error_message": [c_char_p],
    "error_remedy": [c_char_p],
    "engine_open": [c_int, c_char_p, POINTER(engine_options), POINTER(c_void_p)],
    "engine_open_pulled": [c_int, POINTER(engine_options), POINTER(c_void_p)],
    "engine_render": [c_int32, c_void_p, POINTER(POINTER(c_float)), c_int32, c_int64],
    "engine_open_duplex": [c_int, c_char_p, c_char_p, c_int32, POINTER(engine_options), POINTER(c_void_p)],
    "engine_get_configuration": [c_int, c_void_p, POINTER(configuration)],
    "engine_start": [c_int, c_void_p],
    "engine_wait": [c_int, c_void_p],
    "engine_stop": [c_int, c_void_p],
    "engine_get_position": [c_int, c_void_p, POINTER(position)],
    "engine_get_statistics": [c_int, c_void_p, POINTER(statistics)],
    "engine_close": [c_int, c_void_p],
    "device_list_open": [c_int, POINTER(c_void_p)],
    "device_list_count": [c_size_t, c_void_p],
    "device_list_at": [POINTER(device), c_void_p, c_size_t],
    "device_list_close": [c_int, c_void_p],
    "clip_open": [c_int, c_void_p, c_char_p, POINTER(c_void_p)],
    "clip_open_memory": [c_int, c_void_p, POINTER(POINTER(c_float)), c_int32, c_int64, POINTER(c_void_p)],
    "clip_get_info": [c_int, c_void_p, POINTER(clip_info)],
    "clip_get_frame_of_file": [c_int, c_void_p, c_int64, POINTER(c_int64)],
    "clip_close": [c_int, c_void_p],
    "plan_get_frames": [c_int, POINTER(plan), c_void_p, POINTER(c_int64)],
    "player_open": [c_int, c_void_p, c_void_p, POINTER(plan), POINTER(c_void_p)],
    "player_close": [c_int, c_void_p],
    "player_start": [c_int, c_void_p, c_int64],
    "player_start_in": [c_int, c_void_p, c_int32, c_int64, c_int64],
    "player_pause": [c_int, c_void_p, c_int64],
    "player_resume": [c_int, c_void_p, c_int64],
    "player_stop": [c_int, c_void_p, c_int64],
    "player_seek": [c_int, c_void_p, c_int64, c_int64],
    "player_skip": [c_int, c_void_p, c_int32, c_int64],
    "player_set_speed": [c_int, c_void_p, c_double, c_int64, c_int64],
    "player_set_pitch": [c_int, c_void_p, c_double, c_int64],
    "player_set_gain": [c_int, c_void_p, c_double, c_int64],
    "player_set_reversed": [c_int, c_void_p, c_int32, c_int64],
    "player_set_plan": [c_int, c_void_p, POINTER(plan), c_int64],
    "player_freeze": [c_int, c_void_p, c_int64],
    "player_unfreeze": [c_int, c_void_p, c_int64],
    "player_set_strip": [c_int, c_void_p, POINTER(strip), c_int64],
    "player_prepare": [c_int, c_void_p],
    "player_get_status": [c_int, c_void_p, POINTER(player_status)],
    "player_get_heard_frame": [c_int, c_void_p, c_int64, POINTER(c_int64)],
    "player_take_peaks": [c_int, c_void_p, POINTER(c_float), c_size_t],
    "listener_open": [c_int, c_void_p, c_int32, POINTER(c_void_p)],
    "listener_next": [c_int, c_void_p, c_double, POINTER(POINTER(event))],
    "listener_get_descriptor": [c_int, c_void_p, POINTER(c_int32)],
    "listener_set_callback": [c_int, c_void_p, event_callback, c_void_p],
    "listener_close": [c_int, c_void_p],
    "recorder_open": [c_int, c_char_p, POINTER(engine_options), POINTER(c_void_p)],
    "recorder_arm": [c_int, c_void_p],
    "recorder_record": [c_int, c_void_p, c_char_p, POINTER(take_options)],
    "recorder_pause": [c_int, c_void_p],
    "recorder_resume": [c_int, c_void_p],
    "recorder_mark": [c_int, c_void_p, c_char_p],
    "recorder_stop": [c_int, c_void_p, POINTER(take)],
    "recorder_discard": [c_int, c_void_p],
    "recorder_get_status": [c_int, c_void_p, POINTER(recorder_status)],
    "recorder_get_levels": [c_int, c_void_p, POINTER(level), c_size_t],
    "listener_open_recorder": [c_int, c_void_p, c_int32, POINTER(c_void_p)],
    "recorder_close": [c_int, c_void_p],
    "measure": [c_int, c_char_p, POINTER(loudness)],
    "meter_open": [c_int, c_int32, c_int32, POINTER(c_void_p)],
    "meter_add": [c_int, c_void_p, POINTER(POINTER(c_float)), c_int32],
    "meter_finish": [c_int, c_void_p, POINTER(loudness)],
    "meter_close": [c_int, c_void_p],
    "waveform_open": [c_int, c_char_p, POINTER(c_void_p)],
    "waveform_get_columns": [c_int, c_void_p, c_int64, c_int64, c_int32, POINTER(column), c_size_t],
    "waveform_get_frames": [c_int, c_void_p, POINTER(c_int64)],
    "waveform_close": [c_int, c_void_p],
    "calibrate": [c_int, c_char_p, c_char_p, POINTER(engine_options), POINTER(round_trip)],
    "compare": [c_int, c_char_p, POINTER(passage), c_double, POINTER(comparison)],
    "clip_request": [c_int, c_void_p, c_void_p, c_char_p, POINTER(c_int64)],
    "player_prepare_request": [c_int, c_void_p, c_void_p, POINTER(c_int64)],
    "measure_request": [c_int, c_void_p, c_char_p, POINTER(c_int64)],
    "waveform_request": [c_int, c_void_p, c_char_p, POINTER(c_int64)],
    "calibrate_request": [c_int, c_void_p, c_char_p, c_char_p, POINTER(engine_options), POINTER(c_int64)],
    "compare_request": [c_int, c_void_p, c_char_p, POINTER(passage), c_double, POINTER(c_int64)],
    "request_cancel": [c_int, c_void_p, c_int64],
    "store_open": [c_int, c_char_p, POINTER(c_void_p)],
    "section_list_open": [c_int, c_void_p, c_char_p, POINTER(c_void_p)],
    "section_list_count": [c_size_t, c_void_p],
    "section_list_at": [POINTER(kept_section), c_void_p, c_size_t],
    "section_list_close": [c_int, c_void_p],
    "store_add_section": [c_int, c_void_p, c_char_p, c_int64, c_int64, c_char_p, c_char_p, POINTER(c_int32)],
    "store_mark": [c_int, c_void_p, c_char_p, c_int64, c_char_p],
    "store_move_section": [c_int, c_void_p, c_char_p, c_int32, c_int64, c_int64],
    "store_rename_section": [c_int, c_void_p, c_char_p, c_int32, c_char_p],
    "store_remove_section": [c_int, c_void_p, c_char_p, c_int32],
    "store_undo": [c_int, c_void_p, c_char_p],
    "store_redo": [c_int, c_void_p, c_char_p],
    "take_list_open": [c_int, c_void_p, c_char_p, POINTER(c_void_p)],
    "take_list_count": [c_size_t, c_void_p],
    "take_list_at": [POINTER(kept_take), c_void_p, c_size_t],
    "take_list_close": [c_int, c_void_p],
    "store_rate_section": [c_int, c_void_p, c_char_p, c_int32, c_int32],
    "due_list_open": [c_int, c_void_p, c_char_p, POINTER(c_void_p)],
    "due_list_count": [c_size_t, c_void_p],
    "due_list_at": [POINTER(due_section), c_void_p, c_size_t],
    "due_list_close": [c_int, c_void_p],
    "store_close": [c_int, c_void_p],
    "session_open": [c_int, c_void_p, c_void_p, POINTER(plan), POINTER(session_options), POINTER(c_void_p)],
    "session_keep_log": [c_int, c_void_p, c_void_p, c_char_p],
    "session_record": [c_int, c_void_p, POINTER(session_takes), c_void_p, c_char_p],
    "session_toggle_take": [c_int, c_void_p, POINTER(c_int32)],
    "session_get_player": [c_int, c_void_p, POINTER(c_void_p)],
    "session_start": [c_int, c_void_p, c_int64],
    "session_stop": [c_int, c_void_p],
    "session_pause": [c_int, c_void_p],
    "session_resume": [c_int, c_void_p],
    "session_set_loop_start": [c_int, c_void_p],
    "session_set_loop_end": [c_int, c_void_p],
    "session_loop": [c_int, c_void_p, c_int64, c_int64],
    "session_loop_last_heard": [c_int, c_void_p],
    "session_toggle_loop": [c_int, c_void_p],
    "session_move_edge": [c_int, c_void_p, c_int32, c_int64],
    "session_set_speed": [c_int, c_void_p, c_double],
    "session_set_pitch": [c_int, c_void_p, c_double],
    "session_set_passes": [c_int, c_void_p, c_int32],
    "session_set_gap": [c_int, c_void_p, c_int64, c_double],
    "session_skip": [c_int, c_void_p, c_int32],
    "session_go": [c_int, c_void_p, c_int32],
    "session_set_sections": [c_int, c_void_p, POINTER(section), c_size_t],
    "session_set_reversed": [c_int, c_void_p, c_int32],
    "session_jump_to_start": [c_int, c_void_p],
    "session_set_frozen": [c_int, c_void_p, c_int32],
    "session_get_status": [c_int, c_void_p, POINTER(session_status)],
    "session_close": [c_int, c_void_p],
}


def declare(library):
    """Sets the types of the functions of a loaded library, and returns the library. An older library may lack
    functions."""
    for name, (result, *parameters) in _FUNCTIONS.items():
        function = getattr(library, "woodshed_" + name, None)
        if function is not None:
            function.restype, function.argtypes = result, parameters
    return library
