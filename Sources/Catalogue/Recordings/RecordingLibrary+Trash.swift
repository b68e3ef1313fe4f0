// Removing and restoring recordings. The store changes first: if the program ends before moving a file, the file is
// found in its old place, and `check` moves the file.
package import Database
internal import Explanations
internal import Files
internal import Glibc
internal import RunLog
package import Store

extension RecordingLibrary {
    /// Moves recordings to the trash, in one step that `undoRemoval` reverses. The library's own files stay in its
    /// trash; linked files stay in place. Sections, takes and progress stay in the store.
    ///
    /// Many recordings go in pieces, each in one transaction, so that other programs can use the store between two
    /// pieces. After an interruption, repeating the call completes the removal: recordings already in the trash are
    /// passed by.
    ///
    /// - Returns: The removed recordings, after the change.
    /// - Throws: `RecordingLibraryError` if a recording is unknown, or if all recordings are already in the trash:
    ///   nothing has changed; `StoreError`: the pieces before the error are in the trash.
    @discardableResult
    public func remove(_ numbers: [Int]) throws -> [LibraryItem] { try remove(numbers) {} }

    /// - Parameters:
    ///   - told: Called with the removed recordings after each piece.
    ///   - pieceDone: Called between two pieces; an error ends the removal there.
    package func remove(
        _ numbers: [Int], atOnce: Int = changedAtOnce, told: ([LibraryItem]) -> Void = { _ in },
        pieceDone: () throws -> Void
    ) throws -> [LibraryItem] {
        let known = try read { (rows) throws(DatabaseError) in try rows.numbers() } ?? []
        let sorted = Set(numbers).sorted()
        if let unknown = sorted.first(where: { !known.contains($0) }) { throw RecordingLibraryError.unknown(unknown) }
        // One undo step for all pieces.
        var trashing: Int64?
        var (removed, earlier): ([LibraryItem], [ItemRow]) = ([], [])
        try PracticeStore.inPieces(sorted, atOnce: atOnce) { (piece, isLast) in
            let removal = try remove(piece, trashing)
            trashing = removal.trashing
            removed += removal.rows.map(\.item)
            earlier += removal.earlier
            told(removal.rows.map(\.item))
            if !isLast { try pieceDone() }
        }
        if removed.isEmpty, let row = earlier.first {
            throw RecordingLibraryError(
                .trashed, "\(row.item.words.title) is in the trash already",
                remedy: "Bring it back with: woodshed rm --undo")
        }
        return removed
    }

    /// The recordings of one piece of a removal.
    private struct Removal: Sendable {
        /// Number of the undo step; nil before the first removed recording.
        var trashing: Int64?
        /// Rows of the removed recordings, after the change.
        var rows: [ItemRow] = []
        /// Recordings that an earlier removal has moved to the trash.
        var earlier: [ItemRow] = []
    }

    /// Removes the recordings of one piece, and moves their files.
    private func remove(_ piece: [Int], _ trashing: Int64?) throws -> Removal {
        // Exclusive: if another program added the same recording now, its file would go into the trash while the
        // recording stays.
        let removal = try folder.exclusively { () throws in
            let removal = try trash(piece, trashing)
            // An interrupted removal may have left files in place.
            let unmoved = removal.earlier.filter { FileIdentity(path: folder.trashed($0.path)) == nil }
            let kept = (removal.rows + unmoved).filter { $0.item.place == .kept }
            // A file that cannot be moved stays in place until the trash is emptied: the store has changed already.
            if !kept.isEmpty { try? folder.make() }
            for row in kept {
                _ = calls.rename(folder.file(row.path), to: folder.trashed(row.path))
            }
            return removal
        }
        settleDocuments(of: (removal.rows + removal.earlier).map(\.number))
        if removal.rows.isEmpty { return removal }
        RunLog.note(.library, .info, "to the trash: \(removal.rows.map(\.number))")
        return removal
    }

