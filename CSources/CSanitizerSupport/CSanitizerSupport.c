#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CSanitizerSupport.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#if __has_feature(thread_sanitizer)

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// A contended Swift Mutex is locked and unlocked inside the Synchronization library, which is not instrumented, so the
// sanitizer would report races on the data protected by the Mutex. The functions below replace that library's functions
// (the program's own definitions take precedence), call them, and report the operation to the sanitizer. Without
// contention, the Mutex uses inlined atomics on the same address, which the sanitizer observes. The functions are
// methods of a struct: its address is the context.
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context)) void *

extern void __tsan_acquire(void *);
extern void __tsan_release(void *);

typedef SWIFT_CALL void (*lock_slow_function)(uint32_t, SWIFT_SELF);
typedef SWIFT_CALL bool (*try_lock_slow_function)(SWIFT_SELF);
typedef SWIFT_CALL void (*unlock_slow_function)(SWIFT_SELF);

// In another release of Swift the Mutex may be different: then nothing calls these functions, and false reports appear.
static void *find(const char *name) {
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) abort();
    return symbol;
}

SWIFT_CALL void mutex_lock_slow(uint32_t thread, SWIFT_SELF mutex) __asm__(LOCK_SLOW);
SWIFT_CALL void mutex_lock_slow(uint32_t thread, SWIFT_SELF mutex) {
    ((lock_slow_function)find(LOCK_SLOW))(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT_CALL bool mutex_try_lock_slow(SWIFT_SELF mutex) __asm__(TRY_LOCK_SLOW);
SWIFT_CALL bool mutex_try_lock_slow(SWIFT_SELF mutex) {
    bool locked = ((try_lock_slow_function)find(TRY_LOCK_SLOW))(mutex);
    if (locked) __tsan_acquire(mutex);
    return locked;
}

SWIFT_CALL void mutex_unlock_slow(SWIFT_SELF mutex) __asm__(UNLOCK_SLOW);
SWIFT_CALL void mutex_unlock_slow(SWIFT_SELF mutex) {
    __tsan_release(mutex);
    ((unlock_slow_function)find(UNLOCK_SLOW))(mutex);
}

bool thread_sanitizer_is_active(void) { return true; }

#else

bool thread_sanitizer_is_active(void) { return false; }

#endif
