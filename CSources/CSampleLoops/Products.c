#include "CSampleLoops.h"

#define LOOPS "ProductLoops.h"
#include "Versions.h"

float dot_product(const float *samples, const float *filter, long count) { return CALL(dot, samples, filter, count); }

void inner_products(const float *samples, const float *filters, long stride, long count, float *sums) {
    CALL(inner, samples, filters, stride, count, sums);
}
