// VirtualCard: a sound card without hardware, which programs can make fail. The card is an alsa-lib external I/O
// plug-in: a clock, and a cable from the card's output to the card's input in shared memory, so that programs in one or
// more processes record exactly the played frames.
//
// The card makes no sound, converts no rates and mixes nothing. Each direction serves one program at a time, as with
// hardware. docs/virtual-card.md describes the effect of each fault on a program, and the limits of a plug-in.
//
// Functions return 0 or more for success and a negative errno otherwise.
#ifndef WOODSHED_VIRTUAL_CARD_H
#define WOODSHED_VIRTUAL_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct _snd_pcm;

enum {
    VIRTUAL_CARD_CHANNEL_LIMIT = 64,
    /// The number of faults that a card records; later faults are only counted.
    VIRTUAL_CARD_RECORD_LIMIT = 4096,
};

enum virtual_card_direction { VIRTUAL_CARD_PLAYBACK, VIRTUAL_CARD_CAPTURE };

/// Faults of a running stream. Arguments are milliseconds of the card's clock unless stated otherwise.
enum virtual_card_fault_kind {
    /// The stream stops in XRUN, regardless of the buffer's content.
    VIRTUAL_CARD_XRUN,
    /// The stream stops in SUSPENDED; snd_pcm_resume continues where it stopped.
    VIRTUAL_CARD_SUSPEND,
    /// As above, but after snd_pcm_resume the stream is in XRUN and needs snd_pcm_prepare.
    VIRTUAL_CARD_SUSPEND_PREPARE,
    /// As above, but snd_pcm_resume returns success and the stream stays SUSPENDED until snd_pcm_prepare or
    /// snd_pcm_drop.
    VIRTUAL_CARD_SUSPEND_LIE,
    /// Both directions stop in DISCONNECTED and nothing can be opened, for good (0) or for the argument's time.
    VIRTUAL_CARD_UNPLUG,
    /// No wake-up comes for the argument's time, while the position continues.
    VIRTUAL_CARD_STALL,
    /// Neither the position nor wake-ups advance for the argument's time; the output is silent.
    VIRTUAL_CARD_FREEZE,
    /// As many transfers as the argument says (0: one) take half of the offered frames, then return -EAGAIN once.
    VIRTUAL_CARD_SHORT,
    /// As if a sound server died: every call fails with EIO until the stream is closed.
    VIRTUAL_CARD_DEATH,
    /// The affected call never returns, and keeps the stream's lock, like a stuck driver.
    VIRTUAL_CARD_HANG,
    VIRTUAL_CARD_FAULT_KIND_COUNT,
};

/// Operations that can be made to fail without a running stream.
enum virtual_card_operation {
    VIRTUAL_CARD_OPEN,
    VIRTUAL_CARD_PREPARE,
    VIRTUAL_CARD_START,
    VIRTUAL_CARD_TRANSFER,
    VIRTUAL_CARD_OPERATION_COUNT,
};

/// The answers of snd_pcm_delay.
enum virtual_card_delay_answer {
    VIRTUAL_CARD_DELAY_TRUE,
    /// A small negative number.
    VIRTUAL_CARD_DELAY_NEGATIVE,
    /// -EIO from snd_pcm_prepare until the first transfer after the start, as PulseAudio's plug-in does.
    VIRTUAL_CARD_DELAY_EIO_AT_FIRST,
};

/// A card's properties. Start from `virtual_card_defaults`. Strings are copied; lists are separated by spaces.
struct virtual_card_options {
    /// "real", "virtual", or "virtual:NAME" for a virtual clock that cards share. Default "real".
    const char *clock;
    /// The amount by which each direction runs too fast, in millionths; -100000 to 100000.
    double playback_ppm, capture_ppm;
    /// Frames from the output's device frame to the input's, at equal clocks; 0 or more.
    int64_t loopback_delay_frames;
    /// Added to the answer of snd_pcm_delay.
    int64_t latency_frames;
    /// The step of the position, in frames.
    uint32_t granularity_frames;
    /// Wake-ups are late by a pseudo-random time below this.
    uint32_t jitter_microseconds;
    /// The device frame when the card is created, for tests near the wrap-around of counters.
    int64_t first_frame;
    /// The number of frames that the cable holds: a power of two, 4096 to 2^22.
    uint32_t cable_frames;
    uint32_t channels_min, channels_max;
    /// The list of rates in Hz; NULL for 4000 to 768000.
    const char *rates;
    /// alsa-lib's names, such as "S16_LE FLOAT_LE"; NULL for all linear formats.
    const char *formats;
    /// alsa-lib's names, such as "RW_INTERLEAVED"; NULL for the four that are not complex.
    const char *accesses;
    uint32_t period_frames_min, period_frames_max, buffer_frames_max, periods_min, periods_max;
    /// alsa-lib's names of channel positions, such as "FL FR RL RR FC LFE"; NULL for a card without a map.
    const char *channel_map;
    /// Faults at given frames: "kind@frame[:argument]", such as "xrun@48000 stall@96000:50". The kinds are xrun,
    /// suspend, suspend-prepare, suspend-lie, unplug, stall, freeze, short, death, hang. Frames count the frames moved
    /// by the device in this direction since the card was created; each fault happens once, and exactly at its frame.
    const char *playback_faults, *capture_faults;
    enum virtual_card_delay_answer delay_answer;
    /// A file to which the bytes of all frames written for playback are appended, interleaved; NULL for none.
    const char *record_path;
};

