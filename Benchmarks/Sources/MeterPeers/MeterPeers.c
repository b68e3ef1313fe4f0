#include "MeterPeers.h"

#include <ebur128.h>
#include <math.h>

static bool read_all(
    ebur128_state *state, const float *interleaved, size_t frame_count, bool with_loudness,
    struct meter_peer_reading *reading) {
    const size_t block = state->samplerate / 10;
    for (size_t done = 0; done < frame_count; done += block) {
        const size_t count = frame_count - done < block ? frame_count - done : block;
        if (ebur128_add_frames_float(state, interleaved + done * state->channels, count) != EBUR128_SUCCESS) return false;
        if (!with_loudness) continue;
        double momentary, short_term;
        if (ebur128_loudness_momentary(state, &momentary) != EBUR128_SUCCESS) return false;
        if (ebur128_loudness_shortterm(state, &short_term) != EBUR128_SUCCESS) return false;
        reading->momentary_maximum = fmax(reading->momentary_maximum, momentary);
        reading->short_term_maximum = fmax(reading->short_term_maximum, short_term);
    }
    return true;
}

bool meter_peer_measure(
    const float *interleaved, size_t frame_count, unsigned channel_count, unsigned long sample_rate, bool with_loudness,
    bool with_true_peak, struct meter_peer_reading *reading) {
    const int loudness = EBUR128_MODE_M | EBUR128_MODE_S | EBUR128_MODE_I | EBUR128_MODE_LRA;
    const int mode = (with_loudness ? loudness : 0) | (with_true_peak ? EBUR128_MODE_TRUE_PEAK : 0);
    ebur128_state *state = ebur128_init(channel_count, sample_rate, mode);
    if (state == NULL) return false;
    *reading = (struct meter_peer_reading){-INFINITY, 0, -INFINITY, -INFINITY, 0};
    bool succeeded = read_all(state, interleaved, frame_count, with_loudness, reading);
    if (with_loudness) {
        succeeded = succeeded && ebur128_loudness_global(state, &reading->integrated) == EBUR128_SUCCESS;
        succeeded = succeeded && ebur128_loudness_range(state, &reading->range) == EBUR128_SUCCESS;
    }
    for (unsigned channel = 0; with_true_peak && channel < channel_count; channel++) {
        double peak;
        succeeded = succeeded && ebur128_true_peak(state, channel, &peak) == EBUR128_SUCCESS;
        if (succeeded) reading->true_peak = fmax(reading->true_peak, peak);
    }
    ebur128_destroy(&state);
    return succeeded;
}
