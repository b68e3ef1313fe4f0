// Included by Rotations.c, once for each version. The arithmetic is that of SmallMath.swift.

HELPER Lanes NAME(select)(Masks condition, Lanes then, Lanes otherwise) {
    return (Lanes)((condition & (Masks)then) | (~condition & (Masks)otherwise));
}

HELPER Lanes NAME(magnitude)(Lanes value) { return (Lanes)((Masks)value & 0x7FFFFFFF); }

HELPER Lanes NAME(inverse_root)(Lanes value) {
    const Lanes half = value * 0.5f;
    Lanes root = (Lanes)(0x5F3759DFu - ((Words)value >> 1));
    root *= 1.5f - half * root * root;
    root *= 1.5f - half * root * root;
    root *= 1.5f - half * root * root;
    return root;
}

HELPER Lanes NAME(angle)(Lanes y, Lanes x) {
    const Lanes absolute_x = NAME(magnitude)(x), absolute_y = NAME(magnitude)(y);
    const Masks steep = absolute_y > absolute_x;
    const Lanes larger = NAME(select)(steep, absolute_y, absolute_x), smaller = NAME(select)(steep, absolute_x, absolute_y);
    const Lanes ratio = smaller / (larger + 1e-30f);
    const Lanes square = ratio * ratio;
    Lanes sum = square * 0.006815054f - 0.03361527f;
    sum = sum * square + 0.07963824f;
    sum = sum * square - 0.13234282f;
    sum = sum * square + 0.19808118f;
    sum = sum * square - 0.33317411f;
    sum = sum * square + 0.99999613f;
    Lanes result = sum * ratio;
    result = NAME(select)(steep, PI / 2 - result, result);
    result = NAME(select)(x < 0, PI - result, result);
    return NAME(select)(y < 0, 0 - result, result);
}

/// The natural logarithm of positive normal numbers; the error is below 2e-6 from e^-6 to e^6.
HELPER Lanes NAME(logarithm)(Lanes value) {
    const Words bits = (Words)value;
    const Lanes mantissa = (Lanes)((bits & 0x007FFFFF) | 0x3F800000);
    // The exponent becomes the last digits of a float, as 2^23 is then taken away.
    const Lanes exponent = (Lanes)((bits >> 23) | 0x4B000000) - 8388735;
    const Masks large = mantissa > 1.4142135f;
    const Lanes reduced = NAME(select)(large, mantissa * 0.5f, mantissa);
    const Lanes power = NAME(select)(large, exponent + 1, exponent);
    const Lanes ratio = (reduced - 1) / (reduced + 1);
    const Lanes square = ratio * ratio;
    return power * 0.6931472f + ratio * ((square * (2.0f / 5) + 2.0f / 3) * square + 2);
}

/// The values one place before `next`; the first is the last of `previous`.
#define BEFORE(previous, next) __builtin_shufflevector(previous, next, 7, 8, 9, 10, 11, 12, 13, 14)

