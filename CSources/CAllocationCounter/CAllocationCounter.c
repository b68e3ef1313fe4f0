#include "CAllocationCounter.h"

#include <errno.h>
#include <stddef.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

// Only glibc exports its allocator under second names. Without second names a replacement cannot call the allocator
// safely, because looking up the first names at run time allocates.
#if defined(__GLIBC__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) && \
    !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

// Initial-exec: the general model may allocate a thread's block on first use, inside malloc.
static _Thread_local uint64_t allocations __attribute__((tls_model("initial-exec")));
static _Thread_local uint64_t bytes __attribute__((tls_model("initial-exec")));
static _Thread_local uint64_t frees __attribute__((tls_model("initial-exec")));

// This malloc replaces the real-time sanitizer's own, so each call is reported to the sanitizer's runtime if linked.
__attribute__((weak)) void __rtsan_notify_intercepted_call(const char *function);

static void notify(const char *function) {
    // The first call initialises the runtime, which allocates.
    static _Thread_local bool is_notifying __attribute__((tls_model("initial-exec")));
    if (!__rtsan_notify_intercepted_call || is_notifying) return;
    is_notifying = true;
    __rtsan_notify_intercepted_call(function);
    is_notifying = false;
}

bool allocation_counter_is_active(void) { return true; }
uint64_t allocation_counter_allocations(void) { return allocations; }
uint64_t allocation_counter_bytes(void) { return bytes; }
uint64_t allocation_counter_frees(void) { return frees; }
uint64_t allocation_counter_bytes_in_use(void) {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void *malloc(size_t size) {
    notify("malloc");
    allocations++;
    bytes += size;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    notify("calloc");
    allocations++;
    bytes += count * size;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    notify("realloc");
    allocations++;
    bytes += size;
    return __libc_realloc(block, size);
}

void *reallocarray(void *block, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, bytes);
}

void *memalign(size_t alignment, size_t size) {
    notify("memalign");
    allocations++;
    bytes += size;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *result = memalign(alignment, size);
    if (!result) return ENOMEM;
    *block = result;
    return 0;
}

void free(void *block) {
    if (block) {
        notify("free");
        frees++;
    }
    __libc_free(block);
}

#else

bool allocation_counter_is_active(void) { return false; }
uint64_t allocation_counter_allocations(void) { return 0; }
uint64_t allocation_counter_bytes(void) { return 0; }
uint64_t allocation_counter_frees(void) { return 0; }
uint64_t allocation_counter_bytes_in_use(void) { return 0; }

#endif
