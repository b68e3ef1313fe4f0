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
