// Counts each thread's heap allocations, for tests and benchmarks. In a program that links this, malloc, calloc, realloc,
// aligned_alloc, memalign, posix_memalign and free are replaced by versions that count and call glibc's own. mmap is
// not counted, nor are other threads' allocations. Nothing that ships links it.
//
// The thread and the address sanitizer replace the same functions; in a build with one of them, this replaces nothing. Every
// call is reported to the real-time sanitizer.
#ifndef WOODSHED_CALLOCATIONCOUNTER_H
#define WOODSHED_CALLOCATIONCOUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether this build counts allocations.
bool allocation_counter_is_active(void);

/// Blocks that the calling thread has allocated since it began; growing one in place counts too.
uint64_t allocation_counter_allocations(void);

/// Bytes that the calling thread has requested since it began, including freed ones.
uint64_t allocation_counter_bytes(void);

/// Blocks that the calling thread has freed since it began.
uint64_t allocation_counter_frees(void);

/// Bytes of the heap that all threads together have not freed, including what the allocator caches for each thread.
uint64_t allocation_counter_bytes_in_use(void);

#endif
