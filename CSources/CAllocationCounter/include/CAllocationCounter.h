// Counts each thread's heap allocations, for tests and benchmarks. Programs linking this library get versions of
// malloc, calloc, realloc, aligned_alloc, memalign, posix_memalign and free that count and call glibc's own. mmap and
// other threads' allocations do not count. No shipped program links this library.
//
// The thread and the address sanitizer replace the same functions; in a build with either sanitizer, this library
// replaces nothing. Every call is reported to the real-time sanitizer.
#ifndef WOODSHED_CALLOCATIONCOUNTER_H
#define WOODSHED_CALLOCATIONCOUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether this build counts allocations.
bool allocation_counter_is_active(void);

/// Blocks allocated by the calling thread since the thread's start; growing a block in place counts too.
uint64_t allocation_counter_allocations(void);

/// Bytes requested by the calling thread since the thread's start, including freed bytes.
uint64_t allocation_counter_bytes(void);

/// Blocks freed by the calling thread since the thread's start.
uint64_t allocation_counter_frees(void);

/// Bytes of the heap that all threads together have not freed, including the allocator's cache for each thread.
uint64_t allocation_counter_bytes_in_use(void);

#endif
