// Compares the library with the disk, and repairs differences on request.
internal import AudioFiles
internal import Database
internal import Files
internal import Glibc
internal import Store

/// Differences between the library's list and the files on the disk, as found by
/// ``RecordingLibrary/check(lookingIn:isCancelled:)``.
public struct LibraryReport: Sendable, Hashable {
    /// Recordings with a missing file.
    public var missing: [LibraryItem] = []
    /// Recordings whose file has changed in length since its addition, and linked recordings whose file has another
    /// sound of the same length.
    public var changed: [LibraryItem] = []
    /// Recordings whose file was found at another place, by its sound.
    package var moved: [Moved] = []
    /// Files in the library's folder that belong to none of its recordings.
    package var orphans: [File] = []
    /// Unfinished copies and downloads that no fetch on the list needs.
    package var parts: [File] = []
    /// Files of removed recordings outside the trash, and files of kept recordings inside it.
    package var misplaced: [File] = []
    /// Documents with a missing file.
    package var missingDocuments: [LibraryDocument] = []

    /// A file on the disk.
    package struct File: Sendable, Hashable {
        /// Absolute path of the file.
        package let path: String
        /// Length of the file in bytes.
        package let byteCount: Int64
    }

    /// A recording with the new place of its file.
    package struct Moved: Sendable, Hashable {
        /// The recording, with its old path.
        package let item: LibraryItem
        /// Path of the found file.
        package let path: String
    }

    /// True if there is nothing to repair.
    public var isClean: Bool {
        missing.isEmpty && changed.isEmpty && moved.isEmpty && orphans.isEmpty && parts.isEmpty && misplaced.isEmpty
            && missingDocuments.isEmpty
    }
}

extension RecordingLibrary {
    /// Compares the list of recordings with the files on the disk. Changes nothing.
    ///
    /// Real-time safe: no. Reads files, and computes the keys of files that may be a missing recording, and of linked
    /// files that were written since their recordings were last seen.
    ///
    /// - Parameters:
    ///   - folders: Additional folders to search for missing files. The former folders of missing files are always
    ///     searched.
    ///   - isCancelled: Called before reading each file. If it returns true, the search ends early.
    /// - Throws: `StoreError`.
    public func check(
        lookingIn folders: [String] = [], isCancelled: () -> Bool = { false }
    ) throws -> LibraryReport {
        let isPartInUse = try partsInUse()
        let (rows, times) =
            try read { (rows) throws(DatabaseError) in (try rows.all(), try rows.rows.writingTimes()) } ?? ([], [:])
        var report = LibraryReport()
        var lost: [ItemRow] = []
        for row in rows where !row.isGone && !row.item.isTrashed {
            guard let state = unsafe FileState(FileName.systemName(row.item.path)) else {
                lost.append(row)
                continue
            }
            let isSeen = row.item.place == .kept || times[row.recording]?.contains(state.modified) == true
            if state.byteCount != row.item.byteCount || row.item.recording.isLost
                || !isSeen && !isCancelled() && Self.isOther(row.item)
            {
                report.changed.append(row.item)
            }
        }
        checkFolder(rows, lost, isPartInUse, into: &report)
        try checkDocuments(into: &report)
        let places = search(for: lost, below: folders, isCancelled)
        for row in lost {
            if let path = places[row.number] {
                report.moved.append(.init(item: row.item, path: path))
            } else if !report.misplaced.contains(where: { fileName($0.path) == row.path && row.item.place == .kept }) {
                report.missing.append(row.item)
            }
        }
        return report
    }

    /// True if the file of a recording has another sound. False if the sound cannot be computed here.
    private static func isOther(_ item: LibraryItem) -> Bool {
        do throws(AudioFileError) { return try RecordingKey(ofFileAt: item.path) != item.key } catch {
            return error.kind == .notAudio || error.kind == .empty
        }
    }

    private func checkFolder(
        _ rows: [ItemRow], _ lost: [ItemRow], _ isPartInUse: (String) -> Bool, into report: inout LibraryReport
    ) {
        let kept = rows.filter { $0.item.place == .kept && !$0.isGone }
        let inPlace = Set(kept.filter { !$0.item.isTrashed }.map(\.path))
        let inTrash = Set(kept.filter(\.item.isTrashed).map(\.path))
        for file in Self.files(in: folder.path) {
            let name = fileName(file.path)
            if inPlace.contains(name) || Self.isUnfinished(name) { continue }
            if inTrash.contains(name) { report.misplaced.append(file) } else { report.orphans.append(file) }
        }
        let missing = Set(lost.map(\.path))
        for file in Self.files(in: folder.trash) {
            let name = fileName(file.path)
            if inTrash.contains(name) { continue }
            if missing.contains(name) { report.misplaced.append(file) } else { report.orphans.append(file) }
        }
        report.parts = unneededParts(isPartInUse)
    }

    /// Returns the unfinished files that no program needs.
    private func unneededParts(_ isInUse: (String) -> Bool) -> [LibraryReport.File] {
        var parts = FileLock.asking(forFolder: folder.parts) { lock in
            let files = Self.files(in: folder.parts).filter { file in
                let name = fileName(file.path)
                // A program with such a file shares the lock.
                if lock != .unsupported, name.hasPrefix(LibraryFolder.partPrefix) { return lock == .taken }
                return !isInUse(name) && !Self.isYoung(file.path)
            }
            // A running restore changes its copy only at the beginning and at the end, so the age of the copy tells
            // nothing.
            return lock == .taken ? files + restoredStores() : files
        }
        parts += Self.files(in: folder.path).filter { Self.isUnfinished(fileName($0.path)) && !Self.isYoung($0.path) }
        store.unlessRepairing {
            parts += store.repairPaths.compactMap { path in
                Self.byteCount(path).map { LibraryReport.File(path: path, byteCount: $0) }
            }
        }
        return parts
    }

