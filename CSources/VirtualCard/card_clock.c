#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "card_clock.h"

#include "include/VirtualCard.h"
#include <errno.h>
#include <math.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const uint64_t pace_unit = UINT64_C(1000000000000000000);

int64_t clock_monotonic(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * clock_second + time.tv_nsec;
}

int32_t clock_thread(void) {
    static _Thread_local int32_t thread;
    if (thread == 0) thread = (int32_t)syscall(SYS_gettid);
    return thread;
}

// Uses a descriptor instead of a signal, so that no signal can reach the wrong process.
bool virtual_card_process_exists(int32_t number) {
    if (number <= 0) return false;
    const int descriptor = (int)syscall(SYS_pidfd_open, number, 0);
    if (descriptor >= 0) {
        close(descriptor);
        return true;
    }
    // Depending on the kernel: no such process; or the number is that of a thread, not of a process.
    return errno != ESRCH && errno != EINVAL && errno != ENOENT;
}

uint64_t clock_pace(unsigned rate, double ppm) {
    return (uint64_t)rate * (uint64_t)(clock_second + llround(ppm * 1000));
}

int64_t clock_frames(int64_t nanoseconds, uint64_t pace) {
    if (nanoseconds <= 0) return 0;
    // 128 bits, because a double is off by a frame after some days, and the next wake-up would then come before its own
    // frame.
    return (int64_t)((unsigned __int128)nanoseconds * pace / pace_unit);
}

int64_t clock_nanoseconds(int64_t frames, uint64_t pace) {
    if (frames <= 0) return 0;
    return (int64_t)(((unsigned __int128)frames * pace_unit + pace - 1) / pace);
}

struct clock_seat *clock_take_seat(struct clock_block *clock) {
    for (int index = 0; index < CLOCK_SEATS; index++) {
        struct clock_seat *seat = &clock->seats[index];
        int32_t process = atomic_load(&seat->process);
        // A killed process does not free its seat.
        if (virtual_card_process_exists(process)) continue;
        if (!atomic_compare_exchange_strong(&seat->process, &process, (int32_t)getpid())) continue;
        atomic_store(&seat->wake, clock_never);
        atomic_store(&seat->deadline, clock_never);
        return seat;
    }
    return NULL;
}

void clock_leave_seat(struct clock_seat *seat) {
    atomic_store(&seat->wake, clock_never);
    atomic_store(&seat->process, 0);
}

void clock_hold(struct clock_seat *seat) {
    // Marks the seat as late and failing. The deadline comes first, because the deadline is used as soon as the seat
    // looks late.
    atomic_store(&seat->deadline, 0);
    atomic_store(&seat->wake, 0);
}

static void advance_to(struct clock_block *clock, int64_t time) {
    int64_t now = atomic_load(&clock->now);
    while (now < time && !atomic_compare_exchange_weak(&clock->now, &now, time)) {}
}

// A program on another thread gets this much real time to serve its stream: until time passes, and until the stream is
// made to fail. The long patience is for a busy machine, which may hold up a thread for a minute.
static const int64_t short_patience = 2000000, long_patience = 120000000000, recheck = 100000;

int64_t clock_pass(struct clock_block *clock, struct clock_seat *own, int64_t wake, struct clock_patience *patience) {
    const int64_t now = atomic_load(&clock->now);
    const int32_t own_process = (int32_t)getpid();
    int64_t target = wake, deadline = clock_never;
    uint64_t served = 0;
    bool is_late = false, is_elsewhere = false;
    for (int index = 0; index < CLOCK_SEATS; index++) {
        struct clock_seat *seat = &clock->seats[index];
        const int64_t theirs = atomic_load(&seat->wake);
        const int32_t process = atomic_load(&seat->process);
        if (seat == own || theirs == clock_never || process == 0) continue;
        served += atomic_load(&seat->served);
        if (theirs > now) {
            if (theirs < target) target = theirs;
            continue;
        }
        // A killed process does not free its seat, and never serves its stream again.
        if (process != own_process && !virtual_card_process_exists(process)) continue;
        is_late = true;
        if (atomic_load(&seat->thread) != clock_thread()) is_elsewhere = true;
        const int64_t limit = atomic_load(&seat->deadline);
        if (limit < deadline) deadline = limit;
    }
    if (is_late) {
        // Wait for at least one round: a program that polls several streams serves the late stream next.
        const int64_t real = clock_monotonic();
        if (!patience->is_counting || patience->served != served) {
            *patience = (struct clock_patience){.since = real, .served = served, .is_counting = true};
            return is_elsewhere ? recheck : 0;
        }
        const bool fails = target >= deadline;
        if (is_elsewhere && real - patience->since < (fails ? long_patience : short_patience)) return recheck;
    }
    patience->is_counting = false;
    advance_to(clock, target);
    return 0;
}
