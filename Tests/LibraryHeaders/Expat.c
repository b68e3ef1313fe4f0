// pkg-config: expat
// Compares what CExpat declares with Expat's header. It holds no code: what differs does not compile.
#include <expat.h>

#define EXPAT_HEADER_IS_INCLUDED
#include <CExpat.h>

#define SAME_FUNCTION(result, name, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), #name " has another type");
EXPAT_FUNCTIONS(SAME_FUNCTION)

#define SAME_CONSTANT(name, value) _Static_assert((name) == (value), #name " has another value");
EXPAT_STATUSES(SAME_CONSTANT)
EXPAT_ERRORS(SAME_CONSTANT)

// The characters of all texts are chars in UTF-8.
_Static_assert(__builtin_types_compatible_p(XML_Char, char), "XML_Char has another type");
