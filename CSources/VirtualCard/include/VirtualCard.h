// VirtualCard: a sound card without hardware, made to fail on purpose. It is an alsa-lib external I/O plug-in: a clock, and a
// cable from its output to its input in shared memory, so that programs of one or more processes hear exactly what was played.
//
// It makes no sound, converts no rates and mixes nothing; each direction is for one program at a time, as with hardware.
// docs/virtual-card.md tells what a program sees of each fault, and what a plug-in cannot imitate.
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
    /// How many faults a card remembers; later ones are only counted.
    VIRTUAL_CARD_RECORD_LIMIT = 4096,
};

enum virtual_card_direction { VIRTUAL_CARD_PLAYBACK, VIRTUAL_CARD_CAPTURE };

/// What can be done to a running stream. Arguments are milliseconds of the card's clock unless told otherwise.
enum virtual_card_fault_kind {
    /// The stream stops in XRUN, whatever is in its buffer.
    VIRTUAL_CARD_XRUN,
    /// The stream stops in SUSPENDED; snd_pcm_resume goes on where it was.
    VIRTUAL_CARD_SUSPEND,
    /// As above, but after snd_pcm_resume the stream is in XRUN and wants snd_pcm_prepare.
    VIRTUAL_CARD_SUSPEND_PREPARE,
    /// As above, but snd_pcm_resume claims success and the stream stays SUSPENDED until snd_pcm_prepare or snd_pcm_drop.
    VIRTUAL_CARD_SUSPEND_LIE,
    /// Both directions stop in DISCONNECTED and nothing can be opened, for good (0) or for the argument's time.
    VIRTUAL_CARD_UNPLUG,
    /// No wake-up comes for the argument's time, while the position runs on.
    VIRTUAL_CARD_STALL,
    /// Neither position nor wake-ups go on for the argument's time; the output is silent.
    VIRTUAL_CARD_FREEZE,
    /// As many transfers as the argument says (0: one) take half of what is offered, then -EAGAIN once.
    VIRTUAL_CARD_SHORT,
    /// As when a sound server dies: every call fails with EIO until the stream is closed.
    VIRTUAL_CARD_DEATH,
    /// The call that meets it never returns, and keeps the stream's lock, as a driver that is stuck.
    VIRTUAL_CARD_HANG,
    VIRTUAL_CARD_FAULT_KIND_COUNT,
};

/// What can be made to fail without a running stream.
enum virtual_card_operation {
    VIRTUAL_CARD_OPEN,
    VIRTUAL_CARD_PREPARE,
    VIRTUAL_CARD_START,
    VIRTUAL_CARD_TRANSFER,
    VIRTUAL_CARD_OPERATION_COUNT,
};

/// What snd_pcm_delay answers.
enum virtual_card_delay_answer {
    VIRTUAL_CARD_DELAY_TRUE,
    /// A small negative number.
    VIRTUAL_CARD_DELAY_NEGATIVE,
    /// -EIO from snd_pcm_prepare until the first transfer after the start, as PulseAudio's plug-in does.
    VIRTUAL_CARD_DELAY_EIO_AT_FIRST,
};

/// A card's properties. Begin with `virtual_card_defaults`. Strings are copied; lists are separated by blanks.
struct virtual_card_options {
    /// "real", "virtual", or "virtual:NAME" for a virtual clock that cards share. Default "real".
    const char *clock;
    /// By how much each direction runs too fast, in millionths; -100000 to 100000.
    double playback_ppm, capture_ppm;
    /// Frames from the output's device frame to the input's, at equal clocks; 0 or more.
    int64_t loopback_delay_frames;
    /// Added to what snd_pcm_delay answers.
    int64_t latency_frames;
    /// The position moves in steps of so many frames.
    uint32_t granularity_frames;
    /// Wake-ups are late by a pseudo-random time below this.
    uint32_t jitter_microseconds;
    /// The device frame at the card's creation, to be near to where counters wrap.
    int64_t first_frame;
    /// How many frames the cable remembers: a power of two, 4096 to 2^22.
    uint32_t cable_frames;
    uint32_t channels_min, channels_max;
    /// The list of rates in Hz; NULL for 4000 to 768000.
    const char *rates;
    /// alsa-lib's names, such as "S16_LE FLOAT_LE"; NULL for all linear formats.
    const char *formats;
    /// alsa-lib's names, such as "RW_INTERLEAVED"; NULL for the four that are not complex.
    const char *accesses;
    uint32_t period_frames_min, period_frames_max, buffer_frames_max, periods_min, periods_max;
    /// alsa-lib's names of channel positions, such as "FL FR RL RR FC LFE"; NULL for a card that has no map.
    const char *channel_map;
    /// Faults at set frames: "kind@frame[:argument]", such as "xrun@48000 stall@96000:50". The kinds are xrun, suspend,
    /// suspend-prepare, suspend-lie, unplug, stall, freeze, short, death, hang. Frames count what the device has moved in this
    /// direction since the card was made; each fault comes once, and at exactly its frame.
    const char *playback_faults, *capture_faults;
    enum virtual_card_delay_answer delay_answer;
    /// A file to which the bytes of all frames that were handed over for playback are appended, interleaved; NULL for none.
    const char *record_path;
};

