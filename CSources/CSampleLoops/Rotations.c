#include "CSampleLoops.h"

/// Swift's `Float.pi`, which is rounded towards zero.
#define PI 0x1.921fb4p1f
#define LEAST_NORMAL 0x1p-126f
#define LOOPS "RotationLoops.h"
#include "Versions.h"

float rotation_prepare(
    const RotationParts *parts, const float *spectra, long stride, long channels, long bins, float extra, float guard) {
    return CALL(prepare, parts, spectra, stride, channels, bins, extra, guard);
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

void rotation_seed(const RotationParts *parts, long bins, float floor, float silent) {
    CALL(seed, parts, bins, floor, silent);
}

void rotation_follow(const RotationParts *parts, long bins) { CALL(follow, parts, bins); }

void rotation_compare(const RotationParts *parts, long bins, const float *real, const float *imaginary, const float *source) {
    CALL(compare, parts, bins, real, imaginary, source);
}

void overlap_gain(
    const RotationParts *parts, const float *shares, long bins, float silent, float *agreements, float *sizes, float *gains) {
    CALL(gain, parts, shares, bins, silent, agreements, sizes, gains);
}

void part_spectrum(const float *source, long bins, float *real, float *imaginary) { CALL(part, source, bins, real, imaginary); }

void rotate_spectrum(
    const RotationParts *parts, long bins, const float *real, const float *imaginary, const float *gains, float *output_real,
    float *output_imaginary, float *spectrum) {
    CALL(rotate, parts, bins, real, imaginary, gains, output_real, output_imaginary, spectrum);
}
