/*
 * Woodshed: a real-time audio engine for practice. It plays recordings, loops their sections at any speed without
 * changing the pitch, and seeks to the exact frame.
 *
 * A slowed loop, written to a file as fast as possible:
 *
 *     woodshed_engine_options options = WOODSHED_ENGINE_OPTIONS_INIT;
 *     options.ends_with_players = 1;
 *     woodshed_section section = WOODSHED_SECTION_INIT;
 *     section.start = 44100, section.end = 88200, section.passes = 3, section.speed = 0.7;
 *     woodshed_plan plan = WOODSHED_PLAN_INIT;
 *     plan.sections = &section, plan.section_count = 1;
 *
 *     woodshed_engine *engine;
 *     woodshed_clip *clip;
 *     woodshed_player *player;
 *     if (woodshed_engine_open("file:loop.wav", &options, &engine) != WOODSHED_OK
 *         || woodshed_clip_open(engine, "song.mp3", &clip) != WOODSHED_OK
 *         || woodshed_player_open(engine, clip, &plan, &player) != WOODSHED_OK
 *         || woodshed_player_start(player, WOODSHED_NOW) != WOODSHED_OK
 *         || woodshed_engine_start(engine) != WOODSHED_OK
 *         || woodshed_engine_wait(engine) != WOODSHED_OK)
 *         fprintf(stderr, "%s\n%s\n", woodshed_error_message(), woodshed_error_remedy());
 *     woodshed_engine_close(engine);
 *
 * CONTENTS
 *
 * The library    version, error messages
 * Engines        outputs: sound cards, files, the host's own audio thread
 * Devices        the list of sound devices
 * Clips          opened recordings
 * Plans          sections, passes, speeds, pitch, gaps
 * Players        clips that sound: start, seek, speed, gain, status
 * Events         queues and callbacks for all that happens
 * Recorders      takes from an input
 * Measures       loudness, waveforms, round trips, comparisons
 * Requests       long work, answered by an event
 * Kept sections  the store: sections, takes, ratings, due sections
 * Sessions       practice: sections in order, loops by ear, the log, takes over the sound
 *
 * RULES FOR THE WHOLE HEADER
 *
 * Status.    Every function that can fail returns a woodshed_status. On failure nothing has changed, result parameters
 *            stay unwritten except that handles become NULL, woodshed_error_message() describes the error, and
 *            woodshed_error_remedy() the remedy. After `@return` the description of a function names each status that
 *            the function may return besides WOODSHED_OK, and besides WOODSHED_UNAVAILABLE after fork().
 * Ownership. The caller owns a handle returned by a function with `open` in its name, or by an answer, and ends it with
 *            the `close` of the same name. Closing an engine also closes its players and sessions; its listeners report
 *            the closing. Handles may be closed in any order; closing NULL does nothing. A handle is a number, not an
 *            address: a closed or made-up handle is refused with WOODSHED_INVALID, and never dereferenced.
 * Getters.   A function with `get` in its name returns a status, and writes the value to a parameter. Lists are the
 *            exception: the `count` of a list returns the number, and its `at` an element or NULL.
 * Texts.     UTF-8. Functions copy the texts passed to them before they return. A returned text stays valid as long as
 *            the function's description says; callers never free returned texts.
 * Structs.   The first field is the size, which the macro WOODSHED_..._INIT sets; woodshed_level, woodshed_column and
 *            the structs in an event have none. Fields of 0 mean the default. A later version may add fields at the
 *            end: an older library refuses a struct that sets a field unknown to the library, and a newer library
 *            treats the fields that an older program lacks as 0.
 * Threads.   Any thread may call any function, also at the same time, unless the function's description says otherwise.
 *            The callback of woodshed_listener_set_callback() is the only callback.
 * Real time. Functions may wait, allocate and take locks, except woodshed_engine_render().
 * Frames.    Positions and lengths are in frames at the engine's rate, from 0. Speeds are factors: 0.7 is 70 %.
 * Samples.   32-bit floats, one buffer a channel, nominal range -1 to 1.
 * Since.     The title of a section has the first WOODSHED_API_VERSION with the section. A later function or field has
 *            its own version in its description.
 *
 * WHAT THE LIBRARY DOES TO ITS HOST
 *
 * Woodshed does not change the locale, the directory, signal handlers or the signal mask of the host's threads, and
 * does not write to standard output or standard error. The library's own threads block all asynchronous signals. The
 * library starts ffmpeg and ffprobe, if installed, to read files that its own decoders cannot; it waits for these
 * children by their process descriptors, so a host that ignores SIGCHLD, or reaps all children, does no harm. The
 * library flushes denormal numbers to zero on its own device threads, and on the host's thread only inside
 * woodshed_engine_render(), which restores the mode. A device's thread asks for real-time scheduling; while the thread
 * runs, its stack and the library's own buffers are locked in memory, where the limits of the process permit. The
 * library contains FFTW, kept apart from the host's FFTW, plans and wisdom.
 *
 * After fork() the child cannot use what the parent has opened. In the child every function with a status returns
 * WOODSHED_UNAVAILABLE, and writes no parameter, not even a handle. woodshed_engine_render() returns -1, and writes no
 * samples. The `count` of every list is 0, and its `at` returns NULL, each with an error message. The functions that
 * never fail work as in the parent; texts and elements returned before fork() stay readable. If the parent has not
 * called a function with a status before fork(), the child can use the library like any program. A child that calls
 * exec is not affected: exec closes all descriptors.
 *
 * The library stays in memory after dlclose(), because its threads may still run.
 */
#ifndef WOODSHED_H
#define WOODSHED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this interface. The library's version must be at least this number, with the same hundreds. */
#define WOODSHED_API_VERSION 200

/** The result of a function. The numbers are the exit statuses of the command `woodshed` for the same error. */
typedef enum woodshed_status {
    /** Success. */
    WOODSHED_OK = 0,
    /** An argument is out of range, contradicts another argument, or is not an open handle. */
    WOODSHED_INVALID = 64,
    /** A damaged file, a file that is not audio, or a place outside the recording. */
    WOODSHED_BAD_DATA = 65,
    /** There is no such file. */
    WOODSHED_NOT_FOUND = 66,
    /**
     * No sound device, a busy device, or a device that cannot do what was requested; or a required library is not
     * installed.
     */
    WOODSHED_UNAVAILABLE = 69,
    /** A fault of the library itself, or more players than can be mixed. */
    WOODSHED_INTERNAL = 70,
    /** A file cannot be created. */
    WOODSHED_CANNOT_CREATE = 73,
    /** Reading or writing failed: the disk is full or broken, or a file has changed. */
    WOODSHED_IO = 74,
    /** The same call may succeed a little later. */
    WOODSHED_TRY_AGAIN = 75,
    /** The user has no permission. */
    WOODSHED_NO_PERMISSION = 77,
    /** A configuration is not valid. */
    WOODSHED_CONFIGURATION = 78,
    /** Cancelled. */
    WOODSHED_CANCELLED = 130,
    /** The reader of a pipe has gone. */
    WOODSHED_CLOSED_PIPE = 141
} woodshed_status;

/** An open output with the players that share it. */
typedef struct woodshed_engine woodshed_engine;
/** An open recording. */
typedef struct woodshed_clip woodshed_clip;
/** A clip played by a plan. */
typedef struct woodshed_player woodshed_player;
/** A queue of events. */
typedef struct woodshed_listener woodshed_listener;
/** An open input that records takes. */
typedef struct woodshed_recorder woodshed_recorder;
/** The outline of a recording, for pictures. */
typedef struct woodshed_waveform woodshed_waveform;
/** The store of a user's sections, takes, ratings and practice log. */
typedef struct woodshed_store woodshed_store;
/** A snapshot of the sections kept with a recording. */
typedef struct woodshed_section_list woodshed_section_list;
/** A snapshot of the kept takes. */
typedef struct woodshed_take_list woodshed_take_list;
/** A snapshot of the due sections. */
typedef struct woodshed_due_list woodshed_due_list;
/** A practice session on a recording. */
typedef struct woodshed_session woodshed_session;
/** A meter for the host's own samples. */
typedef struct woodshed_meter woodshed_meter;

/** As an output frame: from the next block on. */
#define WOODSHED_NOW (-1)
/** As a number of passes: until a request moves the player on. */
#define WOODSHED_ENDLESS (-1)

/* ---- The library. Since 200. ------------------------------------------------------------------------------------- */

/** Returns the version of the library's interface: a WOODSHED_API_VERSION. Never fails. */
int32_t woodshed_api_version(void);

/** Returns the library's version, as in "0.2.0"; valid for ever. Never fails. */
const char *woodshed_version(void);

/**
 * Describes the error of this thread's last failed call, in one sentence for a user. Returns an empty text if no call
 * has failed. Valid until the next failing call on the same thread, or the thread's end. Never fails.
 */
const char *woodshed_error_message(void);

/**
 * Returns the remedy for the error of woodshed_error_message(), in one sentence; may be empty. Valid as long. Never
 * fails.
 */
const char *woodshed_error_remedy(void);

/* ---- Engines. Since 200. ----------------------------------------------------------------------------------------- */

/** The reaction to the loss of a sound card during playback. */
typedef enum woodshed_loss_policy {
    /** Look for the card, and play on when the card is back. */
    WOODSHED_LOSS_WAIT = 0,
    /** Look for the card, and leave the players paused when the card is back. */
    WOODSHED_LOSS_PAUSE = 1,
    /** Play on with the default device. */
    WOODSHED_LOSS_FALL_BACK = 2
} woodshed_loss_policy;

/** The clock of an engine. */
typedef enum woodshed_clock {
    /** Real for sound cards, virtual for files. */
    WOODSHED_CLOCK_AUTO = 0,
    /** The device's own clock, or the system's. Sound that is not ready in time is left out. */
    WOODSHED_CLOCK_REAL = 1,
    /** As fast as possible: every block waits until all its sound is ready. Not for sound cards. */
    WOODSHED_CLOCK_VIRTUAL = 2
} woodshed_clock;

/** The sample format of a file. */
typedef enum woodshed_samples {
    /** For an engine's file, 32-bit floats, and in FLAC 24 bits; for a take, 24 bits. */
    WOODSHED_SAMPLES_DEFAULT = 0,
    WOODSHED_SAMPLES_INT16 = 16,
    WOODSHED_SAMPLES_INT24 = 24,
    WOODSHED_SAMPLES_INT32 = 32,
    /** For takes only. */
    WOODSHED_SAMPLES_FLOAT32 = 33
} woodshed_samples;

