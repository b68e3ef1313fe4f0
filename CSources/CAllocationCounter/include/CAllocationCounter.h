// Counts each thread's heap allocations, for tests and benchmarks. A program that links this gets its malloc, calloc,
// realloc, aligned_alloc, memalign, posix_memalign and free replaced by ones that count and call glibc's own.
// It does not count mmap, nor what other threads allocate. Nothing that ships links it.
//
// The thread and the address sanitizer replace the same functions: built with one, this replaces nothing. The real-time
// sanitizer is told of every call.
#ifndef WOODSHED_CALLOCATIONCOUNTER_H
#define WOODSHED_CALLOCATIONCOUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted in this build at all.
bool allocation_counter_is_active(void);

/// Blocks the calling thread has obtained since it began; growing one in place counts too.
uint64_t allocation_counter_allocations(void);

/// Bytes the calling thread has asked for since it began, whether freed since or not.
uint64_t allocation_counter_bytes(void);

/// Blocks the calling thread has freed since it began.
uint64_t allocation_counter_frees(void);

/// Bytes of the heap that all threads together have not freed, with what the allocator keeps at hand for each.
uint64_t allocation_counter_bytes_in_use(void);

#endif
