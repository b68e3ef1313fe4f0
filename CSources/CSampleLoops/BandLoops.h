// Included by Bands.c, once for each version.

static void NAME(interpolate)(
    const float *samples, const float *weights, long factor, long offset, long count, float *target) {
    for (long index = 0; index < count; index += 8) {
        const long place = offset + index;
        const float *part = samples + place / factor, *weight = weights + place % factor;
        Lanes sum = {0};
        for (long tap = 0; tap < TAPS; tap++) sum += part[tap] * LANES(weight + tap * factor);
        STORE(target + index, sum);
    }
}

static void NAME(add)(
    const float *samples, const float *weights, long factor, long offset, long count, float *ring, long capacity, long run, long begin) {
    for (long index = 0; index < count; index += 8) {
        const long place = offset + index, target = begin + index;
        const float *part = samples + place / factor, *weight = weights + place % factor;
        Lanes sum = {0};
        for (long tap = 0; tap < TAPS; tap++) sum += part[tap] * LANES(weight + tap * factor);
        sum = LANES(ring + target) + sum;
        STORE(ring + target, sum);
        if (target + 8 <= run) {
            STORE(ring + target + capacity, sum);
        } else {
            for (long lane = 0; lane < run - target; lane++) ring[target + lane + capacity] = sum[lane];
        }
    }
}

static void NAME(subtract)(
    const float *whole, const float *lows, const float *low_weights, const float *middles, const float *middle_weights, long factor,
    long count, float *target) {
    for (long index = 0; index < count; index += 8) {
        const float *low = lows + index / (2 * factor), *low_weight = low_weights + index % (2 * factor);
        const float *middle = middles + index / factor, *middle_weight = middle_weights + index % factor;
        Lanes lower = {0}, upper = {0};
        for (long tap = 0; tap < TAPS; tap++) {
            lower += low[tap] * LANES(low_weight + tap * 2 * factor);
            upper += middle[tap] * LANES(middle_weight + tap * factor);
        }
        STORE(target + index, LANES(whole + index) - (lower + upper));
    }
}

static void NAME(delay)(const float *samples, const float *taps, long spacing, const float *weights, long window, float *target) {
    const long half = window / 2;
    for (long index = 0; index < window; index += 8) {
        Lanes sum = {0};
        for (long tap = 0; tap < TAPS; tap++) sum += LANES(samples + index + tap) * taps[tap * spacing];
        STORE(target + (index < half ? index + half : index - half), sum * LANES(weights + index));
    }
}

static void NAME(turn)(const float *samples, const float *weights, long window, float *target) {
    const long half = window / 2;
    for (long index = 0; index < half; index += 8) {
        STORE(target + index + half, LANES(samples + index) * LANES(weights + index));
        STORE(target + index, LANES(samples + index + half) * LANES(weights + index + half));
    }
}

static void NAME(overlap)(
    const float *samples, const float *weights, long window, long from, long added, float *ring, long capacity, long run, long begin) {
    const long half = window / 2;
    for (long index = from; index < window; index += 8) {
        const long place = (begin + index) & (capacity - 1);
        Lanes value = LANES(samples + (index < half ? index + half : index - half)) * LANES(weights + index);
        if (index < added) value = LANES(ring + place) + value;
        STORE(ring + place, value);
        if (place + 8 <= run) {
            STORE(ring + place + capacity, value);
        } else {
            for (long lane = 0; lane < run - place; lane++) ring[place + lane + capacity] = value[lane];
        }
    }
}

static void NAME(weigh)(const float *samples, const float *weights, long count, float *target) {
    long index = 0;
    for (; index + 8 <= count; index += 8) STORE(target + index, LANES(samples + index) * LANES(weights + index));
    for (; index < count; index++) target[index] = samples[index] * weights[index];
}

static void NAME(errors)(const double *samples, const double *weights, long order, long count, double *errors) {
    long index = 0;
    for (; index + 8 <= count; index += 8) {
        Doubles error = DOUBLES(samples + index);
        for (long lag = 0; lag < order; lag++) error -= weights[lag] * DOUBLES(samples + index - 1 - lag);
        *(LooseDoubles *)(errors + index) = error;
    }
    for (; index < count; index++) {
        double error = samples[index];
        for (long lag = 0; lag < order; lag++) error -= weights[lag] * samples[index - 1 - lag];
        errors[index] = error;
    }
}
