// Included by Meters.c, once for each version.

HELPER Lanes NAME(magnitude)(Lanes value) { return (Lanes)((Masks)value & 0x7FFFFFFF); }

/// A comparison with NaN is false, so one test catches all invalid values.
HELPER Lanes NAME(measurable)(Lanes value) {
    return (Lanes)((Masks)value & (NAME(magnitude)(value) <= LARGEST_MEASURABLE));
}

HELPER float NAME(measurable_magnitude)(float value) {
    const float magnitude = __builtin_fabsf(value);
    return magnitude <= LARGEST_MEASURABLE ? magnitude : 0;
}

HELPER Lanes NAME(larger)(Lanes a, Lanes b) {
    const Masks first = a > b;
    return (Lanes)((first & (Masks)a) | (~first & (Masks)b));
}

/// A bit for each lane.
HELPER unsigned NAME(bits)(Masks masks) {
    const Bits bits = __builtin_convertvector(masks, Bits);
    unsigned char byte;
    memcpy(&byte, &bits, 1);
    return byte;
}

HELPER float NAME(across)(Lanes lanes) {
    float largest = lanes[0];
    for (int lane = 1; lane < 8; lane++) largest = lanes[lane] > largest ? lanes[lane] : largest;
    return largest;
}

/// In the order of `total` in MeterInput.swift.
HELPER float NAME(total)(Lanes v) { return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])); }

static PeakAndSquares NAME(level)(const float *samples, long count) {
    Lanes peaks = {0}, squares = {0};
    long index = 0;
    for (; index + 8 <= count; index += 8) {
        const Lanes value = NAME(measurable)(LANES(samples + index));
        peaks = NAME(larger)(NAME(magnitude)(value), peaks);
        squares += value * value;
    }
    PeakAndSquares level = {NAME(across)(peaks), NAME(total)(squares)};
    for (; index < count; index++) {
        const float magnitude = NAME(measurable_magnitude)(samples[index]);
        level.peak = magnitude > level.peak ? magnitude : level.peak;
        level.squares += magnitude * magnitude;
    }
    return level;
}

static void NAME(copy)(const float *samples, long count, float *target) {
    long index = 0;
    for (; index + 8 <= count; index += 8) STORE(target + index, NAME(measurable)(LANES(samples + index)));
    for (; index < count; index++) target[index] = __builtin_fabsf(samples[index]) <= LARGEST_MEASURABLE ? samples[index] : 0;
}

static float NAME(largest)(const float *samples, long count) {
    Lanes lanes = {0};
    long index = 0;
    for (; index + 8 <= count; index += 8) lanes = NAME(larger)(NAME(magnitude)(LANES(samples + index)), lanes);
    float largest = NAME(across)(lanes);
    for (; index < count; index++) {
        const float magnitude = __builtin_fabsf(samples[index]);
        largest = magnitude > largest ? magnitude : largest;
    }
    return largest;
}

static float NAME(bend)(const float *samples, long count) {
    Lanes lanes = {0};
    long index = 0;
    for (; index + 10 <= count; index += 8) {
        const Lanes first = LANES(samples + index), middle = LANES(samples + index + 1), last = LANES(samples + index + 2);
        lanes = NAME(larger)(NAME(magnitude)((last - middle) - (middle - first)), lanes);
    }
    float largest = NAME(across)(lanes);
    for (; index + 3 <= count; index++) {
        const float bend = (samples[index + 2] - samples[index + 1]) - (samples[index + 1] - samples[index]);
        largest = __builtin_fabsf(bend) > largest ? __builtin_fabsf(bend) : largest;
    }
    return largest;
}