/** The options of an engine. */
typedef struct woodshed_engine_options {
    uint32_t size;
    /**
     * Frames a second, 8000 to 768000; 0 is 48000. A card may set another rate: see
     * woodshed_engine_get_configuration().
     */
    int32_t sample_rate;
    /** 1 to 64; 0 is 2. */
    int32_t channels;
    /** Frames in a block, 1 to 8192; 0 is 256. */
    int32_t period_frames;
    /**
     * Blocks in the device's buffer, 2 to 16; 0 is 3, and for a recorder as many as the device permits, up to half a
     * second.
     */
    int32_t periods;
    /** The priority of the device's thread, 1 to 99; 0 is 70, and -1 an ordinary thread. */
    int32_t priority;
    /** A woodshed_clock. */
    int32_t clock;
    /** A woodshed_loss_policy. */
    int32_t on_loss;
    /** A woodshed_samples except WOODSHED_SAMPLES_FLOAT32, for files. */
    int32_t samples;
    /** Not 0: the engine ends when its last player has finished. 0: the engine goes on in silence until stopped. */
    int32_t ends_with_players;
    /** Not 0: open the hardware itself, for this engine alone. */
    int32_t exclusive;
} woodshed_engine_options;
#define WOODSHED_ENGINE_OPTIONS_INIT { (uint32_t)sizeof(woodshed_engine_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** The configuration that an engine's device has accepted. */
typedef struct woodshed_configuration {
    uint32_t size;
    int32_t sample_rate;
    int32_t channels;
    int32_t period_frames;
    int32_t buffer_frames;
} woodshed_configuration;
#define WOODSHED_CONFIGURATION_INIT { (uint32_t)sizeof(woodshed_configuration), 0, 0, 0, 0 }

/** The position of an engine. */
typedef struct woodshed_position {
    uint32_t size;
    int32_t reserved;
    /** Frames passed to the device since the start. */
    int64_t written;
    /** Frames heard since the start. */
    int64_t heard;
} woodshed_position;
#define WOODSHED_POSITION_INIT { (uint32_t)sizeof(woodshed_position), 0, 0, 0 }

/** Counters of an engine since its start, over all devices used. */
typedef struct woodshed_statistics {
    uint32_t size;
    /** The SCHED_FIFO priority that the device's thread has; 0 for ordinary scheduling. */
    int32_t priority;
    /** Underruns of the device. */
    int64_t xruns;
    /** Frames of silence that the underruns caused, about. No frame of the sound was skipped. */
    int64_t lost_frames;
    /** The number of times the device was lost. */
    int64_t interruptions;
    int64_t blocks;
    int64_t frames;
    /** The computation time of a block, in microseconds: the median, and the longest. */
    double median_microseconds;
    double maximum_microseconds;
} woodshed_statistics;
#define WOODSHED_STATISTICS_INIT { (uint32_t)sizeof(woodshed_statistics), 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Opens an output. Nothing is heard before woodshed_engine_start().
 *
 * @param output  "default", the name of an ALSA device, "null", or "file:PATH" (WAV, FLAC, Opus, Ogg, MP3 by the
 *                ending).
 * @param options NULL for the defaults.
 * @param engine  Receives the engine, or NULL.
 * @return WOODSHED_INVALID, WOODSHED_UNAVAILABLE, WOODSHED_CANNOT_CREATE, WOODSHED_IO, WOODSHED_NO_PERMISSION.
 *
 * May take as long as a sound server needs to answer.
 */
woodshed_status woodshed_engine_open(
    const char *output, const woodshed_engine_options *options, woodshed_engine **engine);

/**
 * Opens an engine without a device, for a program that has an audio thread of its own: see woodshed_engine_render().
 *
 * `period_frames` is the longest block that is computed at once. With the virtual clock, for programs that render to
 * memory, woodshed_engine_render() waits until all sound is ready.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_engine_open_pulled(const woodshed_engine_options *options, woodshed_engine **engine);

/**
 * Fills a block with the sound of an engine opened with woodshed_engine_open_pulled().
 *
 * REAL TIME: no allocation, no lock, no system call, unless the engine has the virtual clock. Frames not decoded in
 * time are silent and reported by the event WOODSHED_EVENT_STARVED. The sound does not depend on the lengths of the
 * blocks.
 *
 * @param channels     A buffer of `frames` samples for each channel of the engine. Without sound the buffers receive
 *                     silence.
 * @param frames       0 or more.
 * @param delay_frames Frames from the first frame of this block until that frame is heard, for
 *                     woodshed_engine_get_position(); 0 if not known.
 * @return The frames of sound: fewer than `frames` after the end, and 0 when the engine does not run; -1 if an argument
 *         is not valid, and after fork() in the child (without an error message in these cases).
 *
 * Threads: one call at a time for each engine.
 */
int32_t woodshed_engine_render(
    woodshed_engine *engine, float *const *channels, int32_t frames, int64_t delay_frames);

/**
 * Opens an output and an input that run together, for sessions that align takes to the heard sound, to the frame: see
 * woodshed_session_record(), which must be called before woodshed_engine_start().
 *
 * @param input          Both are devices, or both are files or "null".
 * @param input_channels 1 to 64; 0 is 2.
 * @param options        As for woodshed_engine_open(); `on_loss` must be 0: the engine ends when its device is lost.
 * @return WOODSHED_INVALID, WOODSHED_UNAVAILABLE, WOODSHED_CANNOT_CREATE, WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_engine_open_duplex(
    const char *output, const char *input, int32_t input_channels, const woodshed_engine_options *options,
    woodshed_engine **engine);

/** Gets the configuration that the device has accepted. @return WOODSHED_INVALID. */
woodshed_status woodshed_engine_get_configuration(woodshed_engine *engine, woodshed_configuration *configuration);

/**
 * Starts the device once the beginning of every player's sound is decoded. Once per engine.
 *
 * @return WOODSHED_INVALID, WOODSHED_IO.
 */
woodshed_status woodshed_engine_start(woodshed_engine *engine);

/**
 * Waits until the last player has finished and the device has played its sound out, or the engine is stopped or
 * closed.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND, WOODSHED_UNAVAILABLE, WOODSHED_CANNOT_CREATE,
 *         WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_engine_wait(woodshed_engine *engine);

/**
 * Stops the device at once, for good. A file is complete up to here. Stop the players first for a fade-out.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_engine_stop(woodshed_engine *engine);

/** Gets the engine's position. @return WOODSHED_INVALID. */
woodshed_status woodshed_engine_get_position(woodshed_engine *engine, woodshed_position *position);

/** Gets the engine's counters. @return WOODSHED_INVALID. */
woodshed_status woodshed_engine_get_statistics(woodshed_engine *engine, woodshed_statistics *statistics);

/**
 * Stops an engine, and closes the engine and its players. Waits until a block being rendered is complete.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_engine_close(woodshed_engine *engine);

/* ---- Devices. Since 200. ----------------------------------------------------------------------------------------- */

/** A sound device. */
typedef struct woodshed_device {
    uint32_t size;
    /** Not 0 for a device that records, 0 for one that plays. */
    int32_t is_input;
    /** Not 0 for the default device. */
    int32_t is_default;
    int32_t reserved;
    /** As in woodshed_engine_open(). */
    const char *name;
    /** A readable description. */
    const char *description;
} woodshed_device;

/** A list of devices. */
typedef struct woodshed_device_list woodshed_device_list;

/** Lists the devices that play and those that record. @return WOODSHED_INVALID. */
woodshed_status woodshed_device_list_open(woodshed_device_list **list);

/** Returns the number of devices in a list; 0 if `list` is not a device list. */
size_t woodshed_device_list_count(woodshed_device_list *list);

/** Returns a device of a list, by its index from 0; valid as long as the list. NULL if there is none. */
const woodshed_device *woodshed_device_list_at(woodshed_device_list *list, size_t place);

/** Closes a list. @return WOODSHED_INVALID. */
woodshed_status woodshed_device_list_close(woodshed_device_list *list);

/* ---- Clips. Since 200. ------------------------------------------------------------------------------------------- */

/** The properties of a clip. */
typedef struct woodshed_clip_info {
    uint32_t size;
    int32_t channels;
    /** The engine's rate, at which the clip is played. */
    int32_t sample_rate;
    /** The rate of the file. */
    int32_t file_rate;
    /** The length at the engine's rate. */
    int64_t frames;
    /** The length in the file. */
    int64_t file_frames;
    /** The file's format, such as "wav" and "pcm_s16"; valid as long as the clip. */
    const char *container;
    const char *codec;
} woodshed_clip_info;
#define WOODSHED_CLIP_INFO_INIT { (uint32_t)sizeof(woodshed_clip_info), 0, 0, 0, 0, 0, NULL, NULL }

/**
 * Opens a recording for an engine, at the engine's rate. A file of another rate is converted while decoded.
 *
 * Only parts of the recording are in memory, so a recording may be longer than the memory. Several players may share a
 * clip; each player keeps the clip as long as needed.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND, WOODSHED_UNAVAILABLE, WOODSHED_IO,
 *         WOODSHED_TRY_AGAIN (the system has no thread or no memory left), WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_clip_open(woodshed_engine *engine, const char *path, woodshed_clip **clip);

/**
 * Makes a clip of a copy of samples in memory, at the engine's rate.
 *
 * @param channels      A buffer of `frames` samples for each channel.
 * @param channel_count 1 to 64.
 * @param frames        1 or more.
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA (too long), WOODSHED_TRY_AGAIN (the system has no thread left).
 */
woodshed_status woodshed_clip_open_memory(
    woodshed_engine *engine, const float *const *channels, int32_t channel_count, int64_t frames, woodshed_clip **clip);

/** Gets the properties of a clip. @return WOODSHED_INVALID. */
woodshed_status woodshed_clip_get_info(woodshed_clip *clip, woodshed_clip_info *info);

/**
 * Gets the frame of the clip for a frame of the file, as of a kept section. Both frames differ if the rates differ.
 *
 * @param file_frame 0 to the length of the file.
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_clip_get_frame_of_file(woodshed_clip *clip, int64_t file_frame, int64_t *clip_frame);

/** Closes a clip; players that use the clip keep it. @return WOODSHED_INVALID. */
woodshed_status woodshed_clip_close(woodshed_clip *clip);

/* ---- Plans. Since 200. ------------------------------------------------------------------------------------------- */

/** The transition between passes. */
typedef enum woodshed_joint {
    /** The sound continues past the end for 5 ms and crossfades with the new start: no click, no gap. */
    WOODSHED_JOINT_CROSSFADE = 0,
    /** 3 ms out and 3 ms in, inside the passes. */
    WOODSHED_JOINT_FADE = 1,
    /** A bit-exact cut: every pass is the recording itself, with a click where the music jumps. */
    WOODSHED_JOINT_HARD = 2
} woodshed_joint;

