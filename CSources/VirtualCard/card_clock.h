// Time: the machine's monotonic clock, or a virtual one that jumps to the next moment at which somebody has something to do.
#ifndef WOODSHED_CARD_CLOCK_H
#define WOODSHED_CARD_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CLOCK_SEATS = 32, CLOCK_NAME_LIMIT = 64 };

static const int64_t clock_never = INT64_MAX;
static const int64_t clock_second = 1000000000;

// A running stream at a virtual clock. Written by the stream alone, read by the others before they let time pass.
struct clock_seat {
    _Atomic int32_t process; // 0: free
    _Atomic int32_t thread; // the one that served the stream last
    _Atomic int64_t wake; // when the stream has something to do; clock_never while it has not
    _Atomic int64_t deadline; // when it fails unless it was served
    _Atomic uint32_t served; // counts what the program did for the stream
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
// Whole frames within so many nanoseconds, and the first nanosecond at which so many frames are whole.
int64_t clock_frames(int64_t nanoseconds, uint64_t pace);
int64_t clock_nanoseconds(int64_t frames, uint64_t pace);

struct clock_seat *clock_take_seat(struct clock_block *clock);
void clock_leave_seat(struct clock_seat *seat);
// Has the others wait for a stream that is about to run, until it has said what it waits for itself.
void clock_hold(struct clock_seat *seat);

// How long a stream has been waiting for the others to be served, in real time.
struct clock_patience {
    int64_t since;
    uint64_t served;
    bool is_counting;
};

// Lets virtual time pass towards `wake`, as far as no other stream comes first. Returns 0, or for how many nanoseconds of real
// time to wait for another thread before asking again.
int64_t clock_pass(struct clock_block *clock, struct clock_seat *own, int64_t wake, struct clock_patience *patience);

#endif
