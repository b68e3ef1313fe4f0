#include "CSampleSums.h"

static void add(SampleSum *sum, int16_t sample) {
    if (sample < sum->minimum) sum->minimum = sample;
    if (sample > sum->maximum) sum->maximum = sample;
    sum->energy += (uint64_t)((int32_t)sample * (int32_t)sample);
}


#ifdef __SSE2__
#include <emmintrin.h>

/// The extremes of eight samples, and the sums of their squares in 64-bit lanes.
typedef struct {
    __m128i minimum, maximum, energy;
} Lanes;

static inline Lanes no_lanes(void) {
    return (Lanes){_mm_set1_epi16(INT16_MAX), _mm_set1_epi16(INT16_MIN), _mm_setzero_si128()};
}

/// Adds four unsigned 32-bit numbers, each at most 2^31 (two squares of -32768), to the 64-bit lanes.
static inline __m128i widened(__m128i energy, __m128i pairs) {
    const __m128i low = _mm_set1_epi64x(0xFFFFFFFF);
    return _mm_add_epi64(energy, _mm_add_epi64(_mm_and_si128(pairs, low), _mm_srli_epi64(pairs, 32)));
}

static SampleSum folded(Lanes lanes, int first, int step) {
    int16_t minimum[8], maximum[8];
    uint64_t energy[2];
    _mm_storeu_si128((__m128i *)minimum, lanes.minimum);
    _mm_storeu_si128((__m128i *)maximum, lanes.maximum);
    _mm_storeu_si128((__m128i *)energy, lanes.energy);
    SampleSum sum = {INT16_MAX, INT16_MIN, energy[0] + energy[1]};
    for (int lane = first; lane < 8; lane += step) {
        if (minimum[lane] < sum.minimum) sum.minimum = minimum[lane];
        if (maximum[lane] > sum.maximum) sum.maximum = maximum[lane];
    }
    return sum;
}

SampleSum sample_sum(const int16_t *samples, size_t count) {
    Lanes lanes = no_lanes();
    size_t index = 0;
    for (; index + 8 <= count; index += 8) {
        const __m128i part = _mm_loadu_si128((const __m128i *)(samples + index));
        lanes.minimum = _mm_min_epi16(lanes.minimum, part);
        lanes.maximum = _mm_max_epi16(lanes.maximum, part);
        lanes.energy = widened(lanes.energy, _mm_madd_epi16(part, part));
    }
    SampleSum sum = folded(lanes, 0, 1);
    for (; index < count; index++) add(&sum, samples[index]);
    return sum;
}

void sample_sum_stereo(const int16_t *samples, size_t frames, SampleSum *left, SampleSum *right) {
    // The lower halves of the 32-bit lanes are the left channel. With zeros in the upper halves, only the left samples
    // are squared.
    const __m128i lefts = _mm_set1_epi32(0xFFFF);
    Lanes lanes = no_lanes();
    __m128i other = _mm_setzero_si128();
    size_t frame = 0;
    for (; frame + 4 <= frames; frame += 4) {
        const __m128i part = _mm_loadu_si128((const __m128i *)(samples + 2 * frame));
        lanes.minimum = _mm_min_epi16(lanes.minimum, part);
        lanes.maximum = _mm_max_epi16(lanes.maximum, part);
        lanes.energy = widened(lanes.energy, _mm_madd_epi16(part, _mm_and_si128(part, lefts)));
        other = widened(other, _mm_madd_epi16(part, _mm_andnot_si128(lefts, part)));
    }
    *left = folded(lanes, 0, 2);
    lanes.energy = other;
    *right = folded(lanes, 1, 2);
    for (; frame < frames; frame++) {
        add(left, samples[2 * frame]);
        add(right, samples[2 * frame + 1]);
    }
}

#else

static SampleSum nothing(void) { return (SampleSum){INT16_MAX, INT16_MIN, 0}; }

SampleSum sample_sum(const int16_t *samples, size_t count) {
    SampleSum sum = nothing();
    for (size_t index = 0; index < count; index++) add(&sum, samples[index]);
    return sum;
}

void sample_sum_stereo(const int16_t *samples, size_t frames, SampleSum *left, SampleSum *right) {
    *left = nothing();
    *right = nothing();
    for (size_t frame = 0; frame < frames; frame++) {
        add(left, samples[2 * frame]);
        add(right, samples[2 * frame + 1]);
    }
}

#endif