/// A picky card is these with less; nothing is delayed, late or faulty.
struct virtual_card_options virtual_card_defaults(void);

/// The control of a card, from whichever process.
struct virtual_card;

/// Makes a card that is opened as `name`: letters, digits, '-' and '_', 64 at most.
/// Returns -EEXIST when there is one, -EINVAL for options that contradict themselves or cannot be read.
int virtual_card_create(struct virtual_card **card, const char *name, const struct virtual_card_options *options);

/// Finds a card that some process has made. -ENOENT when there is none.
int virtual_card_attach(struct virtual_card **card, const char *name);

/// Lets go of the control; the card stays until it is removed.
void virtual_card_detach(struct virtual_card *card);

/// Removes a card, and its clock unless that has a name of its own. Streams that are open go on.
int virtual_card_remove(const char *name);

/// Removes a virtual clock that was named by "virtual:NAME".
int virtual_card_remove_clock(const char *name);

/// Whether there is a process of this number, also one that nobody has waited for yet. True where that cannot be told.
bool virtual_card_process_exists(int32_t number);

/// Opens a stream without any ALSA configuration. The card is made from `options` if there is none of the name; otherwise
/// `options` may be NULL. `stream` and `mode` as in snd_pcm_open.
int virtual_card_open(
    struct _snd_pcm **pcm, const char *name, const struct virtual_card_options *options, int stream, int mode);

/// Has a fault happen now. A sleeping program is woken. Does nothing to a direction that is not open, but for an unplugging.
int virtual_card_inject(
    struct virtual_card *card, enum virtual_card_direction direction, enum virtual_card_fault_kind kind, int64_t argument);

/// Ends an unplugging.
void virtual_card_plug(struct virtual_card *card);

/// Has the next `count` calls of an operation fail with `-error`; -1 is all calls, 0 none any more.
int virtual_card_refuse(
    struct virtual_card *card, enum virtual_card_direction direction, enum virtual_card_operation operation, int error,
    int count);

/// Has every opening wait, as of a sound server that takes a connection and never answers, until this is called with false.
void virtual_card_silence(struct virtual_card *card, enum virtual_card_direction direction, bool is_silent);

/// What has become of one direction, by the card's own account, since the card was made.
struct virtual_card_truth {
    bool is_open, is_running;
    /// The device frame of the stream's frame 0, at the last start or resume.
    int64_t start_frame;
    /// The device frame that is being played or recorded now.
    int64_t device_frame;
    /// How many openings wait for an answer.
    uint32_t waiting;
    uint64_t opens, starts, xruns;
    /// Faults by kind, injected or by schedule; running dry by itself counts in `xruns` alone.
    uint64_t faults[VIRTUAL_CARD_FAULT_KIND_COUNT];
    /// Frames that the program handed over or fetched.
    uint64_t frames_transferred;
    /// Frames that went through the device while it ran.
    uint64_t frames_moved;
    /// Frames of time between the stop of a stream by a fault and its next start, and in freezes.
    uint64_t silent_frames;
    /// Frames handed over for playback that were thrown away by a fault, unheard.
    uint64_t dropped_frames;
    /// How often a program asked what a poll meant, and how often the answer was that there is nothing to do.
    uint64_t wakes, idle_wakes;
};

struct virtual_card_truth virtual_card_truth(struct virtual_card *card, enum virtual_card_direction direction);

/// One fault as it happened.
struct virtual_card_record {
    enum virtual_card_fault_kind kind;
    enum virtual_card_direction direction;
    /// False for a stream that ran dry, or full, by itself.
    bool was_injected;
    /// Where the device stood.
    int64_t device_frame;
    /// Frames since the last start, and since the card was made.
    int64_t stream_frame, moved_frame;
    /// By the card's clock, in nanoseconds.
    int64_t time;
    /// How many frames long the stream then stood still; -1 while it does, or where it never stopped.
    int64_t gap_frames;
    /// How many frames that were handed over for playback were lost by it, unheard.
    int64_t dropped_frames;
};

/// Copies up to `capacity` records in the order they happened, beginning with the one numbered `first`; returns how many.
size_t virtual_card_records(struct virtual_card *card, size_t first, struct virtual_card_record *records, size_t capacity);

/// What was on the cable: `count` frames of `channels` samples from device frame `first` on, 1 being full scale. What was not
/// played, or is no longer remembered, is silence. Returns how many frames were played.
size_t virtual_card_heard(struct virtual_card *card, int64_t first, size_t count, unsigned channels, double *samples);

/// The card's clock, in nanoseconds.
int64_t virtual_card_time(struct virtual_card *card);

/// The name of a kind of fault as in a schedule.
const char *virtual_card_fault_name(enum virtual_card_fault_kind kind);

#endif
