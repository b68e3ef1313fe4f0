// The functions of libcurl, as a table that is filled when the first one is needed.
//
// The types, constants and functions are declared here, so neither the header nor the library is needed to build.
// scripts/test-headers.sh compares the list with the real header: a difference does not compile.
#ifndef WOODSHED_CCURL_H
#define WOODSHED_CCURL_H

#include <CLibraryTable.h>

// As in the header of the library, the pointers have no nullability annotations.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

#define CURL_FUNCTIONS(function) \
    function(char *, curl_version, (void))

/// The functions, each under its own name.
typedef struct {
    CURL_FUNCTIONS(LIBRARY_FIELD)
} CurlFunctions;

/// The library to load.
LibraryDescription curl_description(void);

#pragma clang diagnostic pop

#endif
