internal import AudioFiles
package import Catalogue
internal import Database
internal import Explanations
internal import Files
internal import Glibc
internal import Store

/// Rows recovered from a damaged store.
package struct SalvageSummary: Sendable, Equatable {
    /// Recordings of the library, with the paths of their files.
    package internal(set) var items = 0
    /// Recordings outside the library that have sections, a last position or settings.
    package internal(set) var outside = 0
    /// Recordings with a description that was edited later there than here.
    package internal(set) var described = 0
    /// Sections.
    package internal(set) var sections = 0
    /// Playlists.
    package internal(set) var playlists = 0
    /// Entries of playlists.
    package internal(set) var entries = 0
    /// Takes.
    package internal(set) var takes = 0
    /// Entries of the practice log.
    package internal(set) var practice = 0
    /// Ratings of sections.
    package internal(set) var reviews = 0
    /// Recordings with changes of sections that can be undone again.
    package internal(set) var histories = 0
    /// Documents.
    package internal(set) var documents = 0
    /// Subscriptions.
    package internal(set) var feeds = 0
    /// Episodes, and episodes already heard according to the damaged store.
    package internal(set) var episodes = 0
    /// Waiting and failed fetches.
    package internal(set) var fetches = 0
    private(set) var conflictList = ListStart<SalvageConflict>()
    /// True if everything in the damaged store could be read.
    package internal(set) var isComplete = true

    /// Fields that differ in the damaged store, where the library has kept its own value. Only the first 1000 fields:
    /// the summary is reported after each piece of a repair.
    package var conflicts: [SalvageConflict] { conflictList.first }
    /// Number of differing fields that `conflicts` leaves out.
    package var otherConflicts: Int { conflictList.others }

    mutating func add(_ conflicts: [SalvageConflict]) { conflictList.add(conflicts, atMost: 1000) }

    /// True if the damaged store added nothing.
    package var isEmpty: Bool {
        items + outside + described + sections + playlists + entries + takes + practice + reviews + histories
            + documents + feeds + episodes + fetches == 0
    }
}

/// A field that differs between a damaged store and the library.
package struct SalvageConflict: Sendable, Hashable {
    /// Name of the recording, playlist, section or take that the field belongs to.
    package let thing: String
    /// Name of the field, such as "title".
    package let field: String
    /// Value in the library.
    package let kept: String
    /// Value in the damaged store.
    package let passedOver: String
}

extension RecordingLibrary {
    /// Adds readable rows of a damaged store that this library lacks. Removes nothing. Of two different descriptions,
    /// the later edit stays. The store may come from an earlier version, or be undamaged.
    ///
    /// The damaged file stays unchanged. The rows come in pieces, as in ``merge(catalogueIn:)``: each comes completely
    /// or not at all, and other programs can use the store between two pieces. After an error or a crash, repeating the
    /// call completes the work.
    ///
    /// Repeating the call then changes nothing, with one exception: a section that came back with another number, and
    /// was renamed or removed since. Its ratings, its takes and the practice log identify such a section; without any
    /// of these, the section comes back again.
    ///
    /// - Parameter path: Path of the store.
    /// - Throws: `RecordingLibraryError`; `StoreError`, of kind `foreign` if the file has no readable part of a store.
    @discardableResult
    package func salvage(storeAt path: String) throws -> SalvageSummary {
        try salvage(storeAt: path, isCancelled: { false })
    }

    /// Cancellable form of ``salvage(storeAt:)``.
    ///
    /// - Parameters:
    ///   - isCancelled: Called between the steps, and before each piece. If it returns true, the call throws an error
    ///     of kind `cancelled`; the pieces before are in the store.
    ///   - told: Called after each piece with the summary of all pieces so far.
    package func salvage(
        storeAt path: String, isCancelled: () -> Bool, told: (SalvageSummary) -> Void = { _ in }
    ) throws -> SalvageSummary {
        try salvage(
            storeAt: path, recordingsAtOnce: CatalogueMerge.recordingsAtOnce, isCancelled: isCancelled, told: told)
    }

    /// - Parameter recordingsAtOnce: Recordings of a piece.
    func salvage(
        storeAt path: String, recordingsAtOnce: Int, isCancelled: () -> Bool,
        told: (SalvageSummary) -> Void = { _ in }
    ) throws -> SalvageSummary {
        try folder.make()
        return try folder.writingParts {
            try salvage(storeAt: path, copy: folder.newPart(), recordingsAtOnce, isCancelled, told)
        }
    }

