// Documents of recordings. Like a recording, the library's own file appears under its name complete and on the disk,
// before the store lists the file. A program that ends between two steps leaves at most an unlisted file, which `check`
// finds.
internal import AudioFiles
internal import Database
internal import Explanations
internal import Files
internal import Glibc
package import Store

extension RecordingLibrary {
    /// Returns the documents of a recording, in the order of attachment; none for an unknown recording.
    package func documents(of number: Int) throws(StoreError) -> [LibraryDocument] {
        try read { (rows) throws(DatabaseError) -> [LibraryDocument] in
            guard let row = try rows.item(number: number), !row.isGone else { return [] }
            return documents(try DocumentRows(items: rows).documents(of: row.recording))
        } ?? []
    }

    /// Attaches a file to a recording, unless the recording already has this content.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - number: Number of the recording.
    ///   - link: True to leave the file in its place, false to copy the file into the library.
    /// - Throws: `RecordingLibraryError`, `StoreError`. Nothing has changed after an error.
    @discardableResult
    package func attach(fileAt path: String, to number: Int, link: Bool = false) throws -> AttachedDocument {
        try attach(fileAt: path, to: number, link: link, copying: { _ in })
    }

    /// Does the same as ``attach(fileAt:to:link:)``, for a program that may have to end at once.
    ///
    /// - Parameter copying: Called with the path of the copy before copying. The file at this path is unfinished until
    ///   the call ends.
    package func attach(
        fileAt path: String, to number: Int, link: Bool, copying: (String) -> Void
    ) throws -> AttachedDocument {
        guard let item = try item(number) else { throw RecordingLibraryError.unknown(number) }
        guard !item.isTrashed else {
            throw RecordingLibraryError(
                .trashed, "\(item.words.title) is in the trash", remedy: "Bring it back with: woodshed rm --undo")
        }
        let (hash, byteCount) = try Self.content(ofFileAt: path)
        if let known = try documents(of: number).first(where: { $0.hash == hash }), !known.isMissing,
            known.place == .kept || link
        {
            return AttachedDocument(document: known, isNew: false)
        }
        let name = DocumentFile.shownName(path)
        if link {
            let place = FileName.absolute(path) ?? path
            return try write(
                .init(hash: hash, place: .linked, path: place, name: name, byteCount: byteCount), to: number)
        }
        try checkQuota(adding: byteCount)
        try folder.make(forDocuments: true)
        return try folder.writingParts {
            let part = try copyDocument(path, hash, copying)
            do {
                return try folder.exclusively {
                    try keep(part, .init(hash: hash, place: .kept, path: "", name: name, byteCount: byteCount), number)
                }
            } catch {
                _ = calls.remove(part)
                throw error
            }
        }
    }

    /// Removes a document from its recording. The library's own file stays in its trash, and `undoRemoval` restores the
    /// document.
    ///
    /// - Parameters:
    ///   - index: Place among the documents of the recording, from 1.
    ///   - number: Number of the recording.
    /// - Returns: The document before the removal.
    /// - Throws: `RecordingLibraryError` of kind `unknown`; `StoreError`.
    @discardableResult
    package func removeDocument(_ index: Int, of number: Int) throws -> LibraryDocument {
        let now = Self.now
        let row = try change(isRemoval: true) {
            (rows) throws(DatabaseError) -> Result<DocumentRow, RecordingLibraryError> in
            let documents = DocumentRows(items: rows)
            guard let item = try rows.item(number: number), !item.isGone else { return .failure(.unknown(number)) }
            let all = try documents.documents(of: item.recording)
            guard all.indices.contains(index - 1) else {
                return .failure(.noDocument(index, of: item.item.words.title, count: all.count))
            }
            try documents.trash(all[index - 1].id, at: now, trashing: rows.undoStep(nil, after: nil))
            return .success(all[index - 1])
        }.get()
        settleDocuments([row])
        return document(row, index: index)
    }

    // MARK: Parts

    private func documents(_ rows: [DocumentRow]) -> [LibraryDocument] {
        rows.enumerated().map { document($1, index: $0 + 1) }
    }

    package func document(_ row: DocumentRow, index: Int) -> LibraryDocument {
        LibraryDocument(
            index: index, itemNumber: row.itemNumber, name: row.name, place: row.place, path: path(of: row),
            byteCount: row.byteCount, hash: row.hash, addedAt: row.addedAt)
    }

