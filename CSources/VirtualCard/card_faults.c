#include "card_faults.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[VIRTUAL_CARD_FAULT_KIND_COUNT] = {
    [VIRTUAL_CARD_XRUN] = "xrun",
    [VIRTUAL_CARD_SUSPEND] = "suspend",
    [VIRTUAL_CARD_SUSPEND_PREPARE] = "suspend-prepare",
    [VIRTUAL_CARD_SUSPEND_LIE] = "suspend-lie",
    [VIRTUAL_CARD_UNPLUG] = "unplug",
    [VIRTUAL_CARD_STALL] = "stall",
    [VIRTUAL_CARD_FREEZE] = "freeze",
    [VIRTUAL_CARD_SHORT] = "short",
    [VIRTUAL_CARD_DEATH] = "death",
    [VIRTUAL_CARD_HANG] = "hang",
};

const char *virtual_card_fault_name(enum virtual_card_fault_kind kind) {
    return (unsigned)kind < VIRTUAL_CARD_FAULT_KIND_COUNT ? names[kind] : "none";
}

static int parse_kind(const char *text, size_t length, enum virtual_card_fault_kind *kind) {
    for (unsigned index = 0; index < VIRTUAL_CARD_FAULT_KIND_COUNT; index++) {
        if (strlen(names[index]) != length || memcmp(names[index], text, length) != 0) continue;
        *kind = (enum virtual_card_fault_kind)index;
        return 0;
    }
    return -EINVAL;
}

static int parse_number(const char **text, int64_t *number) {
    char *end;
    errno = 0;
    const long long value = strtoll(*text, &end, 10);
    if (end == *text || errno != 0 || value < 0) return -EINVAL;
    *text = end;
    *number = value;
    return 0;
}

static int parse_fault(const char **text, struct card_fault *fault) {
    const size_t length = strcspn(*text, "@ ,");
    if (parse_kind(*text, length, &fault->kind) < 0 || (*text)[length] != '@') return -EINVAL;
    *text += length + 1;
    if (parse_number(text, &fault->frame) < 0) return -EINVAL;
    fault->argument = 0;
    if (**text == ':') {
        ++*text;
        if (parse_number(text, &fault->argument) < 0) return -EINVAL;
    }
    return **text == 0 || strchr(" ,", **text) ? 0 : -EINVAL;
}

int schedule_parse(struct card_schedule *schedule, const char *text) {
    schedule->count = 0;
    if (!text) return 0;
    for (text += strspn(text, " ,"); *text; text += strspn(text, " ,")) {
        struct card_fault fault;
        const int error = parse_fault(&text, &fault);
        if (error < 0) return error;
        if (schedule->count == SCHEDULE_LIMIT) return -E2BIG;
        // Insertion sort keeps faults at the same frame in the order of the text.
        uint32_t place = schedule->count++;
        for (; place > 0 && schedule->faults[place - 1].frame > fault.frame; place--) {
            schedule->faults[place] = schedule->faults[place - 1];
        }
        schedule->faults[place] = fault;
    }
    return 0;
}
