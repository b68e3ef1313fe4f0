// The functions of Expat, as a table that is filled when the first one is needed.
//
// The types, constants and functions are declared here, so neither the header nor the library is needed to build.
// scripts/test-headers.sh compares the list with the real header: a difference does not compile.
#ifndef WOODSHED_CEXPAT_H
#define WOODSHED_CEXPAT_H

#include <CLibraryTable.h>

// As in the header of the library, the pointers have no nullability annotations.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

#define EXPAT_FUNCTIONS(function) \
    function(const char *, XML_ExpatVersion, (void))

/// The functions, each under its own name.
typedef struct {
    EXPAT_FUNCTIONS(LIBRARY_FIELD)
} ExpatFunctions;

/// The library to load.
LibraryDescription expat_description(void);

#pragma clang diagnostic pop

#endif
