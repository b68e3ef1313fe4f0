// The functions of libsystemd for a bus, as a table filled at the first use.
//
// This header declares the types, constants and functions, so the build needs neither systemd's header nor the library.
// scripts/tests/test-headers.sh compares the list with the real header: a difference does not compile. Only functions
// without callbacks and without variable arguments are included: messages are taken one by one, and built value by
// value.
#ifndef WOODSHED_CSDBUS_H
#define WOODSHED_CSDBUS_H

#include <CLibraryTable.h>
#include <stdint.h>

// As in the header of the library, the pointers have no nullability annotations.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

#define SDBUS_CONSTANTS(constant) \
    constant(SD_BUS_MESSAGE_METHOD_CALL, 1) \
    constant(SD_BUS_MESSAGE_METHOD_RETURN, 2) \
    constant(SD_BUS_MESSAGE_METHOD_ERROR, 3) \
    constant(SD_BUS_MESSAGE_SIGNAL, 4)

// The comparison with the real header includes that header first.
#ifndef SDBUS_HEADER_IS_INCLUDED
enum { SDBUS_CONSTANTS(LIBRARY_CONSTANT) };

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct {
    const char *name;
    const char *message;
    int _need_free;
} sd_bus_error;
#endif

#define SDBUS_FUNCTIONS(function) \
    function(int, sd_bus_new, (sd_bus **)) \
    function(int, sd_bus_set_address, (sd_bus *, const char *)) \
    function(int, sd_bus_set_bus_client, (sd_bus *, int)) \
    function(int, sd_bus_negotiate_fds, (sd_bus *, int)) \
    function(int, sd_bus_start, (sd_bus *)) \
    function(sd_bus *, sd_bus_close_unref, (sd_bus *)) \
    function(int, sd_bus_is_open, (sd_bus *)) \
    function(int, sd_bus_is_ready, (sd_bus *)) \
    function(int, sd_bus_get_unique_name, (sd_bus *, const char **)) \
    function(int, sd_bus_get_fd, (sd_bus *)) \
    function(int, sd_bus_get_events, (sd_bus *)) \
    function(int, sd_bus_get_timeout, (sd_bus *, uint64_t *)) \
    function(int, sd_bus_get_n_queued_write, (sd_bus *, uint64_t *)) \
    function(int, sd_bus_process, (sd_bus *, sd_bus_message **)) \
    function(int, sd_bus_send, (sd_bus *, sd_bus_message *, uint64_t *)) \
    function(int, sd_bus_object_path_is_valid, (const char *)) \
    function(int, sd_bus_message_new_signal, (sd_bus *, sd_bus_message **, const char *, const char *, const char *)) \
    function(int, sd_bus_message_new_method_call, \
             (sd_bus *, sd_bus_message **, const char *, const char *, const char *, const char *)) \
    function(int, sd_bus_message_new_method_return, (sd_bus_message *, sd_bus_message **)) \
    function(int, sd_bus_message_new_method_error, (sd_bus_message *, sd_bus_message **, const sd_bus_error *)) \
    function(sd_bus_message *, sd_bus_message_unref, (sd_bus_message *)) \
    function(int, sd_bus_message_set_auto_start, (sd_bus_message *, int)) \
    function(int, sd_bus_message_get_type, (sd_bus_message *, uint8_t *)) \
    function(int, sd_bus_message_get_reply_cookie, (sd_bus_message *, uint64_t *)) \
    function(int, sd_bus_message_get_expect_reply, (sd_bus_message *)) \
    function(const char *, sd_bus_message_get_signature, (sd_bus_message *, int)) \
    function(const char *, sd_bus_message_get_path, (sd_bus_message *)) \
    function(const char *, sd_bus_message_get_interface, (sd_bus_message *)) \
    function(const char *, sd_bus_message_get_member, (sd_bus_message *)) \
    function(const char *, sd_bus_message_get_sender, (sd_bus_message *)) \
    function(const sd_bus_error *, sd_bus_message_get_error, (sd_bus_message *)) \
    function(int, sd_bus_message_append_basic, (sd_bus_message *, char, const void *)) \
    function(int, sd_bus_message_open_container, (sd_bus_message *, char, const char *)) \
    function(int, sd_bus_message_close_container, (sd_bus_message *)) \
    function(int, sd_bus_message_read_basic, (sd_bus_message *, char, void *)) \
    function(int, sd_bus_message_skip, (sd_bus_message *, const char *)) \
    function(int, sd_bus_message_enter_container, (sd_bus_message *, char, const char *)) \
    function(int, sd_bus_message_exit_container, (sd_bus_message *)) \
    function(int, sd_bus_message_peek_type, (sd_bus_message *, char *, const char **)) \
    function(int, sd_bus_message_at_end, (sd_bus_message *, int))

/// The functions, each under its own name.
typedef struct {
    SDBUS_FUNCTIONS(LIBRARY_FIELD)
} SDBusFunctions;

/// The library to load.
LibraryDescription sdbus_description(void);

#pragma clang diagnostic pop

#endif
