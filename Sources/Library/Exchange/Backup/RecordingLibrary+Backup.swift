internal import AudioFiles
public import Catalogue
internal import Database
internal import Files
internal import Glibc
internal import Store
internal import UserState

/// The contents of a backup, and how much of it was new.
public struct BackupSummary: Sendable, Hashable {
    /// Files of recordings, takes and documents in the backup.
    public internal(set) var files = 0
    /// Those of them that were copied now.
    public internal(set) var copied = 0
    /// Bytes that were copied now.
    public internal(set) var copiedBytes: Int64 = 0
    /// Recordings and documents that stay where the user has them, and are not in the backup.
    public internal(set) var linked = 0
    /// Files that could not be copied, and why, in plain words.
    public internal(set) var problems: [String] = []
}

extension RecordingLibrary {
    /// Writes a backup of everything that is kept into a folder: a copy of the store in one state of it, and the files of the library's own
    /// and of takes that are not in the folder yet.
    ///
    /// The folder holds a whole backup at any moment once there was one: what makes the new one valid is written last. If the program
    /// ends before, the next backup goes on. Linked recordings are the user's own files, and are not copied.
    ///
    /// - Parameters:
    ///   - path: The folder, which is made if it is missing.
    ///   - isCancelled: Asked for each file.
    /// - Throws: `RecordingLibraryError`, `StoreError`.
    @discardableResult
    public func backUp(to path: String, isCancelled: () -> Bool = { false }) throws -> BackupSummary {
        let target = FileName.absolute(path) ?? path
        guard target != folder.path, !target.hasPrefix(folder.path + "/") else {
            throw RecordingLibraryError(
                .textRefused, "a backup inside of the library's folder would be lost with it",
                remedy: "Choose another folder, best on another disk.")
        }
        guard try read({ _ in true }) == true else {
            throw RecordingLibraryError(.unknown, "there is nothing to back up yet", remedy: "Add recordings first.")
        }
        for name in ["recordings", "takes"] { try Self.makeFolders(above: "\(target)/\(name)/x") }
        let lock = try Self.lock(target)
        defer { close(lock) }
        // The keys of takes are in the store that is copied.
        try findTakes()
        let store = BackupManifest.newStoreName()
        // The copy of the backup that this one replaces, whatever its name is.
        let last = (try? BackupManifest(in: target))?.store
        do {
            try copyStore(to: target + "/" + store)
            let summary = try backUpFiles(to: target, store: store, isCancelled)
            removeRemains(in: target, but: store, last: last)
            return summary
        } catch {
            _ = calls.remove(target + "/" + store)
            throw error
        }
    }

    private func copyStore(to path: String) throws(StoreError) {
        _ = try store.read { (rows) throws(DatabaseError) in
            try rows.database.copy(to: Database(path: path, creating: true))
        }
    }

    private func backUpFiles(
        to target: String, store name: String, _ isCancelled: () -> Bool
    ) throws -> BackupSummary {
        // By the copy: what is added meanwhile is not in it.
        let copy = try RecordingLibrary(
            PracticeStore(.file(target + "/" + name)), folder: folder.path, calls: calls)
        var summary = BackupSummary()
        var manifest = BackupManifest(store: name, time: Self.now, files: [])
        func add(_ source: String, as member: BundleMember, isRight: (String) -> Bool) throws {
            if isCancelled() { throw RecordingLibraryError.cancelled }
            guard let state = unsafe FileState(FileName.systemName(source)) else {
                summary.problems.append("\(source) is missing")
                return
            }
            let place = target + "/" + member.name
            if unsafe FileState(place)?.byteCount != state.byteCount {
                guard try copyChecked(source, to: place, isRight: isRight) else {
                    summary.problems.append("\(source) is not what it was when it was added")
                    return
                }
                summary.copied += 1
                summary.copiedBytes += state.byteCount
            }
            summary.files += 1
            manifest.files.append(.init(member: member, byteCount: state.byteCount))
        }
        for item in try copy.items() + copy.items({ $0.isTrash = true }) {
            guard item.place == .kept else {
                summary.linked += 1
                continue
            }
            let member = BundleMember.recording(item.key, ending: BundleMember.ending(item.path, container: "wav"))
            try add(item.path, as: member) { Self.isSound($0, item.key) }
        }
        for (take, key, _) in try copy.catalogueTakes() {
            let member = BundleMember.take(key, ending: BundleMember.ending(take.path, container: "wav"))
            try add(take.path, as: member) { Self.isSound($0, key) }
        }
        let documents = try copy.documentRows().filter { $0.state != .gone }
        summary.linked += documents.count { $0.place == .linked }
        var seen: Set<String> = []
        for row in documents where row.place == .kept && seen.insert(row.hash).inserted {
            let member = BundleMember.document(hash: row.hash, ending: DocumentFile.ending(row.path))
            try Self.makeFolders(above: target + "/" + member.name)
            try add(copy.path(of: row), as: member) { DocumentFile.hash(ofFileAt: $0) == row.hash }
        }
        summary.problems += copy.store.unreadable.sorted()
        do throws(FileFault) {
            for name in ["recordings", "takes"] + (seen.isEmpty ? [] : ["documents"]) {
                let code = calls.synchroniseFolder(target + "/" + name)
                if code < 0, code != -Int(EINVAL) { throw FileFault(code: Int32(-code)) }
            }
            let file = try WholeFile(target + "/" + BackupManifest.name, calls: calls)
            try file.append(Array(manifest.text.utf8))
            try file.commit()
        } catch { throw RecordingLibraryError.writing(target, error) }
        return summary
    }

