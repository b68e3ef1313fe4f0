// How a shared library's functions are named once, for a table that is filled when something first needs the library.
//
// A library's own header lists them: `#define MY_FUNCTIONS(function) function(result, name, (parameters)) ...`. The list becomes
// the fields of a table, the names to look up, and in tests the comparison with the library's real headers.
#ifndef WOODSHED_CLIBRARYTABLE_H
#define WOODSHED_CLIBRARYTABLE_H

#include <stddef.h>

/// A field of the table. Never null in a table that was filled: one function that is missing is a failure of all.
#define LIBRARY_FIELD(result, name, parameters) result(*_Nonnull name) parameters;
/// An entry of the names, in the order of the fields.
#define LIBRARY_NAME(result, name, parameters) #name,
/// A constant of an enumeration.
#define LIBRARY_CONSTANT(name, value) name = value,

/// A library, and which of its functions are wanted.
typedef struct {
    /// Its name for the dynamic linker, with the version of its binary interface, such as `libz.so.1`.
    const char *_Nonnull soname;
    /// The package of Debian that holds it.
    const char *_Nonnull package;
    /// As many as the table has fields. Those of the libraries that it needs itself are found, too.
    const char *_Nonnull const *_Nonnull names;
    size_t count;
} LibraryDescription;

#endif
