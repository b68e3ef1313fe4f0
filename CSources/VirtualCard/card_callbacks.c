// The callbacks for alsa-lib. alsa-lib calls some of them with its own lock held and some without, so each callback
// takes the stream's lock.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "card_stream.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct card_stream *enter(snd_pcm_ioplug_t *plug) {
    struct card_stream *stream = plug->private_data;
    pthread_mutex_lock(&stream->lock);
    if (stream->seat) atomic_store(&stream->seat->thread, clock_thread());
    return stream;
}

// Releases the lock and returns a result; the call may have changed the next wake-up.
static int leave(struct card_stream *stream, int result) {
    wake_arm(stream);
    pthread_mutex_unlock(&stream->lock);
    return result;
}

static int on_start(snd_pcm_ioplug_t *plug) {
    struct card_stream *stream = enter(plug);
    return leave(stream, stream_start(stream));
}

static int on_stop(snd_pcm_ioplug_t *plug) {
    struct card_stream *stream = enter(plug);
    stream_stop(stream);
    return leave(stream, 0);
}

static snd_pcm_sframes_t on_pointer(snd_pcm_ioplug_t *plug) {
    struct card_stream *stream = enter(plug);
    const bool was_running = stream->is_running;
    const int64_t position = device_step(stream);
    // alsa-lib takes every negative answer for XRUN; other states are reported by the state.
    const snd_pcm_sframes_t answer = plug->state == SND_PCM_STATE_XRUN ? -EPIPE : wake_coarse(stream, position);
    if (was_running != stream->is_running) wake_arm(stream);
    pthread_mutex_unlock(&stream->lock);
    return answer;
}

static snd_pcm_sframes_t on_transfer(
    snd_pcm_ioplug_t *plug, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t count) {
    struct card_stream *stream = enter(plug);
    const int64_t moved = stream_transfer(stream, areas, offset, count);
    pthread_mutex_unlock(&stream->lock);
    return moved;
}

static int on_prepare(snd_pcm_ioplug_t *plug) {
    struct card_stream *stream = enter(plug);
    return leave(stream, stream_prepare(stream));
}

static int on_pause(snd_pcm_ioplug_t *plug, int enable) {
    struct card_stream *stream = enter(plug);
    stream_pause(stream, enable);
    return leave(stream, 0);
}

static int on_resume(snd_pcm_ioplug_t *plug) {
    struct card_stream *stream = enter(plug);
    stream_resume(stream);
    return leave(stream, 0);
}

static bool lies_within(snd_pcm_uframes_t value, uint32_t least, uint32_t most) { return value >= least && value <= most; }

static int on_hw_params(snd_pcm_ioplug_t *plug, snd_pcm_hw_params_t *parameters) {
    (void)parameters;
    struct card_stream *stream = plug->private_data;
    const struct card_settings *settings = &stream->card->block->settings;
    // alsa-lib takes limits in bytes, which are right for only one size of frame.
    if (!lies_within(plug->period_size, settings->period_frames_min, settings->period_frames_max) ||
        plug->buffer_size > settings->buffer_frames_max) {
        return -EINVAL;
    }
    double *queue = calloc((size_t)plug->buffer_size * plug->channels, sizeof *queue);
    if (!queue) return -ENOMEM;
    enter(plug);
    free(stream->queue);
    stream->queue = queue;
    stream->pace = clock_pace(plug->rate, settings->ppm[stream->direction]);
    const bool is_known = format_describe(plug->format, &stream->format);
    pthread_mutex_unlock(&stream->lock);
    return is_known ? 0 : -EINVAL;
}

static int on_sw_params(snd_pcm_ioplug_t *plug, snd_pcm_sw_params_t *parameters) {
    snd_pcm_uframes_t avail_min = 1, stop_threshold = 0, boundary = 0;
    snd_pcm_sw_params_get_avail_min(parameters, &avail_min);
    snd_pcm_sw_params_get_stop_threshold(parameters, &stop_threshold);
    snd_pcm_sw_params_get_boundary(parameters, &boundary);
    struct card_stream *stream = enter(plug);
    stream->avail_min = avail_min > 0 ? (int64_t)avail_min : 1;
    stream->stop_threshold = (int64_t)stop_threshold;
    stream->boundary = (int64_t)boundary;
    return leave(stream, 0);
}

static int on_delay(snd_pcm_ioplug_t *plug, snd_pcm_sframes_t *delay) {
    struct card_stream *stream = enter(plug);
    const int64_t position = device_step(stream), application = stream_application(stream);
    const struct card_settings *settings = &stream->card->block->settings;
    int error = device_error(stream);
    *delay = (stream_plays(stream) ? application - position : position - application) + settings->latency_frames;
    if (settings->delay_answer == VIRTUAL_CARD_DELAY_NEGATIVE) *delay = -3;
    if (settings->delay_answer == VIRTUAL_CARD_DELAY_EIO_AT_FIRST && (stream->is_fresh || !stream->is_running)) {
        error = -EIO;
    }
    pthread_mutex_unlock(&stream->lock);
    return error;
}

