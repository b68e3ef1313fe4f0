// One open direction of a card: the position, queue, next wake-up and faults of the device. The caller of every
// function holds the stream's lock.
#ifndef WOODSHED_CARD_STREAM_H
#define WOODSHED_CARD_STREAM_H

#include "card_block.h"

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <pthread.h>

struct card_stream {
    snd_pcm_ioplug_t plug;
    pthread_mutex_t lock; // some of alsa-lib's callbacks come without its own lock
    struct virtual_card *card;
    struct card_direction_block *block;
    int direction;
    int timer; // a timerfd, readable as soon as there is something to do
    int watch; // an inotify descriptor for the card's block; -1 if there is none
    int record; // a file; -1 if there is none

    // Set by hardware and software parameters.
    struct card_format format;
    uint64_t pace;
    int64_t avail_min, stop_threshold, boundary;
    double *queue; // the device's own buffer: frame f of the stream at f modulo the buffer's length

    // Since the last prepare.
    bool is_running;
    int64_t start; // device frame of the stream's frame 0
    int64_t base; // the position at which the stream last stopped
    int64_t counted; // the part of the position that is already in the block's count of moved frames
    int64_t late_until; // no wake-up before this time
    bool is_fresh; // nothing was transferred since
    int64_t application; // appl_ptr at the last check
    int64_t ahead; // the number of frames by which appl_ptr is about to move

    // Faults.
    uint32_t taken; // requests seen
    uint32_t unpluggings; // of the card, when the stream was opened
    enum virtual_card_fault_kind suspension;
    bool is_dead;
    uint64_t short_count;
    bool is_short_turn;

    // Wake-ups.
    int64_t armed; // the time to which the timer is set
    uint64_t random;
    int64_t jitter_frame, jitter_nanoseconds; // drawn once for each frame
    struct clock_seat *seat; // NULL for the real clock
    struct clock_patience patience;
    int64_t wait_until; // real time before which virtual time cannot pass
};

// card_stream.c: the program's operations on the stream.
static inline bool stream_plays(const struct card_stream *stream) { return stream->direction == VIRTUAL_CARD_PLAYBACK; }
int64_t stream_application(const struct card_stream *stream);
int64_t stream_position(const struct card_stream *stream, int64_t now);
int stream_prepare(struct card_stream *stream);
int stream_start(struct card_stream *stream);
void stream_stop(struct card_stream *stream);
void stream_pause(struct card_stream *stream, bool pauses);
void stream_resume(struct card_stream *stream);
int64_t stream_transfer(
    struct card_stream *stream, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t count);
// Writes the queue from `position` on to the cable, or reads the queue from the cable.
void stream_lay(struct card_stream *stream, int64_t position);
void stream_erase(struct card_stream *stream, int64_t position);
// Counts the frames up to the position as moved.
void stream_account(struct card_stream *stream, int64_t position);
// Stops the device at a position.
void stream_halt(struct card_stream *stream, int64_t position);

// card_device.c: the device's own actions.
// Updates the device to the present; returns the position.
int64_t device_step(struct card_stream *stream);
// The stream's error according to its state, as reported by alsa-lib's calls; 0 for none.
int device_error(const struct card_stream *stream);
// The positions of the next scheduled fault, and of the next underrun or overrun; clock_never for none.
int64_t device_next_fault(const struct card_stream *stream);
int64_t device_dry_position(const struct card_stream *stream);
// Counts frames as lost by the fault that stopped the stream; a negative number takes frames back.
void device_drop(struct card_stream *stream, int64_t frames);
// Ends the pause after a fault, at a device frame.
void device_close_gap(struct card_stream *stream, int64_t device_frame);

// card_wake.c: the wake-ups of the program.
// A position as reported to the program: in the card's steps.
int64_t wake_coarse(const struct card_stream *stream, int64_t position);
// Sets the timer to the next time at which there is something to do, and publishes the time to the other streams on a
// virtual clock.
void wake_arm(struct card_stream *stream);
// Whether the condition of a poll is met; on a virtual clock, lets time pass.
bool wake_poll(struct card_stream *stream);

// card_callbacks.c: the callbacks for alsa-lib.
extern const snd_pcm_ioplug_callback_t card_callbacks;
void card_stream_free(struct card_stream *stream);

#endif
