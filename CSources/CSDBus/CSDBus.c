#include "CSDBus.h"

static const char *const names[] = {SDBUS_FUNCTIONS(LIBRARY_NAME)};

LibraryDescription sdbus_description(void) {
    return (LibraryDescription){"libsystemd.so.0", "libsystemd0", names, sizeof names / sizeof *names};
}
