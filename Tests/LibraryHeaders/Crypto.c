// pkg-config: libcrypto
// Compares the declarations of CCrypto with OpenSSL's header. This file has no code: a difference does not compile.
#include <openssl/evp.h>

#define CRYPTO_HEADER_IS_INCLUDED
#include <CCrypto.h>

#define SAME_FUNCTION(result, name, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), #name " has another type");
CRYPTO_FUNCTIONS(SAME_FUNCTION)

#define SAME_CONSTANT(name, value) _Static_assert((name) == (value), #name " has another value");
CRYPTO_CONSTANTS(SAME_CONSTANT)
