internal import Files
internal import Glibc
package import Store
internal import UserState

/// Disk space of the program's files.
package struct LibraryStorage: Sendable, Hashable {
    /// A kind of file.
    package enum Kind: String, Sendable, CaseIterable {
        /// The library's own recordings.
        case recordings
        /// The library's own documents.
        case documents
        /// Removed recordings and documents, until the trash is emptied.
        case trash
        /// Unfinished copies and fetches.
        case parts
        /// Takes, including trashed takes.
        case takes
        /// Files that can be made again, such as waveforms.
        case cache
        /// The store: descriptions, sections, and practice.
        case store
    }

    /// Bytes on the disk, by kind.
    package internal(set) var bytes: [Kind: Int64] = [:]
    /// Bytes of linked recordings, which are not in the library's folder.
    package internal(set) var linkedBytes: Int64 = 0

    /// Bytes of all kinds together.
    package var total: Int64 { bytes.values.reduce(0, +) }
}

extension RecordingLibrary {
    /// Measures the disk space of all files, as `du` does. Real-time safe: no.
    package func storage() throws(StoreError) -> LibraryStorage {
        var storage = LibraryStorage()
        let linked = try items { $0.place = .linked }
        storage.linkedBytes = linked.reduce(0) { $0 + (Self.byteCount($1.path) ?? 0) }
        storage.bytes[.trash] = Self.roomBelow(folder.trash)
        storage.bytes[.parts] = Self.roomBelow(folder.parts)
        storage.bytes[.documents] = Self.roomBelow(folder.documents)
        let others = [LibraryStorage.Kind.trash, .parts, .documents].reduce(0) { $0 + (storage.bytes[$1] ?? 0) }
        storage.bytes[.recordings] = Self.roomBelow(folder.path) - others
        let takes = try store.takes() + store.takes(TakeFilter(isTrash: true))
        storage.bytes[.takes] = takes.reduce(0) { $0 + ($1.isReplaced ? 0 : Self.byteCount($1.currentPath) ?? 0) }
        storage.bytes[.cache] = CacheFolder.path.map(Self.roomBelow) ?? 0
        storage.bytes[.store] = store.path.map { path in
            ["", "-journal", ".reserve"].reduce(0) { $0 + (Self.byteCount(path + $1) ?? 0) }
        }
        return storage
    }

    /// Removes unneeded files of the library: ``LibraryReport/parts`` and ``cacheFiles()``. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - isCancelled: Called before each file.
    ///   - told: Called with the freed bytes of each removed file.
    /// - Returns: Freed bytes.
    /// - Throws: `RecordingLibraryError` for the first file that cannot be removed, or of kind `cancelled`.
    package func clean(
        _ files: [LibraryReport.File], isCancelled: () -> Bool = { false }, told: (Int64) -> Void = { _ in }
    ) throws(RecordingLibraryError) -> Int64 {
        var freed: Int64 = 0
        func remove(_ files: [LibraryReport.File]) throws(RecordingLibraryError) {
            for file in files {
                if isCancelled() { throw .cancelled }
                let code = calls.remove(file.path)
                guard code >= 0 || code == -Int(ENOENT) else {
                    throw .writing(file.path, FileFault(code: Int32(-code)))
                }
                if code >= 0 {
                    freed += file.byteCount
                    told(file.byteCount)
                }
            }
        }
        // Every repair uses these file names, and a repair may have begun meanwhile. Other names are never reused.
        let ofRepair = Set(store.repairPaths)
        try remove(files.filter { !ofRepair.contains($0.path) })
        try store.unlessRepairing { () throws(RecordingLibraryError) in
            try remove(files.filter { ofRepair.contains($0.path) })
        }
        return freed
    }

    /// Returns the files of the cache. All of these can be made again. Real-time safe: no.
    package func cacheFiles() -> [LibraryReport.File] {
        guard let path = CacheFolder.path else { return [] }
        var files: [LibraryReport.File] = []
        Folder.walk(path) { name, room, isFile in
            if isFile { files.append(.init(path: name, byteCount: room)) }
        }
        return files
    }

    private static func roomBelow(_ folder: String) -> Int64 {
        var bytes: Int64 = 0
        Folder.walk(folder) { _, room, _ in bytes += room }
        return bytes
    }
}