    /// Whether a file has the sound of a key.
    static func isSound(_ path: String, _ key: RecordingKey) -> Bool { (try? RecordingKey(ofFileAt: path)) == key }

    /// Copies a file, and gives the copy its name when it is on the disk and its content is right.
    ///
    /// - Returns: False if the content is another one.
    func copyChecked(_ source: String, to place: String, isRight: (String) -> Bool) throws -> Bool {
        let part = FilePlace.folder(of: place) + "/" + FilePlace.temporaryName()
        do throws(FileFault) {
            let file = try unsafe RegularFile(FileName.systemName(source))
            try FileCopy.copy(file, to: part, calls: calls)
        } catch { throw RecordingLibraryError.writing(place, error) }
        defer { _ = calls.remove(part) }
        guard isRight(part) else { return false }
        do throws(FileFault) {
            try FileCopy.synchronise(part, calls: calls)
            let code = calls.rename(part, to: place)
            if code < 0 { throw FileFault(code: Int32(-code), isCreating: true) }
        } catch { throw RecordingLibraryError.writing(place, error) }
        return true
    }

    /// Removes what earlier backups and interrupted ones have left that this one does not need.
    private func removeRemains(in target: String, but store: String, last: String?) {
        for name in (try? Folder.names(in: target)) ?? [] {
            let stem = name.hasSuffix("-journal") ? String(name.dropLast("-journal".count)) : name
            if BackupManifest.isOwnStoreName(stem) || stem == last, stem != store {
                _ = calls.remove(target + "/" + name)
            }
        }
        for folder in ["recordings", "takes", "documents"] {
            for name in (try? Folder.names(in: target + "/" + folder)) ?? []
            where name.hasPrefix(".woodshed-") && name.hasSuffix(FilePlace.temporarySuffix) {
                _ = calls.remove("\(target)/\(folder)/\(name)")
            }
        }
    }

    static func makeFolders(above path: String) throws(RecordingLibraryError) {
        do throws(LockedFile.Fault) { try StateFolder.makeFolders(above: path) } catch {
            throw .writing(path, FileFault(code: error.code, isCreating: true))
        }
    }

    /// Two backups at once would remove each other's files. The lock ends with its descriptor.
    private static func lock(_ target: String) throws(RecordingLibraryError) -> Int32 {
        let descriptor = unsafe open(target + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
        if descriptor < 0 { throw .writing(target, FileFault(code: errno, isCreating: true)) }
        let isLocked: Bool
        do throws(FileFault) { isLocked = try FileLock.take(descriptor) } catch {
            close(descriptor)
            throw .writing(target, error)
        }
        guard isLocked else {
            close(descriptor)
            throw RecordingLibraryError(
                .io, "another program is writing a backup into \(target)", remedy: "Wait until it is done.")
        }
        return descriptor
    }
}
