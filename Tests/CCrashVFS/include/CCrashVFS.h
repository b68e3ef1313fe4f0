// Reports SQLite's operations on the files in a folder to a test, which can simulate a loss of power at each step.
// Before each step, the layer asks the test, which can end the process or the room on the disk there.
//
// Otherwise the layer does nothing itself: SQLite's own layer for the system (its VFS) does all the work. The layer
// never touches files elsewhere, so other tests in the process notice nothing.
#ifndef WOODSHED_CCRASHVFS_H
#define WOODSHED_CCRASHVFS_H

enum {
    /// A file was written, truncated or removed.
    CRASH_VFS_CHANGED = 0,
    /// A file was put on the disk.
    CRASH_VFS_SYNCHRONISED = 1,
    /// With either event above: the step synchronised the names in the file's folder too.
    CRASH_VFS_FOLDER = 2,
};

/// Called after each step, on the step's thread.
typedef void (*CrashVFSWitness)(void *_Nonnull context, const char *_Nonnull path, int events);

/// Called before each step that changes a file, on the step's thread. If the function returns 0 for a step that needs
/// room, SQLite gets the error of a full disk.
typedef int (*CrashVFSPermit)(void *_Nonnull context, int needsRoom);

/// Watches all files opened in a folder from now on, until crash_vfs_leave().
///
/// Returns 0, or -1 if SQLite is missing or sixteen folders are watched already.
int crash_vfs_watch(const char *_Nonnull folder, CrashVFSWitness _Nullable witness, CrashVFSPermit _Nullable permit,
                    void *_Nonnull context);

/// Stops watching a folder. No file of the folder may be open.
void crash_vfs_leave(void *_Nonnull context);

#endif