static void NAME(needle)(
    const float *samples, long count, long phase, long step_frames, const float *weights, const double *step, Needle *needle) {
    const float *pace_weights = weights + step_frames;
    for (long index = 0; index < count;) {
        long left = step_frames - phase < count - index ? step_frames - phase : count - index;
        Lanes places = LANES(needle->place_pushes), paces = LANES(needle->pace_pushes);
        while (left > 0) {
            if (phase % 8 == 0 && left >= 8) {
                const Lanes force = NAME(magnitude)(NAME(measurable)(LANES(samples + index)));
                places += LANES(weights + phase) * force;
                paces += LANES(pace_weights + phase) * force;
                phase += 8, index += 8, left -= 8;
            } else {
                const float force = NAME(measurable_magnitude)(samples[index]);
                places[phase % 8] += weights[phase] * force;
                paces[phase % 8] += pace_weights[phase] * force;
                phase++, index++, left--;
            }
        }
        if (phase == step_frames) {
            double place = step[0] * needle->place + step[1] * needle->pace + (double)NAME(total)(places);
            double pace = step[2] * needle->place + step[3] * needle->pace + (double)NAME(total)(paces);
            // Arithmetic on subnormal numbers takes a hundred times as long.
            if (__builtin_fabs(place) + __builtin_fabs(pace) < 1e-30) place = pace = 0;
            needle->place = place;
            needle->pace = pace;
            needle->highest = place > needle->highest ? place : needle->highest;
            places = paces = (Lanes){0};
            phase = 0;
        }
        STORE(needle->place_pushes, places);
        STORE(needle->pace_pushes, paces);
    }
}

static void NAME(charge)(const float *samples, long count, const double *constants, const double *scales, double *state) {
    const Quad charge = QUAD(constants), share = QUAD(constants + 4), fall = QUAD(constants + 8);
    Quad stores = QUAD(state);
    Pair highest = PAIR(state + 4);
    float threshold = state[6];
    for (long begin = 0; begin < count; begin += 32) {
        unsigned places = 0;
        if (begin + 32 <= count) {
            // Values that are not finite fail this test, or are silence below.
            for (int part = 0; part < 4; part++) {
                const Masks above = NAME(magnitude)(LANES(samples + begin + 8 * part)) > threshold;
                places |= NAME(bits)(above) << 8 * part;
            }
        } else {
            places = (1u << (count - begin)) - 1;
        }
        if (!places) continue;
        do {
            const long index = begin + __builtin_ctz(places);
            places &= places - 1;
            const double sample = NAME(measurable_magnitude)(samples[index]);
            const Pair rise = PAIR(scales + 4 * index);
            const Quad excess = sample * __builtin_shufflevector(rise, rise, 0, 1, 0, 1) - stores;
            typedef __typeof__(excess > 0) QuadMasks;
            stores += charge * (Quad)((QuadMasks)excess & (excess > 0));
            const Quad shares = share * stores;
            const Pair sums = __builtin_shufflevector(shares, shares, 0, 1) + __builtin_shufflevector(shares, shares, 2, 3);
            const Pair reading = sums * PAIR(scales + 4 * index + 2);
            typedef __typeof__(reading > highest) PairMasks;
            const PairMasks higher = reading > highest;
            highest = (Pair)((higher & (PairMasks)reading) | (~higher & (PairMasks)highest));
        } while (places);
        // The lowest store at the end of the cycle, where it has fallen furthest, and less than rounding needs.
        const Quad fallen = stores * fall;
        const double low = fallen[0] < fallen[1] ? fallen[0] : fallen[1], high = fallen[2] < fallen[3] ? fallen[2] : fallen[3];
        threshold = (float)((low < high ? low : high) * (1 - 1e-6));
    }
    QUAD(state) = stores;
    PAIR(state + 4) = highest;
    state[6] = threshold;
}

/// Eight frames, or as many as there are, with both channels in turn.
HELPER void NAME(interleave)(const float *left, const float *right, long count, float *frames) {
    float padded[2][8] = {{0}};
    if (count < 8) {
        left = memcpy(padded[0], left, count * sizeof(float));
        right = memcpy(padded[1], right, count * sizeof(float));
    }
    const Lanes first = NAME(measurable)(LANES(left)), second = NAME(measurable)(LANES(right));
    STORE(frames, __builtin_shufflevector(first, second, 0, 8, 1, 9, 2, 10, 3, 11));
    STORE(frames + 8, __builtin_shufflevector(first, second, 4, 12, 5, 13, 6, 14, 7, 15));
}

