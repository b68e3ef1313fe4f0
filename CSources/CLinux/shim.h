// What Swift's Glibc module leaves out.
#include <linux/stat.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

// From <unistd.h>, which would make this module the home of what Swift files look for in Glibc.
extern long syscall(long number, ...);

/// What `statx` tells of `path`, or where that is empty of the descriptor `folder`. Returns 0, or -1 with errno.
static inline int linux_status(int folder, const char *path, unsigned wanted, struct statx *status) {
    // AT_EMPTY_PATH, which <fcntl.h> has for the GNU dialect alone.
    return (int)syscall(SYS_statx, folder, path, *path == 0 ? 0x1000 : 0, wanted, status);
}

/// The number of the kind of file system (<linux/magic.h>) that `path` lies on, or where that is empty the descriptor's file; 0 where
/// that is not told.
static inline unsigned linux_file_system(int descriptor, const char *path) {
    struct statfs status;
    return (*path == 0 ? fstatfs(descriptor, &status) : statfs(path, &status)) == 0 ? (unsigned)status.f_type : 0;
}

/// A descriptor that stands for a process, whatever becomes of its number; -1 with errno.
static inline int linux_process_open(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/// Sends a signal to the process of a descriptor. Returns 0, or -1 with errno.
static inline int linux_process_signal(int descriptor, int number) {
    return (int)syscall(SYS_pidfd_send_signal, descriptor, number, (void *)0, 0);
}

/// How the process of a descriptor ended, as `wait` tells it, also when somebody else has waited for it (Linux 6.15).
/// Returns 0, or -1 where that is not known.
static inline int linux_process_end(int descriptor, int *status) {
    // struct pidfd_info of <linux/pidfd.h>, which older headers do not have: what is asked for, ten other things, and the end.
    struct {
        unsigned long long mask, group;
        unsigned other[11];
        int end;
    } info = {.mask = 8};
    // PIDFD_GET_INFO, _IOWR(0xFF, 11, struct pidfd_info); 8 is PIDFD_INFO_EXIT.
    if (syscall(SYS_ioctl, descriptor, 3u << 30 | sizeof info << 16 | 0xFFu << 8 | 11, &info) != 0) return -1;
    if (!(info.mask & 8)) return -1;
    *status = info.end;
    return 0;
}

/// The descriptor of a new file in memory, closed when another program is started; -1 with errno.
static inline int linux_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1); }
