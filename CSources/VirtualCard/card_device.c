#include "card_stream.h"

#include <errno.h>
#include <unistd.h>

int device_error(const struct card_stream *stream) {
    if (stream->is_dead) return -EIO;
    switch (stream->plug.state) {
    case SND_PCM_STATE_XRUN: return -EPIPE;
    case SND_PCM_STATE_SUSPENDED: return -ESTRPIPE;
    case SND_PCM_STATE_DISCONNECTED: return -ENODEV;
    default: return 0;
    }
}

int64_t device_next_fault(const struct card_stream *stream) {
    const struct card_schedule *schedule = &stream->card->block->settings.schedules[stream->direction];
    const uint32_t next = atomic_load(&stream->block->next_fault);
    if (!stream->is_running || next >= schedule->count) return clock_never;
    const int64_t moved_before = (int64_t)atomic_load(&stream->block->moved) - stream->counted;
    const int64_t position = schedule->faults[next].frame - moved_before;
    // A fault during a pause happens at the first frame after the pause.
    return position > stream->base ? position : stream->base;
}

int64_t device_dry_position(const struct card_stream *stream) {
    if (!stream->is_running || stream->stop_threshold >= stream->boundary) return clock_never;
    if (stream->plug.state == SND_PCM_STATE_DRAINING) return clock_never;
    const int64_t full = stream_application(stream) + stream->stop_threshold;
    const int64_t position = stream_plays(stream) ? full - (int64_t)stream->plug.buffer_size : full;
    return position > stream->base ? position : stream->base;
}

static int64_t time_at(const struct card_stream *stream, int64_t position) {
    return card_time_of_frame(stream->card, stream->start + position, stream->pace);
}

static void record(
    struct card_stream *stream, enum virtual_card_fault_kind kind, bool was_injected, int64_t position, bool stops) {
    struct card_direction_block *block = stream->block;
    stream_account(stream, position);
    const struct virtual_card_record entry = {
        .kind = kind,
        .direction = (enum virtual_card_direction)stream->direction,
        .was_injected = was_injected,
        .device_frame = stream->start + position,
        .stream_frame = position,
        .moved_frame = (int64_t)atomic_load(&block->moved),
        .time = time_at(stream, position),
    };
    const uint32_t number = card_record(stream->card, entry);
    if (was_injected) atomic_fetch_add(&block->faults[kind], 1);
    if (kind == VIRTUAL_CARD_XRUN) atomic_fetch_add(&block->xruns, 1);
    if (!stops) return;
    atomic_store(&block->gap_record, number);
    atomic_store(&block->gap_start, entry.device_frame);
}

void device_close_gap(struct card_stream *stream, int64_t device_frame) {
    struct card_direction_block *block = stream->block;
    const int64_t begin = atomic_exchange(&block->gap_start, clock_never);
    if (begin == clock_never) return;
    const int64_t length = device_frame > begin ? device_frame - begin : 0;
    struct card_record_slot *slot = card_record_slot(stream->card, atomic_load(&block->gap_record));
    atomic_fetch_add(&block->silent, (uint64_t)length);
    if (slot) atomic_store(&slot->gap_frames, length);
}

void device_drop(struct card_stream *stream, int64_t frames) {
    struct card_record_slot *slot = card_record_slot(stream->card, atomic_load(&stream->block->gap_record));
    atomic_fetch_add(&stream->block->dropped, (uint64_t)frames);
    if (slot) atomic_fetch_add(&slot->dropped_frames, frames);
}

// Stops the stream; the frames in the buffer are lost.
static void fail(struct card_stream *stream, int64_t position, snd_pcm_state_t state) {
    const int64_t queued = stream_application(stream) - position;
    if (stream_plays(stream) && queued > 0) device_drop(stream, queued);
    stream_halt(stream, position);
    stream->plug.state = state;
}

static void freeze(struct card_stream *stream, int64_t position, int64_t milliseconds) {
    const int64_t end = card_device_frame(stream->card, time_at(stream, position) + milliseconds * 1000000, stream->pace);
    const int64_t frames = end - (stream->start + position);
    stream_erase(stream, position);
    stream->base = position;
    stream->start += frames;
    atomic_store(&stream->block->start_frame, stream->start);
    stream_lay(stream, position);
    device_close_gap(stream, end);
}

