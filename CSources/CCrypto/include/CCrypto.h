// The functions of OpenSSL's libcrypto that compute checksums, as a table filled at the first comparison of a checksum.
// libcurl itself needs libcrypto, so the library is present wherever files can be fetched.
//
// This header declares the types, constants and functions, so the build needs neither OpenSSL's header nor the library.
// scripts/tests/test-headers.sh compares the list with the real header: a difference does not compile.
#ifndef WOODSHED_CCRYPTO_H
#define WOODSHED_CCRYPTO_H

#include <CLibraryTable.h>

// As in the header of the library, the pointers have no nullability annotations.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

#define CRYPTO_CONSTANTS(constant) \
    constant(EVP_MAX_MD_SIZE, 64) \
    constant(EVP_MD_CTX_FLAG_NON_FIPS_ALLOW, 8)

// The comparison with the real header includes that header first.
#ifndef CRYPTO_HEADER_IS_INCLUDED
enum { CRYPTO_CONSTANTS(LIBRARY_CONSTANT) };
#endif

/// A checksum being computed.
typedef struct evp_md_ctx_st checksum_context;
/// A way to compute checksums.
typedef struct evp_md_st checksum_method;
/// Hardware that computes; not used here.
typedef struct engine_st checksum_engine;

#define CRYPTO_FUNCTIONS(function) \
    function(checksum_context *, EVP_MD_CTX_new, (void)) \
    function(void, EVP_MD_CTX_free, (checksum_context *)) \
    function(void, EVP_MD_CTX_set_flags, (checksum_context *, int)) \
    function(const checksum_method *, EVP_sha256, (void)) \
    function(const checksum_method *, EVP_md5, (void)) \
    function(int, EVP_DigestInit_ex, (checksum_context *, const checksum_method *, checksum_engine *)) \
    function(int, EVP_DigestUpdate, (checksum_context *, const void *, size_t)) \
    function(int, EVP_DigestFinal_ex, (checksum_context *, unsigned char *, unsigned int *))

/// The functions, each under its own name.
typedef struct {
    CRYPTO_FUNCTIONS(LIBRARY_FIELD)
} CryptoFunctions;

/// The library to load.
LibraryDescription crypto_description(void);

#pragma clang diagnostic pop

#endif
