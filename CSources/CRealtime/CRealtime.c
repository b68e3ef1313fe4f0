#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CRealtime.h"

#include <errno.h>
#include <linux/capability.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Weak, so that the same objects link with and without the sanitizer's runtime.
__attribute__((weak)) void __rtsan_ensure_initialized(void);
__attribute__((weak)) void __rtsan_realtime_enter(void);
__attribute__((weak)) void __rtsan_realtime_exit(void);
__attribute__((weak)) void __rtsan_disable(void);
__attribute__((weak)) void __rtsan_enable(void);

void realtime_scope_enter(void) {
    if (__rtsan_realtime_enter && __rtsan_ensure_initialized) {
        __rtsan_ensure_initialized();
        __rtsan_realtime_enter();
    }
}

void realtime_scope_leave(void) {
    if (__rtsan_realtime_exit) __rtsan_realtime_exit();
}

void realtime_step_outside(void (*work)(void *), void *context) {
    if (__rtsan_disable) __rtsan_disable();
    work(context);
    if (__rtsan_enable) __rtsan_enable();
}

bool realtime_sanitizer_is_linked(void) { return __rtsan_realtime_enter != NULL; }

#if defined(__x86_64__)
#include <xmmintrin.h>

// MXCSR: bit 15 flushes results (FTZ), bit 6 operands (DAZ). Without both, a subnormal in a buffer is still slow.
enum { FLUSH_BITS = 0x8040 };

uint64_t realtime_flush_to_zero_enable(void) {
    unsigned previous = _mm_getcsr();
    _mm_setcsr(previous | FLUSH_BITS);
    return previous;
}

void realtime_flush_to_zero_restore(uint64_t previous) {
    _mm_setcsr((_mm_getcsr() & ~(unsigned)FLUSH_BITS) | ((unsigned)previous & FLUSH_BITS));
}

bool realtime_flush_to_zero_is_supported(void) { return true; }

#elif defined(__aarch64__)

// FPCR.FZ, bit 24, flushes results and operands alike.
static const uint64_t flush_bits = UINT64_C(1) << 24;

static uint64_t read_fpcr(void) {
    uint64_t value;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return value;
}

static void write_fpcr(uint64_t value) { __asm__ volatile("msr fpcr, %0" : : "r"(value)); }

uint64_t realtime_flush_to_zero_enable(void) {
    uint64_t previous = read_fpcr();
    write_fpcr(previous | flush_bits);
    return previous;
}

void realtime_flush_to_zero_restore(uint64_t previous) {
    write_fpcr((read_fpcr() & ~flush_bits) | (previous & flush_bits));
}

bool realtime_flush_to_zero_is_supported(void) { return true; }

#else

uint64_t realtime_flush_to_zero_enable(void) { return 0; }
void realtime_flush_to_zero_restore(uint64_t previous) { (void)previous; }
bool realtime_flush_to_zero_is_supported(void) { return false; }

#endif

// Not inlined, so that everything below its own frame can be overwritten.
__attribute__((noinline)) int realtime_stack_touch(void **lowest, size_t *byte_count) {
    pthread_attr_t attributes;
    int failure = pthread_getattr_np(pthread_self(), &attributes);
    if (failure) return failure;
    failure = pthread_attr_getstack(&attributes, lowest, byte_count);
    pthread_attr_destroy(&attributes);
    if (failure) return failure;
    // The margin leaves out this frame, the red zone and the frame of any function that the compiler calls here.
    const uintptr_t margin = 2048, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t top = (uintptr_t)__builtin_frame_address(0) - margin;
    for (uintptr_t address = (uintptr_t)*lowest; address < top; address += page) *(volatile char *)address = 0;
    return 0;
}

int realtime_processor_count(void) {
    cpu_set_t set;
    // The set is too small on machines with more than 1024 processors.
    long count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > 1024 ? 1024 : (int)count;
}

int realtime_name_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }

int realtime_schedule_fifo(int priority) {
    const struct sched_param parameters = {.sched_priority = priority};
    // 0 is the calling thread. With the flag, a forked process does not inherit a priority that could starve all
    // others.
    return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters) == 0 ? 0 : errno;
}

int realtime_current_fifo_priority(void) {
    struct sched_param parameters;
    if ((sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) != SCHED_FIFO) return 0;
    return sched_getparam(0, &parameters) == 0 ? parameters.sched_priority : 0;
}

bool realtime_memory_lock_is_unlimited(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY) return true;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
    if (syscall(SYS_capget, &header, data) != 0) return false;
    return data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK);
}

bool realtime_future_memory_is_locked(void) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *probe = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED) return false;
    // The system refuses to discard locked memory, and tells nothing else about MCL_FUTURE.
    const bool is_locked = madvise(probe, page, MADV_DONTNEED) != 0;
    munmap(probe, page);
    return is_locked;
}

int realtime_lock_all_memory(void) { return mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : errno; }

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)

struct heap_observation {
    void (*work)(void *);
    void *context;
    ptrdiff_t growth;
};

static size_t heap_bytes_in_use(void) {
    const struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

static void *observe_heap(void *argument) {
    struct heap_observation *observation = argument;
    observation->work(observation->context);
    // Other threads may use the heap: measure when its size does not change.
    size_t before = heap_bytes_in_use();
    for (int attempt = 0; attempt < 200; attempt++) {
        usleep(500);
        const size_t now = heap_bytes_in_use();
        if (now == before) break;
        before = now;
    }
    // Volatile for the same reason as below.
    void *volatile block = malloc(24);
    observation->growth = (ptrdiff_t)(heap_bytes_in_use() - before);
    free(block);
    return NULL;
}

ptrdiff_t realtime_heap_growth_after(void (*work)(void *), void *context) {
    struct heap_observation observation = {work, context, -1};
    pthread_t thread;
    if (pthread_create(&thread, NULL, observe_heap, &observation) != 0) return -1;
    pthread_join(thread, NULL);
    return observation.growth;
}

#else

ptrdiff_t realtime_heap_growth_after(void (*work)(void *), void *context) {
    (void)work;
    (void)context;
    return -1;
}

#endif

void realtime_touch_heap(void *ignored) {
    (void)ignored;
    // Volatile; otherwise the compiler removes both calls, because the block is not used.
    void *volatile block = malloc(24);
    free(block);
}

int64_t realtime_thread_nanoseconds(void) {
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