static float NAME(prepare)(
    const RotationParts *parts, const float *spectra, long stride, long channels, long bins, float extra, float guard,
    float curvature) {
    const Lanes zero = {0};
    Lanes loudest = zero, last_power = zero, last_step = zero + PI;
    Masks last_lobe = (Masks)zero;
    for (long bin = 0; bin < bins; bin += 8) {
        Lanes power = {0}, next_power = {0}, product_real = {0}, product_imaginary = {0};
        for (long channel = 0; channel < channels; channel++) {
            const float *real = spectra + 2 * channel * stride + bin, *imaginary = real + stride;
            const Lanes x = LANES(real), y = LANES(imaginary), next_x = LANES(real + 1), next_y = LANES(imaginary + 1);
            power += x * x + y * y;
            next_power += next_x * next_x + next_y * next_y;
            product_real += next_x * x + next_y * y;
            product_imaginary += next_y * x - next_x * y;
        }
        const Lanes phase_step = NAME(angle)(product_imaginary, product_real);
        const Masks linked = NAME(magnitude)(phase_step) < guard;
        // The steps from the bins below, since a step depends on the lobes at both of its ends.
        const Lanes step_below = BEFORE(last_step, phase_step);
        Lanes rate = zero + extra;
        if (curvature > 0) {
            const Lanes scale = 1 / (power + 1e-30f);
            const Lanes ratio = (BEFORE(last_power, power) * scale) * (next_power * scale);
            const Lanes bend = phase_step - step_below, fall = NAME(logarithm)(ratio) * -0.5f;
            const Masks lobe = (fall > LEAST_FALL * curvature) & (fall < MOST_FALL * curvature)
                & (NAME(magnitude)(bend) < MOST_BEND) & linked & (NAME(magnitude)(step_below) < guard);
            STORE(parts->bend + bin, (Lanes)(lobe & (Masks)(power * bend)));
            STORE(parts->curvature + bin, power * NAME(select)(lobe, fall, zero + curvature));
            STORE(parts->lobe + bin, (Lanes)lobe);
            rate = (Lanes)(~(lobe & BEFORE(last_lobe, lobe)) & (Masks)rate);
            last_lobe = lobe;
        }
        last_power = power;
        last_step = phase_step;
        // Half the angle, then doubled.
        const Lanes half = rate * step_below * 0.5f;
        const Lanes square = half * half;
        Lanes sine = square * 2.6052248e-6f - 1.9809075e-4f;
        sine = sine * square + 8.3330506e-3f;
        sine = sine * square - 0.16666658f;
        sine = half + half * square * sine;
        Lanes cosine = 2.476016e-5f - square * 2.6051495e-7f;
        cosine = cosine * square - 1.3888362e-3f;
        cosine = cosine * square + 0.041666638f;
        cosine = cosine * square - 0.5f;
        cosine = cosine * square + 1;
        STORE(parts->power + bin, power);
        STORE(parts->step_real + bin, 1 - 2 * sine * sine);
        STORE(parts->step_imaginary + bin, 2 * sine * cosine);
        STORE(parts->offered_up + bin, NAME(select)(linked, power, zero));
        STORE(parts->offered_down + bin + 1, NAME(select)(linked, next_power, zero));
        const Lanes previous = LANES(parts->previous_power + bin);
        loudest = NAME(select)(power > loudest, power, loudest);
        loudest = NAME(select)(previous > loudest, previous, loudest);
    }
    float largest = loudest[0];
    for (int lane = 1; lane < 8; lane++) largest = loudest[lane] > largest ? loudest[lane] : largest;
    return largest;
}

static void NAME(seed)(const RotationParts *parts, long bins, float floor, float silent, _Bool has_lobes) {
    const Lanes zero = {0}, one = zero + 1;
    Lanes last_x = zero, last_y = zero;
    for (long bin = 0; bin < bins; bin += 8) {
        const Lanes below = LANES(parts->from_below + bin), above = LANES(parts->from_above + bin);
        const Masks from_below = below >= above;
        const Lanes best = NAME(select)(from_below, below, above);
        const Masks is_seed = (LANES(parts->previous_power + bin) >= best) | (LANES(parts->power + bin) <= floor);
        Lanes x = LANES(parts->temporal_real + bin), y = LANES(parts->temporal_imaginary + bin);
        if (has_lobes) {
            const Masks lobe = (Masks)LANES(parts->lobe + bin);
            const Lanes sum_x = x + BEFORE(last_x, x) + LANES(parts->temporal_real + bin + 1);
            const Lanes sum_y = y + BEFORE(last_y, y) + LANES(parts->temporal_imaginary + bin + 1);
            last_x = x;
            last_y = y;
            x = NAME(select)(lobe, sum_x, x);
            y = NAME(select)(lobe, sum_y, y);
        }
        const Lanes square = x * x + y * y;
        // After silence there is nothing to continue: no rotation, which is 1, since 0 would mute the sound.
        const Masks heard = square > silent;
        const Lanes scale = NAME(inverse_root)(square);
        STORE(parts->seed_real + bin, NAME(select)(is_seed, NAME(select)(heard, x * scale, one), zero));
        STORE(parts->seed_imaginary + bin, NAME(select)(is_seed & heard, y * scale, zero));
        const Masks up = from_below & ~is_seed, down = ~from_below & ~is_seed;
        // All values are read before the first is written: the upward steps share memory with the steps, the downward
        // steps with the powers.
        const Lanes up_real = LANES(parts->step_real + bin), up_imaginary = LANES(parts->step_imaginary + bin);
        const Lanes down_real = LANES(parts->step_real + bin + 1), down_imaginary = LANES(parts->step_imaginary + bin + 1);
        STORE(parts->up_step_real + bin, NAME(select)(up, up_real, zero));
        STORE(parts->up_step_imaginary + bin, NAME(select)(up, up_imaginary, zero));
        STORE(parts->down_step_real + bin, NAME(select)(down, down_real, zero));
        STORE(parts->down_step_imaginary + bin, NAME(select)(down, down_imaginary, zero));
    }
}

