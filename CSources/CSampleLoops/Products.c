#include "CSampleLoops.h"

#define LOOPS "ProductLoops.h"
#include "Versions.h"

_Atomic _Bool loops_are_narrow;

_Bool use_narrow_loops(_Bool are_narrow) {
    __c11_atomic_store(&loops_are_narrow, are_narrow, __ATOMIC_RELAXED);
#if defined(__x86_64__) && !defined(__AVX2__)
    return __builtin_cpu_supports("avx2");
#else
    return 0;
#endif
}

float dot_product(const float *samples, const float *filter, long count) { return CALL(dot, samples, filter, count); }

void inner_products(const float *samples, const float *filters, long stride, long count, float *sums) {
    CALL(inner, samples, filters, stride, count, sums);
}
