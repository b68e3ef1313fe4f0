// Included by Products.c, once for each version.

/// In the order of Swift's `sum()`.
HELPER float NAME(sum)(Lanes v) { return v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7]; }

static float NAME(dot)(const float *samples, const float *filter, long count) {
    Lanes even = {0}, odd = {0};
    const long paired = count / 16 * 16;
    for (long index = 0; index < paired; index += 16) {
        even += LANES(samples + index) * LANES(filter + index);
        odd += LANES(samples + index + 8) * LANES(filter + index + 8);
    }
    if (paired < count) even += LANES(samples + paired) * LANES(filter + paired);
    return NAME(sum)(even + odd);
}

static void NAME(inner)(const float *samples, const float *filters, long stride, long count, float *sums) {
    Lanes a = {0}, b = {0}, c = {0};
    const float *second = filters + stride, *third = filters + 2 * stride;
    long index = 0;
    for (; index + 8 <= count; index += 8) {
        const Lanes part = LANES(samples + index);
        a += part * LANES(filters + index);
        b += part * LANES(second + index);
        c += part * LANES(third + index);
    }
    sums[0] = NAME(sum)(a);
    sums[1] = NAME(sum)(b);
    sums[2] = NAME(sum)(c);
    for (; index < count; index++) {
        sums[0] += samples[index] * filters[index];
        sums[1] += samples[index] * second[index];
        sums[2] += samples[index] * third[index];
    }
}
