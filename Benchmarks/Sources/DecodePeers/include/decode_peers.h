// Decoding alone, and FFTW's own best plan: the references for making a waveform.
#ifndef DECODE_PEERS_H
#define DECODE_PEERS_H

#include <stdint.h>

/// Decodes a file to its end with libsndfile, as 16-bit (or floating-point) samples, which are discarded. Returns the
/// frames, or -1.
int64_t decode_with_sndfile(const char *path, int as_float);

/// The same with libmpg123.
int64_t decode_with_mpg123(const char *path);

/// Plans a real transform of `size` samples by measuring, executes it `count` times, and returns the seconds of one
/// execution.
double fftw_measured_seconds(int size, int count);

#endif
