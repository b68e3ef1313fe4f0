// Faults: their names, and schedules of them as text.
#ifndef WOODSHED_CARD_FAULTS_H
#define WOODSHED_CARD_FAULTS_H

#include "include/VirtualCard.h"

enum { SCHEDULE_LIMIT = 256 };

struct card_fault {
    enum virtual_card_fault_kind kind;
    int64_t frame, argument;
};

struct card_schedule {
    uint32_t count;
    struct card_fault faults[SCHEDULE_LIMIT]; // in the order of their frames
};

// -EINVAL for text that is no schedule, -E2BIG for too long a one.
int schedule_parse(struct card_schedule *schedule, const char *text);

#endif
