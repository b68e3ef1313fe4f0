// pkg-config: libsystemd
// Compares the declarations of CSDBus with libsystemd's header. This file has no code: a difference does not compile.
#include <stddef.h>
#include <systemd/sd-bus.h>

#define SDBUS_HEADER_IS_INCLUDED
#include <CSDBus.h>

#define SAME_FUNCTION(result, name, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), #name " has another type");
SDBUS_FUNCTIONS(SAME_FUNCTION)

#define SAME_CONSTANT(name, value) _Static_assert((name) == (value), #name " has another value");
SDBUS_CONSTANTS(SAME_CONSTANT)

_Static_assert(sizeof(sd_bus_error) == 3 * sizeof(void *), "sd_bus_error has another size");
_Static_assert(offsetof(sd_bus_error, name) == 0, "sd_bus_error.name has another place");
_Static_assert(offsetof(sd_bus_error, message) == sizeof(void *), "sd_bus_error.message has another place");