    /// Marks recordings as trashed in the store. Recordings that another program has forgotten meanwhile are passed by.
    ///
    /// - Parameter trashing: Number of the undo step of the pieces before; nil for none.
    private func trash(_ numbers: [Int], _ trashing: Int64?) throws(StoreError) -> Removal {
        let now = Self.now
        return try change(isRemoval: true) { (rows) throws(DatabaseError) -> Removal in
            var removal = Removal(trashing: trashing)
            for number in numbers {
                guard let row = try rows.item(number: number), !row.isGone else { continue }
                if row.item.isTrashed {
                    removal.earlier.append(row)
                    continue
                }
                let step = try rows.undoStep(removal.trashing, after: row.trashing)
                try rows.trash(number, at: now, trashing: step)
                removal.trashing = step
                if let row = try rows.item(number: number) { removal.rows.append(row) }
            }
            return removal
        }
    }

    /// Restores the recordings, or the document, of the last removal. Many recordings come in pieces, each in one
    /// transaction. After an interruption, repeating the call restores the rest. Recordings that another program
    /// restores and removes again meanwhile stay in the trash.
    ///
    /// - Returns: The recordings after the change, including the recording of a document.
    /// - Throws: `RecordingLibraryError` of kind `nothingToUndo`, or if a file cannot be moved: its recording and all
    ///   later recordings stay in the trash; `StoreError`.
    @discardableResult
    public func undoRemoval() throws -> [LibraryItem] {
        let undone = try undoneRemoval()
        return undone.items + undone.owners
    }

    /// Undoes the last removal.
    package func undoneRemoval() throws -> UndoneRemoval { try undoneRemoval {} }

    /// - Parameters:
    ///   - told: Called with the restored recordings after each piece.
    ///   - pieceDone: Called between two pieces; an error ends the work there.
    package func undoneRemoval(
        atOnce: Int = changedAtOnce, told: ([LibraryItem]) -> Void = { _ in }, pieceDone: () throws -> Void
    ) throws -> UndoneRemoval {
        let (rows, documents) =
            try read { (rows) throws(DatabaseError) -> ([ItemRow], [DocumentRow]) in
                guard let trashing = try rows.lastTrashing() else { return ([], []) }
                return (
                    try rows.items(trashing: trashing),
                    try DocumentRows(items: rows).documents(trashing: trashing)
                )
            } ?? ([], [])
        if rows.isEmpty, documents.isEmpty {
            throw RecordingLibraryError(
                .nothingToUndo, "there is no removal to undo", remedy: "The library is as it was before.")
        }
        var undone = UndoneRemoval(items: try restore(rows, atOnce: atOnce, told: told, pieceDone: pieceDone))
        try restore(documents, in: &undone)
        return undone
    }

    private func restore(_ rows: [DocumentRow], in undone: inout UndoneRemoval) throws {
        guard !rows.isEmpty else { return }
        var owners: [Int: LibraryItem] = [:]
        var restored: [DocumentRow] = []
        try PracticeStore.inPieces(rows, atOnce: Self.changedAtOnce) { (piece, _) in
            let (documents, found) = try change {
                (items) throws(DatabaseError) -> ([DocumentRow], [Int: LibraryItem]) in
                var (documents, found): ([DocumentRow], [Int: LibraryItem]) = ([], [:])
                for row in piece {
                    guard try DocumentRows(items: items).untrash(row) else { continue }
                    documents.append(row)
                    found[row.itemNumber] = try items.item(number: row.itemNumber)?.item
                }
                return (documents, found)
            }
            settleDocuments(documents)
            restored += documents
            owners.merge(found) { $1 }
        }
        let numbers = Set(undone.items.map(\.number))
        undone.documents = restored.compactMap { row in owners[row.itemNumber].map { (row.name, $0) } }
        undone.owners = owners.values.filter { !numbers.contains($0.number) }.sorted { $0.number < $1.number }
    }