    /// Returns the copies beside the store that are meant to replace the store.
    private func restoredStores() -> [LibraryReport.File] {
        guard let path = store.filePath else { return [] }
        let prefix = fileName(path) + LibraryFolder.partPrefix
        return Self.files(in: FilePlace.folder(of: path)).filter { fileName($0.path).hasPrefix(prefix) }
    }

    /// True if no other program brings files into the library; false if the disk has no locks.
    package var isUnused: Bool { FileLock.asking(forFolder: folder.parts) { $0 == .taken } }

    /// True if the library's folder has files of recordings. An empty library with such files has lost its store.
    package var hasFiles: Bool {
        ((try? Folder.names(in: folder.path)) ?? []).contains { LibraryFolder.key($0) != nil }
    }

    /// True for the name of an unfinished file.
    private static func isUnfinished(_ name: String) -> Bool {
        name.hasPrefix(FilePlace.ownPrefix) && name.hasSuffix(FilePlace.temporarySuffix)
    }

    /// Returns the files in a folder, by name, without subfolders.
    static func files(in folder: String) -> [LibraryReport.File] {
        (((try? Folder.names(in: folder)) ?? []).sorted()).compactMap { name in
            byteCount(folder + "/" + name).map { LibraryReport.File(path: folder + "/" + name, byteCount: $0) }
        }
    }

    /// True if a program may be writing this part at the moment.
    private static func isYoung(_ path: String) -> Bool {
        // Files of a running copy are less than an hour old.
        guard let state = unsafe FileState(path) else { return true }
        return state.modified.seconds > now - 3600
    }

    /// Searches folders for the sounds of lost recordings. Reads only files of the same length.
    private func search(
        for lost: [ItemRow], below folders: [String], _ isCancelled: () -> Bool
    ) -> [Int: String] {
        guard !lost.isEmpty else { return [:] }
        var wanted = Dictionary(grouping: lost, by: \.item.byteCount)
        var found: [Int: String] = [:]
        var seen: Set<String> = []
        // Searches the user's folders with their subfolders, but the former folder of a file without subfolders.
        var queue = lost.map { (path: FilePlace.folder(of: $0.item.path), depth: Self.deepest) }
        queue += folders.map { ($0, 0) }
        var count = 0
        while let (path, depth) = queue.popLast(), count < Self.mostFiles {
            guard let whole = Self.resolved(path), seen.insert(whole).inserted, whole != folder.path else {
                continue
            }
            for name in ((try? FileName.names(in: whole)) ?? []).sorted() {
                if isCancelled() { return found }
                count += 1
                let file = (whole == "/" ? "" : whole) + "/" + name
                guard let state = unsafe FileState(FileName.systemName(file)) else {
                    if depth < Self.deepest, !name.hasPrefix(".") { queue.append((file, depth + 1)) }
                    continue
                }
                guard let rows = wanted[state.byteCount], let key = try? RecordingKey(ofFileAt: file) else { continue }
                for row in rows where row.item.key == key && found[row.number] == nil { found[row.number] = file }
                wanted[state.byteCount] = rows.filter { found[$0.number] == nil }
            }
        }
        return found
    }

    private static func resolved(_ folder: String) -> String? {
        unsafe FilePlace.resolvedBytes(FileName.systemName(folder)).map { FileName.text(of: $0) }
    }

    /// Maximum number of files examined, and maximum depth of folders.
    private static let (mostFiles, deepest) = (200_000, 8)

    // MARK: Repairing

    /// Repairs the differences in a report. Moved files are linked, or copied again. Files in the wrong folder are
    /// moved. Orphans become recordings of the library again. Stale parts are removed. Missing recordings and documents
    /// stay in the list, and unneeded documents stay in place. A changed file with another sound is another recording:
    /// the file stays, and its recording is not in the result.
    ///
    /// Real-time safe: no.
    ///
    /// - Parameter report: Result of ``check(lookingIn:isCancelled:)``.
    /// - Returns: The recordings brought up to date.
    /// - Throws: The first failure. Differences not yet repaired stay unchanged.
    @discardableResult
    public func repair(_ report: LibraryReport) throws -> [LibraryItem] {
        var repaired: [LibraryItem] = []
        for moved in report.moved {
            if moved.item.place == .kept {
                repaired.append(try add(fileAt: moved.path).item)
                continue
            }
            let item = try change { (rows) throws(DatabaseError) -> LibraryItem? in
                try rows.move(moved.item.number, .linked, moved.path)
                return try rows.item(number: moved.item.number)?.item
            }
            if let item { repaired.append(item) }
        }
        if !report.misplaced.isEmpty { try folder.make() }
        settleDocuments(named: report.misplaced.filter { isDocument($0.path) }.map { fileName($0.path) })
        for file in report.misplaced where !isDocument(file.path) {
            let name = fileName(file.path)
            let isInTrash = FilePlace.folder(of: file.path) == folder.trash
            let code = calls.rename(file.path, to: isInTrash ? folder.file(name) : folder.trashed(name))
            if code < 0 { throw RecordingLibraryError.writing(file.path, FileFault(code: Int32(-code))) }
        }
        for file in report.orphans where !isDocument(file.path) {
            // A file that is no recording stays in place.
            guard let item = try? add(fileAt: file.path, .move) else { continue }
            repaired.append(item.item)
        }
        _ = try clean(report.parts)
        // A file changed under its name is another recording, or the same recording with other tags.
        for item in report.changed {
            guard let key = try? RecordingKey(ofFileAt: item.path), key == item.key else { continue }
            repaired.append(try add(fileAt: item.path, item.place == .kept ? .move : .link).item)
        }
        return repaired
    }
}
