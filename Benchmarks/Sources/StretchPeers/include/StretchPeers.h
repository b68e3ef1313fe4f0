// The stretchers ours is measured beside, each fed and emptied by its own language, so that no call between languages is
// timed. All of them are asked the same way: for the next frames of a source that is there in whole.
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
    /// Signalsmith Stretch: headers only, compiled in where they are found.
    STRETCH_PEER_SIGNALSMITH,
    /// Bungee, the open edition: compiled in where its header is found, its shared library loaded when asked for.
    STRETCH_PEER_BUNGEE
};

/// Whether this program contains a stretcher. Those that no distribution packages are there only where somebody installed them.
int stretch_peer_is_there(enum stretch_peer_kind kind);

/// A stretcher at the beginning of a source; `speed` is source frames per output frame.
struct stretch_peer *stretch_peer_create(enum stretch_peer_kind kind, int channels, int sample_rate, double speed);
void stretch_peer_destroy(struct stretch_peer *peer);

/// Another speed for what is fed from now on.
void stretch_peer_set_speed(struct stretch_peer *peer, double speed);

/// All frequencies times a ratio, before the first frame; Rubber Band and Signalsmith then keep formants, the others cannot.
void stretch_peer_set_pitch(struct stretch_peer *peer, double ratio);

/// Writes the next `frames` frames, at most 8192, feeding what the stretcher wants; silence follows the source's end.
/// The padding that its makers prescribe for a start is part of the first call, and the delay they state is taken off.
void stretch_peer_render(
    struct stretch_peer *peer, const float *const *source, long source_frames, float *const *output, int frames);

#ifdef __cplusplus
}
#endif
#endif
