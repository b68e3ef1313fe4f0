// pkg-config: sqlite3
// Compares the declarations of CSQLite with SQLite's header. This file has no code: a difference does not compile.
#include <sqlite3.h>

#define SQLITE_HEADER_IS_INCLUDED
#include <CSQLite.h>

#define SAME_FUNCTION(result, name, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), #name " has another type");
SQLITE_FUNCTIONS(SAME_FUNCTION)

#define SAME_CONSTANT(name, value) _Static_assert((name) == (value), #name " has another value");
SQLITE_CONSTANTS(SAME_CONSTANT)

_Static_assert(__builtin_types_compatible_p(sqlite3_int64, long long), "sqlite3_int64 has another type");
