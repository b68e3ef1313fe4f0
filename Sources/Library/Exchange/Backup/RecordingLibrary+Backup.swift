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
    /// Files of the user's configuration in the backup.
    public internal(set) var settings = 0
    /// Files that were in the backup before, and were compared with their keys or hashes now.
    public internal(set) var compared = 0
    /// Paths of files in the backup that were damaged there, and were copied anew.
    public internal(set) var repaired: [String] = []
    /// Files that are missing or not what they were, here or in the backup, and files that could not be copied, in plain words.
    public internal(set) var problems: [String] = []
}

extension RecordingLibrary {
    /// Writes a backup of everything that is kept into a folder: a copy of the store in one state of it, and the files of the library's own
    /// and of takes that are not in the folder yet.
    ///
    /// The folder holds a whole backup at any moment once there was one: what makes the new one valid is written last. If the program
    /// ends before, the next backup goes on. Linked recordings are the user's own files, and are not copied.
    ///
    /// Files that are in the folder already are compared with their keys or hashes, at each backup those that were compared longest ago, so that ten
    /// backups compare all. A damaged copy is copied anew. A file that is not what it was when it was added never replaces a copy that is.
    ///
    /// - Parameters:
    ///   - path: The folder, which is made if it is missing.
    ///   - settings: Paths of the user's configuration, each with a name of its own; those that are missing are passed over.
    ///   - isVerifying: Whether all files in the folder are compared.
    ///   - isCancelled: Asked for each file.
    /// - Throws: `RecordingLibraryError`, `StoreError`.
    @discardableResult
    public func backUp(
        to path: String, settings: [String] = [], isVerifying: Bool = false, isCancelled: () -> Bool = { false }
    ) throws -> BackupSummary {
        try backUp(
            to: path, settings: settings, isVerifying: isVerifying,
            lock: { (descriptor) throws(FileFault) in try FileLock.take(descriptor) }, isCancelled: isCancelled)
    }

    /// - Parameter lock: Asks for the lock of a file, which some file systems do not have.
    func backUp(
        to path: String, settings: [String], isVerifying: Bool,
        lock take: (Int32) throws(FileFault) -> FileLock.Outcome, isCancelled: () -> Bool
    ) throws -> BackupSummary {
        let target = FileName.absolute(path) ?? path
        let earlier = store.repair
        guard target != folder.path, !target.hasPrefix(folder.path + "/") else {
            throw RecordingLibraryError(
                .textRefused, "a backup inside of the library's folder would be lost with it",
                remedy: "Choose another folder, best on another disk.")
        }
        guard try read({ _ in true }) == true else {
            throw RecordingLibraryError(.unknown, "there is nothing to back up yet", remedy: "Add recordings first.")
        }
        if unsafe FileState(FileName.systemName(target)) != nil {
            throw RecordingLibraryError(
                .notEmpty, "\(path) is a file, and a backup needs a folder",
                remedy: "Choose a folder, or a name that is not there yet.")
        }
        for name in ["recordings", "takes"] { try Self.makeFolders(above: "\(target)/\(name)/x") }
        let lock = try Self.lock(target, take)
        defer {
            // A program that another thread starts at this moment has the descriptor, too, until it runs.
            flock(lock.descriptor, LOCK_UN)
            close(lock.descriptor)
        }
        // The keys of takes are in the store that is copied.
        try findTakes()
        let name = BackupManifest.newStoreName()
        // The copy of the backup that this one replaces, whatever its name is.
        let last = try? BackupManifest(in: target)
        do {
            try copyStore(to: target + "/" + name)
            let summary = try backUpFiles(
                to: target, store: name, last: last, settings: settings, isVerifying: isVerifying,
                isLocked: lock.isTaken, repaired: earlier, isCancelled)
            removeRemains(in: target, but: name, last: last?.store, isLocked: lock.isTaken)
            return summary
        } catch {
            removeStore(at: target + "/" + name)
            throw error
        }
    }

    private func copyStore(to path: String) throws(StoreError) {
        _ = try store.read { (rows) throws(DatabaseError) in
            try rows.database.copy(to: Database(path: path, creating: true))
        }
    }

