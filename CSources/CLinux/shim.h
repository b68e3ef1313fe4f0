// Declarations that Swift's Glibc module leaves out.
#include <linux/stat.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

// From <unistd.h>. Including <unistd.h> here would make this module the origin of declarations that Swift files expect
// in Glibc.
extern long syscall(long number, ...);

/// Calls `statx` for `path`, or for the descriptor `folder` if the path is empty. Returns 0, or -1 with errno.
static inline int linux_status(int folder, const char *path, unsigned wanted, struct statx *status) {
    // AT_EMPTY_PATH, which <fcntl.h> defines only for the GNU dialect.
    return (int)syscall(SYS_statx, folder, path, *path == 0 ? 0x1000 : 0, wanted, status);
}

/// The number of the type of file system (<linux/magic.h>) of `path`, or of the descriptor's file if the path is empty;
/// 0 if not known.
static inline unsigned linux_file_system(int descriptor, const char *path) {
    struct statfs status;
    return (*path == 0 ? fstatfs(descriptor, &status) : statfs(path, &status)) == 0 ? (unsigned)status.f_type : 0;
}

/// A descriptor for a process, which stays valid even if the process's number is reused; -1 with errno.
static inline int linux_process_open(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/// Sends a signal to the process of a descriptor. Returns 0, or -1 with errno.
static inline int linux_process_signal(int descriptor, int number) {
    return (int)syscall(SYS_pidfd_send_signal, descriptor, number, (void *)0, 0);
}

/// Sends a signal to the process of a descriptor and to the whole group that the process leads (Linux 6.9; older
/// kernels refuse). Returns 0, or -1 with errno.
static inline int linux_process_group_signal(int descriptor, int number) {
    // PIDFD_SIGNAL_PROCESS_GROUP of <linux/pidfd.h>, which older headers do not have.
    return (int)syscall(SYS_pidfd_send_signal, descriptor, number, (void *)0, 1u << 2);
}

/// Reports how the process of a descriptor ended, in the form of `wait`, even if another caller has waited for the
/// process (Linux 6.15). Returns 0, or -1 if not known.
static inline int linux_process_end(int descriptor, int *status) {
    // struct pidfd_info of <linux/pidfd.h>, which older headers do not have: mask, control group, eleven other fields,
    // exit status.
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

/// The descriptor of a new file in memory, closed on exec; -1 with errno.
static inline int linux_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1); }

/// Lets a file share another file's blocks on the disk, until either file is changed. Returns 0, or -1 with errno.
static inline int linux_clone_file(int target, int source) {
    // FICLONE, _IOW(0x94, 9, int).
    return (int)syscall(SYS_ioctl, target, 1u << 30 | sizeof source << 16 | 0x94u << 8 | 9, (long)source);
}

/// Renames a file in one step, unless the new name exists. Returns 0, or -1 with errno: EINVAL if the file system lacks
/// this kind of renaming.
static inline int linux_rename_to_new(const char *path, const char *other) {
    // RENAME_NOREPLACE of <linux/fs.h>, and AT_FDCWD of <fcntl.h>.
    return (int)syscall(SYS_renameat2, -100, path, -100, other, 1u);
}

/// Waits until everything written to the file system of a descriptor is on the disk. Returns 0, or -1 with errno.
static inline int linux_synchronise_all(int descriptor) { return (int)syscall(SYS_syncfs, descriptor); }

/// `poll` that waits for nanoseconds, at least 0: <poll.h> declares `ppoll` only for the GNU dialect. Returns the
/// result of `poll`.
static inline int linux_poll(void *entries, unsigned long count, long nanoseconds) {
    struct {
        long seconds, nanoseconds;
    } limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    return (int)syscall(SYS_ppoll, entries, count, &limit, (void *)0, 0);
}