    private func salvage(
        storeAt path: String, copy: String, _ recordingsAtOnce: Int, _ isCancelled: () -> Bool,
        _ told: (SalvageSummary) -> Void
    ) throws -> SalvageSummary {
        func stopIfCancelled() throws(RecordingLibraryError) { if isCancelled() { throw .cancelled } }
        defer { removeStore(at: copy) }
        try copyStore(path, to: copy)
        try stopIfCancelled()
        let repair = try StoreRepair(ofCopy: copy, of: path, calls: calls)
        try stopIfCancelled()
        let now = StoreRows.milliseconds
        let other = try RecordingLibrary(PracticeStore(ofCopy: copy), folder: folder.path, calls: calls)
        let described = try other.change { (items) throws(DatabaseError) in
            try SalvagedRows(rows: items.rows, now: now).limitNumbers(items)
        }
        try stopIfCancelled()
        try other.moveAwayTakes(besides: store.takes() + store.takes(TakeFilter(isTrash: true)))
        let removals = try store.change(beside: copy) { (rows) throws(DatabaseError) in
            try SalvagedRows(rows: rows, now: now).salvagedRemovals()
        }
        try other.store.change { (rows) throws(DatabaseError) in
            try SalvagedRows(rows: rows, now: now).setRemovals(removals)
        }
        let pieces =
            try other.store.read { (rows) throws(DatabaseError) in
                try SalvagePiece.pieces(
                    of: rows, recordingsAtOnce: recordingsAtOnce, takesAtOnce: CatalogueMerge.takesAtOnce)
            } ?? []
        var summary = SalvageSummary()
        summary.isComplete = repair.isComplete
        // Also after an error: the pieces before it are in the store.
        defer { store.announceTakeChanges() }
        for (done, piece) in pieces.enumerated() {
            if done > 0, isCancelled() { throw RecordingLibraryError.stoppedSalvage }
            let began = ContinuousClock.now
            summary = try takeOver(piece, described, from: copy, after: summary, now: now)
            told(summary)
            if done < pieces.count - 1 { PracticeStore.letOthersWrite(after: began.duration(to: .now)) }
        }
        return summary
    }

    /// Takes over a piece of a salvaged store in one transaction.
    ///
    /// - Parameter before: The summary of the pieces before.
    /// - Returns: The summary with this piece.
    private func takeOver(
        _ piece: SalvagePiece, _ described: [ItemRow], from copy: String, after before: SalvageSummary, now: Int64
    ) throws(StoreError) -> SalvageSummary {
        let folder = folder
        let (summary, renumbered) = try store.change(beside: copy) { (rows) throws(DatabaseError) in
            var summary = before
            let salvaged = SalvagedRows(rows: rows, now: now, piece: piece)
            defer { salvaged.removeTables() }
            try salvaged.takeOver(described, ItemRows(rows: rows, folder: folder.path), into: &summary)
            return (summary, try salvaged.renumberedTrash())
        }
        // Renames files only after the store has the new numbers: until then, the files belong to the old numbers.
        for take in renumbered {
            let (old, new) = (
                TakeTrash.path(of: take.path, number: take.was), TakeTrash.path(of: take.path, number: take.now)
            )
            if FileIdentity(path: new) == nil { _ = calls.rename(old, to: new) }
        }
        return summary
    }

    /// Copies the file of a store, and the journal that rolls back an incomplete change. Another program may change the
    /// store meanwhile.
    private func copyStore(_ name: String, to copy: String) throws(RecordingLibraryError) {
        // The journal is beside the file, not beside a link to the file.
        let resolved = unsafe FilePlace.resolvedBytes(FileName.systemName(name)).map {
            $0.map { CChar(bitPattern: $0) }
        }
        let path = resolved ?? FileName.systemName(name).dropLast()
        func named(_ ending: String) -> [CChar] { path + ending.utf8.map { CChar(bitPattern: $0) } + [0] }
        func states() -> [FileState?] { ["", "-journal"].map { unsafe FileState(named($0)) } }
        if let log = unsafe FileState(named("-wal")), log.byteCount > 0 {
            throw RecordingLibraryError(
                .badBundle, "\(name): changes in \(name)-wal are not in the file yet",
                remedy: "Let SQLite write the changes: sqlite3 \(shellPath(name)) 'PRAGMA wal_checkpoint(TRUNCATE)'")
        }
        for _ in 0..<3 {
            let before = states()
            for (ending, state) in zip(["", "-journal"], before) where ending.isEmpty || state != nil {
                let source: RegularFile
                do throws(FileFault) { source = try unsafe RegularFile(named(ending)) } catch {
                    throw .reading(name + ending, error)
                }
                do throws(FileFault) { try FileCopy.copy(source, to: copy + ending, calls: calls) } catch {
                    throw .writing(copy + ending, error)
                }
            }
            if states() == before { return }
            for ending in ["", "-journal"] { _ = calls.remove(copy + ending) }
        }
        throw .reading(name, FileFault(code: EBUSY))
    }
}

extension RecordingLibraryError {
    /// Reports that the user has stopped a salvage between two pieces.
    package static var stoppedSalvage: RecordingLibraryError {
        RecordingLibraryError(
            .cancelled, "the repair was stopped after some of its pieces",
            remedy: "Repair from the same file again to complete the repair.")
    }
}
