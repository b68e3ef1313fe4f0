// Names of faults, and schedules as text.
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
    struct card_fault faults[SCHEDULE_LIMIT]; // sorted by frame
};

// Returns -EINVAL if the text is not a valid schedule, -E2BIG if the text is too long.
int schedule_parse(struct card_schedule *schedule, const char *text);

#endif
