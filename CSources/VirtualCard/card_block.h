// The control block: the state of one card for all processes, in shared memory. The block holds the settings, the state
// of both directions, the record of actual events, requests for faults, and the cable.
#ifndef WOODSHED_CARD_BLOCK_H
#define WOODSHED_CARD_BLOCK_H

#include "card_cable.h"
#include "card_clock.h"
#include "card_faults.h"
#include "card_formats.h"

enum { CARD_NAME_LIMIT = 64, CARD_PATH_LIMIT = 512, CARD_RATE_LIMIT = 32, CARD_REQUEST_LIMIT = 64, CARD_ACCESS_LIMIT = 8 };

// The options after checking, without pointers.
struct card_settings {
    bool is_virtual;
    char clock_name[CLOCK_NAME_LIMIT + 1];
    double ppm[2];
    int64_t loopback_delay_frames, latency_frames, first_frame;
    uint32_t granularity_frames, jitter_microseconds, cable_frames;
    uint32_t channels_min, channels_max;
    uint32_t period_frames_min, period_frames_max, buffer_frames_max, periods_min, periods_max;
    uint32_t rate_count, format_count, access_count;
    unsigned rates[CARD_RATE_LIMIT], formats[FORMAT_LIMIT], accesses[CARD_ACCESS_LIMIT];
    uint32_t map_count;
    unsigned map[VIRTUAL_CARD_CHANNEL_LIMIT];
    struct card_schedule schedules[2];
    enum virtual_card_delay_answer delay_answer;
    char record_path[CARD_PATH_LIMIT];
};

// Returns -EINVAL for inconsistent or unreadable options, -E2BIG for overlong lists.
int settings_read(struct card_settings *settings, const struct virtual_card_options *options, const char *card_name);

// A request for a fault. The number is written last, so that a reader does not take a partly written request.
struct card_request {
    _Atomic uint32_t number;
    uint32_t kind;
    int64_t argument;
};

// A fault in the record, and the consequences, which follow later.
struct card_record_slot {
    _Atomic uint32_t is_written;
    struct virtual_card_record record;
    _Atomic int64_t gap_frames, dropped_frames;
};

struct card_refusal {
    _Atomic int32_t error;
    _Atomic int32_t count;
};

// One direction. The process that has the direction open writes everything except the requests and refusals.
struct card_direction_block {
    _Atomic int32_t owner; // the process that has the direction open; 0 for none
    _Atomic uint32_t is_running;
    _Atomic uint64_t pace; // of the last start
    _Atomic int64_t start_frame;
    _Atomic uint64_t opens, starts, xruns, faults[VIRTUAL_CARD_FAULT_KIND_COUNT];
    _Atomic uint64_t transferred, moved, silent, dropped, wakes, idle_wakes;
    _Atomic uint32_t next_fault; // of the schedule
    _Atomic int64_t gap_start; // device frame at which the stream stopped; clock_never if it has not stopped
    _Atomic uint32_t gap_record; // number of the record that still needs the length of its gap
    _Atomic uint32_t posted; // requests so far
    struct card_request requests[CARD_REQUEST_LIMIT];
    struct card_refusal refusals[VIRTUAL_CARD_OPERATION_COUNT];
    _Atomic uint32_t is_silent; // openings get no answer
    _Atomic uint32_t waiting; // the number of openings that wait for an answer
};

struct card_block {
    _Atomic uint32_t is_ready;
    struct card_settings settings;
    int64_t epoch; // by the card's clock: the time of its first frame
    _Atomic int64_t unplugged_until; // 0: plugged in; clock_never: until plugged in again
    _Atomic uint32_t unpluggings; // a stream open during an unplugging does not recover
    struct card_direction_block directions[2];
    _Atomic uint32_t record_count;
    struct card_record_slot records[VIRTUAL_CARD_RECORD_LIMIT];
    struct cable cable; // last, because its frames follow
};

struct virtual_card {
    struct card_block *block;
    struct clock_block *clock; // NULL for the real clock
    size_t byte_count;
    int descriptor;
};

int64_t card_now(const struct virtual_card *card);
int64_t card_device_frame(const struct virtual_card *card, int64_t time, uint64_t pace);
int64_t card_time_of_frame(const struct virtual_card *card, int64_t frame, uint64_t pace);
bool card_is_unplugged(const struct virtual_card *card, int64_t now);
// Unplugs the card at a time, for a number of milliseconds; 0 for good. Returns the number of the unplugging.
uint32_t card_unplug(struct virtual_card *card, int64_t time, int64_t milliseconds);
// Returns 0, or the negative errno with which an operation must fail.
int card_refusal(struct virtual_card *card, int direction, enum virtual_card_operation operation);
// Adds a record, and returns the record's number.
uint32_t card_record(struct virtual_card *card, struct virtual_card_record record);
// The slot of the record with this number; NULL for a merely counted record.
struct card_record_slot *card_record_slot(struct virtual_card *card, uint32_t number);
// The path for inotify at which changes to the block are announced.
void card_watch_path(const char *name, char *path, size_t capacity);
bool card_name_is_valid(const char *name);
// Like virtual_card_create, or like virtual_card_attach if the card exists.
int card_find_or_create(struct virtual_card **card, const char *name, const struct virtual_card_options *options);

#endif
