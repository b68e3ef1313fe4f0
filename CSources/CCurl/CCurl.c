#define _GNU_SOURCE
#include "CCurl.h"

#include <errno.h>
#include <sys/socket.h>

static const char *const names[] = {CURL_FUNCTIONS(LIBRARY_NAME)};

LibraryDescription curl_description(void) {
    return (LibraryDescription){"libcurl.so.4", "libcurl4", names, sizeof names / sizeof *names};
}

CURLcode curl_set_number(const CurlFunctions *curl, CURL *handle, CURLoption option, long value) {
    return curl->curl_easy_setopt(handle, option, value);
}

CURLcode curl_set_text(const CurlFunctions *curl, CURL *handle, CURLoption option, const char *text) {
    return curl->curl_easy_setopt(handle, option, text);
}

CURLcode curl_set_pointer(const CurlFunctions *curl, CURL *handle, CURLoption option, void *pointer) {
    return curl->curl_easy_setopt(handle, option, pointer);
}

CURLcode curl_set_receiver(const CurlFunctions *curl, CURL *handle, CURLoption option, CurlReceiver receiver) {
    return curl->curl_easy_setopt(handle, option, receiver);
}

// The beginning of the library's struct curl_sockaddr.
typedef struct {
    int family, socktype, protocol;
} SocketKind;

static int open_private_socket(void *context, int purpose, SocketKind *kind) {
    (void)purpose;
    CurlSocketState *state = context;
    // The value of CURL_SOCKET_BAD.
    if (state->is_abandoned) return -1;
    int descriptor = socket(kind->family, kind->socktype | SOCK_CLOEXEC, kind->protocol);
    if (descriptor < 0) state->error = errno;
    return descriptor;
}

CURLcode curl_keep_sockets_private(const CurlFunctions *curl, CURL *handle, CurlSocketState *state) {
    CURLcode code = curl->curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, state);
    return code != CURLE_OK ? code : curl->curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_private_socket);
}

CURLcode curl_get_number(const CurlFunctions *curl, CURL *handle, CURLINFO info, long *value) {
    return curl->curl_easy_getinfo(handle, info, value);
}

CURLcode curl_get_seconds(const CurlFunctions *curl, CURL *handle, CURLINFO info, double *value) {
    return curl->curl_easy_getinfo(handle, info, value);
}

CURLcode curl_get_text(const CurlFunctions *curl, CURL *handle, CURLINFO info, const char **text) {
    return curl->curl_easy_getinfo(handle, info, text);
}
