// Tells a test what SQLite does to the files in one folder, so that a loss of power can be made up at each step, and asks it before each step,
// so that the process or the room on the disk can end there.
//
// Otherwise it does nothing itself: all work is done by SQLite's own layer for the system (its VFS). Files elsewhere are not touched at all, so other
// tests in the process notice nothing.
#ifndef WOODSHED_CCRASHVFS_H
#define WOODSHED_CCRASHVFS_H

enum {
    /// A file was written, cut off or removed.
    CRASH_VFS_CHANGED = 0,
    /// A file was put on the disk.
    CRASH_VFS_SYNCHRONISED = 1,
    /// With any of these: so were the names in its folder.
    CRASH_VFS_FOLDER = 2,
};

/// Called after each step, on the thread that did it.
typedef void (*CrashVFSWitness)(void *_Nonnull context, const char *_Nonnull path, int events);

/// Called before each step that changes a file, on the thread that does it. If it returns 0 for a step that needs room, SQLite is told that
/// the disk is full.
typedef int (*CrashVFSPermit)(void *_Nonnull context, int needsRoom);

/// Watches all files that are opened in a folder from now on, until crash_vfs_leave().
///
/// Returns 0, or -1 if SQLite is missing or sixteen folders are watched already.
int crash_vfs_watch(const char *_Nonnull folder, CrashVFSWitness _Nullable witness, CrashVFSPermit _Nullable permit,
                    void *_Nonnull context);

/// Watches a folder no more. None of its files may be open.
void crash_vfs_leave(void *_Nonnull context);

#endif
