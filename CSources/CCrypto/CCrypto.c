#include "CCrypto.h"

static const char *const names[] = {CRYPTO_FUNCTIONS(LIBRARY_NAME)};

LibraryDescription crypto_description(void) {
    return (LibraryDescription){"libcrypto.so.3", "libssl3", names, sizeof names / sizeof *names};
}
