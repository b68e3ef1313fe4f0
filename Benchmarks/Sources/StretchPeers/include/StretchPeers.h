// The reference stretchers, each fed and emptied in its own language, so that no call between languages is timed. All
// have the same interface: a call for the next frames of a source that is available in whole.
#ifndef STRETCH_PEERS_H
#define STRETCH_PEERS_H

#ifdef __cplusplus
extern "C" {
#endif

/// A stretcher with its place in a source.
struct stretch_peer;

enum stretch_peer_kind {
    /// Rubber Band, the faster engine, real-time mode.
    STRETCH_PEER_RUBBERBAND_R2,
    /// Rubber Band, the finer engine, real-time mode.
    STRETCH_PEER_RUBBERBAND_R3,
    STRETCH_PEER_SOUNDTOUCH,
    STRETCH_PEER_SONIC,
    /// Signalsmith Stretch: headers only, compiled in where found.
    STRETCH_PEER_SIGNALSMITH,
    /// Bungee, the open edition: compiled in where its header is found; its shared library is loaded on request.
    STRETCH_PEER_BUNGEE
};

/// Whether this program contains a stretcher. Stretchers that no distribution packages are included only where
/// installed by hand.
int stretch_peer_is_there(enum stretch_peer_kind kind);

/// A stretcher at the beginning of a source; `speed` is source frames per output frame.
struct stretch_peer *stretch_peer_create(enum stretch_peer_kind kind, int channels, int sample_rate, double speed);
void stretch_peer_destroy(struct stretch_peer *peer);

/// Sets the speed for the input from now on.
void stretch_peer_set_speed(struct stretch_peer *peer, double speed);

/// All frequencies times a ratio, before the first frame; Rubber Band and Signalsmith then keep formants, the others
/// cannot.
void stretch_peer_set_pitch(struct stretch_peer *peer, double ratio);

/// Writes the next `frames` frames, at most 8192, feeding the stretcher as needed; silence follows the source's end.
/// The first call includes the padding prescribed by the stretcher's authors for a start, and the stated delay is
/// removed.
void stretch_peer_render(
    struct stretch_peer *peer, const float *const *source, long source_frames, float *const *output, int frames);

#ifdef __cplusplus
}
#endif
#endif
