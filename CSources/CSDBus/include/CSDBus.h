// The functions of libsystemd that speak on a bus, as a table that is filled when the first one is needed.
//
// The types, constants and functions are declared here, so neither the header nor the library is needed to build.
// scripts/test-headers.sh compares the list with the real header: a difference does not compile.
#ifndef WOODSHED_CSDBUS_H
#define WOODSHED_CSDBUS_H

#include <CLibraryTable.h>

// As in the header of the library, the pointers have no nullability annotations.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

#define SDBUS_FUNCTIONS(function) \
    function(int, sd_bus_is_open, (void *))

/// The functions, each under its own name.
typedef struct {
    SDBUS_FUNCTIONS(LIBRARY_FIELD)
} SDBusFunctions;

/// The library to load.
LibraryDescription sdbus_description(void);

#pragma clang diagnostic pop

#endif