/** The kind of recording, which selects the stretching method. */
typedef enum woodshed_material {
    WOODSHED_MATERIAL_AUTO = 0,
    WOODSHED_MATERIAL_MUSIC = 1,
    WOODSHED_MATERIAL_SPEECH = 2
} woodshed_material;

/** The treatment of the formants, which distinguish voices, when the pitch is changed. */
typedef enum woodshed_formants {
    /** Kept in speech, moved in music. */
    WOODSHED_FORMANTS_AUTO = 0,
    /** Kept: a voice stays the same person's. */
    WOODSHED_FORMANTS_KEEP = 1,
    /** Moved with the pitch, as on a tape. */
    WOODSHED_FORMANTS_MOVE = 2
} woodshed_formants;

/** A part of a clip, played once or more. */
typedef struct woodshed_section {
    uint32_t size;
    /** The number of passes, 1 or more, or WOODSHED_ENDLESS; 0 is as the plan says. */
    int32_t passes;
    /** The first frame, and the frame after the last. */
    int64_t start;
    int64_t end;
    /** 0.25 to 4; 0 is as the plan says. */
    double speed;
    /** With `speed_step`: the speed of the last pass, and the change with each pass. 0 for a constant speed. */
    double speed_to;
    double speed_step;
    /** The section's name, or NULL. */
    const char *name;
    /** In a session: the id of the kept section from which this section comes; 0 if not kept. */
    int32_t id;
    int32_t reserved;
} woodshed_section;
#define WOODSHED_SECTION_INIT { (uint32_t)sizeof(woodshed_section), 0, 0, 0, 0, 0, 0, NULL, 0, 0 }

/** The plan of a player: sections, passes, speeds, and the silence between passes. */
typedef struct woodshed_plan {
    uint32_t size;
    /** The number of passes of each section, 1 or more, or WOODSHED_ENDLESS; 0 is once. */
    int32_t passes;
    /** The sections in their order; NULL plays the whole clip. The size of the first section holds for all. */
    const woodshed_section *sections;
    size_t section_count;
    /** 0.25 to 4; 0 is 1. */
    double speed;
    /** With `speed_step`: the speed of the last pass, and the change with each pass. 0 for a constant speed. */
    double speed_to;
    double speed_step;
    /** The change of pitch, -24 to 24. */
    double semitones;
    /** Silence after each pass, in frames; or, if `gap_frames` is 0, in lengths of the pass as heard. */
    int64_t gap_frames;
    double gap_passes;
    /** A woodshed_joint. */
    int32_t joint;
    /** A woodshed_material. */
    int32_t material;
    /** Not 0: less work for the processor, with a lower quality of slowed sound. */
    int32_t light;
    /** Not 0: the pitch follows the speed, as of a tape. */
    int32_t varispeed;
    /** Not 0: each pass plays from its end to its beginning. */
    int32_t reversed;
    /** Not 0: after the last section the plan begins anew. */
    int32_t repeats;
    /** A woodshed_formants. */
    int32_t formants;
    int32_t reserved;
} woodshed_plan;
#define WOODSHED_PLAN_INIT { (uint32_t)sizeof(woodshed_plan), 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Gets the length of a plan in frames, with all passes and gaps; -1 if endless. Also checks the plan without playing
 * it.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA (a section outside the clip).
 */
woodshed_status woodshed_plan_get_frames(const woodshed_plan *plan, woodshed_clip *clip, int64_t *frames);

/* ---- Players. Since 200. ----------------------------------------------------------------------------------------- */

/** The state of a player. */
typedef enum woodshed_player_state {
    WOODSHED_PLAYER_IDLE = 0,
    WOODSHED_PLAYER_PLAYING = 1,
    WOODSHED_PLAYER_PAUSED = 2,
    WOODSHED_PLAYER_STOPPING = 3,
    WOODSHED_PLAYER_FINISHED = 4
} woodshed_player_state;

/** A player as of the last block. */
typedef struct woodshed_player_status {
    uint32_t size;
    /** A woodshed_player_state. */
    int32_t state;
    /**
     * The section and the pass, from 1; 0 before the start. `passes`: passes of the section, WOODSHED_ENDLESS if
     * without end.
     */
    int32_t section;
    int32_t pass;
    int32_t passes;
    /** Not 0 in the gap between two passes. */
    int32_t is_resting;
    /** Not 0 while the player holds the sound of a place. */
    int32_t is_frozen;
    /** Not 0 while the sound plays backwards. */
    int32_t is_reversed;
    /** The next frame of the output, and the corresponding frame of the clip. */
    int64_t frame;
    int64_t clip_frame;
    double speed;
    double semitones;
    /** Frames that were silent because decoding was late. */
    int64_t starved_frames;
    /** Events of the player since its opening that no listener gets, because one block had thousands of events. */
    int64_t dropped_events;
} woodshed_player_status;
#define WOODSHED_PLAYER_STATUS_INIT { (uint32_t)sizeof(woodshed_player_status), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Adds a player to an engine; the player is silent until woodshed_player_start().
 *
 * @param plan NULL plays the clip once.
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA (a section outside the clip), WOODSHED_INTERNAL (more than 128 players).
 */
woodshed_status woodshed_player_open(
    woodshed_engine *engine, woodshed_clip *clip, const woodshed_plan *plan, woodshed_player **player);

/** Fades a player out, removes the player from its engine and closes it. @return WOODSHED_INVALID. */
woodshed_status woodshed_player_close(woodshed_player *player);

/*
 * Requests. Each returns at once, and is heard from the next block on (WOODSHED_NOW) or from exactly the output frame
 * `at`. Each fades the old sound into the new sound over 5 ms, unless described otherwise.
 */

/** Plays from the beginning of the plan. Has no effect while the player plays. @return WOODSHED_INVALID. */
woodshed_status woodshed_player_start(woodshed_player *player, int64_t at);

/**
 * Plays from a section, from 1; if `clip_frame` is not -1, from that frame in the section.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA (no such section, or a frame outside the section).
 */
woodshed_status woodshed_player_start_in(woodshed_player *player, int32_t section, int64_t clip_frame, int64_t at);

/** Pauses: silence until resumed. @return WOODSHED_INVALID. */
woodshed_status woodshed_player_pause(woodshed_player *player, int64_t at);

/** Resumes at the place of the pause. @return WOODSHED_INVALID. */
woodshed_status woodshed_player_resume(woodshed_player *player, int64_t at);

/** Fades out and finishes. @return WOODSHED_INVALID. */
woodshed_status woodshed_player_stop(woodshed_player *player, int64_t at);

/**
 * Moves to a frame of the clip, which must be in a section.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA (a frame in no section).
 */
woodshed_status woodshed_player_seek(woodshed_player *player, int64_t clip_frame, int64_t at);

/** Moves to the first pass of a section, from 1. @return WOODSHED_INVALID, WOODSHED_BAD_DATA (no such section). */
woodshed_status woodshed_player_skip(woodshed_player *player, int32_t section, int64_t at);

/**
 * Plays at another speed from here on, by a glide of `glide_frames`; -1 is 50 ms.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA (a section too short for the speed).
 */
woodshed_status woodshed_player_set_speed(woodshed_player *player, double speed, int64_t glide_frames, int64_t at);

/** Changes the pitch, in semitones. @return WOODSHED_INVALID. */
woodshed_status woodshed_player_set_pitch(woodshed_player *player, double semitones, int64_t at);

/**
 * Changes the gain, in dB, to 60: 0 leaves the samples as they are, minus infinity is silence. NaN is refused.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_player_set_gain(woodshed_player *player, double decibels, int64_t at);

/** Plays backwards or forwards. @return WOODSHED_INVALID. */
woodshed_status woodshed_player_set_reversed(woodshed_player *player, int32_t is_reversed, int64_t at);

/**
 * Plays another plan, at the same place of the clip if the plan contains the place.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA (a section outside the clip).
 */
woodshed_status woodshed_player_set_plan(woodshed_player *player, const woodshed_plan *plan, int64_t at);

/** Holds the sound of this place. @return WOODSHED_INVALID. */
woodshed_status woodshed_player_freeze(woodshed_player *player, int64_t at);

/** Goes on from the place of the held sound. @return WOODSHED_INVALID. */
woodshed_status woodshed_player_unfreeze(woodshed_player *player, int64_t at);

/** The treatment of the centre: the sound common to both channels, as a singer often is. */
typedef enum woodshed_centre {
    WOODSHED_CENTRE_AS_RECORDED = 0,
    /** Only the centre: the mean of both channels. */
    WOODSHED_CENTRE_KEPT = 1,
    /** Without the centre, except for its bass below 110 Hz. */
    WOODSHED_CENTRE_REMOVED = 2
} woodshed_centre;

/** The last processing of a player's sound, like a channel of a mixing desk. */
typedef struct woodshed_strip {
    uint32_t size;
    /** A woodshed_centre. All but as recorded need two channels. */
    int32_t centre;
    /**
     * The channels of the clip for left and right, from 1; the same channel twice is heard on both sides. 0 and 0 are
     * all.
     */
    int32_t left_channel;
    int32_t right_channel;
    /** From -1, left alone, over 0 to 1, right alone. Needs two channels. */
    double balance;
    /** Gains in dB below 250 Hz, around 1 kHz and above 4 kHz: -24 to 12. */
    double low_decibels;
    double mid_decibels;
    double high_decibels;
} woodshed_strip;
#define WOODSHED_STRIP_INIT { (uint32_t)sizeof(woodshed_strip), 0, 0, 0, 0, 0, 0, 0 }

/**
 * Changes the channels, the centre, the balance and the equaliser, within 20 ms; NULL makes the strip neutral.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA (a channel that the clip lacks).
 */
woodshed_status woodshed_player_set_strip(woodshed_player *player, const woodshed_strip *strip, int64_t at);

/**
 * Waits until the clip is analysed around the player's place. Before woodshed_player_start(), the wait makes a live
 * player sound as under the virtual clock; without the wait, sound begins at once and the first passes may be
 * stretched without regard to attacks.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_player_prepare(woodshed_player *player);

/** Gets the player's status. @return WOODSHED_INVALID. */
woodshed_status woodshed_player_get_status(woodshed_player *player, woodshed_player_status *status);

/**
 * Gets the frame of the clip heard at an output frame of the last minute, or of less with many joints; -1 if no frame
 * was heard.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_player_get_heard_frame(woodshed_player *player, int64_t frame, int64_t *clip_frame);

/**
 * Gets the highest absolute sample of each of the first eight channels since the last call; 1 is full scale.
 *
 * @param peaks Receives `count` values, at most 8; 0 for channels that do not exist.
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_player_take_peaks(woodshed_player *player, float *peaks, size_t count);

/* ---- Events. Since 200. ------------------------------------------------------------------------------------------ */

