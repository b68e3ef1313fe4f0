#include "card_stream.h"

#include <string.h>
#include <sys/timerfd.h>

// States for which the kernel's poll returns an error.
static bool is_broken(const struct card_stream *stream) {
    switch (stream->plug.state) {
    case SND_PCM_STATE_PREPARED:
    case SND_PCM_STATE_RUNNING:
    case SND_PCM_STATE_PAUSED:
    case SND_PCM_STATE_DRAINING: return stream->is_dead;
    default: return true;
    }
}

static bool drains(const struct card_stream *stream) {
    return stream->plug.state == SND_PCM_STATE_DRAINING && stream_plays(stream);
}

int64_t wake_coarse(const struct card_stream *stream, int64_t position) {
    const int64_t step = stream->card->block->settings.granularity_frames;
    // A drain needs a wake-up at the end.
    if (drains(stream) && position >= stream_application(stream)) return position;
    return position / step * step;
}

static int64_t available(const struct card_stream *stream, int64_t position) {
    const int64_t room = stream_plays(stream) ? (int64_t)stream->plug.buffer_size : 0;
    const int64_t application = stream_application(stream);
    return stream_plays(stream) ? position + room - application : position - application;
}

static bool is_ready(const struct card_stream *stream, int64_t now) {
    if (now < stream->late_until) return false;
    const int64_t position = wake_coarse(stream, stream_position(stream, now));
    if (drains(stream)) return position >= stream_application(stream);
    return available(stream, position) >= stream->avail_min;
}

static int64_t round_up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

static uint64_t draw(struct card_stream *stream) {
    // Xorshift (Marsaglia, "Xorshift RNGs", 2003): delays without a pattern, but the same in each run.
    stream->random ^= stream->random << 13;
    stream->random ^= stream->random >> 7;
    stream->random ^= stream->random << 17;
    return stream->random;
}

static int64_t jitter(struct card_stream *stream, int64_t frame) {
    const uint32_t limit = stream->card->block->settings.jitter_microseconds;
    if (limit == 0) return 0;
    if (stream->jitter_frame != frame) {
        stream->jitter_frame = frame;
        stream->jitter_nanoseconds = (int64_t)(draw(stream) % limit) * 1000;
    }
    return stream->jitter_nanoseconds;
}

static int64_t time_at(const struct card_stream *stream, int64_t position) {
    return card_time_of_frame(stream->card, stream->start + position, stream->pace);
}

// The time of the program's next wake-up; may be in the past, or clock_never.
static int64_t wake_time(struct card_stream *stream) {
    if (is_broken(stream)) return 0;
    const int64_t now = card_now(stream->card);
    if (!stream->is_running) return is_ready(stream, now) ? 0 : clock_never;
    int64_t frame = stream_application(stream);
    if (!drains(stream)) {
        frame += stream->avail_min - (stream_plays(stream) ? (int64_t)stream->plug.buffer_size : 0);
        // Devices interrupt once per period, whatever the program's position.
        frame = frame > 0 ? round_up(frame, (int64_t)stream->plug.period_size) : 0;
        frame = round_up(frame, stream->card->block->settings.granularity_frames);
    }
    int64_t time = time_at(stream, frame);
    if (time > now) time += jitter(stream, frame);
    // A fault wakes the program at once, and so does an underrun or overrun.
    const int64_t fault = device_next_fault(stream), dry = device_dry_position(stream);
    if (fault != clock_never && time_at(stream, fault) < time) time = time_at(stream, fault);
    if (dry != clock_never && time_at(stream, dry) < time) time = time_at(stream, dry);
    return time > stream->late_until ? time : stream->late_until;
}

void wake_arm(struct card_stream *stream) {
    int64_t time = wake_time(stream);
    if (stream->seat) {
        const int64_t dry = device_dry_position(stream);
        atomic_store(&stream->seat->deadline, dry == clock_never ? clock_never : time_at(stream, dry));
        atomic_store(&stream->seat->wake, stream->is_running ? time : clock_never);
        // On a virtual clock, time passes only when a program polls.
        if (time != clock_never) time = stream->wait_until;
    }
    // 0 would switch the timer off.
    if (time <= 0) time = 1;
    // A timer that is already set to this time stays, expired or not; on a virtual clock this saves most of the cost of
    // a period.
    if (time == stream->armed) return;
    stream->armed = time;
    struct itimerspec setting;
    memset(&setting, 0, sizeof setting);
    if (time != clock_never) {
        setting.it_value.tv_sec = time / clock_second;
        setting.it_value.tv_nsec = time % clock_second;
    }
    timerfd_settime(stream->timer, TFD_TIMER_ABSTIME, &setting, NULL);
}

bool wake_poll(struct card_stream *stream) {
    device_step(stream);
    stream->wait_until = 0;
    bool ready = is_broken(stream) || is_ready(stream, card_now(stream->card));
    if (!ready && stream->seat) {
        const int64_t time = wake_time(stream);
        if (time != clock_never) {
            atomic_store(&stream->seat->wake, stream->is_running ? time : clock_never);
            const int64_t pause = clock_pass(stream->card->clock, stream->seat, time, &stream->patience);
            if (pause > 0) stream->wait_until = clock_monotonic() + pause;
            device_step(stream);
            ready = is_broken(stream) || is_ready(stream, card_now(stream->card));
        }
    }
    // An expired timer stays readable, as expected by a poll when something is ready.
    if (!ready) wake_arm(stream);
    return ready;
}