/// One chain's next bin: the seed, or the neighbour's rotation times a step. Downwards, `MINUS` and `PLUS` are swapped,
/// because the step is undone.
#define FOLLOW(x, y, place, step_real, step_imaginary, MINUS, PLUS, target_real, target_imaginary) \
    do { \
        const float a = step_real[place], b = step_imaginary[place]; \
        const float real = seed_real[place] + (x * a MINUS y * b), imaginary = seed_imaginary[place] + (y * a PLUS x * b); \
        target_real[place] = x = real; \
        target_imaginary[place] = y = imaginary; \
    } while (0)

static void NAME(follow)(const RotationParts *parts, long bins) {
    const float *restrict seed_real = parts->seed_real, *restrict seed_imaginary = parts->seed_imaginary;
    const float *restrict up_real = parts->up_step_real, *restrict up_imaginary = parts->up_step_imaginary;
    const float *restrict down_real = parts->down_step_real, *restrict down_imaginary = parts->down_step_imaginary;
    float *restrict upwards_real = parts->up_real, *restrict upwards_imaginary = parts->up_imaginary;
    float *restrict downwards_real = parts->down_real, *restrict downwards_imaginary = parts->down_imaginary;
    // Two chains from the ends, and two from near the middle, where a bin does not follow the one before.
    long up = bins / 2, down = bins / 2 - 1;
    while (up < bins && (up_real[up] != 0 || up_imaginary[up] != 0)) up++;
    while (down >= 0 && (down_real[down] != 0 || down_imaginary[down] != 0)) down--;
    float x = 0, y = 0, u = 0, v = 0, x2 = 0, y2 = 0, u2 = 0, v2 = 0;
    // How far all four go together.
    const long second_up = bins - up, second_down = down + 1;
    const long together = second_up < second_down ? second_up : second_down;
    for (long step = 0; step < together; step++) {
        FOLLOW(x, y, step, up_real, up_imaginary, -, +, upwards_real, upwards_imaginary);
        FOLLOW(u, v, bins - 1 - step, down_real, down_imaginary, +, -, downwards_real, downwards_imaginary);
        FOLLOW(x2, y2, up + step, up_real, up_imaginary, -, +, upwards_real, upwards_imaginary);
        FOLLOW(u2, v2, down - step, down_real, down_imaginary, +, -, downwards_real, downwards_imaginary);
    }
    for (long bin = together; bin < up; bin++) FOLLOW(x, y, bin, up_real, up_imaginary, -, +, upwards_real, upwards_imaginary);
    for (long bin = up + together; bin < bins; bin++)
        FOLLOW(x2, y2, bin, up_real, up_imaginary, -, +, upwards_real, upwards_imaginary);
    for (long bin = bins - 1 - together; bin > down; bin--)
        FOLLOW(u, v, bin, down_real, down_imaginary, +, -, downwards_real, downwards_imaginary);
    for (long bin = down - together; bin >= 0; bin--)
        FOLLOW(u2, v2, bin, down_real, down_imaginary, +, -, downwards_real, downwards_imaginary);
    // A seed is in both chains, every other bin in one.
    for (long bin = 0; bin < bins; bin += 8) {
        STORE(parts->real + bin, LANES(upwards_real + bin) + LANES(downwards_real + bin) - LANES(seed_real + bin));
        STORE(
            parts->imaginary + bin, LANES(upwards_imaginary + bin) + LANES(downwards_imaginary + bin) - LANES(seed_imaginary + bin));
    }
}
#undef FOLLOW

static void NAME(compare)(const RotationParts *parts, long bins, const float *real, const float *imaginary, const float *source) {
    float *sum_real = parts->temporal_real, *sum_imaginary = parts->temporal_imaginary, *sum_power = parts->previous_power;
    for (long bin = 0; bin < bins; bin += 8) {
        const Lanes one = LANES(source + 2 * bin), two = LANES(source + 2 * bin + 8);
        const Lanes p = __builtin_shufflevector(one, two, 0, 2, 4, 6, 8, 10, 12, 14);
        const Lanes q = __builtin_shufflevector(one, two, 1, 3, 5, 7, 9, 11, 13, 15);
        const Lanes y = LANES(real + bin), z = LANES(imaginary + bin);
        STORE(sum_real + bin, LANES(sum_real + bin) + (y * p + z * q));
        STORE(sum_imaginary + bin, LANES(sum_imaginary + bin) + (z * p - y * q));
        STORE(sum_power + bin, LANES(sum_power + bin) + (y * y + z * z));
    }
}

