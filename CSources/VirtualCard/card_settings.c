// Checks the options of a card, once.
#include "card_block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct virtual_card_options virtual_card_defaults(void) {
    return (struct virtual_card_options){
        .clock = "real",
        .granularity_frames = 1,
        .cable_frames = 1 << 17,
        .channels_min = 1,
        .channels_max = 8,
        .period_frames_min = 16,
        .period_frames_max = 8192,
        .buffer_frames_max = 32768,
        .periods_min = 2,
        .periods_max = 64,
    };
}

typedef int word_reader(const char *word, unsigned *value);

static int read_rate(const char *word, unsigned *value) {
    char *end;
    *value = (unsigned)strtoul(word, &end, 10);
    return *end == 0 && *value > 0 && *value <= 1000000 ? 0 : -EINVAL;
}

static int read_format(const char *word, unsigned *value) {
    struct card_format description;
    const snd_pcm_format_t format = snd_pcm_format_value(word);
    *value = (unsigned)format;
    return format >= 0 && format_describe(format, &description) ? 0 : -EINVAL;
}

static int read_access(const char *word, unsigned *value) {
    for (int access = 0; access <= SND_PCM_ACCESS_LAST; access++) {
        if (access == SND_PCM_ACCESS_MMAP_COMPLEX) continue; // alsa-lib's plug-ins have no such access
        const char *name = snd_pcm_access_name((snd_pcm_access_t)access);
        if (!name || strcmp(name, word) != 0) continue;
        *value = (unsigned)access;
        return 0;
    }
    return -EINVAL;
}

static int read_position(const char *word, unsigned *value) {
    const int position = (int)snd_pcm_chmap_from_string(word);
    *value = (unsigned)position;
    return position > 0 ? 0 : -EINVAL;
}

static int read_list(const char *text, word_reader *reader, unsigned *values, uint32_t capacity, uint32_t *count) {
    *count = 0;
    if (!text) return 0;
    char word[32];
    for (text += strspn(text, " ,"); *text; text += strspn(text, " ,")) {
        const size_t length = strcspn(text, " ,");
        if (length >= sizeof word) return -EINVAL;
        memcpy(word, text, length);
        word[length] = 0;
        text += length;
        if (*count == capacity) return -E2BIG;
        const int error = reader(word, &values[(*count)++]);
        if (error < 0) return error;
    }
    return 0;
}

static int read_clock(struct card_settings *settings, const char *clock, const char *card_name) {
    if (!clock || strcmp(clock, "real") == 0) return 0;
    if (strncmp(clock, "virtual", 7) != 0) return -EINVAL;
    settings->is_virtual = true;
    const char *name = clock[7] == ':' ? clock + 8 : clock[7] == 0 ? card_name : "";
    if (!card_name_is_valid(name)) return -EINVAL;
    strcpy(settings->clock_name, name);
    return 0;
}

static int read_lists(struct card_settings *settings, const struct virtual_card_options *options) {
    int error = read_list(options->rates, read_rate, settings->rates, CARD_RATE_LIMIT, &settings->rate_count);
    if (error == 0) {
        error = read_list(options->formats, read_format, settings->formats, FORMAT_LIMIT, &settings->format_count);
    }
    if (error == 0) {
        error = read_list(
            options->accesses, read_access, settings->accesses, CARD_ACCESS_LIMIT, &settings->access_count);
    }
    if (error == 0) {
        error = read_list(
            options->channel_map, read_position, settings->map, VIRTUAL_CARD_CHANNEL_LIMIT, &settings->map_count);
    }
    for (int direction = 0; direction < 2 && error == 0; direction++) {
        error = schedule_parse(
            &settings->schedules[direction], direction ? options->capture_faults : options->playback_faults);
    }
    return error;
}

static bool ranges_are_valid(const struct virtual_card_options *options) {
    const uint32_t frames = options->cable_frames;
    const bool channels = options->channels_min >= 1 && options->channels_min <= options->channels_max &&
                          options->channels_max <= VIRTUAL_CARD_CHANNEL_LIMIT;
    const bool cable = frames >= 4096 && frames <= (1u << 22) && (frames & (frames - 1)) == 0;
    const bool periods = options->period_frames_min >= 1 &&
                         options->period_frames_min <= options->period_frames_max && options->periods_min >= 1 &&
                         options->periods_min <= options->periods_max;
    // The cable must hold both the queued frames and the frames not yet recorded.
    const bool buffer = (uint64_t)options->period_frames_min * options->periods_min <= options->buffer_frames_max &&
                        2 * (uint64_t)options->buffer_frames_max + (uint64_t)options->loopback_delay_frames <= frames;
    const bool drift = options->playback_ppm >= -100000 && options->playback_ppm <= 100000 &&
                       options->capture_ppm >= -100000 && options->capture_ppm <= 100000;
    return channels && cable && periods && buffer && drift && options->granularity_frames >= 1 &&
           options->loopback_delay_frames >= 0 && options->first_frame >= 0 &&
           (unsigned)options->delay_answer <= VIRTUAL_CARD_DELAY_EIO_AT_FIRST;
}

int settings_read(struct card_settings *settings, const struct virtual_card_options *options, const char *card_name) {
    if (!ranges_are_valid(options)) return -EINVAL;
    *settings = (struct card_settings){
        .ppm = {options->playback_ppm, options->capture_ppm},
        .loopback_delay_frames = options->loopback_delay_frames,
        .latency_frames = options->latency_frames,
        .first_frame = options->first_frame,
        .granularity_frames = options->granularity_frames,
        .jitter_microseconds = options->jitter_microseconds,
        .cable_frames = options->cable_frames,
        .channels_min = options->channels_min,
        .channels_max = options->channels_max,
        .period_frames_min = options->period_frames_min,
        .period_frames_max = options->period_frames_max,
        .buffer_frames_max = options->buffer_frames_max,
        .periods_min = options->periods_min,
        .periods_max = options->periods_max,
        .delay_answer = options->delay_answer,
    };
    if (options->record_path) {
        if (strlen(options->record_path) >= CARD_PATH_LIMIT) return -E2BIG;
        strcpy(settings->record_path, options->record_path);
    }
    const int error = read_clock(settings, options->clock, card_name);
    return error < 0 ? error : read_lists(settings, options);
}
