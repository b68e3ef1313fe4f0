// The functions of SQLite for the practice database, as a table filled when the first database is opened.
//
// This header declares the types, constants and functions, so the build needs neither SQLite's header nor the library.
// scripts/tests/test-headers.sh compares the list with the real header: a difference does not compile.
#ifndef WOODSHED_CSQLITE_H
#define WOODSHED_CSQLITE_H

#include <CLibraryTable.h>

// As in the header of the library, the pointers have no nullability annotations.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

#define SQLITE_CONSTANTS(constant) \
    constant(SQLITE_OK, 0) \
    constant(SQLITE_ERROR, 1) \
    constant(SQLITE_PERM, 3) \
    constant(SQLITE_BUSY, 5) \
    constant(SQLITE_LOCKED, 6) \
    constant(SQLITE_NOMEM, 7) \
    constant(SQLITE_READONLY, 8) \
    constant(SQLITE_INTERRUPT, 9) \
    constant(SQLITE_IOERR, 10) \
    constant(SQLITE_CORRUPT, 11) \
    constant(SQLITE_FULL, 13) \
    constant(SQLITE_CANTOPEN, 14) \
    constant(SQLITE_PROTOCOL, 15) \
    constant(SQLITE_TOOBIG, 18) \
    constant(SQLITE_CONSTRAINT, 19) \
    constant(SQLITE_AUTH, 23) \
    constant(SQLITE_NOTADB, 26) \
    constant(SQLITE_ROW, 100) \
    constant(SQLITE_DONE, 101) \
    constant(SQLITE_INTEGER, 1) \
    constant(SQLITE_BLOB, 4) \
    constant(SQLITE_NULL, 5) \
    constant(SQLITE_TEXT, 3) \
    constant(SQLITE_OPEN_READWRITE, 2) \
    constant(SQLITE_OPEN_CREATE, 4) \
    constant(SQLITE_OPEN_FULLMUTEX, 65536) \
    constant(SQLITE_OPEN_EXRESCODE, 33554432) \
    constant(SQLITE_UTF8, 1) \
    constant(SQLITE_DETERMINISTIC, 2048) \
    constant(SQLITE_INNOCUOUS, 2097152)

// The comparison with the real header includes that header first.
#ifndef SQLITE_HEADER_IS_INCLUDED
enum { SQLITE_CONSTANTS(LIBRARY_CONSTANT) };

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef struct sqlite3_backup sqlite3_backup;
typedef struct sqlite3_context sqlite3_context;
typedef struct sqlite3_value sqlite3_value;
typedef long long sqlite3_int64;
#endif

#define SQLITE_FUNCTIONS(function) \
    function(const char *, sqlite3_libversion, (void)) \
    function(int, sqlite3_open_v2, (const char *, sqlite3 **, int, const char *)) \
    function(int, sqlite3_close_v2, (sqlite3 *)) \
    function(int, sqlite3_busy_timeout, (sqlite3 *, int)) \
    function(void, sqlite3_interrupt, (sqlite3 *)) \
    function(const char *, sqlite3_errmsg, (sqlite3 *)) \
    function(int, sqlite3_extended_errcode, (sqlite3 *)) \
    function(int, sqlite3_system_errno, (sqlite3 *)) \
    function(int, sqlite3_get_autocommit, (sqlite3 *)) \
    function(int, sqlite3_prepare_v2, (sqlite3 *, const char *, int, sqlite3_stmt **, const char **)) \
    function(int, sqlite3_finalize, (sqlite3_stmt *)) \
    function(int, sqlite3_step, (sqlite3_stmt *)) \
    function(int, sqlite3_reset, (sqlite3_stmt *)) \
    function(int, sqlite3_clear_bindings, (sqlite3_stmt *)) \
    function(int, sqlite3_bind_parameter_count, (sqlite3_stmt *)) \
    function(int, sqlite3_bind_null, (sqlite3_stmt *, int)) \
    function(int, sqlite3_bind_int64, (sqlite3_stmt *, int, sqlite3_int64)) \
    function(int, sqlite3_bind_text, (sqlite3_stmt *, int, const char *, int, void (*)(void *))) \
    function(int, sqlite3_bind_blob, (sqlite3_stmt *, int, const void *, int, void (*)(void *))) \
    function(int, sqlite3_column_type, (sqlite3_stmt *, int)) \
    function(sqlite3_int64, sqlite3_column_int64, (sqlite3_stmt *, int)) \
    function(const void *, sqlite3_column_blob, (sqlite3_stmt *, int)) \
    function(const unsigned char *, sqlite3_column_text, (sqlite3_stmt *, int)) \
    function(int, sqlite3_column_bytes, (sqlite3_stmt *, int)) \
    function(sqlite3_int64, sqlite3_last_insert_rowid, (sqlite3 *)) \
    function(int, sqlite3_changes, (sqlite3 *)) \
    function(int, sqlite3_create_function_v2, \
             (sqlite3 *, const char *, int, int, void *, void (*)(sqlite3_context *, int, sqlite3_value **), \
              void (*)(sqlite3_context *, int, sqlite3_value **), void (*)(sqlite3_context *), void (*)(void *))) \
    function(const unsigned char *, sqlite3_value_text, (sqlite3_value *)) \
    function(int, sqlite3_value_bytes, (sqlite3_value *)) \
    function(void, sqlite3_result_value, (sqlite3_context *, sqlite3_value *)) \
    function(void, sqlite3_result_text, (sqlite3_context *, const char *, int, void (*)(void *))) \
    function(sqlite3_backup *, sqlite3_backup_init, (sqlite3 *, const char *, sqlite3 *, const char *)) \
    function(int, sqlite3_backup_step, (sqlite3_backup *, int)) \
    function(int, sqlite3_backup_finish, (sqlite3_backup *))

/// The functions, each under its own name.
typedef struct {
    SQLITE_FUNCTIONS(LIBRARY_FIELD)
} SQLiteFunctions;

/// The library to load.
LibraryDescription sqlite_description(void);

#pragma clang diagnostic pop

#endif
