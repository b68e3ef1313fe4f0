// The functions of libcurl, as a table filled at the first use.
//
// This header declares the types, constants and functions, so the build needs neither curl's header nor the library.
// scripts/tests/test-headers.sh compares the list with the real header: a difference does not compile.
#ifndef WOODSHED_CCURL_H
#define WOODSHED_CCURL_H

#include <CLibraryTable.h>
#include <stdbool.h>

// As in the header of the library, the pointers have no nullability annotations.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

#define CURL_CODE_CONSTANTS(constant) \
    constant(CURLE_OK, 0) \
    constant(CURLE_URL_MALFORMAT, 3) \
    constant(CURLE_COULDNT_RESOLVE_PROXY, 5) \
    constant(CURLE_COULDNT_RESOLVE_HOST, 6) \
    constant(CURLE_COULDNT_CONNECT, 7) \
    constant(CURLE_WEIRD_SERVER_REPLY, 8) \
    constant(CURLE_PARTIAL_FILE, 18) \
    constant(CURLE_WRITE_ERROR, 23) \
    constant(CURLE_OUT_OF_MEMORY, 27) \
    constant(CURLE_OPERATION_TIMEDOUT, 28) \
    constant(CURLE_SSL_CONNECT_ERROR, 35) \
    constant(CURLE_GOT_NOTHING, 52) \
    constant(CURLE_SEND_ERROR, 55) \
    constant(CURLE_RECV_ERROR, 56) \
    constant(CURLE_SSL_CERTPROBLEM, 58) \
    constant(CURLE_SSL_CIPHER, 59) \
    constant(CURLE_PEER_FAILED_VERIFICATION, 60) \
    constant(CURLE_SSL_CACERT_BADFILE, 77) \
    constant(CURLE_SSL_CRL_BADFILE, 82) \
    constant(CURLE_SSL_ISSUER_ERROR, 83) \
    constant(CURLE_SSL_INVALIDCERTSTATUS, 91) \
    constant(CURLE_PROXY, 97)
#define CURL_MESSAGE_CONSTANTS(constant) constant(CURLMSG_DONE, 1)
#define CURL_MULTI_CODE_CONSTANTS(constant) constant(CURLM_OK, 0)
#define CURL_OPTION_CONSTANTS(constant) \
    constant(CURLOPT_NETRC, 51) \
    constant(CURLOPT_FOLLOWLOCATION, 52) \
    constant(CURLOPT_CONNECTTIMEOUT, 78) \
    constant(CURLOPT_HTTP_VERSION, 84) \
    constant(CURLOPT_BUFFERSIZE, 98) \
    constant(CURLOPT_NOSIGNAL, 99) \
    constant(CURLOPT_PROTOCOLS, 181) \
    constant(CURLOPT_SUPPRESS_CONNECT_HEADERS, 265) \
    constant(CURLOPT_QUICK_EXIT, 322) \
    constant(CURLOPT_WRITEDATA, 10001) \
    constant(CURLOPT_URL, 10002) \
    constant(CURLOPT_PROXY, 10004) \
    constant(CURLOPT_ERRORBUFFER, 10010) \
    constant(CURLOPT_USERAGENT, 10018) \
    constant(CURLOPT_HTTPHEADER, 10023) \
    constant(CURLOPT_HEADERDATA, 10029) \
    constant(CURLOPT_CAINFO, 10065) \
    constant(CURLOPT_NETRC_FILE, 10118) \
    constant(CURLOPT_OPENSOCKETDATA, 10164) \
    constant(CURLOPT_WRITEFUNCTION, 20011) \
    constant(CURLOPT_HEADERFUNCTION, 20079) \
    constant(CURLOPT_OPENSOCKETFUNCTION, 20163)
#define CURL_INFO_CONSTANTS(constant) \
    constant(CURLINFO_NAMELOOKUP_TIME, 3145732) \
    constant(CURLINFO_REDIRECT_URL, 1048607) \
    constant(CURLINFO_RESPONSE_CODE, 2097154) \
    constant(CURLINFO_OS_ERRNO, 2097177)
#define CURL_VERSION_CONSTANTS(constant) constant(CURLVERSION_FIRST, 0)
#define CURL_PLAIN_CONSTANTS(constant) \
    constant(CURL_GLOBAL_DEFAULT, 3) \
    constant(CURL_HTTP_VERSION_1_1, 2) \
    constant(CURL_NETRC_OPTIONAL, 1) \
    constant(CURLPROTO_HTTP, 1) \
    constant(CURLPROTO_HTTPS, 2) \
    constant(CURLPAUSE_RECV, 1) \
    constant(CURLPAUSE_CONT, 0) \
    constant(CURL_WRITEFUNC_PAUSE, 268435457) \
    constant(CURL_ERROR_SIZE, 256) \
    constant(CURL_VERSION_ASYNCHDNS, 128)

