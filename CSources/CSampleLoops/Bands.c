#include "CSampleLoops.h"

/// Samples of a band that one interpolated frame depends on.
#define TAPS 12
#define LOOPS "BandLoops.h"
#include "Versions.h"

void interpolate_band(const float *samples, const float *weights, long factor, long offset, long count, float *target) {
    CALL(interpolate, samples, weights, factor, offset, count, target);
}

void add_band(
    const float *samples, const float *weights, long factor, long offset, long count, float *ring, long capacity, long run, long begin) {
    CALL(add, samples, weights, factor, offset, count, ring, capacity, run, begin);
}

void subtract_bands(
    const float *whole, const float *lows, const float *low_weights, const float *middles, const float *middle_weights, long factor,
    long count, float *target) {
    CALL(subtract, whole, lows, low_weights, middles, middle_weights, factor, count, target);
}

void delay_window(const float *samples, const float *taps, long spacing, const float *weights, long window, float *target) {
    CALL(delay, samples, taps, spacing, weights, window, target);
}

void turn_window(const float *samples, const float *weights, long window, float *target) {
    CALL(turn, samples, weights, window, target);
}

void overlap_window(
    const float *samples, const float *weights, long window, long from, long added, float *ring, long capacity, long run, long begin) {
    CALL(overlap, samples, weights, window, from, added, ring, capacity, run, begin);
}

void weigh_samples(const float *samples, const float *weights, long count, float *target) {
    CALL(weigh, samples, weights, count, target);
}

void prediction_errors(const double *samples, const double *weights, long order, long count, double *errors) {
    CALL(errors, samples, weights, order, count, errors);
}
