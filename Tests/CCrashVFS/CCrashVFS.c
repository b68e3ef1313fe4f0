#include "CCrashVFS.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// SQLite's interface for such layers, as documented; unchanged since version 3.7.17. Building the tests does not need
// the header, and neither does building the program.
typedef long long sqlite3_int64;
typedef struct File File;
typedef struct Methods Methods;
typedef struct VFS VFS;

struct File {
    const Methods *methods;
};

struct Methods {
    int version;
    int (*close)(File *);
    int (*read)(File *, void *, int, sqlite3_int64);
    int (*write)(File *, const void *, int, sqlite3_int64);
    int (*truncate)(File *, sqlite3_int64);
    int (*sync)(File *, int);
    int (*fileSize)(File *, sqlite3_int64 *);
    int (*lock)(File *, int);
    int (*unlock)(File *, int);
    int (*checkReservedLock)(File *, int *);
    int (*fileControl)(File *, int, void *);
    int (*sectorSize)(File *);
    int (*deviceCharacteristics)(File *);
    int (*shmMap)(File *, int, int, int, void volatile **);
    int (*shmLock)(File *, int, int, int);
    void (*shmBarrier)(File *);
    int (*shmUnmap)(File *, int);
    int (*fetch)(File *, sqlite3_int64, int, void **);
    int (*unfetch)(File *, sqlite3_int64, void *);
};

struct VFS {
    int version, fileBytes, longestPath;
    VFS *next;
    const char *name;
    void *data;
    int (*open)(VFS *, const char *, File *, int, int *);
    int (*delete)(VFS *, const char *, int);
    int (*access)(VFS *, const char *, int, int *);
    int (*fullPathname)(VFS *, const char *, int, char *);
    void *(*dlOpen)(VFS *, const char *);
    void (*dlError)(VFS *, int, char *);
    void (*(*dlSym)(VFS *, void *, const char *))(void);
    void (*dlClose)(VFS *, void *);
    int (*randomness)(VFS *, int, char *);
    int (*sleep)(VFS *, int);
    int (*currentTime)(VFS *, double *);
    int (*getLastError)(VFS *, int, char *);
    int (*currentTimeInt64)(VFS *, sqlite3_int64 *);
    int (*setSystemCall)(VFS *, const char *, void (*)(void));
    void (*(*getSystemCall)(VFS *, const char *))(void);
    const char *(*nextSystemCall)(VFS *, const char *);
};

enum { FULL = 13 };
enum { OPEN_CREATE = 0x4, OPEN_ANY_JOURNAL = 0x800 | 0x4000 | 0x80000 };

typedef struct {
    char *folder;
    CrashVFSWitness witness;
    CrashVFSPermit permit;
    void *context;
} Watch;

// An open watched file.
typedef struct Watched {
    struct Watched *next;
    const File *file;
    const Methods *methods;
    char *path;
    Watch watch;
    // SQLite's layer puts the name of a new journal on the disk with the journal itself.
    int synchronisesFolder;
} Watched;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static Watch watches[16];
static Watched *watchedFiles;
static VFS *real;
static VFS ours;
// SQLite's methods for a kind of file, and ours instead: databases have locks, journals have none.
static struct {
    const Methods *theirs;
    Methods ours;
} kinds[4];

static int findWatch(const char *path, Watch *found) {
    int isFound = 0;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; path && i < sizeof watches / sizeof *watches; i++) {
        size_t length = watches[i].folder ? strlen(watches[i].folder) : 0;
        if (length && !strncmp(path, watches[i].folder, length) && path[length] == '/') {
            *found = watches[i];
            isFound = 1;
        }
    }
    pthread_mutex_unlock(&mutex);
    return isFound;
}

// Only the owner's thread uses a file, so the found entry stays.
static Watched *findFile(const File *file) {
    pthread_mutex_lock(&mutex);
    Watched *found = watchedFiles;
    while (found && found->file != file) found = found->next;
    pthread_mutex_unlock(&mutex);
    return found;
}

static void tell(Watched *watched, int events) {
    if (events == CRASH_VFS_SYNCHRONISED && watched->synchronisesFolder) {
        watched->synchronisesFolder = 0;
        events |= CRASH_VFS_FOLDER;
    }
    if (watched->watch.witness) watched->watch.witness(watched->watch.context, watched->path, events);
}

static int isPermitted(const Watch *watch, int needsRoom) {
    return !watch->permit || watch->permit(watch->context, needsRoom) || !needsRoom;
}

