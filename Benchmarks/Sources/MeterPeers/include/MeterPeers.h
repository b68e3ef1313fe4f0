// The loudness meter ours is measured beside: libebur128, driven by a loop of its own language.
#ifndef METER_PEERS_H
#define METER_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What it read.
struct meter_peer_reading {
    double integrated, range, momentary_maximum, short_term_maximum, true_peak;
};

/// Reads interleaved frames in blocks of 100 ms, and asks for momentary and short-term loudness after each, as often as EBU Tech 3341
/// wants a meter to; with_true_peak adds the true peak. False if it cannot be had.
bool meter_peer_measure(
    const float *interleaved, size_t frame_count, unsigned channel_count, unsigned long sample_rate, bool with_loudness,
    bool with_true_peak, struct meter_peer_reading *reading);

#ifdef __cplusplus
}
#endif
#endif