static void strike(
    struct card_stream *stream, enum virtual_card_fault_kind kind, int64_t argument, int64_t position) {
    record(stream, kind, true, position, kind != VIRTUAL_CARD_STALL && kind != VIRTUAL_CARD_SHORT);
    switch (kind) {
    case VIRTUAL_CARD_XRUN: fail(stream, position, SND_PCM_STATE_XRUN); break;
    case VIRTUAL_CARD_SUSPEND:
    case VIRTUAL_CARD_SUSPEND_PREPARE:
    case VIRTUAL_CARD_SUSPEND_LIE:
        fail(stream, position, SND_PCM_STATE_SUSPENDED);
        stream->suspension = kind;
        break;
    case VIRTUAL_CARD_UNPLUG: fail(stream, position, SND_PCM_STATE_DISCONNECTED); break;
    case VIRTUAL_CARD_STALL: stream->late_until = time_at(stream, position) + argument * 1000000; break;
    case VIRTUAL_CARD_FREEZE: freeze(stream, position, argument); break;
    case VIRTUAL_CARD_HANG:
        for (;;) pause();
    case VIRTUAL_CARD_SHORT: stream->short_count += argument ? (uint64_t)argument : 1; break;
    default:
        fail(stream, position, stream->plug.state);
        stream->is_dead = true;
        break;
    }
}

// Requests for faults wait until the stream runs; but an unplugged card is gone in every state.
static void take_requests(struct card_stream *stream, int64_t now) {
    const uint32_t unpluggings = atomic_load(&stream->card->block->unpluggings);
    if (unpluggings != stream->unpluggings && stream->plug.state != SND_PCM_STATE_DISCONNECTED) {
        // Counts the frame from the position that the device would have if running.
        if (!stream->is_running) stream->start = card_device_frame(stream->card, now, stream->pace) - stream->base;
        stream->unpluggings = unpluggings;
        strike(stream, VIRTUAL_CARD_UNPLUG, 0, stream_position(stream, now));
    }
    while (stream->is_running && atomic_load(&stream->block->posted) != stream->taken) {
        struct card_request *request = &stream->block->requests[stream->taken % CARD_REQUEST_LIMIT];
        if (atomic_load(&request->number) != stream->taken + 1) break;
        const enum virtual_card_fault_kind kind = (enum virtual_card_fault_kind)request->kind;
        const int64_t argument = request->argument;
        stream->taken++;
        strike(stream, kind, argument, stream_position(stream, now));
    }
}

static void take_scheduled(struct card_stream *stream, int64_t position) {
    const struct card_schedule *schedule = &stream->card->block->settings.schedules[stream->direction];
    const struct card_fault fault = schedule->faults[atomic_fetch_add(&stream->block->next_fault, 1)];
    if (fault.kind == VIRTUAL_CARD_UNPLUG) {
        // Stores the number, so that the stream does not take its own fault for a fault from outside.
        stream->unpluggings = card_unplug(stream->card, time_at(stream, position), fault.argument);
    }
    strike(stream, fault.kind, fault.argument, position);
}

static void note_application(struct card_stream *stream) {
    const int64_t application = (int64_t)stream->plug.appl_ptr;
    if (application == stream->application) return;
    if (application > stream->application) {
        atomic_fetch_add(&stream->block->transferred, (uint64_t)(application - stream->application));
    }
    if (stream->seat) atomic_fetch_add(&stream->seat->served, 1);
    stream->application = application;
}

int64_t device_step(struct card_stream *stream) {
    const int64_t now = card_now(stream->card);
    note_application(stream);
    take_requests(stream, now);
    while (stream->is_running) {
        int64_t position = stream_position(stream, now);
        const int64_t application = stream_application(stream);
        if (stream->plug.state == SND_PCM_STATE_DRAINING && stream_plays(stream) && position > application) {
            position = application;
        }
        const int64_t fault = device_next_fault(stream), dry = device_dry_position(stream);
        if (fault <= position && fault <= dry) {
            take_scheduled(stream, fault);
        } else if (dry <= position) {
            record(stream, VIRTUAL_CARD_XRUN, false, dry, true);
            fail(stream, dry, SND_PCM_STATE_XRUN);
        } else {
            stream_account(stream, position);
            return position;
        }
    }
    return stream->base;
}
