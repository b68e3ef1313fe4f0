// Sample formats: converts every linear format of alsa-lib to doubles with full scale 1, and back, without loss.
#ifndef WOODSHED_CARD_FORMATS_H
#define WOODSHED_CARD_FORMATS_H

#include <alsa/asoundlib.h>
#include <stdbool.h>
#include <stddef.h>

enum { FORMAT_LIMIT = 64 };

struct card_format {
    unsigned byte_count, bit_count;
    bool is_big_endian, is_unsigned, is_float;
};

bool format_describe(snd_pcm_format_t format, struct card_format *description);
// Lists all linear formats, and returns the number of formats.
unsigned format_list(unsigned formats[FORMAT_LIMIT]);

// Converts `count` samples of one channel, from `offset` on, from or to every `stride`-th double.
void format_decode(
    const struct card_format *format, const snd_pcm_channel_area_t *area, snd_pcm_uframes_t offset, size_t count,
    double *samples, size_t stride);
void format_encode(
    const struct card_format *format, const snd_pcm_channel_area_t *area, snd_pcm_uframes_t offset, size_t count,
    const double *samples, size_t stride);

#endif