static int on_poll_count(snd_pcm_ioplug_t *plug) {
    const struct card_stream *stream = plug->private_data;
    return stream->watch >= 0 ? 2 : 1;
}

static int on_poll_descriptors(snd_pcm_ioplug_t *plug, struct pollfd *entries, unsigned space) {
    struct card_stream *stream = enter(plug);
    const int descriptors[2] = {stream->timer, stream->watch};
    unsigned count = 0;
    for (; count < 2 && count < space && descriptors[count] >= 0; count++) {
        entries[count] = (struct pollfd){.fd = descriptors[count], .events = POLLIN};
    }
    return leave(stream, (int)count);
}

static void drain_watch(const struct card_stream *stream) {
    char events[512];
    while (read(stream->watch, events, sizeof events) > 0) {}
}

static int on_poll_revents(
    snd_pcm_ioplug_t *plug, struct pollfd *entries, unsigned count, unsigned short *events) {
    *events = 0;
    bool is_readable = false;
    for (unsigned index = 0; index < count; index++) is_readable |= entries[index].revents != 0;
    if (!is_readable) return 0;
    struct card_stream *stream = enter(plug);
    if (count > 1 && entries[1].revents != 0) drain_watch(stream);
    const bool is_ready = wake_poll(stream);
    atomic_fetch_add(&stream->block->wakes, 1);
    if (is_ready) *events = stream_plays(stream) ? POLLOUT : POLLIN;
    else atomic_fetch_add(&stream->block->idle_wakes, 1);
    switch (plug->state) {
    case SND_PCM_STATE_PREPARED:
    case SND_PCM_STATE_RUNNING:
    case SND_PCM_STATE_PAUSED:
    case SND_PCM_STATE_DRAINING:
        if (stream->is_dead) *events |= POLLERR;
        break;
    // The kernel's answer for a removed card.
    case SND_PCM_STATE_DISCONNECTED: *events |= POLLERR | POLLNVAL; break;
    default: *events |= POLLERR; break;
    }
    pthread_mutex_unlock(&stream->lock);
    return 0;
}

static void fill_map(const struct card_settings *settings, snd_pcm_chmap_t *map, unsigned channels) {
    map->channels = channels;
    for (unsigned channel = 0; channel < channels; channel++) {
        map->pos[channel] = channel < settings->map_count ? settings->map[channel] : SND_CHMAP_UNKNOWN;
    }
}

static snd_pcm_chmap_query_t **on_query_chmaps(snd_pcm_ioplug_t *plug) {
    const struct card_stream *stream = plug->private_data;
    const struct card_settings *settings = &stream->card->block->settings;
    if (settings->map_count == 0) return NULL;
    snd_pcm_chmap_query_t **list = calloc(2, sizeof *list);
    if (!list) return NULL;
    list[0] = malloc(sizeof **list + settings->map_count * sizeof(unsigned));
    if (!list[0]) {
        free(list);
        return NULL;
    }
    list[0]->type = SND_CHMAP_TYPE_FIXED;
    fill_map(settings, &list[0]->map, settings->map_count);
    return list;
}

static snd_pcm_chmap_t *on_get_chmap(snd_pcm_ioplug_t *plug) {
    const struct card_stream *stream = plug->private_data;
    const struct card_settings *settings = &stream->card->block->settings;
    if (settings->map_count == 0 || plug->channels == 0) return NULL;
    snd_pcm_chmap_t *map = malloc(sizeof *map + plug->channels * sizeof(unsigned));
    if (map) fill_map(settings, map, plug->channels);
    return map;
}

void card_stream_free(struct card_stream *stream) {
    if (stream->seat) clock_leave_seat(stream->seat);
    if (stream->timer >= 0) close(stream->timer);
    if (stream->watch >= 0) close(stream->watch);
    if (stream->record >= 0) close(stream->record);
    free(stream->queue);
    virtual_card_detach(stream->card);
    pthread_mutex_destroy(&stream->lock);
    free(stream);
}

static int on_close(snd_pcm_ioplug_t *plug) {
    struct card_stream *stream = plug->private_data;
    while (atomic_load(&stream->block->is_silent)) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    enter(plug);
    stream_stop(stream);
    atomic_store(&stream->block->owner, 0);
    pthread_mutex_unlock(&stream->lock);
    card_stream_free(stream);
    return 0;
}

const snd_pcm_ioplug_callback_t card_callbacks = {
    .start = on_start,
    .stop = on_stop,
    .pointer = on_pointer,
    .transfer = on_transfer,
    .close = on_close,
    .hw_params = on_hw_params,
    .sw_params = on_sw_params,
    .prepare = on_prepare,
    .pause = on_pause,
    .resume = on_resume,
    .poll_descriptors_count = on_poll_count,
    .poll_descriptors = on_poll_descriptors,
    .poll_revents = on_poll_revents,
    .delay = on_delay,
    .query_chmaps = on_query_chmaps,
    .get_chmap = on_get_chmap,
};
