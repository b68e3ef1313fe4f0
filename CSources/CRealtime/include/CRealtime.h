// Functions for real-time code that Swift cannot express: the real-time sanitizer's hooks, flush-to-zero, touching a
// stack. The attributes make Swift's @_noLocks and @_noAllocation checks accept the calls on the render thread.
#ifndef WOODSHED_CREALTIME_H
#define WOODSHED_CREALTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REALTIME_SAFE __attribute__((swift_attr("@_noLocks"))) __attribute__((swift_attr("@_noAllocation")))

/// Marks this thread as real-time for the real-time sanitizer until `realtime_scope_leave`. Scopes may be nested. Has
/// no effect if the sanitizer's runtime is not linked.
REALTIME_SAFE void realtime_scope_enter(void);

/// Ends the innermost scope.
REALTIME_SAFE void realtime_scope_leave(void);

/// Runs `work(context)` with the sanitizer disabled. For a thread that runs the render code outside real time, and may
/// wait: the attributes are a promise of the caller, not a property of `work`.
REALTIME_SAFE void realtime_step_outside(void (*work)(void *), void *context);

/// Whether the real-time sanitizer's runtime is linked into this process.
bool realtime_sanitizer_is_linked(void);

/// Makes this thread flush subnormal results to zero and read subnormal operands as zero; returns the state before.
REALTIME_SAFE uint64_t realtime_flush_to_zero_enable(void);

/// Restores the mode returned by `realtime_flush_to_zero_enable`, and keeps the other floating-point flags as they are
/// now.
REALTIME_SAFE void realtime_flush_to_zero_restore(uint64_t previous);

/// Whether this processor supports flush-to-zero. If not, the two functions above do nothing.
bool realtime_flush_to_zero_is_supported(void);

/// Writes to every page of this thread's stack below the caller, and finds the range of the stack. Returns 0, or an
/// errno if the range cannot be found. On success `*lowest` and `*byte_count` are the stack.
int realtime_stack_touch(void **lowest, size_t *byte_count);

/// The number of processors that the calling thread may use: its affinity, which a batch system may limit. At least 1.
int realtime_processor_count(void);

/// Names the calling thread, with at most 15 bytes. Returns 0 or an errno.
int realtime_name_thread(const char *name);

/// Requests SCHED_FIFO at `priority` for the calling thread; forked processes start without the priority. Returns 0 or
/// errno.
int realtime_schedule_fifo(int priority);

/// The calling thread's actual scheduling: the FIFO priority, or 0 if not SCHED_FIFO.
int realtime_current_fifo_priority(void);

/// Whether this process may lock memory without limit, by its resource limit or by a capability.
bool realtime_memory_lock_is_unlimited(void);

/// Whether the process locks all memory that it maps, by mlockall(MCL_FUTURE). False if unknown.
bool realtime_future_memory_is_locked(void);

/// Locks all memory of the process, present and future. Returns 0 or errno.
int realtime_lock_all_memory(void);

/// Runs `work(context)` on a new thread and then allocates that thread's next 24 bytes from the heap. Returns the
/// growth of the memory in use, in bytes, or -1 if not measurable: without a thread, or without glibc 2.33.
ptrdiff_t realtime_heap_growth_after(void (*work)(void *), void *context);

/// Allocates and frees a block, as work that certainly uses the heap. Allocates.
void realtime_touch_heap(void *ignored);

/// The processor time of the calling thread, in nanoseconds. A system call of about 0.3 µs.
REALTIME_SAFE int64_t realtime_thread_nanoseconds(void);

#endif
