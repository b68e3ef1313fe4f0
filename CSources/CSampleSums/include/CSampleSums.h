/// Extremes and energy of 16-bit samples, and a prefetch. In C for one instruction that multiplies pairs and adds the
/// products: Swift has no name for this instruction, and the optimiser does not use it. The same loop in Swift takes
/// twice as long (docs/waveform.md).
#ifndef CSAMPLESUMS_H
#define CSAMPLESUMS_H

#include <stddef.h>
#include <stdint.h>

/// The extremes and the energy of samples; for no samples: minimum 32767, maximum -32768, energy 0.
typedef struct {
    int16_t minimum;
    int16_t maximum;
    /// The sum of the squares, exact for 2^33 samples.
    uint64_t energy;
} SampleSum;

/// Sums up `count` consecutive samples; any alignment.
SampleSum sample_sum(const int16_t *_Nonnull samples, size_t count);

/// Sums up two interleaved channels of `frames` frames.
void sample_sum_stereo(const int16_t *_Nonnull samples, size_t frames, SampleSum *_Nonnull left, SampleSum *_Nonnull right);

/// Prefetches the memory around an address, which may be invalid; does not wait. Swift has no function for it.
static inline void fetch_ahead(const void *_Nonnull address) { __builtin_prefetch(address); }

#endif