/**
 * The kind of an event, which decides the member of woodshed_event_data that the event has. The description of each
 * kind names the member; a kind without a member has only the fields of woodshed_event.
 */
typedef enum woodshed_event_kind {
    /** Nothing, within the time. No frame. */
    WOODSHED_EVENT_NONE = 0,
    /**
     * The engine was closed: no further event follows. Reported once; later calls return WOODSHED_EVENT_NONE at once.
     * No frame.
     */
    WOODSHED_EVENT_CLOSED = 1,
    /*
     * Events of a player; `frame` is an output frame. Every event of a player has `place`.
     */
    /** The first frame of a player's plan is heard: `place`. */
    WOODSHED_EVENT_STARTED = 2,
    /** The first pass of a section begins; the last pass of a section is over: `place`. */
    WOODSHED_EVENT_SECTION_STARTED = 3,
    WOODSHED_EVENT_SECTION_ENDED = 4,
    /** A pass begins, or ends: `place`. */
    WOODSHED_EVENT_PASS_STARTED = 5,
    WOODSHED_EVENT_PASS_ENDED = 6,
    /** A request moved the player, or replaced its plan: `place`. */
    WOODSHED_EVENT_MOVED = 7,
    /** Another speed: `place`, with the target speed. */
    WOODSHED_EVENT_SPEED_CHANGED = 8,
    /** The device ran dry, and the sound goes on at its place: `xrun`. */
    WOODSHED_EVENT_XRUN = 9,
    /** Frames were silent, because decoding was late: `starved`. */
    WOODSHED_EVENT_STARVED = 10,
    /** The limiter turned the pass just ended down, to keep the pass below full scale: `limited`. */
    WOODSHED_EVENT_LIMITED = 11,
    /** The player pauses, or resumes: `paused`. */
    WOODSHED_EVENT_PAUSED = 12,
    WOODSHED_EVENT_RESUMED = 13,
    /** The player holds the sound of a place, or goes on: `place`. */
    WOODSHED_EVENT_FROZEN = 14,
    WOODSHED_EVENT_UNFROZEN = 15,
    /** A player has finished: `finished`. */
    WOODSHED_EVENT_FINISHED = 16,
    /*
     * Events of an engine; `frame` is an output frame.
     */
    /** The device is lost: `device_lost`. */
    WOODSHED_EVENT_DEVICE_LOST = 17,
    /** The device is back, or another device has taken over: `device_back`. */
    WOODSHED_EVENT_DEVICE_BACK = 18,
    /** A device is needed and not there: `failure`. No frame. */
    WOODSHED_EVENT_DEVICE_MISSING = 19,
    /**
     * The device, or a recorder's input, stood still or was suspended, and went on: `disturbed`. For a recorder,
     * `frame` is a frame of the input.
     */
    WOODSHED_EVENT_DISTURBED = 20,
    /**
     * An event of a player: a section is classified, which decides the sound of its next passes: `material_chosen`.
     */
    WOODSHED_EVENT_MATERIAL_CHOSEN = 21,
    /*
     * Events of a recorder; `frame` counts from the beginning of the take.
     */
    /** The take has begun: `take_started`. */
    WOODSHED_EVENT_TAKE_STARTED = 32,
    /** Recording pauses here; recording resumes. */
    WOODSHED_EVENT_TAKE_PAUSED = 33,
    WOODSHED_EVENT_TAKE_RESUMED = 34,
    /** A mark was set: `take_marked`. */
    WOODSHED_EVENT_TAKE_MARKED = 35,
    /** The take has ended and is complete on the disk: `take_stopped`. */
    WOODSHED_EVENT_TAKE_STOPPED = 36,
    /** Frames from here on were not captured, or came too fast for the disk: `take_overrun`. */
    WOODSHED_EVENT_TAKE_OVERRUN = 37,
    /** A channel clipped for the first time: `take_clipped`. No frame. */
    WOODSHED_EVENT_TAKE_CLIPPED = 38,
    /** The disk has room for less than a minute: `disk_low`. No frame. */
    WOODSHED_EVENT_DISK_LOW = 39,
    /** Writing failed; the part written is a valid file: `failure`. */
    WOODSHED_EVENT_TAKE_FAILED = 40,
    /** The input has ended: `failure`, with NULL for both texts if there was no error. No frame. */
    WOODSHED_EVENT_INPUT_ENDED = 41,
    /*
     * Events of a session, without a frame; `player` is its player.
     */
    /** The session begins: `session_started`. */
    WOODSHED_EVENT_SESSION_STARTED = 48,
    /** The session moved on to a section, by itself or on request: `session_proceeded`. */
    WOODSHED_EVENT_SESSION_PROCEEDED = 49,
    /** The loop was changed, entered or left: `loop_changed`. */
    WOODSHED_EVENT_LOOP_CHANGED = 50,
    /** Every section is over; or a request stopped the session. */
    WOODSHED_EVENT_SESSION_COMPLETED = 51,
    WOODSHED_EVENT_SESSION_STOPPED = 52,
    /**
     * Writing the practice log failed, and will be repeated; or entries were lost meanwhile; or the log was not written
     * within 30 s of the session's close: `failure`.
     */
    WOODSHED_EVENT_LOG_FAILED = 53,
    /*
     * Events of a take over a session, without a frame; `player` is the session's player.
     */
    /** The take has begun: `session_take`. */
    WOODSHED_EVENT_SESSION_TAKE_BEGAN = 54,
    /** Frames were not captured: `session_take_lost`. */
    WOODSHED_EVENT_SESSION_TAKE_LOST = 55,
    /** The take is complete on the disk: `session_take_ended`. */
    WOODSHED_EVENT_SESSION_TAKE_ENDED = 56,
    /** The take was too short to be kept, and is removed: `session_take`. */
    WOODSHED_EVENT_SESSION_TAKE_DROPPED = 57,
    /** The file of the take cannot be created, or not be written to its end: `session_take_failed`. */
    WOODSHED_EVENT_SESSION_TAKE_FAILED = 58,
    /** The take is on the disk, but the store cannot list it: `session_take_failed`. */
    WOODSHED_EVENT_SESSION_TAKE_UNLISTED = 59,
    /** The answer to a request: `answer`. No frame. See "Requests". */
    WOODSHED_EVENT_ANSWER = 64
} woodshed_event_kind;

/** The reason for the end of a take. */
typedef enum woodshed_take_end {
    /** As requested. */
    WOODSHED_TAKE_ASKED = 0,
    /** The take reached its limit. */
    WOODSHED_TAKE_LIMIT = 1,
    WOODSHED_TAKE_INPUT_ENDED = 2,
    WOODSHED_TAKE_FAILED = 3
} woodshed_take_end;

/** The reason for a pause. */
typedef enum woodshed_reason {
    WOODSHED_REASON_USER = 0,
    WOODSHED_REASON_SUSPENDED = 1,
    WOODSHED_REASON_DEVICE_LOST = 2,
    WOODSHED_REASON_SERVER_GONE = 3,
    WOODSHED_REASON_DEVICE_STOPPED = 4,
    WOODSHED_REASON_DEVICE_SUSPENDED = 5,
    WOODSHED_REASON_DEVICE_TAKEN = 6,
    WOODSHED_REASON_HEARING = 7
} woodshed_reason;

/** The reason for the end of a player. */
typedef enum woodshed_finish {
    WOODSHED_FINISH_COMPLETED = 0,
    WOODSHED_FINISH_STOPPED = 1,
    /** The recording could no longer be read. */
    WOODSHED_FINISH_FAILED = 2
} woodshed_finish;

/** The place of a player at an event. */
typedef struct woodshed_place {
    /** The frame of the clip that belongs to the event's output frame. */
    int64_t clip_frame;
    /** The section and the pass, from 1. */
    int32_t section;
    int32_t pass;
    /** The number of passes of the section, or WOODSHED_ENDLESS. */
    int32_t passes;
    int32_t reserved;
    /** The speed of the pass. */
    double speed;
    /** The change of pitch. */
    double semitones;
} woodshed_place;

/** An error, in the words for a user: as woodshed_error_message() and woodshed_error_remedy(). */
typedef struct woodshed_failure {
    /** NULL if there was no error. */
    const char *message;
    const char *remedy;
} woodshed_failure;

/** WOODSHED_EVENT_XRUN. */
typedef struct woodshed_xrun_event {
    woodshed_place place;
    /** The frames of silence, about. */
    int64_t lost_frames;
} woodshed_xrun_event;

/** WOODSHED_EVENT_STARVED. */
typedef struct woodshed_starved_event {
    woodshed_place place;
    int64_t silent_frames;
} woodshed_starved_event;

/** WOODSHED_EVENT_LIMITED. */
typedef struct woodshed_limited_event {
    woodshed_place place;
    /** The largest reduction, above 0. */
    double reduction_decibels;
} woodshed_limited_event;

/** WOODSHED_EVENT_PAUSED and WOODSHED_EVENT_RESUMED. */
typedef struct woodshed_paused_event {
    woodshed_place place;
    /** A woodshed_reason: of the pause, or of the pause just ended. */
    int32_t reason;
    int32_t reserved;
} woodshed_paused_event;

/** WOODSHED_EVENT_FINISHED. */
typedef struct woodshed_finished_event {
    woodshed_place place;
    /** A woodshed_finish. */
    int32_t finish;
    int32_t reserved;
    /** The error of WOODSHED_FINISH_FAILED, if known. */
    woodshed_failure failure;
} woodshed_finished_event;

/** WOODSHED_EVENT_MATERIAL_CHOSEN. */
typedef struct woodshed_material_chosen_event {
    woodshed_place place;
    /** A woodshed_material. */
    int32_t material;
    int32_t reserved;
    /** The reason for the choice, in words. */
    const char *explanation;
} woodshed_material_chosen_event;

/** WOODSHED_EVENT_DEVICE_LOST. */
typedef struct woodshed_device_lost_event {
    /** The frames passed to the device and not heard, about. */
    int64_t unheard_frames;
    /** A woodshed_reason: the reason of the players' pause. */
    int32_t reason;
    int32_t reserved;
    woodshed_failure failure;
} woodshed_device_lost_event;

/** WOODSHED_EVENT_DEVICE_BACK. */
typedef struct woodshed_device_back_event {
    const char *device_name;
} woodshed_device_back_event;

/** WOODSHED_EVENT_DISTURBED. */
typedef struct woodshed_disturbed_event {
    /** The length of the disturbance, about. */
    int64_t lost_frames;
} woodshed_disturbed_event;

