// The cable: the output's played frames, by device frame. The cable is a ring. Each frame has a stamp with its number,
// so that a reader never takes an old frame or half a frame for the requested frame.
#ifndef WOODSHED_CARD_CABLE_H
#define WOODSHED_CARD_CABLE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct cable {
    uint32_t frame_count; // a power of two
    uint32_t wire_count;
    _Atomic uint64_t pace; // of the output; 0 if it never ran
    _Atomic uint32_t generation; // changes with the pace, so that old frames are not taken for new frames
    // `frame_count` stamps, then `frame_count` × `wire_count` samples: the bits of doubles
    _Atomic uint64_t words[];
};

size_t cable_byte_count(uint32_t frame_count, uint32_t wire_count);
void cable_set_pace(struct cable *cable, uint64_t pace);
void cable_lay(struct cable *cable, int64_t frame, const double *samples, unsigned channel_count);
void cable_erase(struct cable *cable, int64_t first, int64_t end);
// Reads a frame as played, or silence if not played. Returns whether the frame was played.
int cable_read(struct cable *cable, int64_t frame, double *samples, unsigned channel_count);
// The signal at `frame` + `fraction`, 0 ≤ fraction < 1, by a windowed sinc of 64 frames.
void cable_interpolate(struct cable *cable, int64_t frame, double fraction, double *samples, unsigned channel_count);

#endif
