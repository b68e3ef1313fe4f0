// Information that the thread sanitizer needs about Swift, for tests only.
#ifndef WOODSHED_CSANITIZERSUPPORT_H
#define WOODSHED_CSANITIZERSUPPORT_H

#include <stdbool.h>

/// Whether this build runs under the thread sanitizer.
bool thread_sanitizer_is_active(void);

#endif