/** WOODSHED_EVENT_TAKE_STARTED. */
typedef struct woodshed_take_started_event {
    /** The frame of the input at which the take begins. */
    int64_t input_frame;
    /** The frames of the take from before the request. */
    int64_t earlier_frames;
} woodshed_take_started_event;

/** WOODSHED_EVENT_TAKE_MARKED. */
typedef struct woodshed_take_marked_event {
    const char *name;
} woodshed_take_marked_event;

/** WOODSHED_EVENT_TAKE_STOPPED. */
typedef struct woodshed_take_stopped_event {
    /** A woodshed_take_end. */
    int32_t end;
    int32_t reserved;
} woodshed_take_stopped_event;

/** WOODSHED_EVENT_TAKE_OVERRUN. */
typedef struct woodshed_take_overrun_event {
    /** The frames that are silence in the take. */
    int64_t lost_frames;
} woodshed_take_overrun_event;

/** WOODSHED_EVENT_TAKE_CLIPPED. */
typedef struct woodshed_take_clipped_event {
    /** The frame of the input with the first clipped sample. */
    int64_t input_frame;
    /** The channel of the input, from 1. */
    int32_t channel;
    int32_t reserved;
} woodshed_take_clipped_event;

/** WOODSHED_EVENT_DISK_LOW. */
typedef struct woodshed_disk_low_event {
    /** Recording time that fits on the disk. */
    double seconds_left;
} woodshed_disk_low_event;

/** WOODSHED_EVENT_SESSION_STARTED. */
typedef struct woodshed_session_started_event {
    int32_t section_count;
    int32_t reserved;
} woodshed_session_started_event;

/** WOODSHED_EVENT_SESSION_PROCEEDED. */
typedef struct woodshed_session_proceeded_event {
    /** The section that plays, from 1, in the order of playing. */
    int32_t section;
    int32_t reserved;
} woodshed_session_proceeded_event;

/** WOODSHED_EVENT_LOOP_CHANGED. Frames of the clip, as in woodshed_session_status. */
typedef struct woodshed_loop_changed_event {
    /** -1 for a mark that is not set. */
    int64_t loop_start;
    int64_t loop_end;
    /** Not 0 while the loop plays. */
    int32_t is_looping;
    int32_t reserved;
} woodshed_loop_changed_event;

/** A take over a session: WOODSHED_EVENT_SESSION_TAKE_BEGAN and WOODSHED_EVENT_SESSION_TAKE_DROPPED. */
typedef struct woodshed_session_take_event {
    /** The frame of the input at which the take begins. */
    int64_t input_frame;
    /** Distinguishes the takes of a session: above 0, and higher for a later take. */
    int32_t take_id;
    /** The take's number in the store; 0 while not listed. */
    int32_t number;
    /** The take's file. */
    const char *path;
    /** The sound heard, as in woodshed_kept_take; 0 for a take without a passage. */
    double speed;
    double semitones;
    int32_t pass;
    int32_t reserved;
} woodshed_session_take_event;

/** WOODSHED_EVENT_SESSION_TAKE_LOST. */
typedef struct woodshed_session_take_lost_event {
    woodshed_session_take_event take;
    /** The frames that are silence in the take. */
    int64_t lost_frames;
} woodshed_session_take_lost_event;

/** WOODSHED_EVENT_SESSION_TAKE_ENDED. */
typedef struct woodshed_session_take_ended_event {
    woodshed_session_take_event take;
    /** The length of the take. */
    int64_t frames;
} woodshed_session_take_ended_event;

/** WOODSHED_EVENT_SESSION_TAKE_FAILED and WOODSHED_EVENT_SESSION_TAKE_UNLISTED. */
typedef struct woodshed_session_take_failed_event {
    woodshed_session_take_event take;
    woodshed_failure failure;
} woodshed_session_take_failed_event;

/** WOODSHED_EVENT_ANSWER. The results that the request does not have are NULL. */
typedef struct woodshed_answer_event {
    /** The number of the request. */
    int64_t request;
    /** The woodshed_status of the work. */
    int32_t status;
    int32_t reserved;
    woodshed_failure failure;
    /** The caller owns these handles from now on. */
    woodshed_clip *clip;
    woodshed_waveform *waveform;
    const struct woodshed_loudness *loudness;
    const struct woodshed_round_trip *round_trip;
    const struct woodshed_comparison *comparison;
} woodshed_answer_event;

/**
 * The data of an event: the member that the description of the event's kind names. The union never changes its size.
 */
typedef union woodshed_event_data {
    /** Also valid for a kind of a player with a member of its own, because such a member begins with the place. */
    woodshed_place place;
    woodshed_xrun_event xrun;
    woodshed_starved_event starved;
    woodshed_limited_event limited;
    woodshed_paused_event paused;
    woodshed_finished_event finished;
    woodshed_material_chosen_event material_chosen;
    woodshed_device_lost_event device_lost;
    woodshed_device_back_event device_back;
    woodshed_disturbed_event disturbed;
    woodshed_failure failure;
    woodshed_take_started_event take_started;
    woodshed_take_marked_event take_marked;
    woodshed_take_stopped_event take_stopped;
    woodshed_take_overrun_event take_overrun;
    woodshed_take_clipped_event take_clipped;
    woodshed_disk_low_event disk_low;
    woodshed_session_started_event session_started;
    woodshed_session_proceeded_event session_proceeded;
    woodshed_loop_changed_event loop_changed;
    /** Also valid for the other kinds of a take over a session, whose members begin with this struct. */
    woodshed_session_take_event session_take;
    woodshed_session_take_lost_event session_take_lost;
    woodshed_session_take_ended_event session_take_ended;
    woodshed_session_take_failed_event session_take_failed;
    woodshed_answer_event answer;
    int64_t reserved[20];
} woodshed_event_data;

/** An event. The event, its texts and the structs behind its pointers are valid equally long. */
typedef struct woodshed_event {
    uint32_t size;
    /** A woodshed_event_kind. */
    int32_t kind;
    /** The frame of the event, on the time line that the kind names; -1 for an event without a frame. */
    int64_t frame;
    /** The player; NULL for an event of an engine or a recorder. The player may be closed already. */
    woodshed_player *player;
    /**
     * Events dropped just before this one, because the queue was full, or because passes of a few frames came faster
     * than the session takes events; also with WOODSHED_EVENT_CLOSED. See `dropped_events` too.
     */
    int64_t events_lost;
    woodshed_event_data data;
} woodshed_event;

/**
 * Opens a queue of the events of an engine and its players, from now on. An engine may have several queues; each queue
 * gets every event.
 *
 * A queue opened before the players misses no event.
 *
 * @param engine   NULL makes a queue for answers to requests alone.
 * @param capacity Events kept until taken, 16 to 1048576; 0 is 4096. Further events are dropped and counted. Answers
 *                 are always kept, and so are the ends of players, takes and sessions.
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_listener_open(woodshed_engine *engine, int32_t capacity, woodshed_listener **listener);

/**
 * Gets the next event.
 *
 * @param seconds The time to wait for an event: 0 does not wait, less than 0 waits without limit. After
 *                WOODSHED_EVENT_CLOSED there is no wait.
 * @param event   Receives the event, never NULL unless the call fails. Valid until the next call for the same listener,
 *                also if another thread closes the listener; then valid until this thread asks another listener.
 * @return WOODSHED_INVALID.
 *
 * Threads: one call at a time for each listener.
 */
woodshed_status woodshed_listener_next(woodshed_listener *listener, double seconds, const woodshed_event **event);

/**
 * Gets a descriptor that is readable while there are events, for poll() and similar functions. Do not read from the
 * descriptor; take events until WOODSHED_EVENT_NONE. After WOODSHED_EVENT_CLOSED the descriptor is not readable any
 * more. The descriptor belongs to the listener.
 *
 * @return WOODSHED_INVALID, WOODSHED_TRY_AGAIN (the process may open no more files).
 */
woodshed_status woodshed_listener_get_descriptor(woodshed_listener *listener, int32_t *descriptor);

/** A function called with an event, which is valid during the call. */
typedef void (*woodshed_event_callback)(void *context, const woodshed_event *event);

/**
 * Calls a function with every event, on a thread of the listener's own and never on the device's. The function may
 * call any function of this header, and may also close the listener. The stack of the thread has 512 KiB. The last
 * event is WOODSHED_EVENT_CLOSED. Once per listener; woodshed_listener_next() is not for a listener with a callback.
 *
 * @return WOODSHED_INVALID, WOODSHED_TRY_AGAIN (the system has no thread left).
 */
woodshed_status woodshed_listener_set_callback(
    woodshed_listener *listener, woodshed_event_callback callback, void *context);

/**
 * Closes a listener. After the return no callback is called any more, unless the callback closed the listener, or two
 * callbacks close each other's listener: then the call under way ends later. Closing cancels unanswered requests, and
 * closes the handles of answers that were not taken.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_listener_close(woodshed_listener *listener);

/* ---- Recorders. Since 200. --------------------------------------------------------------------------------------- */

/** The state of a recorder. */
typedef enum woodshed_recorder_state {
    /** Open; nothing is captured yet. */
    WOODSHED_RECORDER_IDLE = 0,
    /** Capturing without writing. */
    WOODSHED_RECORDER_ARMED = 1,
    WOODSHED_RECORDER_RECORDING = 2,
    WOODSHED_RECORDER_PAUSED = 3,
    /** The take has ended. */
    WOODSHED_RECORDER_STOPPED = 4
} woodshed_recorder_state;

/** The options of a take. */
typedef struct woodshed_take_options {
    uint32_t size;
    /** A woodshed_samples; 0 is 24 bits. */
    int32_t samples;
    /** The take ends after this number of frames; 0 is without a limit. */
    int64_t frame_limit;
} woodshed_take_options;
#define WOODSHED_TAKE_OPTIONS_INIT { (uint32_t)sizeof(woodshed_take_options), 0, 0 }

/** A take that has ended. */
typedef struct woodshed_take {
    uint32_t size;
    int32_t sample_rate;
    int64_t frames;
    /** Lost frames, which are silence in the take. */
    int64_t lost_frames;
    /** The integrated loudness in LUFS, and the true peak in dBTP; minus infinity for silence. */
    double loudness;
    double true_peak;
    /** A woodshed_take_end. */
    int32_t end;
    int32_t reserved;
} woodshed_take;
#define WOODSHED_TAKE_INIT { (uint32_t)sizeof(woodshed_take), 0, 0, 0, 0, 0, 0, 0 }

