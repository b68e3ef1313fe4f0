#include "CSampleLoops.h"

/// Swift's `Float.pi`, which is rounded towards zero.
#define PI 0x1.921fb4p1f
#define LEAST_NORMAL 0x1p-126f
// What the phase and the level around a bin are if a single partial is there: the fall of the level from the bin to its
// neighbours, in falls of the window's own main lobe, and the bend of the phase, in radians. A glide of any speed makes
// the lobe broader and flatter; the limits leave a factor of three to five.
#define LEAST_FALL 0.2f
#define MOST_FALL 3.0f
#define MOST_BEND 1.0f
#define LOOPS "RotationLoops.h"
#include "Versions.h"

float rotation_prepare(
    const RotationParts *parts, const float *spectra, long stride, long channels, long bins, float extra, float guard,
    float curvature) {
    return CALL(prepare, parts, spectra, stride, channels, bins, extra, guard, curvature);
}

// Two independent chains run side by side, so that each hides the other's latency. Values are computed singly: no
// vector version is faster.
void rotation_spread(const RotationParts *parts, long bins) {
    float rising = 0, falling = 0;
    for (long bin = 0; bin < bins; bin++) {
        const long mirrored = bins - 1 - bin;
        parts->from_below[bin] = rising;
        rising = parts->previous_power[bin] > rising ? parts->previous_power[bin] : rising;
        rising = parts->offered_up[bin] < rising ? parts->offered_up[bin] : rising;
        parts->from_above[mirrored] = falling;
        falling = parts->previous_power[mirrored] > falling ? parts->previous_power[mirrored] : falling;
        falling = parts->offered_down[mirrored] < falling ? parts->offered_down[mirrored] : falling;
    }
}

void rotation_seed(const RotationParts *parts, long bins, float floor, float silent, _Bool has_lobes) {
    CALL(seed, parts, bins, floor, silent, has_lobes);
}

void rotation_follow(const RotationParts *parts, long bins) { CALL(follow, parts, bins); }

void rotation_compare(const RotationParts *parts, long bins, const float *real, const float *imaginary, const float *source) {
    CALL(compare, parts, bins, real, imaginary, source);
}

void overlap_gain(
    const RotationParts *parts, const float *shares, long bins, float silent, float chirp, float *agreements, float *sizes,
    float *gains, float *side_gains) {
    CALL(gain, parts, shares, bins, silent, chirp, agreements, sizes, gains, side_gains);
}

void part_spectrum(const float *source, long bins, float *real, float *imaginary) { CALL(part, source, bins, real, imaginary); }

void rotate_spectrum(
    const RotationParts *parts, long bins, const float *real, const float *imaginary, const float *gains,
    const float *side_gains, float *output_real, float *output_imaginary, float *spectrum) {
    CALL(rotate, parts, bins, real, imaginary, gains, side_gains, output_real, output_imaginary, spectrum);
}
