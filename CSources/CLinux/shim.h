// What Swift's Glibc module leaves out.
#include <linux/stat.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/syscall.h>

// From <unistd.h>, which would make this module the home of what Swift files look for in Glibc.
extern long syscall(long number, ...);

/// What `statx` tells of `path`, or where that is empty of the descriptor `folder`. Returns 0, or -1 with errno.
static inline int linux_status(int folder, const char *path, unsigned wanted, struct statx *status) {
    // AT_EMPTY_PATH, which <fcntl.h> has for the GNU dialect alone.
    return (int)syscall(SYS_statx, folder, path, *path == 0 ? 0x1000 : 0, wanted, status);
}

/// A descriptor that stands for a process, whatever becomes of its number; -1 with errno.
static inline int linux_process_open(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/// Sends a signal to the process of a descriptor. Returns 0, or -1 with errno.
static inline int linux_process_signal(int descriptor, int number) {
    return (int)syscall(SYS_pidfd_send_signal, descriptor, number, (void *)0, 0);
}
