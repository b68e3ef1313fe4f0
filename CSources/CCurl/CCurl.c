#include "CCurl.h"

static const char *const names[] = {CURL_FUNCTIONS(LIBRARY_NAME)};

LibraryDescription curl_description(void) {
    return (LibraryDescription){"libcurl.so.4", "libcurl4", names, sizeof names / sizeof *names};
}