static void NAME(gain)(
    const RotationParts *parts, const float *shares, long bins, float silent, float chirp, float *agreements, float *sizes,
    float *gains, float *side_gains) {
    for (long bin = 0; bin < bins; bin += 8) {
        const Lanes x = LANES(parts->temporal_real + bin), y = LANES(parts->temporal_imaginary + bin);
        const Lanes square = x * x + y * y;
        STORE(sizes + bin, square * NAME(inverse_root)(square + LEAST_NORMAL));
        STORE(agreements + bin, x * LANES(parts->real + bin) + y * LANES(parts->imaginary + bin));
    }
    for (long bin = 0; bin < bins; bin += 8) {
        Lanes agreement = {0}, size = agreement + silent;
        for (long offset = -2; offset <= 2; offset++) {
            agreement += LANES(agreements + bin + offset);
            size += LANES(sizes + bin + offset);
        }
        // Silent bins keep their level, and the clamp keeps rounding from raising the agreement above 1.
        agreement = NAME(select)(size > 2 * silent, agreement, size);
        const Lanes quotient = agreement / size, zero = {0};
        const Lanes positive = NAME(select)(quotient > 0, quotient, zero);
        const Lanes ratio = NAME(select)(positive < 1, positive, zero + 1);
        const Lanes second = ratio * ratio, third = ratio * second, fifth = third * second;
        const Lanes distant = (shares[4] * fifth * second + shares[3]) * fifth;
        const Lanes gain = NAME(inverse_root)(((distant + shares[2]) * third + shares[1]) * ratio + shares[0]);
        if (!side_gains) {
            STORE(gains + bin, gain);
            continue;
        }
        Lanes bend = zero, curvature = zero + LEAST_NORMAL;
        for (long offset = -3; offset <= 3; offset++) {
            bend += LANES(parts->bend + bin + offset);
            curvature += LANES(parts->curvature + bin + offset);
        }
        // The tangent of half the angle: the angle is twice the tangent, less a twelfth of its cube.
        Lanes tangent = chirp * bend / curvature;
        tangent = NAME(select)(tangent < 0.5f, tangent, zero + 0.5f);
        tangent = NAME(select)(tangent > -0.5f, tangent, zero - 0.5f);
        const Lanes scale = 2 / (1 + tangent * tangent);
        STORE(gains + bin, gain * (scale - 1));
        STORE(side_gains + bin, gain * (scale * tangent));
    }
}

static void NAME(part)(const float *source, long bins, float *real, float *imaginary) {
    for (long bin = 0; bin < bins; bin += 8) {
        const Lanes one = LANES(source + 2 * bin), two = LANES(source + 2 * bin + 8);
        STORE(real + bin, __builtin_shufflevector(one, two, 0, 2, 4, 6, 8, 10, 12, 14));
        STORE(imaginary + bin, __builtin_shufflevector(one, two, 1, 3, 5, 7, 9, 11, 13, 15));
    }
}

static void NAME(rotate)(
    const RotationParts *parts, long bins, const float *real, const float *imaginary, const float *gains,
    const float *side_gains, float *output_real, float *output_imaginary, float *spectrum) {
    for (long bin = 0; bin < bins; bin += 8) {
        const Lanes x = LANES(real + bin), y = LANES(imaginary + bin);
        const Lanes a = LANES(parts->real + bin), b = LANES(parts->imaginary + bin), gain = LANES(gains + bin);
        const Lanes turned_real = x * a - y * b, turned_imaginary = x * b + y * a;
        STORE(output_real + bin, turned_real);
        STORE(output_imaginary + bin, turned_imaginary);
        // The last bin, alone in its lanes, is left to the caller.
        if (bin + 8 > bins) break;
        Lanes p = turned_real * gain, q = turned_imaginary * gain;
        if (side_gains) {
            const Lanes side = LANES(side_gains + bin);
            p -= turned_imaginary * side;
            q += turned_real * side;
        }
        STORE(spectrum + 2 * bin, __builtin_shufflevector(p, q, 0, 8, 1, 9, 2, 10, 3, 11));
        STORE(spectrum + 2 * bin + 8, __builtin_shufflevector(p, q, 4, 12, 5, 13, 6, 14, 7, 15));
    }
}
#undef BEFORE