/** A recorder at a moment, for displays. */
typedef struct woodshed_recorder_status {
    uint32_t size;
    /** A woodshed_recorder_state. */
    int32_t state;
    int32_t sample_rate;
    int32_t channels;
    int64_t frames;
    int64_t lost_frames;
    /** Recording time that fits on the disk, in seconds; -1 if not known. */
    double seconds_left;
} woodshed_recorder_status;
#define WOODSHED_RECORDER_STATUS_INIT { (uint32_t)sizeof(woodshed_recorder_status), 0, 0, 0, 0, 0, 0 }

/** The level of a channel in the last tenth of a second. */
typedef struct woodshed_level {
    /** The highest absolute sample, and the root of the mean square; 1 is full scale. */
    float peak;
    float rms;
    /** The peak for a display, in dB of full scale: rises at once, holds for 1.5 s, then falls. */
    double held_decibels;
    /** The number of clippings since the input was opened. */
    int64_t overs;
} woodshed_level;

/**
 * Opens an input.
 *
 * @param input   "default", the name of an ALSA device, "null", or "file:PATH", which is recorded like a device.
 * @param options As for an engine; fields that concern only players must be 0. 0 channels are 2.
 * @return WOODSHED_INVALID, WOODSHED_UNAVAILABLE, WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_recorder_open(
    const char *input, const woodshed_engine_options *options, woodshed_recorder **recorder);

/**
 * Starts capturing: levels are available, and the last half second is kept for the take. Once per recorder.
 *
 * @return WOODSHED_INVALID, WOODSHED_IO.
 */
woodshed_status woodshed_recorder_arm(woodshed_recorder *recorder);

/**
 * Begins a take: with the half second before, if the recorder is armed; otherwise with the input's first frame. Once
 * per recorder.
 *
 * The file is valid at every instant, also if the process is killed. The file must not exist.
 *
 * @param path    With the ending .wav or .caf.
 * @param options NULL for the defaults.
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA (larger than files may be), WOODSHED_CANNOT_CREATE (also for an existing
 *         file), WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_recorder_record(
    woodshed_recorder *recorder, const char *path, const woodshed_take_options *options);

/** Pauses the take at the next captured frame. @return WOODSHED_INVALID. */
woodshed_status woodshed_recorder_pause(woodshed_recorder *recorder);

/** Continues the take. @return WOODSHED_INVALID. */
woodshed_status woodshed_recorder_resume(woodshed_recorder *recorder);

/** Sets a mark in the take, visible in programs that show marks. @return WOODSHED_INVALID. */
woodshed_status woodshed_recorder_mark(woodshed_recorder *recorder, const char *name);

/**
 * Ends the take and waits until the take is complete on the disk, without a limit: a disk that does not answer holds up
 * the calling thread. woodshed_recorder_discard() and woodshed_recorder_close() wait in the same way.
 *
 * @param take Receives the ended take; may be NULL.
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA (larger than files may be), WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_recorder_stop(woodshed_recorder *recorder, woodshed_take *take);

/** Ends the take and removes its file. @return WOODSHED_INVALID, WOODSHED_IO, WOODSHED_NO_PERMISSION. */
woodshed_status woodshed_recorder_discard(woodshed_recorder *recorder);

/** Gets the recorder's status. @return WOODSHED_INVALID. */
woodshed_status woodshed_recorder_get_status(woodshed_recorder *recorder, woodshed_recorder_status *status);

/**
 * Gets the levels of the first `count` channels; silence for channels that do not exist, and before anything is
 * captured.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_recorder_get_levels(woodshed_recorder *recorder, woodshed_level *levels, size_t count);

/** Opens a queue of a recorder's events, as woodshed_listener_open(). @return WOODSHED_INVALID. */
woodshed_status woodshed_listener_open_recorder(
    woodshed_recorder *recorder, int32_t capacity, woodshed_listener **listener);

/**
 * Closes a recorder. A take in progress is ended and kept.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA (larger than files may be), WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_recorder_close(woodshed_recorder *recorder);

/* ---- Measures. Since 200. ---------------------------------------------------------------------------------------- */

/** The loudness and levels of a recording (EBU R 128, ITU-R BS.1770). Levels of silence are minus infinity. */
typedef struct woodshed_loudness {
    uint32_t size;
    int32_t reserved;
    /** Integrated loudness, the highest momentary loudness and the highest short-term loudness, in LUFS. */
    double integrated;
    double maximum_momentary;
    double maximum_short_term;
    /** Loudness range in LU; -1 if the recording is too short for a range. */
    double range;
    /** True peak in dBTP, and sample peak in dB of full scale. */
    double true_peak;
    double sample_peak;
    /** The number of clippings: runs of samples at full scale. */
    int64_t overs;
    int64_t frames;
} woodshed_loudness;
#define WOODSHED_LOUDNESS_INIT { (uint32_t)sizeof(woodshed_loudness), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Measures a whole recording. Takes about a second for an hour of music.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND, WOODSHED_UNAVAILABLE, WOODSHED_IO,
 *         WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_measure(const char *path, woodshed_loudness *loudness);

/**
 * Opens a meter for the host's own samples.
 *
 * @param sample_rate 8000 to 384000.
 * @param channels    1 to 64.
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_meter_open(int32_t sample_rate, int32_t channels, woodshed_meter **meter);

/**
 * Reads the next frames, in blocks of any length.
 *
 * @param channels A buffer of `frames` samples for each channel of the meter.
 * @return WOODSHED_INVALID.
 *
 * Not for an audio thread: takes a lock.
 */
woodshed_status woodshed_meter_add(woodshed_meter *meter, const float *const *channels, int32_t frames);

/**
 * Gets the measurement since the meter was opened, or since the last call; the meter begins anew.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_meter_finish(woodshed_meter *meter, woodshed_loudness *loudness);

/** Closes a meter. @return WOODSHED_INVALID. */
woodshed_status woodshed_meter_close(woodshed_meter *meter);

/**
 * A column of a picture: the lowest and the highest sample, and the root of the mean square, of the column's frames.
 */
typedef struct woodshed_column {
    float minimum;
    float maximum;
    float rms;
    /** Not 0 if a sample is at full scale. */
    int32_t is_clipped;
} woodshed_column;

/**
 * Reads a recording once and makes its waveform.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND, WOODSHED_UNAVAILABLE, WOODSHED_IO,
 *         WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_waveform_open(const char *path, woodshed_waveform **waveform);

/**
 * Gets the columns of a picture of a part of the recording.
 *
 * @param start    The first frame, at the file's own rate; `end` is the frame after the last.
 * @param channel  From 0; -1 for all channels together.
 * @param columns  Receives `count` columns.
 * @param count    1 to 1048576.
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_waveform_get_columns(
    woodshed_waveform *waveform, int64_t start, int64_t end, int32_t channel, woodshed_column *columns, size_t count);

/** Gets the length of the recording, at its own rate. @return WOODSHED_INVALID. */
woodshed_status woodshed_waveform_get_frames(woodshed_waveform *waveform, int64_t *frames);

/** Closes a waveform. @return WOODSHED_INVALID. */
woodshed_status woodshed_waveform_close(woodshed_waveform *waveform);

/** The path from the output of a set-up through the air or a cable to its input. */
typedef struct woodshed_round_trip {
    uint32_t size;
    /** The measured channel of the input, from 1. */
    int32_t input_channel;
    /** The whole round trip in frames, and the spread of the measurements. */
    double frames;
    double spread_frames;
    /** The round trip reported by the devices. */
    int64_t reported_frames;
    double gain_decibels;
    /** Not 0 if the input has the opposite sign. */
    int32_t is_inverted;
    int32_t sample_rate;
} woodshed_round_trip;
#define WOODSHED_ROUND_TRIP_INIT { (uint32_t)sizeof(woodshed_round_trip), 0, 0, 0, 0, 0, 0, 0 }

/**
 * Measures the round trip by playing some chirps: connect the output with the input, or hold the microphone to the
 * loudspeaker.
 *
 * @param options As for an engine; NULL for the defaults.
 * @return WOODSHED_INVALID, WOODSHED_UNAVAILABLE (also if the chirps were not heard clearly), WOODSHED_IO,
 *         WOODSHED_NO_PERMISSION.
 *
 * Takes some seconds. The result is not kept.
 */
woodshed_status woodshed_calibrate(
    const char *output, const char *input, const woodshed_engine_options *options, woodshed_round_trip *round_trip);

/** The model of a comparison: a part of a recording, as it sounded. */
typedef struct woodshed_passage {
    uint32_t size;
    int32_t reserved;
    const char *path;
    /** Frames at the file's own rate; an end of 0 is the recording's. */
    int64_t start;
    int64_t end;
    /** 0.25 to 4; 0 is 1. */
    double speed;
    /** -24 to 24. */
    double semitones;
} woodshed_passage;
#define WOODSHED_PASSAGE_INIT { (uint32_t)sizeof(woodshed_passage), 0, NULL, 0, 0, 0, 0 }

/**
 * The differences between a take and its model. Each value measures one kind of difference, and none is a mark. NaN if
 * not measurable, as with silence.
 */
typedef struct woodshed_comparison {
    uint32_t size;
    int32_t reserved;
    /** The delay of the take's beginning after the heard model, in seconds; below 0 earlier. */
    double offset_seconds;
    /** The length of the take relative to the model: above 1 slower. */
    double length_ratio;
    /** The deviation of the take from an even tempo, in seconds. */
    double spread_seconds;
    /** The distance by which the take is higher, in cents. */
    double pitch_offset_cents;
    /** The deviation of the take's melody beyond this distance, in cents. */
    double pitch_cents;
    /** The deviation of the take's loudness beyond one gain for all, in dB. */
    double energy_decibels;
    /** Attacks in both; -1, as the next two, if the model has fewer than two attacks. */
    int64_t hit_attacks;
    /** Attacks of the model that the take lacks. */
    int64_t missed_attacks;
    /** Attacks of the take that the model lacks. */
    int64_t added_attacks;
} woodshed_comparison;
#define WOODSHED_COMPARISON_INIT { (uint32_t)sizeof(woodshed_comparison), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Compares a take with the passage heard. Both have at most ten minutes.
 *
 * @param take          The file of the take.
 * @param model         The passage heard.
 * @param start_seconds The seconds of the take at which the model's first frame was heard; 0 if not known.
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA (also for recordings that are too long), WOODSHED_NOT_FOUND,
 *         WOODSHED_UNAVAILABLE, WOODSHED_IO, WOODSHED_NO_PERMISSION.
 *
 * Takes some tens of milliseconds for half a minute.
 */
woodshed_status woodshed_compare(
    const char *take, const woodshed_passage *model, double start_seconds, woodshed_comparison *comparison);

/* ---- Requests. Since 200. ---------------------------------------------------------------------------------------- */

