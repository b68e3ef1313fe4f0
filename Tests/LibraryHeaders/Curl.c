// pkg-config: libcurl
// Compares the declarations of CCurl with libcurl's header. This file has no code: a difference does not compile.
#include <stddef.h>

#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>

#define CURL_HEADER_IS_INCLUDED
#include <CCurl.h>

#define SAME_FUNCTION(result, name, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), #name " has another type");
CURL_FUNCTIONS(SAME_FUNCTION)

#define SAME_CONSTANT(name, value) _Static_assert((name) == (value), #name " has another value");
CURL_CODE_CONSTANTS(SAME_CONSTANT)
CURL_MESSAGE_CONSTANTS(SAME_CONSTANT)
CURL_MULTI_CODE_CONSTANTS(SAME_CONSTANT)
CURL_OPTION_CONSTANTS(SAME_CONSTANT)
CURL_INFO_CONSTANTS(SAME_CONSTANT)
CURL_VERSION_CONSTANTS(SAME_CONSTANT)
CURL_PLAIN_CONSTANTS(SAME_CONSTANT)

// Every enumeration is passed as an integer of this size, independent of the constants.
#define AS_WIDE_AS_INT(type) _Static_assert(sizeof(type) == sizeof(int), #type " has another size");
AS_WIDE_AS_INT(CURLcode)
AS_WIDE_AS_INT(CURLMcode)
AS_WIDE_AS_INT(CURLMSG)
AS_WIDE_AS_INT(CURLoption)
AS_WIDE_AS_INT(CURLINFO)
AS_WIDE_AS_INT(CURLversion)

#define SAME_PLACE(type, field, bytes) \
    _Static_assert(offsetof(type, field) == (bytes), #type "." #field " has another place");
SAME_PLACE(struct curl_slist, data, 0)
SAME_PLACE(struct curl_slist, next, sizeof(void *))
SAME_PLACE(CURLMsg, msg, 0)
SAME_PLACE(CURLMsg, easy_handle, sizeof(void *))
SAME_PLACE(CURLMsg, data, 2 * sizeof(void *))
SAME_PLACE(curl_version_info_data, version, sizeof(void *))
SAME_PLACE(curl_version_info_data, version_num, 2 * sizeof(void *))
SAME_PLACE(curl_version_info_data, host, 3 * sizeof(void *))
SAME_PLACE(curl_version_info_data, features, 4 * sizeof(void *))
SAME_PLACE(struct curl_sockaddr, family, 0)
SAME_PLACE(struct curl_sockaddr, socktype, sizeof(int))
SAME_PLACE(struct curl_sockaddr, protocol, 2 * sizeof(int))
_Static_assert(sizeof(curl_socket_t) == sizeof(int), "curl_socket_t has another size");
_Static_assert(CURL_SOCKET_BAD == -1, "CURL_SOCKET_BAD has another value");
_Static_assert(sizeof(curlsocktype) == sizeof(int), "curlsocktype has another size");
_Static_assert(__builtin_types_compatible_p(curl_write_callback, CurlReceiver), "curl_write_callback has another type");