HELPER Quad NAME(behind)(Quad earlier, Quad later) { return __builtin_shufflevector(earlier, later, 2, 3, 4, 5); }

/// Second differences of the frames; `bends` has those of the last frames before.
HELPER void NAME(differ)(const float *left, const float *right, long count, LoudnessState *state, double *bends) {
    // The two frames before come first.
    float frames[4 + 2 * WEIGHED];
    memcpy(frames, state->frames, sizeof state->frames);
    for (long frame = 0; frame < count; frame += 8) NAME(interleave)(left + frame, right + frame, count - frame, frames + 4 + 2 * frame);
    Quad values = __builtin_convertvector(HALF(frames), Quad);
    Quad steps = values - NAME(behind)(values, values);
    for (long frame = 0; frame < count; frame += 2) {
        const Quad next = __builtin_convertvector(HALF(frames + 4 + 2 * frame), Quad);
        const Quad next_steps = next - NAME(behind)(values, next);
        QUAD(bends + 2 * frame) = next_steps - NAME(behind)(steps, next_steps);
        values = next;
        steps = next_steps;
    }
    memcpy(state->frames, frames + 2 * count, sizeof state->frames);
}

static void NAME(weigh_part)(const LoudnessFilter *filter, const float *left, const float *right, long count, LoudnessState *state) {
    double bends[2 * (TAPS - 1 + WEIGHED)];
    memcpy(bends, state->bends, sizeof state->bends);
    NAME(differ)(left, right, count, state, bends + 2 * (TAPS - 1));
    const double shelf2 = filter->shelf[0], shelf4 = filter->shelf[1], high2 = filter->high[0], high4 = filter->high[1];
    // Both channels of frames four and three before, and of frames two and one before.
    Quad early_shelf = QUAD(state->shelf), shelf = QUAD(state->shelf + 4), early_high = QUAD(state->high), high = QUAD(state->high + 4);
    Quad squares = QUAD(state->squares);
    for (long frame = 0; frame < count;) {
        const double *own = bends + 2 * (TAPS - 1 + frame);
        if (!state->is_odd && frame + 2 <= count) {
            Quad sum = filter->taps[0] * QUAD(own);
            for (long tap = 1; tap < TAPS; tap++) sum += filter->taps[tap] * QUAD(own - 2 * tap);
            const Quad y = (sum - shelf4 * early_shelf) - shelf2 * shelf;
            const Quad z = (y - high4 * early_high) - high2 * high;
            early_shelf = shelf;
            shelf = y;
            early_high = high;
            high = z;
            squares += z * z;
            frame += 2;
        } else {
            // A frame alone is the lower half; the sums of squares of odd frames are the upper.
            Pair sum = filter->taps[0] * PAIR(own);
            for (long tap = 1; tap < TAPS; tap++) sum += filter->taps[tap] * PAIR(own - 2 * tap);
            const Pair y = (sum - shelf4 * LOWER(early_shelf)) - shelf2 * LOWER(shelf);
            const Pair z = (y - high4 * LOWER(early_high)) - high2 * LOWER(high);
            early_shelf = NAME(behind)(early_shelf, shelf);
            shelf = NAME(behind)(shelf, BOTH(y));
            early_high = NAME(behind)(early_high, high);
            high = NAME(behind)(high, BOTH(z));
            const Quad square = BOTH(z * z), none = {0};
            squares += state->is_odd ? NAME(behind)(none, square) : __builtin_shufflevector(square, none, 0, 1, 4, 5);
            state->is_odd = !state->is_odd;
            frame++;
        }
    }
    QUAD(state->shelf) = early_shelf;
    QUAD(state->shelf + 4) = shelf;
    QUAD(state->high) = early_high;
    QUAD(state->high + 4) = high;
    QUAD(state->squares) = squares;
    memcpy(state->bends, bends + 2 * count, sizeof state->bends);
}
