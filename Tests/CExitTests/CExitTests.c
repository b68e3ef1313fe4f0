#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CExitTests.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    // Seconds, as in scripts/steps/step.sh.
    STEP_LIMIT = 900,
    // Seconds that a busy machine may need for a short body.
    SHORTEST_LIMIT = 300,
};

__attribute__((constructor)) static void begin(void) {
    // The variables of Swift Testing since 6.2. Tests/FilesTests/ExitTestTests.swift fails if they have other names.
    if (!getenv("SWT_EXIT_TEST_ID")) return;
    const char *step = getenv("WOODSHED_STEP_SECONDS");
    const long seconds = (step ? strtol(step, NULL, 10) : STEP_LIMIT) * 2 / 3;
    alarm(seconds > SHORTEST_LIMIT ? (unsigned)seconds : SHORTEST_LIMIT);
    const char *channel = getenv("SWT_BACKCHANNEL");
    if (channel) fcntl((int)strtol(channel, NULL, 10), F_SETFD, FD_CLOEXEC);
}
