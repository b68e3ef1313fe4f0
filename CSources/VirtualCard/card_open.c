#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "card_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <unistd.h>

// One program per direction, as with hardware; a killed program gives the direction up.
static bool take(struct card_direction_block *block) {
    int32_t owner = atomic_load(&block->owner);
    if (virtual_card_process_exists(owner)) return false;
    if (!atomic_compare_exchange_strong(&block->owner, &owner, (int32_t)getpid())) return false;
    if (owner != 0) atomic_store(&block->is_running, 0);
    return true;
}

static int watch_block(const char *name) {
    char path[CARD_NAME_LIMIT + 64];
    card_watch_path(name, path, sizeof path);
    const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch >= 0 && inotify_add_watch(watch, path, IN_ATTRIB) < 0) {
        close(watch);
        return -1;
    }
    return watch;
}

static int open_descriptors(struct card_stream *stream, const char *name) {
    const struct card_settings *settings = &stream->card->block->settings;
    stream->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (stream->timer < 0) return -errno;
    // Without the watch, the stream notices an injected fault at the next wake-up, which is early enough.
    stream->watch = watch_block(name);
    if (stream_plays(stream) && settings->record_path[0]) {
        stream->record = open(settings->record_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (stream->record < 0) return -errno;
    }
    if (stream->card->clock) {
        stream->seat = clock_take_seat(stream->card->clock);
        if (!stream->seat) return -EBUSY;
    }
    return 0;
}

static int set_list(snd_pcm_ioplug_t *plug, int type, uint32_t count, const unsigned *values) {
    return snd_pcm_ioplug_set_param_list(plug, type, count, values);
}

static int limit_formats(snd_pcm_ioplug_t *plug, const struct card_settings *settings, unsigned bytes[2]) {
    static const unsigned accesses[] = {
        SND_PCM_ACCESS_MMAP_INTERLEAVED, SND_PCM_ACCESS_MMAP_NONINTERLEAVED, SND_PCM_ACCESS_RW_INTERLEAVED,
        SND_PCM_ACCESS_RW_NONINTERLEAVED,
    };
    unsigned all[FORMAT_LIMIT];
    const unsigned all_count = format_list(all);
    const unsigned *formats = settings->format_count ? settings->formats : all;
    const unsigned count = settings->format_count ? settings->format_count : all_count;
    bytes[0] = 8;
    bytes[1] = 1;
    for (unsigned index = 0; index < count; index++) {
        const unsigned size = (unsigned)snd_pcm_format_physical_width((snd_pcm_format_t)formats[index]) / 8;
        if (size < bytes[0]) bytes[0] = size;
        if (size > bytes[1]) bytes[1] = size;
    }
    const int error = set_list(plug, SND_PCM_IOPLUG_HW_FORMAT, count, formats);
    if (error < 0) return error;
    return settings->access_count ? set_list(plug, SND_PCM_IOPLUG_HW_ACCESS, settings->access_count, settings->accesses)
                                  : set_list(plug, SND_PCM_IOPLUG_HW_ACCESS, 4, accesses);
}

static int set_limits(snd_pcm_ioplug_t *plug, const struct card_settings *settings) {
    unsigned bytes[2];
    int error = limit_formats(plug, settings, bytes);
    if (error < 0) return error;
    // From the smallest frame to the largest. on_hw_params then refuses sizes that are still wrong in frames.
    const unsigned smallest = bytes[0] * settings->channels_min, largest = bytes[1] * settings->channels_max;
    const struct {
        int type;
        unsigned least, most;
    } ranges[] = {
        {SND_PCM_IOPLUG_HW_CHANNELS, settings->channels_min, settings->channels_max},
        {SND_PCM_IOPLUG_HW_PERIOD_BYTES, settings->period_frames_min * smallest, settings->period_frames_max * largest},
        {SND_PCM_IOPLUG_HW_BUFFER_BYTES, settings->period_frames_min * settings->periods_min * smallest,
         settings->buffer_frames_max * largest},
        // Without this limit, "near" may choose a single period.
        {SND_PCM_IOPLUG_HW_PERIODS, settings->periods_min, settings->periods_max},
    };
    for (size_t index = 0; index < sizeof ranges / sizeof *ranges && error >= 0; index++) {
        error = snd_pcm_ioplug_set_param_minmax(plug, ranges[index].type, ranges[index].least, ranges[index].most);
    }
    if (error < 0) return error;
    return settings->rate_count ? set_list(plug, SND_PCM_IOPLUG_HW_RATE, settings->rate_count, settings->rates)
                                : snd_pcm_ioplug_set_param_minmax(plug, SND_PCM_IOPLUG_HW_RATE, 4000, 768000);
}

static struct card_stream *make_stream(struct virtual_card *card, int direction) {
    struct card_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    stream->card = card;
    stream->direction = direction;
    stream->block = &card->block->directions[direction];
    stream->timer = stream->watch = stream->record = -1;
    stream->pace = clock_pace(48000, card->block->settings.ppm[direction]);
    stream->avail_min = 1;
    stream->stop_threshold = stream->boundary = clock_never;
    stream->taken = atomic_load(&stream->block->posted);
    stream->unpluggings = atomic_load(&card->block->unpluggings);
    stream->armed = clock_never;
    stream->random = 0x9E3779B97F4A7C15 + (uint64_t)direction;
    pthread_mutex_init(&stream->lock, NULL);
    stream->plug = (snd_pcm_ioplug_t){
        .version = SND_PCM_IOPLUG_VERSION,
        .name = "Virtual card",
        // The last flag lets the position run up to the boundary; without it, all but the last round of the buffer
        // would be lost.
        .flags = SND_PCM_IOPLUG_FLAG_LISTED | SND_PCM_IOPLUG_FLAG_MONOTONIC | SND_PCM_IOPLUG_FLAG_BOUNDARY_WA,
        .callback = &card_callbacks,
        .private_data = stream,
    };
    return stream;
}

static int open_stream(struct virtual_card *card, snd_pcm_t **pcm, const char *name, int direction, int mode) {
    struct card_direction_block *block = &card->block->directions[direction];
    atomic_fetch_add(&block->waiting, 1);
    // Checks every millisecond, because the opening may be in another process than the call that ends the silence.
    while (atomic_load(&block->is_silent)) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    atomic_fetch_sub(&block->waiting, 1);
    const int refusal = card_refusal(card, direction, VIRTUAL_CARD_OPEN);
    int error = refusal < 0 ? refusal : card_is_unplugged(card, card_now(card)) ? -ENODEV : take(block) ? 0 : -EBUSY;
    if (error < 0) {
        virtual_card_detach(card);
        return error;
    }
    struct card_stream *stream = make_stream(card, direction);
    if (!stream) {
        atomic_store(&block->owner, 0);
        virtual_card_detach(card);
        return -ENOMEM;
    }
    error = open_descriptors(stream, name);
    if (error == 0) {
        stream->plug.poll_fd = stream->timer;
        stream->plug.poll_events = POLLIN;
        error = snd_pcm_ioplug_create(
            &stream->plug, name, direction ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK, mode);
    }
    if (error < 0) {
        atomic_store(&block->owner, 0);
        card_stream_free(stream);
        return error;
    }
    error = set_limits(&stream->plug, &card->block->settings);
    if (error < 0) {
        snd_pcm_ioplug_delete(&stream->plug); // calls on_close
        return error;
    }
    atomic_fetch_add(&block->opens, 1);
    *pcm = stream->plug.pcm;
    return 0;
}

int virtual_card_open(
    struct _snd_pcm **pcm, const char *name, const struct virtual_card_options *options, int stream, int mode) {
    struct virtual_card *card;
    const int error = card_find_or_create(&card, name, options);
    if (error < 0) return error;
    return open_stream(card, pcm, name, stream == SND_PCM_STREAM_CAPTURE, mode);
}
