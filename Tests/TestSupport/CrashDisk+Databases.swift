internal import CCrashVFS

extension CrashDisk {
    /// SQLite cannot be watched.
    private struct NoDatabases: Error {}

    /// Runs `body`, and records SQLite's operations on the databases opened in `body`, which must close all databases
    /// before returning.
    package func watchingDatabases<Value>(_ body: () throws -> Value) throws -> Value {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let code = unsafe crash_vfs_watch(
            root,
            { context, path, events in
                let disk = unsafe Unmanaged<CrashDisk>.fromOpaque(context).takeUnretainedValue()
                disk.databaseChanged(unsafe String(cString: path), events)
            }, nil, context)
        guard code == 0 else { throw NoDatabases() }
        defer { unsafe crash_vfs_leave(context) }
        return try body()
    }

    private func databaseChanged(_ path: String, _ events: Int32) {
        look(
            atFile: path, isSynchronised: Int(events) & CRASH_VFS_SYNCHRONISED != 0,
            isFolderSynchronised: Int(events) & CRASH_VFS_FOLDER != 0)
    }
}
