// The reference for the pitch tracker: aubio, loaded on request, and left out where not installed. Its licence is the
// GPL, so nothing links it.
#ifndef PITCH_PEERS_H
#define PITCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>

/// Whether aubio is installed.
bool pitch_peer_is_there(void);

/// Tracks the pitch of a recording: a value for every `hop` frames.
///
/// Values are in Hz, 0 for no pitch; value k describes the frames around (k + 1) * hop - window / 2, as aubio looks
/// back. `method` is aubio's name, `confidence` the least confidence of a pitch, below 0 any. Writes at most `capacity`
/// values and returns how many.
size_t pitch_peer_track(
    const char *method, const float *samples, size_t count, unsigned sample_rate, unsigned hop, unsigned window,
    float confidence, float *hertz, size_t capacity);

#endif
