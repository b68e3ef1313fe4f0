// The reference for the loudness meter: libebur128, driven by a loop in C.
#ifndef METER_PEERS_H
#define METER_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The reading of the meter.
struct meter_peer_reading {
    double integrated, range, momentary_maximum, short_term_maximum, true_peak;
};

/// Reads interleaved frames in blocks of 100 ms, and asks for momentary and short-term loudness after each block, the
/// rate that EBU Tech 3341 requires; with_true_peak adds the true peak. Returns false on failure.
bool meter_peer_measure(
    const float *interleaved, size_t frame_count, unsigned channel_count, unsigned long sample_rate, bool with_loudness,
    bool with_true_peak, struct meter_peer_reading *reading);

#ifdef __cplusplus
}
#endif
#endif
