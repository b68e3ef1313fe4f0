// Functions for tests and tools, and access of the streams to the card's block.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "card_block.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int64_t card_now(const struct virtual_card *card) {
    return card->clock ? atomic_load(&card->clock->now) : clock_monotonic();
}

int64_t card_device_frame(const struct virtual_card *card, int64_t time, uint64_t pace) {
    return card->block->settings.first_frame + clock_frames(time - card->block->epoch, pace);
}

int64_t card_time_of_frame(const struct virtual_card *card, int64_t frame, uint64_t pace) {
    return card->block->epoch + clock_nanoseconds(frame - card->block->settings.first_frame, pace);
}

bool card_is_unplugged(const struct virtual_card *card, int64_t now) {
    return now < atomic_load(&card->block->unplugged_until);
}

uint32_t card_unplug(struct virtual_card *card, int64_t time, int64_t milliseconds) {
    atomic_store(&card->block->unplugged_until, milliseconds ? time + milliseconds * 1000000 : clock_never);
    return atomic_fetch_add(&card->block->unpluggings, 1) + 1;
}

int card_refusal(struct virtual_card *card, int direction, enum virtual_card_operation operation) {
    struct card_refusal *refusal = &card->block->directions[direction].refusals[operation];
    int32_t count = atomic_load(&refusal->count);
    while (count > 0 && !atomic_compare_exchange_weak(&refusal->count, &count, count - 1)) {}
    return count == 0 ? 0 : -atomic_load(&refusal->error);
}

uint32_t card_record(struct virtual_card *card, struct virtual_card_record record) {
    const uint32_t number = atomic_fetch_add(&card->block->record_count, 1);
    struct card_record_slot *slot = card_record_slot(card, number);
    if (slot) {
        slot->record = record;
        atomic_store(&slot->gap_frames, -1);
        atomic_store(&slot->is_written, 1);
    }
    return number;
}

struct card_record_slot *card_record_slot(struct virtual_card *card, uint32_t number) {
    return number < VIRTUAL_CARD_RECORD_LIMIT ? &card->block->records[number] : NULL;
}

// Changes the file's times, which wakes every process watching the file.
static void wake_streams(struct virtual_card *card) { futimens(card->descriptor, NULL); }

int virtual_card_inject(
    struct virtual_card *card, enum virtual_card_direction direction, enum virtual_card_fault_kind kind,
    int64_t argument) {
    if ((unsigned)direction > 1 || (unsigned)kind >= VIRTUAL_CARD_FAULT_KIND_COUNT || argument < 0) return -EINVAL;
    struct card_direction_block *block = &card->block->directions[direction];
    if (kind == VIRTUAL_CARD_UNPLUG) {
        // The change concerns the card, whether or not a stream is open; the streams detect and record the change.
        card_unplug(card, card_now(card), argument);
    } else if (atomic_load(&block->owner) != 0) {
        const uint32_t number = atomic_fetch_add(&block->posted, 1);
        struct card_request *request = &block->requests[number % CARD_REQUEST_LIMIT];
        request->kind = kind;
        request->argument = argument;
        atomic_store(&request->number, number + 1);
    }
    wake_streams(card);
    return 0;
}

void virtual_card_plug(struct virtual_card *card) { atomic_store(&card->block->unplugged_until, 0); }

int virtual_card_refuse(
    struct virtual_card *card, enum virtual_card_direction direction, enum virtual_card_operation operation, int error,
    int count) {
    if ((unsigned)direction > 1 || (unsigned)operation >= VIRTUAL_CARD_OPERATION_COUNT || error <= 0) return -EINVAL;
    struct card_refusal *refusal = &card->block->directions[direction].refusals[operation];
    atomic_store(&refusal->error, error);
    atomic_store(&refusal->count, count < 0 ? -1 : count);
    return 0;
}

void virtual_card_silence(struct virtual_card *card, enum virtual_card_direction direction, bool is_silent) {
    atomic_store(&card->block->directions[direction == VIRTUAL_CARD_CAPTURE].is_silent, is_silent);
}

struct virtual_card_truth virtual_card_truth(struct virtual_card *card, enum virtual_card_direction direction) {
    struct card_direction_block *block = &card->block->directions[direction == VIRTUAL_CARD_CAPTURE];
    const uint64_t pace = atomic_load(&block->pace);
    struct virtual_card_truth truth = {
        .is_open = atomic_load(&block->owner) != 0,
        .is_running = atomic_load(&block->is_running) != 0,
        .start_frame = atomic_load(&block->start_frame),
        .device_frame = pace ? card_device_frame(card, card_now(card), pace) : card->block->settings.first_frame,
        .waiting = atomic_load(&block->waiting),
        .opens = atomic_load(&block->opens),
        .starts = atomic_load(&block->starts),
        .xruns = atomic_load(&block->xruns),
        .frames_transferred = atomic_load(&block->transferred),
        .frames_moved = atomic_load(&block->moved),
        .silent_frames = atomic_load(&block->silent),
        .dropped_frames = atomic_load(&block->dropped),
        .wakes = atomic_load(&block->wakes),
        .idle_wakes = atomic_load(&block->idle_wakes),
    };
    for (int kind = 0; kind < VIRTUAL_CARD_FAULT_KIND_COUNT; kind++) {
        truth.faults[kind] = atomic_load(&block->faults[kind]);
    }
    return truth;
}

size_t virtual_card_records(
    struct virtual_card *card, size_t first, struct virtual_card_record *records, size_t capacity) {
    size_t copied = 0;
    for (; copied < capacity && first + copied < VIRTUAL_CARD_RECORD_LIMIT; copied++) {
        struct card_record_slot *slot = &card->block->records[first + copied];
        if (!atomic_load(&slot->is_written)) break;
        records[copied] = slot->record;
        records[copied].gap_frames = atomic_load(&slot->gap_frames);
        records[copied].dropped_frames = atomic_load(&slot->dropped_frames);
    }
    return copied;
}

size_t virtual_card_heard(
    struct virtual_card *card, int64_t first, size_t count, unsigned channels, double *samples) {
    size_t played = 0;
    for (size_t index = 0; index < count; index++) {
        played += (size_t)cable_read(&card->block->cable, first + (int64_t)index, samples + index * channels, channels);
    }
    return played;
}

int64_t virtual_card_time(struct virtual_card *card) { return card_now(card); }