    /// Returns the expected path of a document's file.
    package func path(of row: DocumentRow) -> String {
        guard row.place == .kept else { return row.path }
        return row.isFilePresent ? folder.document(row.path) : folder.trashedDocument(row.path)
    }

    private static func content(ofFileAt path: String) throws(RecordingLibraryError) -> (hash: String, bytes: Int64) {
        do throws(FileFault) {
            let file = try unsafe RegularFile(FileName.systemName(path))
            return (try DocumentFile.hash(of: file.descriptor), file.byteCount)
        } catch { throw .reading(path, error) }
    }

    /// Copies a document into the folder for parts. Returns the path of the copy. The copy is on the disk, and its hash
    /// matches.
    private func copyDocument(
        _ path: String, _ hash: String, _ copying: (String) -> Void
    ) throws(RecordingLibraryError) -> String {
        let part = folder.newPart()
        let source: RegularFile
        do throws(FileFault) { source = try unsafe RegularFile(FileName.systemName(path)) } catch {
            throw .reading(path, error)
        }
        copying(part)
        do throws(FileFault) {
            try FileCopy.copy(source, to: part, calls: calls)
            try FileCopy.synchronise(part, calls: calls)
        } catch {
            _ = calls.remove(part)
            throw .writing(folder.path, error)
        }
        guard DocumentFile.hash(ofFileAt: part) == hash else {
            _ = calls.remove(part)
            throw RecordingLibraryError(
                .changed, "\(path): the file changed while it was copied", remedy: "Try again.")
        }
        return part
    }

    /// Names a copy and writes its row, while no other program moves files in the folder.
    private func keep(_ part: String, _ new: DocumentRows.New, _ number: Int) throws -> AttachedDocument {
        // Each content has one file, whatever its first ending was.
        let known = try read { (rows) throws(DatabaseError) in try DocumentRows(items: rows).kept(new.hash) } ?? []
        let name = known.first?.path ?? DocumentFile.name(new.hash, original: new.name)
        let target = folder.document(name)
        let wasThere = FileIdentity(path: target) != nil
        let code = calls.rename(part, to: target)
        if code < 0 {
            throw RecordingLibraryError.writing(folder.path, FileFault(code: Int32(-code), isCreating: true))
        }
        do {
            let synchronised = calls.synchroniseFolder(folder.documents)
            if synchronised < 0, synchronised != -Int(EINVAL) {
                throw RecordingLibraryError.writing(folder.path, FileFault(code: Int32(-synchronised)))
            }
            let new = DocumentRows.New(
                hash: new.hash, place: .kept, path: name, name: new.name, byteCount: new.byteCount)
            return try write(new, to: number)
        } catch {
            if !wasThere { _ = calls.remove(target) }
            throw error
        }
    }

    private func write(_ new: DocumentRows.New, to number: Int) throws -> AttachedDocument {
        let (now, changed) = (Self.now, StoreRows.milliseconds)
        let (rows, unneeded) = try change {
            (rows) throws(DatabaseError) -> Result<([DocumentRow], Set<String>), RecordingLibraryError> in
            let documents = DocumentRows(items: rows)
            // Another program may have removed the recording meanwhile.
            guard let item = try rows.item(number: number), !item.isGone, !item.item.isTrashed else {
                return .failure(.unknown(number))
            }
            let before = try documents.kept(new.hash).map(\.path)
            let last = try documents.document(new.hash, of: item.recording)?.changedAt ?? -1
            try documents.write(new, of: item.recording, at: now, changed: max(changed, last + 1))
            let after = try documents.kept(new.hash).map(\.path)
            return .success((try documents.documents(of: item.recording), Set(before).subtracting(after)))
        }.get()
        guard let document = documents(rows).first(where: { $0.hash == new.hash }) else {
            throw RecordingLibraryError.unknown(number)
        }
        // The same content may have been in the trash.
        if new.place == .kept { _ = calls.remove(folder.trashedDocument(new.path)) }
        // Removes the copy of a document that is now linked.
        for name in unneeded {
            for path in [folder.trashedDocument(name), folder.document(name)] { _ = calls.remove(path) }
        }
        return AttachedDocument(document: document, isNew: true)
    }
}

extension RecordingLibraryError {
    fileprivate static func noDocument(_ index: Int, of title: String, count: Int) -> RecordingLibraryError {
        let number = count == 0 ? "no documents" : counted(count, "document")
        return RecordingLibraryError(
            .unknown, "there is no document \(index): \(title) has \(number)",
            remedy: "List the documents with: woodshed attach RECORDING --list")
    }
}