/*
 * Work that may take long, on a thread of the library. A function whose name ends in _request checks its arguments,
 * gives the work a number, and returns at once. The answer is an event of the listener, WOODSHED_EVENT_ANSWER:
 * `request` is the number, `status` is the status that the function without _request would have returned, `failure`
 * describes an error, and the result is in the field of its type. Every request is answered once, in the order in which
 * the work is done.
 *
 * `request` receives the number, above 0, and may be NULL. WOODSHED_TRY_AGAIN means that 1024 requests wait, or that
 * the system has no thread left. An answer can also have the status WOODSHED_CANCELLED.
 */

/**
 * Opens a recording for an engine: see woodshed_clip_open(). The answer has `clip`.
 *
 * @return WOODSHED_INVALID, WOODSHED_TRY_AGAIN.
 */
woodshed_status woodshed_clip_request(
    woodshed_listener *listener, woodshed_engine *engine, const char *path, int64_t *request);

/**
 * Waits until the clip is analysed around the player's place: see woodshed_player_prepare().
 *
 * @return WOODSHED_INVALID, WOODSHED_TRY_AGAIN.
 */
woodshed_status woodshed_player_prepare_request(
    woodshed_listener *listener, woodshed_player *player, int64_t *request);

/**
 * Measures a recording: see woodshed_measure(). The answer has `loudness`.
 *
 * @return WOODSHED_INVALID, WOODSHED_TRY_AGAIN.
 */
woodshed_status woodshed_measure_request(woodshed_listener *listener, const char *path, int64_t *request);

/**
 * Makes the waveform of a recording: see woodshed_waveform_open(). The answer has `waveform`.
 *
 * @return WOODSHED_INVALID, WOODSHED_TRY_AGAIN.
 */
woodshed_status woodshed_waveform_request(woodshed_listener *listener, const char *path, int64_t *request);

/**
 * Measures the round trip: see woodshed_calibrate(). The answer has `round_trip`.
 *
 * @return WOODSHED_INVALID, WOODSHED_TRY_AGAIN.
 */
woodshed_status woodshed_calibrate_request(
    woodshed_listener *listener, const char *output, const char *input, const woodshed_engine_options *options,
    int64_t *request);

/**
 * Compares a take with its model: see woodshed_compare(). The answer has `comparison`.
 *
 * @return WOODSHED_INVALID, WOODSHED_TRY_AGAIN.
 */
woodshed_status woodshed_compare_request(
    woodshed_listener *listener, const char *take, const woodshed_passage *model, double start_seconds,
    int64_t *request);

/**
 * Cancels a request. The answer has the status WOODSHED_CANCELLED and comes at once; work that cannot stop in its
 * middle goes on unheard, and its result is closed.
 *
 * @return WOODSHED_INVALID, WOODSHED_NOT_FOUND (no such request, or answered already).
 */
woodshed_status woodshed_request_cancel(woodshed_listener *listener, int64_t request);

/* ---- Kept sections. Since 200. ----------------------------------------------------------------------------------- */

/** A section kept with a recording. Frames are at the file's own rate. */
typedef struct woodshed_kept_section {
    uint32_t size;
    /** The section's place in the list, from 1, which changes when sections are added. */
    int32_t number;
    /** The section's permanent identifier in its recording. */
    int32_t id;
    /** Not 0 if the user has marked it as hard. */
    int32_t is_hard;
    int64_t start;
    int64_t end;
    /** The section's name and text, which may be empty. */
    const char *name;
    const char *text;
} woodshed_kept_section;

/**
 * Opens the store of the sections, shared with the command `woodshed`. The store recognises a recording by its sound,
 * whatever the file's name.
 *
 * @param path A file that is made when something is kept; NULL for the user's own store. A damaged store, or a file
 *             that is not a store, is kept beside the new store with the ending .damaged; the readable part is taken
 *             over.
 * @return WOODSHED_INVALID, WOODSHED_UNAVAILABLE (the user has no home).
 *
 * Several programs may use a store at once.
 */
woodshed_status woodshed_store_open(const char *path, woodshed_store **store);

/**
 * Lists the sections of a recording; for an unknown recording, the sections in its file.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND, WOODSHED_UNAVAILABLE, WOODSHED_CANNOT_CREATE,
 *         WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_section_list_open(woodshed_store *store, const char *recording, woodshed_section_list **list);

/** Returns the number of sections in a list; 0 if `list` is not a section list. */
size_t woodshed_section_list_count(woodshed_section_list *list);

/** Returns a section of a list, by its index from 0; valid as long as the list. NULL if there is none. */
const woodshed_kept_section *woodshed_section_list_at(woodshed_section_list *list, size_t place);

/** Closes a list. @return WOODSHED_INVALID. */
woodshed_status woodshed_section_list_close(woodshed_section_list *list);

/*
 * Changes of the sections of a recording. Each change is kept when the function returns, and can be undone.
 */

/**
 * Adds a section.
 *
 * @param name May be NULL, and so may `text`.
 * @param id   Receives the section's identifier; may be NULL.
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND, WOODSHED_UNAVAILABLE, WOODSHED_CANNOT_CREATE,
 *         WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_store_add_section(
    woodshed_store *store, const char *recording, int64_t start, int64_t end, const char *name, const char *text,
    int32_t *id);

/**
 * Divides the recording at a frame, as marking by ear does.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND, WOODSHED_UNAVAILABLE, WOODSHED_CANNOT_CREATE,
 *         WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_store_mark(woodshed_store *store, const char *recording, int64_t frame, const char *name);

/**
 * Moves a section.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND, WOODSHED_UNAVAILABLE, WOODSHED_CANNOT_CREATE,
 *         WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_store_move_section(
    woodshed_store *store, const char *recording, int32_t id, int64_t start, int64_t end);

/**
 * Renames a section.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND, WOODSHED_UNAVAILABLE, WOODSHED_CANNOT_CREATE,
 *         WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_store_rename_section(
    woodshed_store *store, const char *recording, int32_t id, const char *name);

/**
 * Removes a section.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND, WOODSHED_UNAVAILABLE, WOODSHED_CANNOT_CREATE,
 *         WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_store_remove_section(woodshed_store *store, const char *recording, int32_t id);

/**
 * Undoes the last change not yet undone.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND (also without a change to undo),
 *         WOODSHED_UNAVAILABLE, WOODSHED_CANNOT_CREATE, WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_store_undo(woodshed_store *store, const char *recording);

/**
 * Redoes the last change undone.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND (also without a change to redo),
 *         WOODSHED_UNAVAILABLE, WOODSHED_CANNOT_CREATE, WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_store_redo(woodshed_store *store, const char *recording);

/** A kept take. */
typedef struct woodshed_kept_take {
    uint32_t size;
    /** The take's number, which no other take gets; the newest has the highest. */
    int32_t number;
    int32_t sample_rate;
    int32_t channels;
    int64_t frames;
    /** The time of the take's beginning, in seconds since 1970. */
    int64_t time;
    /** The passage heard, in frames of the recording's file; 0 and 0 for a recording of its own. */
    int64_t model_start;
    int64_t model_end;
    /** The seconds of the take at which the passage's first frame was heard; for woodshed_compare(). */
    double model_seconds;
    /** The passage's speed, change of pitch, and pass from 1, and the id of the kept section or 0. */
    double speed;
    double semitones;
    int32_t pass;
    int32_t section_id;
    /** The user's rating, 1 to 5; 0 if not known. */
    int32_t rating;
    int32_t reserved;
    /** The take's file; empty if the file is gone and a later take has its name. */
    const char *path;
    /** The user's name for the take and note about it; may be empty. */
    const char *name;
    const char *note;
} woodshed_kept_take;

/**
 * Lists the kept takes, the newest first. `recording` is NULL for the takes of all recordings.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND, WOODSHED_UNAVAILABLE, WOODSHED_CANNOT_CREATE,
 *         WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_take_list_open(woodshed_store *store, const char *recording, woodshed_take_list **list);

/** Returns the number of takes in a list; 0 if `list` is not a take list. */
size_t woodshed_take_list_count(woodshed_take_list *list);

/** Returns a take of a list, by its index from 0; valid as long as the list. NULL if there is none. */
const woodshed_kept_take *woodshed_take_list_at(woodshed_take_list *list, size_t place);

/** Closes a list. @return WOODSHED_INVALID. */
woodshed_status woodshed_take_list_close(woodshed_take_list *list);

/** The rating of a practised section. */
typedef enum woodshed_rating {
    /** Failed: not managed at all. */
    WOODSHED_RATING_AGAIN = 1,
    /** Played with mistakes. */
    WOODSHED_RATING_HARD = 2,
    /** Played correctly. */
    WOODSHED_RATING_GOOD = 3,
    /** Played without effort. */
    WOODSHED_RATING_EASY = 4
} woodshed_rating;

/**
 * Rates a section as practised now, which decides its next due day. `rating` is a woodshed_rating.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND, WOODSHED_UNAVAILABLE, WOODSHED_CANNOT_CREATE,
 *         WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_store_rate_section(
    woodshed_store *store, const char *recording, int32_t id, int32_t rating);

/** A rated section that is due. */
typedef struct woodshed_due_section {
    uint32_t size;
    /** As in woodshed_kept_section. */
    int32_t number;
    int32_t id;
    /** Days since the due day: 0 is today. */
    int32_t overdue_days;
    int64_t start;
    int64_t end;
    /** The probability that the section is still remembered, 0 to 1. */
    double retrievability;
    /** The speed of the section's last complete pass; 0 if there was none. */
    double last_speed;
    const char *name;
    /** The last known place of the recording. */
    const char *recording;
} woodshed_due_section;

/**
 * Lists the sections due today, the most overdue first. `recording` is NULL for the sections of all recordings,
 * without recordings whose files were changed in place.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND, WOODSHED_UNAVAILABLE, WOODSHED_CANNOT_CREATE,
 *         WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_due_list_open(woodshed_store *store, const char *recording, woodshed_due_list **list);

/** Returns the number of sections in a list; 0 if `list` is not a list of due sections. */
size_t woodshed_due_list_count(woodshed_due_list *list);

/** Returns a section of a list, by its index from 0; valid as long as the list. NULL if there is none. */
const woodshed_due_section *woodshed_due_list_at(woodshed_due_list *list, size_t place);

/** Closes a list. @return WOODSHED_INVALID. */
woodshed_status woodshed_due_list_close(woodshed_due_list *list);

/** Closes a store. @return WOODSHED_INVALID. */
woodshed_status woodshed_store_close(woodshed_store *store);

/* ---- Sessions. Since 200. ---------------------------------------------------------------------------------------- */

