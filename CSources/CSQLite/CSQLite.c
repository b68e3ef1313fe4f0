#include "CSQLite.h"

static const char *const names[] = {SQLITE_FUNCTIONS(LIBRARY_NAME)};

LibraryDescription sqlite_description(void) {
    return (LibraryDescription){"libsqlite3.so.0", "libsqlite3-0", names, sizeof names / sizeof *names};
}
