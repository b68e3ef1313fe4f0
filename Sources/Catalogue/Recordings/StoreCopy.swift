package import Files
internal import Glibc
internal import RunLog

/// The place for a copy of a store from which rows are taken, in the library's folder for parts.
///
/// A program with such a copy holds the lock of the folder until the copy is removed. A copy without the lock is the rest of a program that was killed.
package final class StoreCopy {
    /// The path of the copy.
    package let path: String
    private let calls: any FileCalls
    private var lock: Int32

    private static let prefix = "store"

    /// Finds a name for a copy. Waits while another program has one, and removes the copies of programs that were killed. The folder must be there.
    ///
    /// - Parameter source: The store that is to be copied, which is not removed.
    package init(of source: String, in folder: LibraryFolder, calls: any FileCalls) {
        path = folder.parts + "/" + Self.prefix + FilePlace.temporaryName()
        self.calls = calls
        lock = unsafe open(folder.parts, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0, (try? FileLock.take(lock, waits: true)) == .taken else { return }
        let own = fileName(source)
        for name in Self.names(in: folder.parts) where !name.hasPrefix(own) {
            RunLog.note(.library, .info, "removes what a program has left that was killed: \(folder.parts)/\(name)")
            _ = calls.remove(folder.parts + "/" + name)
        }
    }

    deinit { release() }

    /// Removes the copy, with the files that SQLite and a repair have put beside it.
    package func remove() {
        let (folder, own) = (FilePlace.folder(of: path), fileName(path))
        for name in Self.names(in: folder) where name.hasPrefix(own) { _ = calls.remove(folder + "/" + name) }
        release()
    }

    private func release() {
        guard lock >= 0 else { return }
        // A program that another thread starts at this moment has the descriptor, too, until it runs.
        flock(lock, LOCK_UN)
        close(lock)
        lock = -1
    }

    private static func names(in folder: String) -> [String] {
        ((try? Folder.names(in: folder)) ?? []).filter(isCopy)
    }

    /// Whether a file in a folder for parts belongs to a copy, by its name.
    private static func isCopy(_ name: String) -> Bool { name.hasPrefix(prefix + FilePlace.ownPrefix) }

    /// Those of the files in a folder for parts that belong to copies, and whether a program needs them; none if that is not known.
    ///
    /// - Parameter names: The names of the files. They were read before, because a program takes the lock before it makes a copy.
    static func uses(of names: [String], in folder: LibraryFolder) -> [String: Bool] {
        let copies = names.filter(isCopy)
        guard !copies.isEmpty, let lock = FileLock.state(ofFolder: folder.parts), lock != .unsupported else {
            return [:]
        }
        return Dictionary(copies.map { ($0, lock == .held) }) { first, _ in first }
    }
}
