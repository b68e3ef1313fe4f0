// Macros that list a shared library's functions once, for a table filled at the library's first use.
//
// The library's own header defines the list: `#define MY_FUNCTIONS(function) function(result, name, (parameters)) ...`.
// The list gives the fields of a table, the names to look up, and in tests the comparison with the library's real
// headers.
#ifndef WOODSHED_CLIBRARYTABLE_H
#define WOODSHED_CLIBRARYTABLE_H

#include <stddef.h>

/// A field of the table. Never null in a filled table: if any function is missing, filling the table fails.
#define LIBRARY_FIELD(result, name, parameters) result(*_Nonnull name) parameters;
/// An entry in the list of names, in the order of the fields.
#define LIBRARY_NAME(result, name, parameters) #name,
/// A constant of an enumeration.
#define LIBRARY_CONSTANT(name, value) name = value,

/// A library and its required functions.
typedef struct {
    /// The library's name for the dynamic linker, with the version of its binary interface, such as `libz.so.1`.
    const char *_Nonnull soname;
    /// The Debian package that contains the library.
    const char *_Nonnull package;
    /// The names of the functions, as many as the table has fields. Functions of the library's own dependencies are
    /// also found.
    const char *_Nonnull const *_Nonnull names;
    size_t count;
    /// The library's name with another suitable version of the binary interface, if the first is not installed; null if
    /// there is none.
    const char *_Nullable other_soname;
} LibraryDescription;

#endif