    private func backUpFiles(
        to target: String, store name: String, last: BackupManifest?, settings paths: [String], isVerifying: Bool,
        isLocked: Bool, repaired earlier: StoreRepair?, _ isCancelled: () -> Bool
    ) throws -> BackupSummary {
        // By the copy: what is added meanwhile is not in it.
        let copy = try RecordingLibrary(
            PracticeStore(.file(target + "/" + name)), folder: folder.path, calls: calls)
        var summary = BackupSummary()
        let wanted = try copy.filesToBackUp(&summary)
        if let last { try refuseLosses(of: copy, since: earlier, keeping: target + "/" + last.store) }
        for file in wanted { try Self.makeFolders(above: target + "/" + file.member.name) }
        var files = BackupFiles(self, target, last: last, summary, now: StoreRows.milliseconds)
        try files.update(wanted, isVerifying: isVerifying, isCancelled)
        summary = files.summary
        summary.problems += copy.store.unreadable.sorted()
        if let repair = copy.store.repair {
            summary.problems.append(repair.message)
            // The store here is damaged in the same way.
            _ = calls.remove(repair.damagedPath)
        }
        var settings = BackupSettings()
        settings.copy(paths, to: target, last: last?.settings, self, &summary)
        let manifest = BackupManifest(store: name, time: Self.now, files: files.files, settings: settings)
        do throws(FileFault) {
            var folders = Set(wanted.map { FilePlace.folder(of: $0.member.name) }).union(["recordings", "takes"])
            if !settings.files.isEmpty { folders.insert(BackupSettings.folder) }
            for name in folders.sorted() {
                let code = calls.synchroniseFolder(target + "/" + name)
                if code < 0, code != -Int(EINVAL) { throw FileFault(code: Int32(-code)) }
            }
            // Where there are no locks, another program may have taken it for a remain.
            guard FileIdentity(path: target + "/" + name) != nil else { throw FileFault(code: ENOENT) }
            let file = try WholeFile(target + "/" + BackupManifest.name, calls: calls)
            try file.append(Array(manifest.text.utf8))
            try file.commit()
        } catch { throw RecordingLibraryError.writing(target, error) }
        // Another program that writes a backup at the same time may need them.
        if isLocked { settings.removeOthers(in: target, self) }
        return summary
    }

    /// Throws if a repair has lost rows of the store: the last backup may have the last copy of them, which the new one would replace.
    ///
    /// - Parameter earlier: The repair that the store had before this backup, of which the user knows.
    private func refuseLosses(
        of copy: RecordingLibrary, since earlier: StoreRepair?, keeping last: String
    ) throws {
        if copy.store.repair != nil {
            // What is damaged in the copy is damaged here, and repaired when it is read.
            var summary = BackupSummary()
            _ = try filesToBackUp(&summary)
        }
        let repairs = [store.repair == earlier ? nil : store.repair, copy.store.repair]
        guard let repair = repairs.compactMap(\.self).first(where: { !$0.isComplete }) else { return }
        throw RecordingLibraryError(
            .changed, "no backup was written: \(repair.message)",
            remedy: "Bring back what the last backup has: woodshed library repair --from FILE, where FILE is \(last). "
                + "Then write the backup again.")
    }

    /// The files of the library's own and of takes. Counts what is linked.
    private func filesToBackUp(_ summary: inout BackupSummary) throws -> [BackupFiles.Wanted] {
        var wanted: [BackupFiles.Wanted] = []
        for item in try items() + items({ $0.isTrash = true }) {
            guard item.place == .kept else {
                summary.linked += 1
                continue
            }
            let member = BundleMember.recording(item.key, ending: BundleMember.ending(item.path, container: "wav"))
            wanted.append(.init(source: item.path, member: member) { .sound(of: $0, item.key) })
        }
        for (take, key, _) in try catalogueTakes() {
            let member = BundleMember.take(key, ending: BundleMember.ending(take.path, container: "wav"))
            wanted.append(.init(source: take.path, member: member) { .sound(of: $0, key) })
        }
        let documents = try documentRows().filter { $0.state != .gone }
        summary.linked += documents.count { $0.place == .linked }
        var seen: Set<String> = []
        for row in documents where row.place == .kept && seen.insert(row.hash).inserted {
            let member = BundleMember.document(hash: row.hash, ending: DocumentFile.ending(row.path))
            let hash = row.hash
            wanted.append(.init(source: path(of: row), member: member) { .content(of: $0, hash) })
        }
        return wanted
    }

    /// Whether a file has the sound of a key, as far as that can be computed.
    static func isSound(_ path: String, _ key: RecordingKey) -> Bool { ContentCheck.sound(of: path, key) == .right }

    /// The result of copying a file that is checked.
    enum Copying: Equatable {
        case copied
        /// The content is another one.
        case wrong
        /// The content could not be compared, or the file could not be read, for this reason.
        case unknown(String)
        /// There is a file with the name of the copy.
        case taken
        /// The file system refuses the name of the copy.
        case refused(RecordingLibraryError)
    }