    /// Restores recordings from the trash. Many recordings come in pieces, as with `undoRemoval`.
    ///
    /// - Returns: The recordings after the change.
    /// - Throws: `RecordingLibraryError` if a recording is unknown or not in the trash: nothing has changed; or if a
    ///   file cannot be moved: its recording and all later recordings stay in the trash; `StoreError`.
    @discardableResult
    public func restore(_ numbers: [Int]) throws -> [LibraryItem] {
        let rows = try read { (rows) throws(DatabaseError) -> Result<[ItemRow], RecordingLibraryError> in
            var found: [ItemRow] = []
            for number in Set(numbers).sorted() {
                guard let row = try rows.item(number: number), !row.isGone else { return .failure(.unknown(number)) }
                guard row.item.isTrashed else {
                    return .failure(
                        RecordingLibraryError(
                            .trashed, "\(row.item.words.title) is not in the trash",
                            remedy: "List the trash with: woodshed list --trash"))
                }
                found.append(row)
            }
            return .success(found)
        }
        guard let rows else { throw RecordingLibraryError.unknown(numbers.first ?? 0) }
        return try restore(try rows.get(), atOnce: Self.changedAtOnce, told: { _ in }) {}
    }

    private func restore(
        _ listed: [ItemRow], atOnce: Int, told: ([LibraryItem]) -> Void, pieceDone: () throws -> Void
    ) throws -> [LibraryItem] {
        var restored: [LibraryItem] = []
        try PracticeStore.inPieces(listed, atOnce: atOnce) { (piece, isLast) in
            let (items, failure) = try restore(piece)
            restored += items
            told(items)
            if let failure { throw failure }
            if !isLast { try pieceDone() }
        }
        return restored
    }

    /// Restores the recordings of one piece, up to the first file that cannot be moved.
    ///
    /// - Returns: The restored recordings, and the error of the file; nil for none.
    private func restore(_ piece: [ItemRow]) throws -> (items: [LibraryItem], failure: RecordingLibraryError?) {
        let restored = try folder.exclusively { () throws in
            // Another program may have restored some of the recordings meanwhile, and removed them again, or emptied
            // the trash.
            let rows = try read { (rows) throws(DatabaseError) -> [ItemRow] in
                var known: [ItemRow] = []
                for row in piece {
                    guard let now = try rows.item(number: row.number), now.trashing == row.trashing else { continue }
                    known.append(now)
                }
                return known
            }
            return try untrash((rows ?? []).filter { !$0.isGone && $0.item.isTrashed })
        }
        settleDocuments(of: restored.items.map(\.number))
        return restored
    }

    private func untrash(_ rows: [ItemRow]) throws -> (items: [LibraryItem], failure: RecordingLibraryError?) {
        var (moved, failure): ([ItemRow], RecordingLibraryError?) = ([], nil)
        for row in rows {
            // Move files before changing the store: a file that cannot be moved stays in the trash with its recording.
            // If a program ended between two steps, the file is already in its place.
            let code = row.item.place == .kept ? calls.rename(folder.trashed(row.path), to: folder.file(row.path)) : 0
            guard code >= 0 || code == -Int(ENOENT) else {
                failure = .writing(folder.trashed(row.path), FileFault(code: Int32(-code)))
                break
            }
            moved.append(row)
        }
        guard !moved.isEmpty else { return ([], failure) }
        let items = try change { [moved] (items) throws(DatabaseError) in
            var restored: [LibraryItem] = []
            for row in moved {
                try items.untrash(row.number)
                if let item = try items.item(number: row.number)?.item { restored.append(item) }
            }
            return restored
        }
        return (items, failure)
    }

    /// Returns the bytes that emptying the trash would free.
    package func trashByteCount() throws(StoreError) -> Int64 {
        var filter = ItemFilter()
        filter.isTrash = true
        let recordings = try items(filter).filter { $0.place == .kept }
        return try recordings.reduce(0) { $0 + (Self.byteCount($1.path) ?? 0) } + trashedDocumentBytes()
    }

    /// Permanently removes the files of all recordings and documents in the trash, and forgets these recordings and
    /// documents.
    ///
    /// The practice history stays in the store: sections come back if the recording is added again.
    ///
    /// - Returns: Removed recordings, and freed bytes.
    /// - Throws: `RecordingLibraryError` if a file cannot be removed: its recording and all later recordings stay in
    ///   the trash.
    @discardableResult
    public func emptyTrash() throws -> (items: [LibraryItem], bytes: Int64) {
        try emptyTrash(told: { _, _ in }, proceed: {})
    }

