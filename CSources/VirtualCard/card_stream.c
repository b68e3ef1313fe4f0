#include "card_stream.h"

#include <errno.h>
#include <unistd.h>

int64_t stream_application(const struct card_stream *stream) {
    return (int64_t)stream->plug.appl_ptr + stream->ahead;
}

int64_t stream_position(const struct card_stream *stream, int64_t now) {
    if (!stream->is_running) return stream->base;
    const int64_t position = card_device_frame(stream->card, now, stream->pace) - stream->start;
    return position > stream->base ? position : stream->base;
}

void stream_account(struct card_stream *stream, int64_t position) {
    if (position <= stream->counted) return;
    atomic_fetch_add(&stream->block->moved, (uint64_t)(position - stream->counted));
    stream->counted = position;
}

void stream_lay(struct card_stream *stream, int64_t position) {
    if (!stream_plays(stream)) return;
    const unsigned channels = stream->plug.channels;
    for (int64_t frame = position; frame < stream_application(stream); frame++) {
        const double *samples = stream->queue + (uint64_t)frame % stream->plug.buffer_size * channels;
        cable_lay(&stream->card->block->cable, stream->start + frame, samples, channels);
    }
}

void stream_erase(struct card_stream *stream, int64_t position) {
    if (!stream_plays(stream)) return;
    cable_erase(&stream->card->block->cable, stream->start + position, stream->start + stream_application(stream));
}

void stream_halt(struct card_stream *stream, int64_t position) {
    stream_account(stream, position);
    stream_erase(stream, position);
    stream->base = position;
    stream->is_running = false;
    atomic_store(&stream->block->is_running, 0);
}

// Starts the position now, from `base`.
static void run(struct card_stream *stream) {
    // Otherwise another thread's stream could let time pass between here and wake_arm, and the queued frames would have
    // been played long ago.
    if (stream->seat) clock_hold(stream->seat);
    const int64_t device = card_device_frame(stream->card, card_now(stream->card), stream->pace);
    stream->start = device - stream->base;
    stream->is_running = true;
    if (stream_plays(stream)) cable_set_pace(&stream->card->block->cable, stream->pace);
    stream_lay(stream, stream->base);
    device_close_gap(stream, device);
    atomic_store(&stream->block->pace, stream->pace);
    atomic_store(&stream->block->start_frame, stream->start);
    atomic_store(&stream->block->is_running, 1);
}

int stream_prepare(struct card_stream *stream) {
    device_step(stream);
    if (stream->is_dead) return -EIO;
    if (stream->plug.state == SND_PCM_STATE_DISCONNECTED) return -ENODEV;
    const int refusal = card_refusal(stream->card, stream->direction, VIRTUAL_CARD_PREPARE);
    if (refusal < 0) return refusal;
    if (stream->is_running) stream_halt(stream, stream_position(stream, card_now(stream->card)));
    stream->base = stream->counted = stream->application = 0;
    stream->late_until = 0;
    stream->is_fresh = true;
    stream->jitter_frame = -1;
    // alsa-lib sets the state only after this call, but the timer depends on it.
    stream->plug.state = SND_PCM_STATE_PREPARED;
    return 0;
}

int stream_start(struct card_stream *stream) {
    device_step(stream);
    if (stream->is_dead) return -EIO;
    if (stream->plug.state == SND_PCM_STATE_DISCONNECTED) return -ENODEV;
    const int refusal = card_refusal(stream->card, stream->direction, VIRTUAL_CARD_START);
    if (refusal < 0) return refusal;
    run(stream);
    atomic_fetch_add(&stream->block->starts, 1);
    stream->plug.state = SND_PCM_STATE_RUNNING;
    return 0;
}

void stream_stop(struct card_stream *stream) {
    // A finished drain ends at the last frame, however late the end is noticed.
    int64_t position = device_step(stream);
    if (stream->is_running) stream_halt(stream, position);
}

void stream_pause(struct card_stream *stream, bool pauses) {
    const int64_t position = device_step(stream);
    if (pauses && stream->is_running) stream_halt(stream, position);
    if (!pauses && !stream->is_running) run(stream);
}

void stream_resume(struct card_stream *stream) {
    device_step(stream);
    if (stream->plug.state != SND_PCM_STATE_SUSPENDED) return;
    switch (stream->suspension) {
    case VIRTUAL_CARD_SUSPEND:
        // Suspending the stream counted these frames as lost.
        if (stream_plays(stream)) device_drop(stream, stream->base - stream_application(stream));
        run(stream);
        stream->plug.state = SND_PCM_STATE_RUNNING;
        break;
    // alsa-lib ignores this function's result, so only the state can show that the program must prepare.
    case VIRTUAL_CARD_SUSPEND_PREPARE: stream->plug.state = SND_PCM_STATE_XRUN; break;
    default: break;
    }
}

static unsigned char *sample_bytes(const snd_pcm_channel_area_t *area, snd_pcm_uframes_t frame) {
    return (unsigned char *)area->addr + (area->first + frame * area->step) / 8;
}

