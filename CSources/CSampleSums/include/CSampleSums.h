/// Extremes and energy of 16-bit samples, and a look ahead. In C for one instruction that multiplies pairs and adds them up, which Swift cannot name and
/// its optimiser does not find: half the time of the same loop in Swift (docs/waveform.md).
#ifndef CSAMPLESUMS_H
#define CSAMPLESUMS_H

#include <stddef.h>
#include <stdint.h>

/// What there is of some samples; of none: minimum 32767, maximum -32768, energy 0.
typedef struct {
    int16_t minimum;
    int16_t maximum;
    /// The sum of the squares, exact for 2^33 samples.
    uint64_t energy;
} SampleSum;

/// Sums up `count` samples that lie side by side; any alignment.
SampleSum sample_sum(const int16_t *_Nonnull samples, size_t count);

/// Sums up two channels of `frames` frames whose samples take turns.
void sample_sum_stereo(const int16_t *_Nonnull samples, size_t frames, SampleSum *_Nonnull left, SampleSum *_Nonnull right);

/// Asks for the memory around an address, which need not be anybody's, to be brought near; waits for nothing. Swift cannot say it.
static inline void fetch_ahead(const void *_Nonnull address) { __builtin_prefetch(address); }

#endif