    /// - Parameters:
    ///   - told: Called with each removed recording and its freed bytes.
    ///   - proceed: Called between two recordings; an error ends the work there.
    package func emptyTrash(
        told: (LibraryItem, Int64) -> Void, proceed: () throws -> Void
    ) throws -> (items: [LibraryItem], bytes: Int64) {
        var filter = ItemFilter()
        filter.isTrash = true
        var (removed, freed): ([LibraryItem], Int64) = ([], 0)
        for listed in try read({ (rows) throws(DatabaseError) in try rows.items(filter) }) ?? [] {
            if !removed.isEmpty { try proceed() }
            let emptied = try folder.exclusively { () throws -> (LibraryItem, Int64)? in
                // Another program may have restored the recording meanwhile.
                guard
                    let row = try read({ (rows) throws(DatabaseError) in try rows.item(number: listed.number) }) ?? nil,
                    !row.isGone, row.item.isTrashed
                else { return nil }
                var bytes = row.item.place == .kept ? try removeFiles(of: row) : 0
                bytes += try removeDocumentFiles { $0.recording == row.recording }
                // Remove files first, to make room on a full disk.
                let isForgotten = try change(isRemoval: true) { (rows) throws(DatabaseError) in
                    // Another program may have restored the recording without the lock, by linking its file.
                    guard try rows.forget(row.number) else { return false }
                    try DocumentRows(items: rows).forget(recording: row.recording)
                    return true
                }
                return isForgotten ? (row.item, bytes) : nil
            }
            guard let emptied else { continue }
            removed.append(emptied.0)
            freed += emptied.1
            told(emptied.0, emptied.1)
        }
        freed += try emptyDocumentTrash()
        RunLog.note(.library, .info, "emptied the trash of \(removed.map(\.number)), \(freed) bytes")
        return (removed, freed)
    }

    private func removeFiles(of row: ItemRow) throws(RecordingLibraryError) -> Int64 {
        try removeFile(folder.trashed(row.path)) + removeFile(folder.file(row.path))
    }

    /// Removes a file that need not exist. Returns the freed space, in bytes.
    func removeFile(_ path: String) throws(RecordingLibraryError) -> Int64 {
        let bytes = Self.byteCount(path)
        let code = calls.remove(path)
        guard code >= 0 || code == -Int(ENOENT) else { throw .writing(path, FileFault(code: Int32(-code))) }
        return code >= 0 ? bytes ?? 0 : 0
    }

    /// Removes the library's own file of a recording. The recording stays in the list as missing, until fetched or
    /// added again.
    ///
    /// - Returns: Freed bytes.
    /// - Throws: `RecordingLibraryError` if the recording is unknown or linked, or if its file cannot be removed.
    package func removeFile(of number: Int) throws -> Int64 {
        guard let item = try item(number) else { throw RecordingLibraryError.unknown(number) }
        guard item.place == .kept else {
            throw RecordingLibraryError(
                .trashed, "\(item.words.title) is a linked file, which the library does not remove",
                remedy: "Remove the recording from the list with: woodshed rm")
        }
        return try removeFile(item.path)
    }

    /// Returns the disk space of a file, in bytes; nil if no file exists.
    package static func byteCount(_ path: String) -> Int64? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_blocks) * 512
    }
}

extension ItemRows {
    /// Returns the number of the undo step for the removal of a recording or a document: see
    /// ``StoreRows/undoStep(_:after:among:)``.
    package func undoStep(_ step: Int64?, after former: Int64?) throws(DatabaseError) -> Int64 {
        try rows.undoStep(
            step, after: former,
            among: "(SELECT trashing FROM item UNION ALL SELECT trashing FROM document)")
    }
}

/// The recordings and documents of an undone removal, after the change.
package struct UndoneRemoval {
    package var items: [LibraryItem]
    /// Documents that were removed by themselves, with their names and recordings.
    package var documents: [(name: String, owner: LibraryItem)] = []
    /// Recordings of these documents, without `items`, in the order of their numbers.
    package var owners: [LibraryItem] = []
}
