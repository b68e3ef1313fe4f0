internal import AudioFiles
public import Catalogue
internal import Database
internal import Explanations
internal import Files
internal import Glibc
internal import Store
internal import UserState

/// Contents of a backup, and the share that is new.
public struct BackupSummary: Sendable, Hashable {
    /// Files of recordings, takes and documents in the backup.
    public internal(set) var files = 0
    /// Files copied by this backup.
    public internal(set) var copied = 0
    /// Bytes copied by this backup.
    public internal(set) var copiedBytes: Int64 = 0
    /// Linked recordings and documents: these stay in the user's folders and are not in the backup.
    package internal(set) var linked = 0
    /// Files of the user's configuration in the backup.
    package internal(set) var settings = 0
    /// Earlier files of the backup compared by this backup with the files' keys or hashes.
    package internal(set) var compared = 0
    /// Paths of damaged files in the backup, replaced by new copies.
    public internal(set) var repaired: [String] = []
    /// Files that are missing or changed, here or in the backup, and files that could not be copied, as plain
    /// sentences.
    public internal(set) var problems: [String] = []
}

extension RecordingLibrary {
    /// Writes a backup of everything kept into a folder: a consistent copy of the store, and the library's own files
    /// and takes that the folder does not yet have.
    ///
    /// After the first complete backup, the folder holds a complete backup at any moment: the manifest that makes the
    /// new backup valid is written last. If the program ends early, the next backup continues. Linked recordings belong
    /// to the user and are not copied.
    ///
    /// Each backup compares a tenth of the existing copies with their keys or hashes, oldest comparisons first; ten
    /// backups compare all. A damaged copy is replaced. A file that has changed since its addition never replaces a
    /// good copy.
    ///
    /// - Parameters:
    ///   - path: Folder of the backup; created if missing.
    ///   - isVerifying: True to compare all files in the folder.
    ///   - isCancelled: Called for each file.
    /// - Throws: `RecordingLibraryError`, of kind `notEmpty` if the folder has a `manifest.json` that no backup has
    ///   written; `StoreError`.
    @discardableResult
    public func backUp(
        to path: String, isVerifying: Bool = false, isCancelled: () -> Bool = { false }
    ) throws -> BackupSummary {
        try backUp(to: path, settings: [], isVerifying: isVerifying, isCancelled: isCancelled)
    }

    /// Also copies the command's configuration.
    ///
    /// - Parameter settings: Paths of the user's configuration, each with a different file name. Missing files are
    ///   skipped.
    @discardableResult
    package func backUp(
        to path: String, settings: [String], isVerifying: Bool = false, isCancelled: () -> Bool = { false }
    ) throws -> BackupSummary {
        try backUp(
            to: path, settings: settings, isVerifying: isVerifying,
            lock: { (descriptor) throws(FileFault) in try FileLock.take(descriptor) }, isCancelled: isCancelled)
    }

