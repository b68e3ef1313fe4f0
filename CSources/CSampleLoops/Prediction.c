#include "CSampleLoops.h"

/// Samples that are summed up in Float before Double takes over: 32 additions lose less than 2e-6.
#define CHUNK 256
#define LOOPS "PredictionLoops.h"
#include "Versions.h"

BurgSums burg_begin(const float *ahead, float *behind, const float *weights, long stride, long channels, long count) {
    return CALL(begin, ahead, behind, weights, stride, channels, count);
}

BurgSums burg_advance(
    float *ahead, float *behind, const float *weights, long stride, long channels, long count, long stage, float reflection) {
    return CALL(advance, ahead, behind, weights, stride, channels, count, stage, reflection);
}

void continue_sound(const double *weights, long width, double *samples, long count) {
    CALL(continue, weights, width, samples, count);
}
