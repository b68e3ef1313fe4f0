internal import AudioFiles
public import Catalogue
internal import Database
internal import Files
internal import Glibc
internal import Store
internal import TextFormats

extension RecordingLibrary {
    /// Brings back everything from a backup into a library that is empty, or merges the backup into this one.
    ///
    /// Every file is compared with its key. If the program ends before the end, an empty library stays empty, and doing it again goes on.
    ///
    /// - Parameters:
    ///   - path: The folder of the backup.
    ///   - merging: Whether the backup is merged into a library that is not empty, as an import is.
    ///   - settings: Where the user's configuration belongs: a file that is missing there is brought back, one that is there is never changed.
    ///   - isCancelled: Asked for each file.
    /// - Throws: `RecordingLibraryError`, of kind `notEmpty` if the library is not empty and `merging` is false; `StoreError`.
    @discardableResult
    public func restore(
        from path: String, merging: Bool = false, settings: [String] = [], isCancelled: () -> Bool = { false }
    ) throws -> ImportSummary {
        guard let manifest = try BackupManifest(in: path) else {
            throw RecordingLibraryError(
                .badBundle, "\(path): there is no backup, or none that is whole",
                remedy: "Choose the folder of a backup.")
        }
        guard let place = store.path else { throw RecordingLibraryError.noHome }
        let isEmpty = try read { (rows) throws(DatabaseError) in try Self.isEmpty(rows.rows) } ?? true
        guard isEmpty || merging else { throw RecordingLibraryError.notEmpty }
        try folder.make()
        return try folder.writingParts {
            try restore(manifest, from: path, to: isEmpty ? place : nil, settings: settings, isCancelled)
        }
    }

    /// - Parameter place: The path of the store, if the one of the backup becomes it; nil if the backup is merged.
    private func restore(
        _ manifest: BackupManifest, from path: String, to place: String?, settings: [String], _ isCancelled: () -> Bool
    ) throws -> ImportSummary {
        // The backup stays as it is. Each program has a copy of its own.
        let copy = place.map { $0 + LibraryFolder.partName() } ?? folder.newPart()
        defer { removeStore(at: copy) }
        try copyStore(of: manifest, in: path, to: copy)
        let replaced = try StoreRepair.replaceForeignParts(
            ofCopy: copy, of: path + "/" + manifest.store, calls: calls)
        let other = try RecordingLibrary(PracticeStore(ofCopy: copy), folder: folder.path, calls: calls)
        var summary = ImportSummary()
        let now = StoreRows.milliseconds
        // Outside numbers and places, as those of a damaged store.
        _ = try other.change { (items) throws(DatabaseError) in
            try SalvagedRows(rows: items.rows, now: now).limitNumbers(items)
        }
        // Before the keys of takes are found: a file of the user's would give its key to a take.
        try other.moveAwayTakes()
        let catalogue = try other.catalogue()
        let names = Dictionary(try other.catalogueTakes().map { ($0.key, $0.take.path) }) { first, _ in first }
        if let place {
            try other.restoreFiles(manifest, path, catalogue, names, &summary, isCancelled)
            summary.merge.added = try other.items().count
            try replaceStore(at: place, by: copy)
        } else {
            let pieces = CataloguePieces(catalogue)
            summary.merge = try apply(pieces, isCancelled: isCancelled)
            try restoreFiles(manifest, path, catalogue, names, &summary, isCancelled)
            summary.merge.takes += try apply(takes: pieces.lists.takes).takes
        }
        for repair in [replaced, other.store.repair].compactMap(\.self) where !repair.isComplete {
            summary.refused.append("\(path)/\(manifest.store): \(repair.message)")
        }
        manifest.settings.restore(settings, from: path, self, &summary)
        return summary
    }

    /// Removes a temporary store with the files beside it: its journal, its reserve, and its copy in the form of an earlier version.
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

    /// Gives a copy the name of the store, which has to be empty still: another program may have added something meanwhile.
    private func replaceStore(at place: String, by copy: String) throws {
        let calls = calls
        do throws(FileFault) { try FileCopy.synchronise(copy, calls: calls) } catch {
            throw RecordingLibraryError.writing(place, error)
        }
        // While no other program can change the store. One that waits for that notices that there is another file.
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

    /// Puts the files of a backup in their places. The store knows them already.
    ///
    /// - Parameter names: Where the takes were on the computer of the backup.
    private func restoreFiles(
        _ manifest: BackupManifest, _ backup: String, _ catalogue: LibraryCatalogue, _ names: [RecordingKey: String],
        _ summary: inout ImportSummary, _ isCancelled: () -> Bool
    ) throws {
        var takes: [RecordingKey: StoredTake] = [:]
        for (take, key, _) in try catalogueTakes() { takes[key] = take }
        let used = try takePaths()
        for file in manifest.files {
            if isCancelled() { throw RecordingLibraryError.cancelled }
            let source = backup + "/" + file.member.name
            guard unsafe FileState(FileName.systemName(source)) != nil else {
                summary.refused.append("\(source) is missing")
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
                    summary.refused.append("\(source) could not be compared: \(reason)")
                    continue
                case .wrong, .taken, .refused:
                    summary.refused.append("\(source): its sound is not the one that its name says")
                    continue
                }
                if item.byteCount != file.byteCount { _ = try? add(fileAt: item.path, .move) }
                summary.recordings += 1
            case .take(let key, let ending):
                let take = takes[key]
                // The path may be another computer's, and here another file's.
                if let take, Self.isSound(take.path, key) {
                    summary.passedOver += 1
                    continue
                }
                let place: String
                switch try putTake(
                    source, key, ending: ending, was: names[key], number: take?.number, used: used)
                {
                case .placed(let path): place = path
                case .unknown(let reason):
                    summary.refused.append("\(source) could not be compared: \(reason)")
                    continue
                case .wrong:
                    summary.refused.append("\(source): its sound is not the one that its name says")
                    continue
                }
                if let take {
                    try store.finish(take: take.number, frameCount: take.sound.frameCount, path: place)
                    try store.change { (rows) throws(DatabaseError) in try rows.setContent(key, ofTake: take.number) }
                } else {
                    guard try addTake(inFileAt: place, key, catalogue) else { continue }
                }
                summary.takes += 1
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
                    summary.refused.append("\(source): its content is not the one that its name says")
                    continue
                }
                if try takeIn(documentAt: part, hash) { summary.documents += 1 } else { summary.passedOver += 1 }
            }
        }
        for name in [folder.path, takesFolder] { _ = calls.synchroniseFolder(name) }
    }
}

extension RecordingLibraryError {
    fileprivate static let notEmpty = RecordingLibraryError(
        .notEmpty, "the library is not empty, and a backup would replace it",
        remedy: "Merge the backup into it with --merge, or set XDG_DATA_HOME to an empty folder.")
}
