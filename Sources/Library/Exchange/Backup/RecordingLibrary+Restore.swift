internal import AudioFiles
public import Catalogue
internal import Database
internal import Explanations
internal import Files
internal import Glibc
internal import Store
internal import TextFormats

extension RecordingLibrary {
    /// Restores a backup into an empty library, or merges the backup into this library.
    ///
    /// Every file is compared with its key. After an interruption, an empty library is still empty, and a repeated call
    /// continues.
    ///
    /// - Parameters:
    ///   - path: Folder of the backup.
    ///   - merging: True to merge the backup into a library that is not empty, like an import.
    ///   - isCancelled: Called for each file.
    /// - Throws: `RecordingLibraryError`, of kind `notEmpty` if the library is not empty and `merging` is false;
    ///   `StoreError`.
    @discardableResult
    public func restore(
        from path: String, merging: Bool = false, isCancelled: () -> Bool = { false }
    ) throws -> ImportSummary {
        try restore(from: path, merging: merging, settings: [], isCancelled: isCancelled)
    }

    /// Also restores the command's configuration.
    ///
    /// - Parameter settings: Paths of the user's configuration. A missing file is restored; an existing file is never
    ///   changed.
    /// - Parameter told: Called after each merged part, with the summary of all parts so far. Not called for an empty
    ///   library, which stays empty until the end of the restoration.
    @discardableResult
    package func restore(
        from path: String, merging: Bool = false, settings: [String], isCancelled: () -> Bool = { false },
        told: (ImportSummary) -> Void = { _ in }
    ) throws -> ImportSummary {
        guard let manifest = try BackupManifest(in: path) else {
            throw RecordingLibraryError(
                .badBundle, "\(path): there is no complete backup",
                remedy: "Choose the folder of a backup.")
        }
        guard let place = store.filePath else { throw RecordingLibraryError.noHome }
        let isEmpty = try read { (rows) throws(DatabaseError) in try Self.isEmpty(rows.rows) } ?? true
        guard isEmpty || merging else { throw RecordingLibraryError.notEmpty }
        try folder.make()
        return try folder.writingParts {
            try restore(
                manifest, from: path, to: isEmpty ? place : nil, settings: settings, isCancelled
            ) { if !isEmpty { told($0) } }
        }
    }

    /// - Parameter place: Path of the store that the backup's store replaces; nil to merge the backup.
    private func restore(
        _ manifest: BackupManifest, from path: String, to place: String?, settings: [String],
        _ isCancelled: () -> Bool, _ told: (ImportSummary) -> Void
    ) throws -> ImportSummary {
        // The backup stays unchanged: each program works on a separate copy.
        let copy = place.map { $0 + LibraryFolder.partName() } ?? folder.newPart()
        defer { removeStore(at: copy) }
        try copyStore(of: manifest, in: path, to: copy)
        let replaced = try StoreRepair.replaceForeignParts(
            ofCopy: copy, of: path + "/" + manifest.store, calls: calls)
        let other = try RecordingLibrary(PracticeStore(ofCopy: copy), folder: folder.path, calls: calls)
        var summary = ImportSummary()
        let now = StoreRows.milliseconds
        // Numbers and paths from outside are limited, like the values of a damaged store.
        _ = try other.change { (items) throws(DatabaseError) in
            try SalvagedRows(rows: items.rows, now: now).limitNumbers(items)
        }
        // Before finding the keys of takes: a file of the user at a take's path would give its key to the take.
        try other.moveAwayTakes()
        let catalogue = try other.catalogue()
        let names = Dictionary(try other.catalogueTakes().map { ($0.key, $0.take.path) }) { first, _ in first }
        let deleted = Set(try other.trashedTakes().map(\.key)).subtracting(names.keys)
        var hidden: [String] = []
        if let place {
            do {
                try other.restoreFiles(manifest, path, catalogue, names, deleted, &summary, &hidden, isCancelled, told)
                summary.merge.added = try other.items().count
                try replaceStore(at: place, by: copy)
            } catch {
                // The store here knows none of these files, and its later takes in the trash need the names.
                for name in hidden { _ = calls.remove(name) }
                throw error
            }
        } else {
            let pieces = CataloguePieces(catalogue)
            summary.merge = try apply(
                pieces, isCancelled: isCancelled, told: { told(ImportSummary(merge: $0)) })
            try restoreFiles(manifest, path, catalogue, names, deleted, &summary, &hidden, isCancelled, told)
            summary.merge.takes += try apply(takes: pieces.takes).takes
        }
        for repair in [replaced, other.store.repair].compactMap(\.self) where !repair.isComplete {
            summary.refused.append("\(path)/\(manifest.store): \(repair.message)")
        }
        manifest.settings.restore(settings, from: path, self, &summary)
        return summary
    }

    /// Removes a temporary store with its companion files: journal, reserve, and copy in the form of an earlier
    /// version.
    func removeStore(at path: String) {
        let (folder, name) = (FilePlace.folder(of: path), fileName(path))
        for other in (try? Folder.names(in: folder)) ?? []
        where other == name || other.hasPrefix(name + ".") || other.hasPrefix(name + "-") {
            _ = calls.remove(folder + "/" + other)
        }
    }

    private func copyStore(
        of manifest: BackupManifest, in backup: String, to copy: String
    ) throws(RecordingLibraryError) {
        let path = backup + "/" + manifest.store
        let source: RegularFile
        do throws(FileFault) { source = try unsafe RegularFile(FileName.systemName(path)) } catch {
            throw .reading(path, error)
        }
        do throws(FileFault) { try FileCopy.copy(source, to: copy, calls: calls) } catch { throw .writing(copy, error) }
    }

