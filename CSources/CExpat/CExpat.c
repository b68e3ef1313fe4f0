#include "CExpat.h"

static const char *const names[] = {EXPAT_FUNCTIONS(LIBRARY_NAME)};

LibraryDescription expat_description(void) {
    return (LibraryDescription){"libexpat.so.1", "libexpat1", names, sizeof names / sizeof *names};
}
