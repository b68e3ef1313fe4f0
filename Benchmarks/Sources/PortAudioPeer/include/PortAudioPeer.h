// PortAudio as a program would use it: a callback on the default device, and all that the library tells of it.
#ifndef PORT_AUDIO_PEER_H
#define PORT_AUDIO_PEER_H

#include <stdbool.h>

/// Plays silence, or records, until SIGINT or SIGTERM; prints what the library told of the device when the signal comes, and when
/// all is closed. Returns an exit code.
int port_audio_peer_run(bool records, int sample_rate, int period_frames, int buffer_frames);

#endif
