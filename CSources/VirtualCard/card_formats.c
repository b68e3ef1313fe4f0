#include "card_formats.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

bool format_describe(snd_pcm_format_t format, struct card_format *description) {
    const int bits = snd_pcm_format_width(format), physical = snd_pcm_format_physical_width(format);
    const bool is_float = snd_pcm_format_float(format) == 1;
    // alsa-lib lists DSD among the unsigned integers, but DSD is not a linear format.
    if (format >= SND_PCM_FORMAT_DSD_U8) return false;
    if (bits <= 0 || physical <= 0 || (!is_float && snd_pcm_format_linear(format) != 1)) return false;
    *description = (struct card_format){
        .byte_count = (unsigned)physical / 8,
        .bit_count = (unsigned)bits,
        .is_big_endian = snd_pcm_format_big_endian(format) == 1,
        .is_unsigned = snd_pcm_format_unsigned(format) == 1,
        .is_float = is_float,
    };
    return true;
}

unsigned format_list(unsigned formats[FORMAT_LIMIT]) {
    unsigned count = 0;
    struct card_format description;
    for (int format = 0; format <= SND_PCM_FORMAT_LAST && count < FORMAT_LIMIT; format++) {
        if (format_describe((snd_pcm_format_t)format, &description)) formats[count++] = (unsigned)format;
    }
    return count;
}

static const bool host_is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

// The bytes of one sample as a number. Each width is written out for speed, because hours of audio pass through here.
static inline uint64_t load_bytes(const unsigned char *bytes, unsigned count, bool is_big_endian) {
    const bool swaps = is_big_endian != host_is_big_endian;
    uint64_t wide;
    uint32_t word;
    uint16_t half;
    switch (count) {
    case 1: return bytes[0];
    case 2: memcpy(&half, bytes, sizeof half); return swaps ? __builtin_bswap16(half) : half;
    case 3: {
        const unsigned high = is_big_endian ? 0 : 2;
        return (uint64_t)bytes[high] << 16 | (uint64_t)bytes[1] << 8 | bytes[2 - high];
    }
    case 4: memcpy(&word, bytes, sizeof word); return swaps ? __builtin_bswap32(word) : word;
    default: memcpy(&wide, bytes, sizeof wide); return swaps ? __builtin_bswap64(wide) : wide;
    }
}

static inline void store_bytes(unsigned char *bytes, unsigned count, bool is_big_endian, uint64_t wide) {
    const bool swaps = is_big_endian != host_is_big_endian;
    const uint32_t word = swaps ? __builtin_bswap32((uint32_t)wide) : (uint32_t)wide;
    const uint16_t half = swaps ? __builtin_bswap16((uint16_t)wide) : (uint16_t)wide;
    switch (count) {
    case 1: bytes[0] = (unsigned char)wide; break;
    case 2: memcpy(bytes, &half, sizeof half); break;
    case 3: {
        const unsigned high = is_big_endian ? 0 : 2;
        bytes[high] = (unsigned char)(wide >> 16);
        bytes[1] = (unsigned char)(wide >> 8);
        bytes[2 - high] = (unsigned char)wide;
        break;
    }
    case 4: memcpy(bytes, &word, sizeof word); break;
    default:
        if (swaps) wide = __builtin_bswap64(wide);
        memcpy(bytes, &wide, sizeof wide);
        break;
    }
}

static double decode(const struct card_format *format, uint64_t word) {
    if (format->is_float) {
        if (format->byte_count == 8) {
            double value;
            memcpy(&value, &word, sizeof value);
            return value;
        }
        const uint32_t bits = (uint32_t)word;
        float value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    // Only the low bits count: in a wider word, the program may put anything above the low bits.
    const int64_t full_scale = INT64_C(1) << (format->bit_count - 1);
    const int64_t low = (int64_t)(word & ((UINT64_C(1) << format->bit_count) - 1));
    const int64_t value = format->is_unsigned ? low - full_scale : low < full_scale ? low : low - 2 * full_scale;
    return (double)value / (double)full_scale;
}

static uint64_t encode(const struct card_format *format, double value) {
    if (format->is_float) {
        uint64_t word;
        if (format->byte_count == 8) {
            memcpy(&word, &value, sizeof word);
            return word;
        }
        const float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    const double full_scale = (double)(INT64_C(1) << (format->bit_count - 1));
    double scaled = rint(value * full_scale);
    if (!(scaled >= -full_scale)) scaled = -full_scale; // also NaN
    if (scaled > full_scale - 1) scaled = full_scale - 1;
    const int64_t integer = (int64_t)scaled;
    return format->is_unsigned ? (uint64_t)(integer + (int64_t)full_scale) : (uint64_t)integer;
}

static unsigned char *sample_address(const snd_pcm_channel_area_t *area, snd_pcm_uframes_t frame) {
    return (unsigned char *)area->addr + (area->first + frame * area->step) / 8;
}

void format_decode(
    const struct card_format *format, const snd_pcm_channel_area_t *area, snd_pcm_uframes_t offset, size_t count,
    double *samples, size_t stride) {
    const unsigned char *bytes = sample_address(area, offset);
    const size_t step = area->step / 8;
    for (size_t index = 0; index < count; index++, bytes += step) {
        samples[index * stride] = decode(format, load_bytes(bytes, format->byte_count, format->is_big_endian));
    }
}

void format_encode(
    const struct card_format *format, const snd_pcm_channel_area_t *area, snd_pcm_uframes_t offset, size_t count,
    const double *samples, size_t stride) {
    unsigned char *bytes = sample_address(area, offset);
    const size_t step = area->step / 8;
    for (size_t index = 0; index < count; index++, bytes += step) {
        store_bytes(bytes, format->byte_count, format->is_big_endian, encode(format, samples[index * stride]));
    }
}