static void record_bytes(
    struct card_stream *stream, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t count) {
    // The longest frame has 512 bytes. The buffer is on the stack, because a library's thread-local memory makes every
    // thread larger.
    enum { CHUNK = 8192 };
    unsigned char bytes[CHUNK];
    const unsigned width = stream->format.byte_count;
    size_t filled = 0;
    for (snd_pcm_uframes_t frame = offset; frame < offset + count; frame++) {
        for (unsigned channel = 0; channel < stream->plug.channels; channel++) {
            const unsigned char *sample = sample_bytes(&areas[channel], frame);
            for (unsigned index = 0; index < width; index++) bytes[filled++] = sample[index];
        }
        if (filled + (size_t)width * stream->plug.channels <= CHUNK && frame + 1 < offset + count) continue;
        // After a failed write the recording is shorter than the count of frames, which shows the failure.
        if (write(stream->record, bytes, filled) < 0) return;
        filled = 0;
    }
}

static void play(
    struct card_stream *stream, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t count,
    int64_t position) {
    const unsigned channels = stream->plug.channels;
    const uint64_t length = stream->plug.buffer_size, first = stream->plug.appl_ptr;
    for (uint64_t done = 0; done < count;) {
        const uint64_t place = (first + done) % length;
        const uint64_t piece = length - place < count - done ? length - place : count - done;
        for (unsigned channel = 0; channel < channels; channel++) {
            format_decode(
                &stream->format, &areas[channel], offset + done, piece, stream->queue + place * channels + channel,
                channels);
        }
        done += piece;
    }
    if (stream->record >= 0) record_bytes(stream, areas, offset, count);
    if (!stream->is_running) return;
    // Frames arriving too late are not played.
    const int64_t begin = (int64_t)first > position ? (int64_t)first : position;
    stream->ahead = (int64_t)count;
    stream_lay(stream, begin);
    stream->ahead = 0;
}

static void capture_frame(struct card_stream *stream, int64_t frame, double *samples) {
    const struct card_settings *settings = &stream->card->block->settings;
    struct cable *cable = &stream->card->block->cable;
    const uint64_t pace = atomic_load(&cable->pace);
    const int64_t elapsed = stream->start + frame - settings->first_frame;
    const int64_t origin = settings->first_frame - settings->loopback_delay_frames;
    if (pace == 0 || pace == stream->pace) {
        cable_read(cable, origin + elapsed, samples, stream->plug.channels);
        return;
    }
    const unsigned __int128 scaled = (unsigned __int128)elapsed * pace;
    const int64_t whole = (int64_t)(scaled / stream->pace);
    const double fraction = (double)(uint64_t)(scaled % stream->pace) / (double)stream->pace;
    cable_interpolate(cable, origin + whole, fraction, samples, stream->plug.channels);
}

static void capture(
    struct card_stream *stream, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t count) {
    const unsigned channels = stream->plug.channels;
    const uint64_t length = stream->plug.buffer_size;
    for (uint64_t done = 0; done < count;) {
        const uint64_t piece = length < count - done ? length : count - done;
        for (uint64_t index = 0; index < piece; index++) {
            capture_frame(stream, (int64_t)(stream->plug.appl_ptr + done + index), stream->queue + index * channels);
        }
        for (unsigned channel = 0; channel < channels; channel++) {
            format_encode(
                &stream->format, &areas[channel], offset + done, piece, stream->queue + channel, channels);
        }
        done += piece;
    }
}

static bool is_mapped(const struct card_stream *stream) {
    return stream->plug.access == SND_PCM_ACCESS_MMAP_INTERLEAVED ||
           stream->plug.access == SND_PCM_ACCESS_MMAP_NONINTERLEAVED;
}

int64_t stream_transfer(
    struct card_stream *stream, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset,
    snd_pcm_uframes_t count) {
    const int64_t position = device_step(stream);
    const int error = device_error(stream);
    if (error < 0) return error;
    const int refusal = card_refusal(stream->card, stream->direction, VIRTUAL_CARD_TRANSFER);
    if (refusal < 0) return refusal;
    const bool is_mapped_capture = is_mapped(stream) && !stream_plays(stream);
    if (stream->short_count > 0 && count > 1) {
        // alsa-lib takes a mapped capture for complete, whatever the result, so only refusal is possible.
        if (stream->is_short_turn || is_mapped_capture) {
            stream->is_short_turn = false;
            stream->short_count--;
            return -EAGAIN;
        }
        stream->is_short_turn = true;
        count /= 2;
    }
    if (stream_plays(stream)) play(stream, areas, offset, count, position);
    else capture(stream, areas, offset, count);
    // Frames of a mapped capture count when the program commits them.
    if (!is_mapped_capture) {
        atomic_fetch_add(&stream->block->transferred, count);
        stream->application = (int64_t)(stream->plug.appl_ptr + count);
    }
    if (stream->seat) atomic_fetch_add(&stream->seat->served, 1);
    stream->is_fresh = false;
    stream->ahead = is_mapped_capture ? 0 : (int64_t)count;
    wake_arm(stream);
    stream->ahead = 0;
    return (int64_t)count;
}
