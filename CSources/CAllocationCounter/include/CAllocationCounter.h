// Counts each thread's heap allocations, for tests and benchmarks. A program that links this library gets versions of
// malloc, calloc, realloc, aligned_alloc, memalign, posix_memalign and free that count and call glibc's own. mmap and
// other threads' allocations are not counted. Nothing that ships links this library.
//
// The thread and the address sanitizer replace the same functions; in a build with either sanitizer, this library
// replaces nothing. Every call is reported to the real-time sanitizer.
#ifndef WOODSHED_CALLOCATIONCOUNTER_H
#define WOODSHED_CALLOCATIONCOUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether this build counts allocations.
bool allocation_counter_is_active(void);

/// Blocks that the calling thread has allocated since its start; growing a block in place counts too.
uint64_t allocation_counter_allocations(void);

/// Bytes that the calling thread has requested since its start, including freed bytes.
uint64_t allocation_counter_bytes(void);

/// Blocks that the calling thread has freed since its start.
uint64_t allocation_counter_frees(void);

/// Bytes of the heap that all threads together have not freed, including the allocator's cache for each thread.
uint64_t allocation_counter_bytes_in_use(void);

#endif