    /// - Parameter lock: Requests the lock of a file. Some file systems have no locks.
    func backUp(
        to path: String, settings: [String], isVerifying: Bool,
        lock take: (Int32) throws(FileFault) -> FileLock.Outcome, isCancelled: () -> Bool
    ) throws -> BackupSummary {
        let target = FileName.absolute(path) ?? path
        let earlier = store.repair
        guard target != folder.path, !target.hasPrefix(folder.path + "/") else {
            throw RecordingLibraryError(
                .textRefused, "a backup inside the library's folder would be lost with the library",
                remedy: "Choose another folder, best on another disk.")
        }
        guard try read({ _ in true }) == true else {
            throw RecordingLibraryError(.unknown, "there is nothing to back up yet", remedy: "Add recordings first.")
        }
        if unsafe FileState(FileName.systemName(target)) != nil {
            throw RecordingLibraryError(
                .notEmpty, "\(path) is a file, and a backup needs a folder",
                remedy: "Choose a folder, or a name that does not exist yet.")
        }
        // A refused backup leaves the folder unchanged.
        _ = try BackupManifest(in: target, isReplaced: true)
        for name in ["recordings", "takes"] { try Self.makeFolders(above: "\(target)/\(name)/x") }
        let lock = try Self.lock(target, take)
        defer { FileLock.release(lock.descriptor) }
        // The copied store must contain the keys of takes.
        try findTakes()
        let name = BackupManifest.newStoreName()
        // Manifest of the backup that the new backup replaces.
        let last = try BackupManifest(in: target, isReplaced: true)
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

    /// The copy has the private keys of addresses, so only the user may read the copy.
    private func copyStore(to path: String) throws {
        let file = calls.create(path)
        if file < 0 { throw RecordingLibraryError.writing(path, FileFault(code: Int32(-file), isCreating: true)) }
        _ = fchmod(Int32(file), 0o600)
        _ = calls.close(Int32(file))
        _ = try store.read { (rows) throws(DatabaseError) in
            try rows.database.copy(to: Database(path: path, creating: true))
        }
    }

    private func backUpFiles(
        to target: String, store name: String, last: BackupManifest?, settings paths: [String], isVerifying: Bool,
        isLocked: Bool, repaired earlier: StoreRepair?, _ isCancelled: () -> Bool
    ) throws -> BackupSummary {
        // Read from the copy: later additions to the store are not in the copy.
        let copy = try RecordingLibrary(
            PracticeStore(.file(target + "/" + name)), folder: folder.path, calls: calls)
        var summary = BackupSummary()
        let wanted = try copy.filesToBackUp(since: last, &summary)
        if let last { try refuseLosses(of: copy, since: earlier, keeping: target + "/" + last.store) }
        for file in wanted { try Self.makeFolders(above: target + "/" + file.member.name) }
        var files = BackupFiles(self, target, last: last, summary, now: StoreRows.milliseconds)
        try files.update(wanted, isVerifying: isVerifying, isCancelled)
        summary = files.summary
        summary.problems += copy.store.unreadable.sorted()
        if let repair = copy.store.repair {
            summary.problems.append(repair.message)
            // Remove the kept damaged file: the store here has the same damage.
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
            // Without locks, another program may have removed the copy as a leftover.
            guard FileIdentity(path: target + "/" + name) != nil else { throw FileFault(code: ENOENT) }
            let file = try WholeFile(target + "/" + BackupManifest.name, calls: calls)
            try file.append(Array(manifest.text.utf8))
            try file.commit()
        } catch { throw RecordingLibraryError.writing(target, error) }
        // Without the lock, another program that writes a backup at the same time may need these files.
        if isLocked { settings.removeOthers(in: target, self) }
        return summary
    }

    /// Throws if a repair has lost rows of the store: the last backup, which the new backup would replace, may have the
    /// last copy of these rows.
    ///
    /// - Parameter earlier: The repair before this backup, already known to the user.
    private func refuseLosses(
        of copy: RecordingLibrary, since earlier: StoreRepair?, keeping last: String
    ) throws {
        if copy.store.repair != nil {
            // The store here has the same damage as the copy; reading repairs the store.
            var summary = BackupSummary()
            _ = try filesToBackUp(since: nil, &summary)
        }
        let repairs = [store.repair == earlier ? nil : store.repair, copy.store.repair]
        guard let repair = repairs.compactMap(\.self).first(where: { !$0.isComplete }) else { return }
        throw RecordingLibraryError(
            .changed, "no backup was written: \(repair.message)",
            remedy:
                "Before the next backup, bring back the rows of the last one with: "
                + "woodshed library repair --from \(shellPath(last))")
    }

    /// Returns the library's own files and the takes, also in the trash. Counts linked files in the summary.
    private func filesToBackUp(
        since last: BackupManifest?, _ summary: inout BackupSummary
    ) throws -> [BackupFiles.Wanted] {
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
        let copied = Set((last?.files ?? []).map(\.member.name))
        var places = Dictionary(wanted.enumerated().map { ($1.member.name, $0) }) { first, _ in first }
        for (take, key) in try trashedTakes() {
            let member = BundleMember.take(key, ending: BundleMember.ending(take.path, container: "wav"))
            // An interrupted deletion or restoring leaves the file under the take's name.
            let isHidden = FileIdentity(path: take.currentPath) != nil || !Self.isSound(take.path, key)
            let source = isHidden ? take.currentPath : take.path
            if let place = places[member.name] {
                let other = wanted[place].source
                guard !Self.isSound(other, key), Self.isSound(source, key) else { continue }
                summary.problems.append("\(other) is missing or has changed; its sound in the backup is from \(source)")
                wanted[place].source = source
                continue
            }
            // A take whose name was reused may be in the trash without a file. A copy may be the last copy.
            guard FileIdentity(path: source) != nil || copied.contains(member.name) else { continue }
            places[member.name] = wanted.count
            wanted.append(.init(source: source, member: member) { .sound(of: $0, key) })
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

    /// True if a file has the sound of a key. False if the sound differs or cannot be computed.
    static func isSound(_ path: String, _ key: RecordingKey) -> Bool { ContentCheck.sound(of: path, key) == .right }

    /// Result of a checked copy.
    enum Copying: Equatable {
        case copied
        /// The content differs.
        case wrong
        /// The content could not be compared, or the file could not be read, for this reason.
        case unknown(String)
        /// A file with the name of the copy exists.
        case taken
        /// The file system refuses the name of the copy.
        case refused(RecordingLibraryError)
    }

    /// Copies a file through a temporary name. The copy gets its final name only when its content is right and on the
    /// disk.
    ///
    /// - Parameters:
    ///   - other: Temporary path of the copy; nil for a new name in the same folder. If `other` is on another disk, the
    ///     copy is repeated without it.
    ///   - replaces: True if an existing file of that name may be replaced. If so, the result is never `taken` or
    ///     `refused`.
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
            // exFAT and NTFS allow fewer names than ext4.
            if !replaces, [EINVAL, ENAMETOOLONG, EILSEQ, EPERM].contains(error.code) { return .refused(failure) }
            throw failure
        }
        return .copied
    }

    /// Removes leftovers of earlier and interrupted backups.
    ///
    /// - Parameter isLocked: True if no other program can write a backup into the folder. If false, only the last store
    ///   is removed.
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

    /// Locks the folder of a backup: two concurrent backups would remove each other's files. The lock also ends with
    /// the program.
    ///
    /// - Returns: The descriptor, and whether it is locked. Some file systems have no locks.
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
                .io, "another program is writing a backup into \(target)",
                remedy: "Wait until the other program has finished.")
        }
        return (descriptor, outcome == .taken)
    }
}
