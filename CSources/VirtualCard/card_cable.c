#include "card_cable.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

size_t cable_byte_count(uint32_t frame_count, uint32_t wire_count) {
    return sizeof(struct cable) + sizeof(uint64_t) * (size_t)frame_count * (1 + (size_t)wire_count);
}

void cable_set_pace(struct cable *cable, uint64_t pace) {
    if (atomic_exchange(&cable->pace, pace) != pace) atomic_fetch_add(&cable->generation, 1);
}

static _Atomic uint64_t *stamp_of(struct cable *cable, int64_t frame) {
    return &cable->words[(uint64_t)frame & (cable->frame_count - 1)];
}

static _Atomic uint64_t *samples_of(struct cable *cable, int64_t frame) {
    const size_t slot = (uint64_t)frame & (cable->frame_count - 1);
    return &cable->words[cable->frame_count + slot * cable->wire_count];
}

// Never 0, which new memory contains.
static uint64_t stamp_value(struct cable *cable, int64_t frame) {
    const uint64_t generation = atomic_load_explicit(&cable->generation, memory_order_relaxed);
    return ((uint64_t)frame << 8) | (generation & 0x7f) << 1 | 1;
}

// Fences order the accesses instead of the single stores: the thread sanitizer keeps a clock of kilobytes for every
// released word, so that starting a stream would take long enough to interrupt the stream. The words are atomic, so the
// sanitizer reports no race.
void cable_lay(struct cable *cable, int64_t frame, const double *samples, unsigned channel_count) {
    _Atomic uint64_t *stamp = stamp_of(cable, frame), *wires = samples_of(cable, frame);
    atomic_store_explicit(stamp, 0, memory_order_relaxed);
    // A reader that sees any of the new samples also sees the cleared stamp.
    atomic_thread_fence(memory_order_release);
    for (uint32_t wire = 0; wire < cable->wire_count; wire++) {
        uint64_t bits = 0;
        if (wire < channel_count) memcpy(&bits, &samples[wire], sizeof bits);
        atomic_store_explicit(&wires[wire], bits, memory_order_relaxed);
    }
    // Pairs with the fence after the first check of the stamp in cable_read.
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(stamp, stamp_value(cable, frame), memory_order_relaxed);
}

void cable_erase(struct cable *cable, int64_t first, int64_t end) {
    for (int64_t frame = first; frame < end; frame++) {
        _Atomic uint64_t *stamp = stamp_of(cable, frame);
        if (atomic_load_explicit(stamp, memory_order_relaxed) == stamp_value(cable, frame)) {
            atomic_store_explicit(stamp, 0, memory_order_relaxed);
        }
    }
}

int cable_read(struct cable *cable, int64_t frame, double *samples, unsigned channel_count) {
    _Atomic uint64_t *stamp = stamp_of(cable, frame), *wires = samples_of(cable, frame);
    const uint64_t expected = stamp_value(cable, frame);
    int is_there = atomic_load_explicit(stamp, memory_order_relaxed) == expected;
    atomic_thread_fence(memory_order_acquire);
    for (unsigned channel = 0; channel < channel_count && is_there; channel++) {
        uint64_t bits = 0;
        if (channel < cable->wire_count) bits = atomic_load_explicit(&wires[channel], memory_order_relaxed);
        memcpy(&samples[channel], &bits, sizeof bits);
    }
    // The second check of the stamp must not be moved before the samples.
    atomic_thread_fence(memory_order_acquire);
    if (is_there && atomic_load_explicit(stamp, memory_order_relaxed) != expected) is_there = 0;
    if (!is_there) memset(samples, 0, channel_count * sizeof *samples);
    return is_there;
}

// Windowed sinc, Kaiser's window with beta 12 (Kaiser and Schafer, "On the use of the I0-sinh window", 1980): stop band
// below -118 dB, pass band up to 0.43 of the rate. The window is in a table; the sine is computed once per frame.
enum { HALF_WIDTH = 32, TABLE_STEPS = 512 };
static double window_table[HALF_WIDTH * TABLE_STEPS + 2];

static double bessel(double x) {
    double sum = 1, term = 1;
    for (int k = 1; term > sum * 1e-17; k++) {
        term *= (x / (2 * k)) * (x / (2 * k));
        sum += term;
    }
    return sum;
}

static void make_window(void) {
    const double beta = 12;
    for (int index = 0; index <= HALF_WIDTH * TABLE_STEPS; index++) {
        const double place = (double)index / (HALF_WIDTH * TABLE_STEPS);
        window_table[index] = bessel(beta * sqrt(1 - place * place)) / bessel(beta);
    }
}

static double window_at(double distance) {
    const double place = fabs(distance) * TABLE_STEPS;
    const int index = (int)place;
    return window_table[index] + (window_table[index + 1] - window_table[index]) * (place - index);
}

void cable_interpolate(struct cable *cable, int64_t frame, double fraction, double *samples, unsigned channel_count) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_window);
    if (fraction == 0) {
        cable_read(cable, frame, samples, channel_count);
        return;
    }
    double neighbour[64];
    memset(samples, 0, channel_count * sizeof *samples);
    const double sine = sin(M_PI * fraction) / M_PI;
    for (int tap = 1 - HALF_WIDTH; tap <= HALF_WIDTH; tap++) {
        if (!cable_read(cable, frame + tap, neighbour, channel_count)) continue;
        const double distance = fraction - tap;
        const double weight = (tap % 2 ? -sine : sine) / distance * window_at(distance);
        for (unsigned channel = 0; channel < channel_count; channel++) samples[channel] += weight * neighbour[channel];
    }
}
