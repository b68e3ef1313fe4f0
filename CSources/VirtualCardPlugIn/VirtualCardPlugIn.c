// alsa-lib looks up symbols that its header defines only for code of shared objects.
#ifndef PIC
#define PIC 1
#endif
#include "VirtualCard.h"

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A field of the configuration: a string, an integer such as a number of frames, or a deviation.
struct field {
    const char *name;
    enum { TEXT, WORD, LONG_WORD, REAL } type;
    size_t offset;
};

#define FIELD(name, type) {#name, type, offsetof(struct virtual_card_options, name)}

static const struct field fields[] = {
    FIELD(clock, TEXT),
    FIELD(playback_ppm, REAL),
    FIELD(capture_ppm, REAL),
    FIELD(loopback_delay_frames, LONG_WORD),
    FIELD(latency_frames, LONG_WORD),
    FIELD(granularity_frames, WORD),
    FIELD(jitter_microseconds, WORD),
    FIELD(first_frame, LONG_WORD),
    FIELD(cable_frames, WORD),
    FIELD(channels_min, WORD),
    FIELD(channels_max, WORD),
    FIELD(rates, TEXT),
    FIELD(formats, TEXT),
    FIELD(accesses, TEXT),
    FIELD(period_frames_min, WORD),
    FIELD(period_frames_max, WORD),
    FIELD(buffer_frames_max, WORD),
    FIELD(periods_min, WORD),
    FIELD(periods_max, WORD),
    FIELD(channel_map, TEXT),
    FIELD(playback_faults, TEXT),
    FIELD(capture_faults, TEXT),
    FIELD(delay_answer, WORD),
    FIELD(record_path, TEXT),
};

static int set_number(struct virtual_card_options *options, const struct field *field, snd_config_t *node) {
    // Read as text, because an argument of a name is always text, whatever its declaration.
    char *text = NULL, *end = NULL;
    if (snd_config_get_ascii(node, &text) < 0 || !text) return -EINVAL;
    const double real = strtod(text, &end);
    const int is_number = end != text && *end == 0;
    free(text);
    char *const place = (char *)options + field->offset;
    if (!is_number || (field->type == WORD && (real < 0 || real > UINT32_MAX))) return -EINVAL;
    if (field->type == REAL) *(double *)place = real;
    else if (field->type == WORD) *(uint32_t *)place = (uint32_t)real;
    else *(int64_t *)place = (int64_t)real;
    return 0;
}

static int set_field(struct virtual_card_options *options, const char *name, snd_config_t *node) {
    for (size_t index = 0; index < sizeof fields / sizeof *fields; index++) {
        if (strcmp(fields[index].name, name) != 0) continue;
        if (fields[index].type != TEXT) return set_number(options, &fields[index], node);
        return snd_config_get_string(node, (const char **)((char *)options + fields[index].offset));
    }
    return -ENOENT;
}

SND_PCM_PLUGIN_DEFINE_FUNC(virtual_card) {
    (void)root;
    struct virtual_card_options options = virtual_card_defaults();
    const char *card = "0";
    snd_config_iterator_t iterator, next;
    snd_config_for_each(iterator, next, conf) {
        snd_config_t *node = snd_config_iterator_entry(iterator);
        const char *field;
        if (snd_config_get_id(node, &field) < 0) continue;
        if (strcmp(field, "comment") == 0 || strcmp(field, "type") == 0 || strcmp(field, "hint") == 0) continue;
        const int error = strcmp(field, "card") == 0 ? snd_config_get_string(node, &card) : set_field(&options, field, node);
        if (error < 0) {
            SNDERR("virtual card: no such field or value: %s", field);
            return -EINVAL;
        }
    }
    (void)name;
    return virtual_card_open(pcmp, card, &options, stream, mode);
}
SND_PCM_PLUGIN_SYMBOL(virtual_card);
