// Counts a whole program's heap allocations, on all threads: a library loaded before all others (LD_PRELOAD), for
// scripts/tests/test-allocations.py alone. The file named by WOODSHED_ALLOCATIONS keeps the count; the file is mapped,
// so the count survives any end of the program.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// glibc's allocator under its second names: looking up the first names would allocate.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Atomic uint64_t early;
static _Atomic(_Atomic uint64_t *) place = &early;

static void count(void) { atomic_fetch_add_explicit(atomic_load_explicit(&place, memory_order_acquire), 1, memory_order_relaxed); }

__attribute__((constructor)) static void open_count(void) {
    const char *path = getenv("WOODSHED_ALLOCATIONS");
    // Programs started by this program are not counted.
    unsetenv("LD_PRELOAD");
    if (!path) return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *mapped = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED) return;
    _Atomic uint64_t *kept = mapped;
    atomic_store_explicit(kept, atomic_load_explicit(&early, memory_order_relaxed), memory_order_relaxed);
    atomic_store_explicit(&place, kept, memory_order_release);
}

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    count();
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    count();
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : 12;  // ENOMEM
}
