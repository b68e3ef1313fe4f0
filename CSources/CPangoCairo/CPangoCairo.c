#include "CPangoCairo.h"

static const char *const names[] = {PANGO_CAIRO_FUNCTIONS(LIBRARY_NAME)};

LibraryDescription pango_cairo_description(void) {
    return (LibraryDescription){
        "libpangocairo-1.0.so.0", "libpangocairo-1.0-0", names, sizeof names / sizeof *names};
}