// The comparison with the real header includes that header first.
#ifndef CURL_HEADER_IS_INCLUDED
typedef void CURL;
typedef void CURLM;
typedef enum { CURL_CODE_CONSTANTS(LIBRARY_CONSTANT) } CURLcode;
typedef enum { CURL_MULTI_CODE_CONSTANTS(LIBRARY_CONSTANT) } CURLMcode;
typedef enum { CURL_MESSAGE_CONSTANTS(LIBRARY_CONSTANT) } CURLMSG;
typedef enum { CURL_OPTION_CONSTANTS(LIBRARY_CONSTANT) } CURLoption;
typedef enum { CURL_INFO_CONSTANTS(LIBRARY_CONSTANT) } CURLINFO;
typedef enum { CURL_VERSION_CONSTANTS(LIBRARY_CONSTANT) } CURLversion;
enum { CURL_PLAIN_CONSTANTS(LIBRARY_CONSTANT) };

/// The type of an option's list of strings.
struct curl_slist {
    char *data;
    struct curl_slist *next;
};

/// The end of a transfer.
typedef struct CURLMsg {
    CURLMSG msg;
    CURL *easy_handle;
    union {
        void *whatever;
        CURLcode result;
    } data;
} CURLMsg;

struct curl_waitfd;

/// The beginning of the library's description of itself; the rest is left out.
typedef struct {
    CURLversion age;
    const char *version;
    unsigned version_num;
    const char *host;
    int features;
} curl_version_info_data;
#endif

#define CURL_FUNCTIONS(function) \
    function(char *, curl_version, (void)) \
    function(curl_version_info_data *, curl_version_info, (CURLversion)) \
    function(CURLcode, curl_global_init, (long)) \
    function(CURL *, curl_easy_init, (void)) \
    function(void, curl_easy_cleanup, (CURL *)) \
    function(void, curl_easy_reset, (CURL *)) \
    function(CURLcode, curl_easy_setopt, (CURL *, CURLoption, ...)) \
    function(CURLcode, curl_easy_getinfo, (CURL *, CURLINFO, ...)) \
    function(CURLcode, curl_easy_pause, (CURL *, int)) \
    function(const char *, curl_easy_strerror, (CURLcode)) \
    function(struct curl_slist *, curl_slist_append, (struct curl_slist *, const char *)) \
    function(void, curl_slist_free_all, (struct curl_slist *)) \
    function(CURLM *, curl_multi_init, (void)) \
    function(CURLMcode, curl_multi_cleanup, (CURLM *)) \
    function(CURLMcode, curl_multi_add_handle, (CURLM *, CURL *)) \
    function(CURLMcode, curl_multi_remove_handle, (CURLM *, CURL *)) \
    function(CURLMcode, curl_multi_perform, (CURLM *, int *)) \
    function(CURLMcode, curl_multi_poll, (CURLM *, struct curl_waitfd *, unsigned int, int, int *)) \
    function(CURLMcode, curl_multi_wakeup, (CURLM *)) \
    function(CURLMsg *, curl_multi_info_read, (CURLM *, int *))

/// The functions, each under its own name.
typedef struct {
    CURL_FUNCTIONS(LIBRARY_FIELD)
} CurlFunctions;

/// The library to load.
LibraryDescription curl_description(void);

// Swift cannot call functions with variable arguments, so each type of argument has a function here.

/// Takes received bytes; returns the number of bytes taken.
typedef size_t (*CurlReceiver)(char *bytes, size_t size, size_t count, void *context);

CURLcode curl_set_number(const CurlFunctions *curl, CURL *handle, CURLoption option, long value);
/// The library copies the text.
CURLcode curl_set_text(const CurlFunctions *curl, CURL *handle, CURLoption option, const char *text);
CURLcode curl_set_pointer(const CurlFunctions *curl, CURL *handle, CURLoption option, void *pointer);
CURLcode curl_set_receiver(const CurlFunctions *curl, CURL *handle, CURLoption option, CurlReceiver receiver);

/// The state of a request, for opening its sockets.
typedef struct {
    /// True to open no further socket.
    bool is_abandoned;
    /// The errno of the last socket that the system refused; 0 for none. libcurl does not keep this errno.
    int error;
} CurlSocketState;

/// Keeps programs started meanwhile from inheriting the sockets. `state` must stay valid for as long as the handle.
CURLcode curl_keep_sockets_private(const CurlFunctions *curl, CURL *handle, CurlSocketState *state);

CURLcode curl_get_number(const CurlFunctions *curl, CURL *handle, CURLINFO info, long *value);
CURLcode curl_get_seconds(const CurlFunctions *curl, CURL *handle, CURLINFO info, double *value);
CURLcode curl_get_text(const CurlFunctions *curl, CURL *handle, CURLINFO info, const char **text);

#pragma clang diagnostic pop

#endif
