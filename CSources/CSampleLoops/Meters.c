#include "CSampleLoops.h"

#include <string.h>

/// The largest magnitude that counts as sound; see MeterInput.swift.
#define LARGEST_MEASURABLE 0x1p40f
/// Frames weighted in one go, so that they stay in the fastest cache.
#define WEIGHED 128
/// Taps of the weighting's filter, and the earlier values that the taps reach.
#define TAPS 7
#define LOOPS "MeterLoops.h"

typedef double Pair __attribute__((vector_size(16)));
typedef double Quad __attribute__((vector_size(32)));
typedef float HalfLanes __attribute__((vector_size(16)));
typedef _Bool Bits __attribute__((ext_vector_type(8)));
typedef HalfLanes LooseHalfLanes __attribute__((aligned(4), may_alias));
typedef Quad LooseQuad __attribute__((aligned(8), may_alias));
typedef Pair LoosePair __attribute__((aligned(8), may_alias));
#define PAIR(pointer) (*(LoosePair *)(pointer))
#define QUAD(pointer) (*(LooseQuad *)(pointer))
/// The earlier of two frames, and a frame twice.
#define LOWER(quad) __builtin_shufflevector(quad, quad, 0, 1)
#define BOTH(pair) __builtin_shufflevector(pair, pair, 0, 1, 0, 1)
#define HALF(pointer) (*(const LooseHalfLanes *)(pointer))
#include "Versions.h"

PeakAndSquares measure_level(const float *samples, long count) { return CALL(level, samples, count); }

void copy_measurable(const float *samples, long count, float *target) { CALL(copy, samples, count, target); }

float largest_magnitude(const float *samples, long count) { return CALL(largest, samples, count); }

float largest_bend(const float *samples, long count) { return CALL(bend, samples, count); }

void move_needle(
    const float *samples, long count, long phase, long step_frames, const float *weights, const double *step, Needle *needle) {
    CALL(needle, samples, count, phase, step_frames, weights, step, needle);
}

void charge_stores(const float *samples, long count, const double *constants, const double *scales, double *state) {
    CALL(charge, samples, count, constants, scales, state);
}

void weigh_loudness(const LoudnessFilter *filter, const float *left, const float *right, long count, LoudnessState *state) {
    for (long done = 0; done < count; done += WEIGHED) {
        const long part = count - done < WEIGHED ? count - done : WEIGHED;
        CALL(weigh_part, filter, left + done, right + done, part, state);
    }
}
