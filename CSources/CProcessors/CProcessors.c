#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CProcessors.h"

#include <errno.h>
#include <sched.h>

uint64_t processors_allowed(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
    uint64_t bits = 0;
    for (unsigned number = 0; number < 64; number++) {
        if (CPU_ISSET(number, &set)) bits |= UINT64_C(1) << number;
    }
    return bits;
}

int processor_bind(uint32_t processor) {
    if (processor >= 64) return EINVAL;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}
