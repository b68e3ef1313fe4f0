// Time: the machine's monotonic clock, or a virtual clock that jumps to the next time at which a stream has something
// to do.
#ifndef WOODSHED_CARD_CLOCK_H
#define WOODSHED_CARD_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CLOCK_SEATS = 32, CLOCK_NAME_LIMIT = 64 };

static const int64_t clock_never = INT64_MAX;
static const int64_t clock_second = 1000000000;

// A running stream on a virtual clock. Only the stream writes its seat; the other streams read the seat before they let
// time pass.
struct clock_seat {
    _Atomic int32_t process; // 0: free
    _Atomic int32_t thread; // the thread that served the stream last
    _Atomic int64_t wake; // when the stream has something to do; clock_never if nothing
    _Atomic int64_t deadline; // the time of failure unless served
    _Atomic uint32_t served; // the number of times that the program served the stream
};

struct clock_block {
    _Atomic uint32_t is_ready;
    _Atomic int64_t now;
    struct clock_seat seats[CLOCK_SEATS];
};

int64_t clock_monotonic(void);
int32_t clock_thread(void);

// Frames per 10^18 ns: exact for rates in whole Hz and deviations in thousandths of a millionth.
uint64_t clock_pace(unsigned rate, double ppm);
// Whole frames within a number of nanoseconds, and the first nanosecond at which a number of frames is complete.
int64_t clock_frames(int64_t nanoseconds, uint64_t pace);
int64_t clock_nanoseconds(int64_t frames, uint64_t pace);

struct clock_seat *clock_take_seat(struct clock_block *clock);
void clock_leave_seat(struct clock_seat *seat);
// Makes the other streams wait for a stream that is about to run, until that stream has set its own wake-up.
void clock_hold(struct clock_seat *seat);

// The real time for which a stream has waited until the other streams were served.
struct clock_patience {
    int64_t since;
    uint64_t served;
    bool is_counting;
};

// Lets virtual time pass up to `wake`, or to an earlier wake-up of another stream. Returns 0, or the nanoseconds of
// real time to wait for another thread before calling again.
int64_t clock_pass(struct clock_block *clock, struct clock_seat *own, int64_t wake, struct clock_patience *patience);

#endif