/// The defaults support everything, without delays, lateness or faults. Restrict them to get a picky card.
struct virtual_card_options virtual_card_defaults(void);

/// Controls a card, from any process.
struct virtual_card;

/// Creates a card that is opened as `name`: letters, digits, '-' and '_', at most 64. Returns -EEXIST if the card
/// exists, -EINVAL for inconsistent or unreadable options.
int virtual_card_create(struct virtual_card **card, const char *name, const struct virtual_card_options *options);

/// Finds a card created by any process. Returns -ENOENT if there is none.
int virtual_card_attach(struct virtual_card **card, const char *name);

/// Releases the control; the card exists until removed.
void virtual_card_detach(struct virtual_card *card);

/// Removes a card, and the card's clock unless the clock has a name of its own. Open streams continue.
int virtual_card_remove(const char *name);

/// Removes a virtual clock named by "virtual:NAME".
int virtual_card_remove_clock(const char *name);

/// Whether a process with this number exists, including an ended process that nothing has waited for. True if unknown.
bool virtual_card_process_exists(int32_t number);

/// Opens a stream without any ALSA configuration. The card is created from `options` if none has the name; otherwise
/// `options` may be NULL. `stream` and `mode` as in snd_pcm_open.
int virtual_card_open(
    struct _snd_pcm **pcm, const char *name, const struct virtual_card_options *options, int stream, int mode);

/// Causes a fault now, and wakes a sleeping program. Has no effect on a direction that is not open, except for an
/// unplugging.
int virtual_card_inject(
    struct virtual_card *card, enum virtual_card_direction direction, enum virtual_card_fault_kind kind, int64_t argument);

/// Plugs the card in again.
void virtual_card_plug(struct virtual_card *card);

/// Makes the next `count` calls of an operation fail with `-error`; -1 for all calls, 0 to stop.
int virtual_card_refuse(
    struct virtual_card *card, enum virtual_card_direction direction, enum virtual_card_operation operation, int error,
    int count);

/// Makes every opening and closing wait, as with a sound server that accepts a connection and never answers, until
/// called with false.
void virtual_card_silence(struct virtual_card *card, enum virtual_card_direction direction, bool is_silent);

/// The true events of a direction since the card was created, by the card's own records.
struct virtual_card_truth {
    bool is_open, is_running;
    /// The device frame of the stream's frame 0, at the last start or resume.
    int64_t start_frame;
    /// The device frame being played or recorded now.
    int64_t device_frame;
    /// The number of openings that wait for an answer.
    uint32_t waiting;
    uint64_t opens, starts, xruns;
    /// Faults by kind, injected or scheduled; an underrun or overrun by itself counts only in `xruns`.
    uint64_t faults[VIRTUAL_CARD_FAULT_KIND_COUNT];
    /// Frames written or read by the program.
    uint64_t frames_transferred;
    /// Frames moved by the running device.
    uint64_t frames_moved;
    /// The time, in frames, between a stop of a stream by a fault and its next start, and in freezes.
    uint64_t silent_frames;
    /// Frames written for playback that a fault discarded before playing.
    uint64_t dropped_frames;
    /// The number of times that a program checked a poll's result, and the number of times without anything to do.
    uint64_t wakes, idle_wakes;
};

struct virtual_card_truth virtual_card_truth(struct virtual_card *card, enum virtual_card_direction direction);

/// A fault in the card's record.
struct virtual_card_record {
    enum virtual_card_fault_kind kind;
    enum virtual_card_direction direction;
    /// False for the stream's own underrun or overrun.
    bool was_injected;
    /// The position of the device.
    int64_t device_frame;
    /// Frames since the last start, and since the card was created.
    int64_t stream_frame, moved_frame;
    /// By the card's clock, in nanoseconds.
    int64_t time;
    /// The number of frames for which the stream then stopped; -1 while stopped, or if the stream never stopped.
    int64_t gap_frames;
    /// The number of frames written for playback that the fault discarded before playing.
    int64_t dropped_frames;
};

/// Copies up to `capacity` records in the order of the faults, starting with number `first`; returns the number of
/// copied records.
size_t virtual_card_records(struct virtual_card *card, size_t first, struct virtual_card_record *records, size_t capacity);

/// Copies the cable's content: `count` frames of `channels` samples from device frame `first` on, 1 being full scale.
/// Frames that were not played, or that the cable no longer holds, are silence. Returns the number of played frames.
size_t virtual_card_heard(struct virtual_card *card, int64_t first, size_t count, unsigned channels, double *samples);

/// The card's clock, in nanoseconds.
int64_t virtual_card_time(struct virtual_card *card);

/// The name of a kind of fault, as in a schedule.
const char *virtual_card_fault_name(enum virtual_card_fault_kind kind);

#endif
