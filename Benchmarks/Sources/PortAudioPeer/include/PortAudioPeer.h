// PortAudio as a program would use it: a callback on the default device, and all reports of the library.
#ifndef PORT_AUDIO_PEER_H
#define PORT_AUDIO_PEER_H

#include <stdbool.h>

/// Plays silence, or records, until SIGINT or SIGTERM. Prints the library's reports about the device when the signal
/// comes, and when all is closed. Returns an exit code.
int port_audio_peer_run(bool records, int sample_rate, int period_frames, int buffer_frames);

#endif
