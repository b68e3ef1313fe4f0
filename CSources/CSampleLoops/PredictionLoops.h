// Included by Prediction.c, once for each version.

/// In the order of Swift's `sum()`.
HELPER double NAME(sum)(Doubles v) { return v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7]; }

/// Adds the errors that meet from `first` to `end`, two chunks side by side, so that each hides the other's latency.
HELPER void NAME(add)(
    const float *ahead, const float *behind, const float *weights, long first, long end, Doubles *product, Doubles *power) {
    const Lanes zero = {0};
    for (; first + CHUNK < end; first += 2 * CHUNK) {
        const float *f = ahead + first, *b = behind + first, *w = weights + first;
        const long second = first + 2 * CHUNK < end ? CHUNK : end - first - CHUNK;
        Lanes products = zero, squares = zero, more_products = zero, more_squares = zero;
        long index = 0;
        for (; index < second; index += 8) {
            const Lanes x = LANES(f + index), y = LANES(b + index), weight = LANES(w + index);
            const Lanes u = LANES(f + CHUNK + index), v = LANES(b + CHUNK + index), other = LANES(w + CHUNK + index);
            products += weight * (x * y);
            squares += weight * (x * x + y * y);
            more_products += other * (u * v);
            more_squares += other * (u * u + v * v);
        }
        for (; index < CHUNK; index += 8) {
            const Lanes x = LANES(f + index), y = LANES(b + index), weight = LANES(w + index);
            products += weight * (x * y);
            squares += weight * (x * x + y * y);
        }
        *product += __builtin_convertvector(products, Doubles);
        *power += __builtin_convertvector(squares, Doubles);
        *product += __builtin_convertvector(more_products, Doubles);
        *power += __builtin_convertvector(more_squares, Doubles);
    }
    if (first >= end) return;
    Lanes products = zero, squares = zero;
    for (long index = first; index < end; index += 8) {
        const Lanes x = LANES(ahead + index), y = LANES(behind + index), weight = LANES(weights + index);
        products += weight * (x * y);
        squares += weight * (x * x + y * y);
    }
    *product += __builtin_convertvector(products, Doubles);
    *power += __builtin_convertvector(squares, Doubles);
}

static BurgSums NAME(begin)(const float *ahead, float *behind, const float *weights, long stride, long channels, long count) {
    Doubles product = {0}, power = {0};
    const long meetings = count - 1;
    for (long channel = 0; channel < channels; channel++) {
        const float *f = ahead + channel * stride + 1;
        float *b = behind + channel * stride;
        b[meetings] = 0;
        NAME(add)(f, b, weights, 0, meetings, &product, &power);
    }
    return (BurgSums){NAME(sum)(product), NAME(sum)(power)};
}

/// Lengthens the predictions two chunks ahead of the sums, while the errors are in the nearest cache.
static BurgSums NAME(advance)(
    float *ahead, float *behind, const float *weights, long stride, long channels, long count, long stage, float reflection) {
    Doubles product = {0}, power = {0};
    const long lengthened = count - stage - 1, meetings = lengthened - 1;
    // The midpoint between the two samples whose errors meet is the same for all orders.
    weights += (stage + 2) / 2;
    for (long channel = 0; channel < channels; channel++) {
        float *f = ahead + channel * stride + stage + 1, *b = behind + channel * stride;
        long done = 0;
        for (long first = 0; first < meetings; first += 2 * CHUNK) {
            const long end = first + 2 * CHUNK < meetings ? first + 2 * CHUNK : meetings;
            const long needed = end + 8 < lengthened ? end + 8 : lengthened;
            for (; done < needed; done += 8) {
                const Lanes x = LANES(f + done), y = LANES(b + done);
                STORE(f + done, x - reflection * y);
                STORE(b + done, y - reflection * x);
            }
            // The last backward error meets nobody any more; lanes beyond the end add nothing.
            if (end == meetings) b[meetings] = 0;
            NAME(add)(f + 1, b, weights, first, end, &product, &power);
        }
    }
    return (BurgSums){NAME(sum)(product), NAME(sum)(power)};
}

/// Four samples at a time: the contribution of the first samples to the last is added when the first are known, as the
/// last term of each sum, in the order of the computation one by one.
static void NAME(continue)(const double *weights, long width, double *samples, long count) {
    const double *last = weights + width - 1;
    double *next = samples + width;
    long index = 0;
    for (; index + 4 <= count; index += 4) {
        Doubles a = {0}, b = {0}, c = {0}, d = {0};
        for (long lag = 0; lag < width; lag += 8) {
            const Doubles weight = DOUBLES(weights + lag);
            const double *place = samples + index + lag;
            a += weight * DOUBLES(place);
            b += weight * DOUBLES(place + 1);
            c += weight * DOUBLES(place + 2);
            d += weight * DOUBLES(place + 3);
        }
        const double first = NAME(sum)(a);
        b[7] += last[0] * first;
        const double second = NAME(sum)(b);
        c[6] += last[-1] * first;
        c[7] += last[0] * second;
        const double third = NAME(sum)(c);
        d[5] += last[-2] * first;
        d[6] += last[-1] * second;
        d[7] += last[0] * third;
        next[index] = first;
        next[index + 1] = second;
        next[index + 2] = third;
        next[index + 3] = NAME(sum)(d);
    }
    for (; index < count; index++) {
        Doubles sum = {0};
        for (long lag = 0; lag < width; lag += 8) sum += DOUBLES(weights + lag) * DOUBLES(samples + index + lag);
        next[index] = NAME(sum)(sum);
    }
}
