// An end of the process, or of the room on the disk, at a step in changing files: at each step in turn, or at a few.
internal import CCrashVFS
internal import Files
internal import Glibc
internal import Synchronization

/// The system's calls on files, counted together with the steps of SQLite; a given step is the last to be done.
package final class EarlyEnd: FileCalls {
    /// The kind of end.
    package enum Kind: Sendable {
        /// The process, by SIGKILL.
        case process
        /// The room on the disk. Removing still works, and so does renaming after the first failure: cleaning up needs
        /// no room.
        case room
    }

    private let kind: Kind
    private let last: Int
    private let count = Mutex(0)
    private let system = SystemFileCalls()

    /// - Parameter last: The number of steps done; `.max` for all steps.
    package init(_ kind: Kind, after last: Int) { (self.kind, self.last) = (kind, last) }

    /// The steps so far, including failed steps.
    package var stepCount: Int { count.withLock { $0 } }

    /// Counts a step.
    ///
    /// - Returns: The number of steps after the last step; 0 if the step is done.
    private func delay() -> Int {
        let step = count.withLock { count in
            count += 1
            return count
        }
        if step > last, kind == .process { raise(SIGKILL) }
        return max(0, step - last)
    }

    private func call(_ body: () -> Int) -> Int { delay() > 0 ? -Int(ENOSPC) : body() }
    /// A step without need for room.
    private func callWithoutRoom(_ body: () -> Int) -> Int {
        _ = delay()
        return body()
    }

    // MARK: Calls

    package func createUnnamed(in folder: String) -> Int { call { system.createUnnamed(in: folder) } }
    package func create(_ path: String) -> Int { call { system.create(path) } }
    package func name(_ descriptor: Int32, _ path: String) -> Int { call { system.name(descriptor, path) } }
    package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
        unsafe delay() > 0 ? -Int(ENOSPC) : system.write(descriptor, bytes, at: offset)
    }
    package func setLength(_ descriptor: Int32, _ byteCount: Int64) -> Int {
        call { system.setLength(descriptor, byteCount) }
    }
    package func synchroniseData(_ descriptor: Int32) -> Int { call { system.synchroniseData(descriptor) } }
    package func synchronise(_ descriptor: Int32) -> Int { call { system.synchronise(descriptor) } }
    package func synchroniseFolder(_ folder: String) -> Int { callWithoutRoom { system.synchroniseFolder(folder) } }
    package func remove(_ path: String) -> Int { callWithoutRoom { system.remove(path) } }
    package func rename(_ path: String, to other: String) -> Int {
        delay() == 1 ? -Int(ENOSPC) : system.rename(path, to: other)
    }
    package func close(_ descriptor: Int32) -> Int { system.close(descriptor) }
    package func freeBytes(_ descriptor: Int32) -> Int { system.freeBytes(descriptor) }

    // MARK: Databases

    /// SQLite cannot be watched.
    private struct NoDatabases: Error {}

    /// Runs `body`, and counts SQLite's operations on the databases in a folder opened in `body`, which must close all
    /// databases before returning.
    package func watchingDatabases<Value>(in folder: String, _ body: () throws -> Value) throws -> Value {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let code = unsafe crash_vfs_watch(
            folder, nil,
            { context, needsRoom in
                let delay = unsafe Unmanaged<EarlyEnd>.fromOpaque(context).takeUnretainedValue().delay()
                return needsRoom == 0 || delay == 0 ? 1 : 0
            }, context)
        guard code == 0 else { throw NoDatabases() }
        defer { unsafe crash_vfs_leave(context) }
        return try body()
    }
}