/*
 * A session leads through the sections of a plan, and loops the passage that the user marks by ear while the session
 * plays. Marks mean the sound audible at the moment of the call: the device's buffer is taken into account. Every
 * change is crossfaded over 5 ms and heard from the next block on. Frames are frames of the clip.
 */

/** The options of a session. */
typedef struct woodshed_session_options {
    uint32_t size;
    /** Not 0: the sections play in a random order, which is the same for the same seed. */
    int32_t is_shuffled;
    int64_t seed;
    /** The first section, by its number in the order of playing, from 1; 0 is the first. */
    int32_t first_section;
    /** Clicks before the first pass, 1 to 32; 0 is none. */
    int32_t count_in_clicks;
    /** Clicks a minute, 20 to 400; 0 is 100. */
    double count_in_tempo;
    /** The first frame, if within the first section; 0 is the section's first. */
    int64_t first_frame;
    /** Seconds repeated after a pause, to 60; WOODSHED_REWIND_AUTOMATIC repeats more after a longer pause. */
    double rewind_seconds;
    /** Not 0: marks move to the nearest silence or zero crossing within 20 ms. */
    int32_t snaps_edges;
    int32_t reserved;
} woodshed_session_options;
#define WOODSHED_SESSION_OPTIONS_INIT { (uint32_t)sizeof(woodshed_session_options), 0, 0, 0, 0, 0, 0, 0, 0, 0 }
/**
 * As `rewind_seconds`: nothing after less than 2 s, half a second after less than 10, 2 s after less than a minute, 5 s
 * after longer pauses.
 */
#define WOODSHED_REWIND_AUTOMATIC (-1)

/** The status of a session. */
typedef struct woodshed_session_status {
    uint32_t size;
    /**
     * The section that plays, or was left for the loop, from 1, in the order of playing; and the number of sections.
     */
    int32_t section;
    int32_t section_count;
    /** The id of the kept section that plays; 0 in a loop, and for any other section. */
    int32_t section_id;
    /** The number of passes of sections without their own number, or WOODSHED_ENDLESS. */
    int32_t passes;
    /** Not 0 while the loop plays. */
    int32_t is_looping;
    /** The loop; -1 for a mark that is not set. */
    int64_t loop_start;
    int64_t loop_end;
    /** The frame audible now; -1 before the first sound. */
    int64_t heard;
    /** The speed set during the session; 0 while the plan's speeds apply. */
    double speed;
    double semitones;
    /** As in woodshed_plan. */
    int64_t gap_frames;
    double gap_passes;
} woodshed_session_status;
#define WOODSHED_SESSION_STATUS_INIT { (uint32_t)sizeof(woodshed_session_status), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** An edge of a loop. */
typedef enum woodshed_edge {
    WOODSHED_EDGE_START = 0,
    WOODSHED_EDGE_END = 1
} woodshed_edge;

/**
 * Prepares a session; nothing is heard before woodshed_session_start(). Its events come to the listeners of the
 * engine.
 *
 * @param plan    As for a player; NULL plays the clip once.
 * @param options NULL for the defaults.
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA (a section outside the clip), WOODSHED_INTERNAL (more than 128 players),
 *         WOODSHED_IO (no thread).
 */
woodshed_status woodshed_session_open(
    woodshed_engine *engine, woodshed_clip *clip, const woodshed_plan *plan, const woodshed_session_options *options,
    woodshed_session **session);

/**
 * Writes the practice log to a store: at the end of each section, and every ten seconds. Call this function before
 * woodshed_session_start(), once per session.
 *
 * @param recording The file from which the clip was opened.
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND, WOODSHED_UNAVAILABLE, WOODSHED_IO,
 *         WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_session_keep_log(woodshed_session *session, woodshed_store *store, const char *recording);

/** The times at which takes are recorded over a session. */
typedef enum woodshed_take_mode {
    /** From one woodshed_session_toggle_take() to the next. */
    WOODSHED_TAKES_BY_KEY = 0,
    /** Each pass is a take. */
    WOODSHED_TAKES_OF_PASSES = 1,
    /** Each gap is a take: the answer to the passage heard. */
    WOODSHED_TAKES_OF_GAPS = 2
} woodshed_take_mode;

/** The options of takes over a session. */
typedef struct woodshed_session_takes {
    uint32_t size;
    /** A woodshed_take_mode. */
    int32_t mode;
    /** A woodshed_samples; 0 is 24 bits. */
    int32_t samples;
    /** The recorded channel of the input, from 1; 0 is all. */
    int32_t input_channel;
    /** Not 0: passes or gaps are not recorded before woodshed_session_toggle_take(). */
    int32_t is_off;
    /** Not 0: `added_frames` is a measurement of this set-up. */
    int32_t is_measured;
    /** The folder of the takes, which exists; NULL is the user's own. */
    const char *folder;
    /** The beginning of the takes' names; NULL is "take". */
    const char *name;
    /**
     * The delay of converters, cables and air beyond the round trip reported by the devices, in frames; see
     * woodshed_calibrate().
     */
    double added_frames;
    /** Seconds of a take before the heard passage, to 2; 0 is 0.1. */
    double lead_seconds;
    /** Seconds of a take after the heard passage, to 10; 0 is 0.25. */
    double tail_seconds;
    /** The input, by a name that does not change when cards are plugged in; NULL if not known. */
    const char *device;
} woodshed_session_takes;
#define WOODSHED_SESSION_TAKES_INIT { (uint32_t)sizeof(woodshed_session_takes), 0, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, NULL }

/**
 * Records takes over a session, each take aligned to the heard sound, to the frame. The engine was opened with
 * woodshed_engine_open_duplex() and is not started; once per engine. woodshed_engine_wait() and
 * woodshed_engine_close() then wait until the takes are on the disk, without a limit: a disk that does not answer
 * holds up the calling thread.
 *
 * @param takes     NULL for the defaults.
 * @param store     The store that lists the takes; NULL for none.
 * @param recording The file from which the clip was opened; NULL without a store.
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA, WOODSHED_NOT_FOUND, WOODSHED_UNAVAILABLE, WOODSHED_CANNOT_CREATE,
 *         WOODSHED_IO, WOODSHED_NO_PERMISSION.
 */
woodshed_status woodshed_session_record(
    woodshed_session *session, const woodshed_session_takes *takes, woodshed_store *store, const char *recording);

/**
 * Begins or ends a take at the audible place; where passes or gaps are recorded, stops or resumes recording them.
 *
 * @param is_on Receives whether takes are recorded from now on; may be NULL.
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_session_toggle_take(woodshed_session *session, int32_t *is_on);

/**
 * Gets the player of a session, for its status, its gain, and to seek. Closing the session closes the player. The
 * session replaces a plan set on the player with the session's next change.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_session_get_player(woodshed_session *session, woodshed_player **player);

/** Begins, after the count-in. Once per session. @return WOODSHED_INVALID. */
woodshed_status woodshed_session_start(woodshed_session *session, int64_t at);

/** Ends the session with a fade. @return WOODSHED_INVALID. */
woodshed_status woodshed_session_stop(woodshed_session *session);

/** Pauses, and remembers the time of the pause. @return WOODSHED_INVALID. */
woodshed_status woodshed_session_pause(woodshed_session *session);

/** Resumes before the place of the pause by the time that `rewind_seconds` sets. @return WOODSHED_INVALID. */
woodshed_status woodshed_session_resume(woodshed_session *session);

/** Sets the start of the loop to the audible place. @return WOODSHED_INVALID. */
woodshed_status woodshed_session_set_loop_start(woodshed_session *session);

/**
 * Sets the end of the loop to the audible place, and plays the loop from its start at once; without a start, from the
 * section's.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_session_set_loop_end(woodshed_session *session);

/** Sets both marks, and plays the loop. @return WOODSHED_INVALID. */
woodshed_status woodshed_session_loop(woodshed_session *session, int64_t start, int64_t end);

/**
 * Loops the sound just heard: the last 4 s, and twice as much with each call that follows at once, to 32 s.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_session_loop_last_heard(woodshed_session *session);

/**
 * Leaves the loop and plays on from the same place, or enters the loop again. Without a loop, the section becomes the
 * loop.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_session_toggle_loop(woodshed_session *session);

/**
 * Moves a woodshed_edge of the loop by frames, as far as the recording and the other edge permit.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_session_move_edge(woodshed_session *session, int32_t edge, int64_t frames);

/**
 * Plays at another speed from here on, in loops and sections; the change ends a ramp.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA (a section too short for the speed).
 */
woodshed_status woodshed_session_set_speed(woodshed_session *session, double speed);

/** Changes the pitch, in semitones. @return WOODSHED_INVALID. */
woodshed_status woodshed_session_set_pitch(woodshed_session *session, double semitones);

/**
 * Plays every section this often from now on, 1 or more or WOODSHED_ENDLESS; the pass that plays goes on.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_session_set_passes(woodshed_session *session, int32_t passes);

/**
 * Leaves this gap after every pass from now on, as in woodshed_plan; the pass that plays goes on.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_session_set_gap(woodshed_session *session, int64_t gap_frames, double gap_passes);

/**
 * Moves by sections: 1 is the next section, -1 the previous section. Outside the plan nothing happens.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_session_skip(woodshed_session *session, int32_t count);

/** Goes to a section, from 1, in the order of playing. Outside the plan nothing happens. @return WOODSHED_INVALID. */
woodshed_status woodshed_session_go(woodshed_session *session, int32_t section);

/**
 * Plays other sections from now on, as after a change of the kept sections. The pass that plays goes on in its
 * section, if the section still exists; otherwise the pass plays to its end.
 *
 * @return WOODSHED_INVALID, WOODSHED_BAD_DATA (an empty section).
 */
woodshed_status woodshed_session_set_sections(
    woodshed_session *session, const woodshed_section *sections, size_t count);

/** Plays backwards or forwards; the pass that plays turns round at its place. @return WOODSHED_INVALID. */
woodshed_status woodshed_session_set_reversed(woodshed_session *session, int32_t is_reversed);

/** Jumps to the beginning of the passes of the loop or the section. @return WOODSHED_INVALID. */
woodshed_status woodshed_session_jump_to_start(woodshed_session *session);

/** Holds the audible sound, or goes on from the held sound. @return WOODSHED_INVALID. */
woodshed_status woodshed_session_set_frozen(woodshed_session *session, int32_t is_frozen);

/** Gets the session's status. @return WOODSHED_INVALID. */
woodshed_status woodshed_session_get_status(woodshed_session *session, woodshed_session_status *status);

/**
 * Fades out, closes the session and its player, and waits up to 30 s until the log is written.
 *
 * @return WOODSHED_INVALID.
 */
woodshed_status woodshed_session_close(woodshed_session *session);

#ifdef __cplusplus
}
#endif

#endif