    /// Gives a copy the name of the store. Fails if the store is no longer empty: another program may have added
    /// something meanwhile.
    private func replaceStore(at place: String, by copy: String) throws {
        let calls = calls
        do throws(FileFault) { try FileCopy.synchronise(copy, calls: calls) } catch {
            throw RecordingLibraryError.writing(place, error)
        }
        // Renames inside a transaction, so no other program can change the store. A program that waits for the lock
        // notices the new file.
        try store.change { (rows) throws(DatabaseError) -> Result<Void, RecordingLibraryError> in
            guard try Self.isEmpty(rows) else { return .failure(.notEmpty) }
            let code = calls.rename(copy, to: place)
            if code < 0 { return .failure(.writing(place, FileFault(code: Int32(-code), isCreating: true))) }
            return .success(())
        }.get()
        _ = calls.synchroniseFolder(FilePlace.folder(of: place))
    }

    private static func isEmpty(_ rows: StoreRows) throws(DatabaseError) -> Bool {
        let tables = ["recording", "item", "take", "playlist", "feed", "fetch"]
        let query = "SELECT " + tables.map { "(SELECT count(*) FROM \($0))" }.joined(separator: " + ")
        return try rows.database.first(query) { (row) throws(DatabaseError) in try row.integer(0) } == 0
    }

    /// Puts the files of a backup in their places. The store already lists these files.
    ///
    /// - Parameters:
    ///   - names: Paths of the takes on the computer of the backup.
    ///   - deleted: Takes in the trash of the backup's store. A merge leaves these out, as an import does.
    private func restoreFiles(
        _ manifest: BackupManifest, _ backup: String, _ catalogue: LibraryCatalogue, _ names: [RecordingKey: String],
        _ deleted: Set<RecordingKey>, _ summary: inout ImportSummary, _ hidden: inout [String],
        _ isCancelled: () -> Bool, _ told: (ImportSummary) -> Void
    ) throws {
        var takes: [RecordingKey: StoredTake] = [:]
        for (take, key, _) in try catalogueTakes() { takes[key] = take }
        let trashed = Dictionary(grouping: try trashedTakes(), by: \.key)
        var used = try takePaths()
        for file in manifest.files {
            told(summary)
            if isCancelled() { throw RecordingLibraryError.cancelled }
            let source = backup + "/" + file.member.name
            guard unsafe FileState(FileName.systemName(source)) != nil else {
                summary.refuse("\(source) is missing")
                continue
            }
            switch file.member {
            case .catalogue: break
            case .recording(let key, _):
                guard let item = try item(key), item.place == .kept, item.isMissing else {
                    summary.passedOver += 1
                    continue
                }
                let copying = try copyChecked(
                    source, to: item.path, through: folder.newPart(), check: { ContentCheck.sound(of: $0, key) })
                switch copying {
                case .copied: break
                case .unknown(let reason):
                    summary.refuse("\(source) could not be compared: \(reason)")
                    continue
                case .wrong, .taken, .refused:
                    summary.refuse("\(source): its sound does not match its name")
                    continue
                }
                if item.byteCount != file.byteCount { _ = try? add(fileAt: item.path, .move) }
                summary.recordings += 1
            case .take(let key, let ending):
                let isListed = takes[key] != nil || !deleted.contains(key)
                let wanted = (isListed ? [takes[key]] : []) + (trashed[key] ?? []).map(\.take)
                if wanted.isEmpty { summary.passedOver += 1 }
                for take in wanted {
                    // The path may come from another computer, and may name a different file here.
                    if let take, Self.isSound(take.currentPath, key) {
                        summary.passedOver += 1
                        continue
                    }
                    let isTrashed = take?.isTrashed == true
                    let place: String
                    switch try putTake(
                        source, key, ending: ending, was: isTrashed ? take?.path : names[key], take, used: used)
                    {
                    case .placed(let path): place = path
                    case .unknown(let reason):
                        summary.refuse("\(source) could not be compared: \(reason)")
                        continue
                    case .wrong:
                        summary.refuse("\(source): its sound does not match its name")
                        continue
                    case .taken(let path):
                        summary.refuse("\(source) is a take in the trash, and another file has its place: \(path)")
                        continue
                    }
                    if let take {
                        if isTrashed { hidden.append(TakeTrash.path(of: place, number: take.number)) }
                        used[place, default: []].insert(take.number)
                        try store.finish(take: take.number, frameCount: take.sound.frameCount, path: place)
                        try store.change { (rows) throws(DatabaseError) in
                            try rows.setContent(key, ofTake: take.number)
                        }
                    } else {
                        guard try addTake(inFileAt: place, key, catalogue.takes) else { continue }
                    }
                    summary.takes += 1
                }
            case .document(let hash, _):
                guard try isDocumentWanted(hash) else {
                    summary.passedOver += 1
                    continue
                }
                let part = folder.newPart()
                defer { _ = calls.remove(part) }
                let copying = try copyChecked(
                    source, to: part, through: folder.newPart(), check: { ContentCheck.content(of: $0, hash) })
                guard copying == .copied else {
                    summary.refuse("\(source): its content does not match its name")
                    continue
                }
                if try takeIn(documentAt: part, hash) { summary.documents += 1 } else { summary.passedOver += 1 }
            }
        }
        told(summary)
        for name in [folder.path, takesFolder] { _ = calls.synchroniseFolder(name) }
    }
}

extension RecordingLibraryError {
    fileprivate static var notEmpty: RecordingLibraryError {
        RecordingLibraryError(
            .notEmpty, "the library is not empty, and a backup would replace it",
            remedy: "Merge the backup into the library with --merge, or set XDG_DATA_HOME to an empty folder.")
    }
}
