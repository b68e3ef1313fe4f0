// Macros that list a shared library's functions once, for a table that is filled when the library is first needed.
//
// The library's own header defines the list: `#define MY_FUNCTIONS(function) function(result, name, (parameters)) ...`. The
// list gives the fields of a table, the names to look up, and in tests the comparison with the library's real headers.
#ifndef WOODSHED_CLIBRARYTABLE_H
#define WOODSHED_CLIBRARYTABLE_H

#include <stddef.h>

/// A field of the table. Never null in a filled table: if one function is missing, filling the table fails.
#define LIBRARY_FIELD(result, name, parameters) result(*_Nonnull name) parameters;
/// An entry in the list of names, in the order of the fields.
#define LIBRARY_NAME(result, name, parameters) #name,
/// A constant of an enumeration.
#define LIBRARY_CONSTANT(name, value) name = value,

/// A library, and the functions that are needed from it.
typedef struct {
    /// Its name for the dynamic linker, with the version of its binary interface, such as `libz.so.1`.
    const char *_Nonnull soname;
    /// The Debian package that contains it.
    const char *_Nonnull package;
    /// As many as the table has fields. Functions of the libraries that it depends on are also found.
    const char *_Nonnull const *_Nonnull names;
    size_t count;
    /// Its name with another version of the binary interface that does as well, if the first is not installed; null if there is none.
    const char *_Nullable other_soname;
} LibraryDescription;

#endif