    /// Copies a file, and gives the copy its name when it is on the disk and its content is right.
    ///
    /// - Parameters:
    ///   - other: The path that the copy has first; nil for a new name beside its own. On another disk it is not used.
    ///   - replaces: Whether a file of that name may be replaced. If so, the result is never `taken` or `refused`.
    func copyChecked(
        _ source: String, to place: String, through other: String? = nil, replaces: Bool = true,
        check: (String) -> ContentCheck
    ) throws -> Copying {
        let part = other ?? FilePlace.folder(of: place) + "/" + FilePlace.temporaryName()
        let file: RegularFile
        do throws(FileFault) { file = try unsafe RegularFile(FileName.systemName(source)) } catch {
            return .unknown(ContentCheck.reason(RecordingLibraryError.reading(source, error), about: source))
        }
        do throws(FileFault) { try FileCopy.copy(file, to: part, calls: calls) } catch {
            throw RecordingLibraryError.writing(place, error)
        }
        defer { _ = calls.remove(part) }
        switch check(part) {
        case .right: break
        case .wrong: return .wrong
        case .unknown(let reason): return .unknown(reason)
        }
        do throws(FileFault) { try FileCopy.synchronise(part, calls: calls) } catch {
            throw RecordingLibraryError.writing(place, error)
        }
        do throws(FileFault) {
            if replaces {
                let code = calls.rename(part, to: place)
                if code < 0 { throw FileFault(code: Int32(-code), isCreating: true) }
            } else {
                try FilePlace(place, followsLinks: false).put(part, replaces: false, calls: calls)
            }
        } catch {
            if other != nil, error.code == EXDEV {
                return try copyChecked(source, to: place, replaces: replaces, check: check)
            }
            if !replaces, error.code == EEXIST { return .taken }
            let failure = RecordingLibraryError.writing(place, error)
            // exFAT and NTFS know fewer names than ext4.
            if !replaces, [EINVAL, ENAMETOOLONG, EILSEQ, EPERM].contains(error.code) { return .refused(failure) }
            throw failure
        }
        return .copied
    }

    /// Removes the remains of earlier and interrupted backups that this one does not need.
    ///
    /// - Parameter isLocked: Whether no other program can write a backup into the folder. If one can, only the last store is removed.
    private func removeRemains(in target: String, but store: String, last: String?, isLocked: Bool) {
        for name in (try? Folder.names(in: target)) ?? [] {
            let stem = name.hasSuffix("-journal") ? String(name.dropLast("-journal".count)) : name
            if isLocked && BackupManifest.isOwnStoreName(stem) || stem == last, stem != store {
                _ = calls.remove(target + "/" + name)
            }
        }
        guard isLocked else { return }
        for folder in ["recordings", "takes", "documents"] {
            for name in (try? Folder.names(in: target + "/" + folder)) ?? []
            where name.hasPrefix(FilePlace.ownPrefix) && name.hasSuffix(FilePlace.temporarySuffix) {
                _ = calls.remove("\(target)/\(folder)/\(name)")
            }
        }
    }

    static func makeFolders(above path: String) throws(RecordingLibraryError) {
        do throws(LockedFile.Fault) { try StateFolder.makeFolders(above: path) } catch {
            if error.code == ENOTDIR {
                throw RecordingLibraryError(
                    .notEmpty, "\(FilePlace.folder(of: path)): a file is in the place of a folder",
                    remedy: "Choose another folder.")
            }
            throw .writing(path, FileFault(code: error.code, isCreating: true))
        }
    }

    /// Two backups at once would remove each other's files. The lock also ends with the program.
    ///
    /// - Returns: The descriptor, and whether it is locked: some file systems have no locks.
    private static func lock(
        _ target: String, _ take: (Int32) throws(FileFault) -> FileLock.Outcome
    ) throws(RecordingLibraryError) -> (descriptor: Int32, isTaken: Bool) {
        let descriptor = unsafe open(target + "/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
        if descriptor < 0 { throw .writing(target, FileFault(code: errno, isCreating: true)) }
        let outcome: FileLock.Outcome
        do throws(FileFault) { outcome = try take(descriptor) } catch {
            close(descriptor)
            throw .writing(target, error)
        }
        guard outcome != .held else {
            close(descriptor)
            throw RecordingLibraryError(
                .io, "another program is writing a backup into \(target)", remedy: "Wait until it is done.")
        }
        return (descriptor, outcome == .taken)
    }
}