static int writeFile(File *file, const void *bytes, int count, sqlite3_int64 offset) {
    Watched *watched = findFile(file);
    if (!isPermitted(&watched->watch, 1)) return FULL;
    int code = watched->methods->write(file, bytes, count, offset);
    tell(watched, CRASH_VFS_CHANGED);
    return code;
}

static int truncateFile(File *file, sqlite3_int64 length) {
    Watched *watched = findFile(file);
    isPermitted(&watched->watch, 0);
    int code = watched->methods->truncate(file, length);
    tell(watched, CRASH_VFS_CHANGED);
    return code;
}

static int syncFile(File *file, int flags) {
    Watched *watched = findFile(file);
    isPermitted(&watched->watch, 0);
    int code = watched->methods->sync(file, flags);
    if (!code) tell(watched, CRASH_VFS_SYNCHRONISED);
    return code;
}

static int closeFile(File *file) {
    const Methods *methods = findFile(file)->methods;
    pthread_mutex_lock(&mutex);
    for (Watched **place = &watchedFiles; *place; place = &(*place)->next) {
        if ((*place)->file != file) continue;
        Watched *closed = *place;
        *place = closed->next;
        free(closed->path);
        free(closed);
        break;
    }
    pthread_mutex_unlock(&mutex);
    return methods->close(file);
}

static int openFile(VFS *vfs, const char *path, File *file, int flags, int *given) {
    (void)vfs;
    int code = real->open(real, path, file, flags, given);
    Watch watch;
    if (code || !file->methods || !findWatch(path, &watch)) return code;
    Watched *watched = calloc(1, sizeof *watched);
    if (!watched) abort();
    *watched = (Watched){
        .file = file, .methods = file->methods, .path = strdup(path), .watch = watch,
        .synchronisesFolder = flags & OPEN_CREATE && flags & OPEN_ANY_JOURNAL};
    pthread_mutex_lock(&mutex);
    size_t kind = 0;
    while (kind < sizeof kinds / sizeof *kinds && kinds[kind].theirs && kinds[kind].theirs != file->methods) kind++;
    if (kind == sizeof kinds / sizeof *kinds) abort();
    if (!kinds[kind].theirs) {
        kinds[kind].theirs = file->methods;
        kinds[kind].ours = *file->methods;
        kinds[kind].ours.close = closeFile;
        kinds[kind].ours.write = writeFile;
        kinds[kind].ours.truncate = truncateFile;
        kinds[kind].ours.sync = syncFile;
    }
    file->methods = &kinds[kind].ours;
    watched->next = watchedFiles;
    watchedFiles = watched;
    pthread_mutex_unlock(&mutex);
    return code;
}

static int deleteFile(VFS *vfs, const char *path, int synchronisesFolder) {
    (void)vfs;
    Watch watch;
    int isWatched = findWatch(path, &watch);
    if (isWatched) isPermitted(&watch, 0);
    int code = real->delete(real, path, synchronisesFolder);
    if (!code && isWatched && watch.witness)
        watch.witness(watch.context, path, synchronisesFolder ? CRASH_VFS_FOLDER : CRASH_VFS_CHANGED);
    return code;
}

static void start(void) {
    // The program's library, loaded once.
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    VFS *(*find)(const char *) = (VFS * (*)(const char *)) dlsym(library, "sqlite3_vfs_find");
    int (*enter)(VFS *, int) = (int (*)(VFS *, int))dlsym(library, "sqlite3_vfs_register");
    VFS *found = find ? find(0) : 0;
    if (!found || !enter || found->version < 3) return;
    real = found;
    ours = *found;
    ours.next = 0;
    ours.name = "woodshed-crash";
    ours.open = openFile;
    ours.delete = deleteFile;
    if (enter(&ours, 1)) real = 0;
}

int crash_vfs_watch(const char *folder, CrashVFSWitness witness, CrashVFSPermit permit, void *context) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    int code = -1;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; real && code && i < sizeof watches / sizeof *watches; i++) {
        if (watches[i].folder) continue;
        watches[i] = (Watch){.folder = strdup(folder), .witness = witness, .permit = permit, .context = context};
        code = 0;
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

void crash_vfs_leave(void *context) {
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < sizeof watches / sizeof *watches; i++) {
        if (!watches[i].folder || watches[i].context != context) continue;
        free(watches[i].folder);
        watches[i] = (Watch){0};
    }
    pthread_mutex_unlock(&mutex);
}
