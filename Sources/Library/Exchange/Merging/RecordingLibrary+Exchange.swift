internal import AudioFiles
public import Catalogue
internal import Database
public import Explanations
internal import Files
internal import JSON
public import Store
package import TextFormats

/// The contents of the library for other computers, without the sound.
extension RecordingLibrary {
    /// Longest accepted catalogue, in bytes.
    package static let largestCatalogue: Int64 = 512 << 20

    /// Returns the catalogue of the library as JSON text: recordings, sections, playlists, and descriptions of takes.
    ///
    /// Two libraries with equal contents give the same text, after each has merged the other library.
    ///
    /// - Parameter withKeys: True to keep private keys, such as passwords and `?auth=…`, in the addresses of
    ///   recordings. Readers of the text can use the keys. Without keys, merging the text changes no address that
    ///   differs only in its keys.
    /// - Throws: `StoreError`.
    public func catalogueText(withKeys: Bool = false) throws(StoreError) -> String {
        try exportedText(withKeys: withKeys).text.joined
    }

    /// Returns the text of ``catalogueText(withKeys:)`` in pieces, and the number of recordings whose addresses have
    /// lost their keys in the text.
    package func exportedPieces(withKeys: Bool) throws(StoreError) -> (pieces: [[UInt8]], shortenedAddresses: Int) {
        let (text, count) = try exportedText(withKeys: withKeys)
        return (text.pieces, count)
    }

    func exportedText(
        withKeys: Bool, recordingsAtOnce: Int = CatalogueMerge.recordingsAtOnce
    ) throws(StoreError) -> (text: CatalogueText, shortenedAddresses: Int) {
        var (text, count) = (CatalogueText(), 0)
        let rest = try catalogue(recordingsAtOnce: recordingsAtOnce) { part in
            var part = part
            if !withKeys { count += part.removeKeys() }
            text.add(part.recordings)
        }
        text.end(playlists: rest.playlists, takes: rest.takes)
        return (text, count)
    }

    /// Merges the catalogue of another library into this library. For each field, the later change wins. A deleted
    /// thing stays deleted, unless a later change follows. Neither the order nor the number of merges matters.
    ///
    /// Recordings that are new here are listed without their files. Recordings removed in the other library are in the
    /// trash.
    ///
    /// A merge consists of pieces: some hundred recordings, then a thousand takes, then all playlists. Each is merged
    /// completely or not at all, and other programs can use the store between two pieces. After an error or a crash,
    /// merging the same catalogue again completes the merge.
    ///
    /// - Parameter bytes: Result of ``catalogueText(withKeys:)`` of the other library, in UTF-8.
    /// - Throws: `RecordingLibraryError`, `StoreError`: the pieces before the error are merged; another
    ///   `ExplainedError` if the bytes are no catalogue: nothing has changed.
    @discardableResult
    public func merge(catalogueIn bytes: [UInt8]) throws -> MergeSummary {
        try apply(CataloguePieces(reading: bytes))
    }

    /// Returns the present catalogue of the library. Stores the catalogue, so that later changes are known to be later.
    ///
    /// The catalogue consists of pieces, each read at one moment: other programs can use the store between two pieces.
    package func catalogue() throws(StoreError) -> LibraryCatalogue {
        var recordings: [ExactText: LibraryCatalogue.Recording] = [:]
        var all = try catalogue(recordingsAtOnce: CatalogueMerge.recordingsAtOnce) { part in
            recordings.merge(part.recordings) { $1 }
        }
        all.recordings = recordings
        return all
    }

    /// - Parameter take: Called with each piece of recordings, in the order of their keys.
    /// - Returns: Takes and playlists.
    func catalogue(
        recordingsAtOnce: Int, take: (LibraryCatalogue) -> Void
    ) throws(StoreError) -> LibraryCatalogue {
        // Reading must not create a store.
        guard try read({ _ in true }) == true else { return LibraryCatalogue() }
        try findTakes()
        let now = StoreRows.milliseconds
        var known =
            try read { (items) throws(DatabaseError) in
                try MergedRows(database: items.rows.database).recordings()
            } ?? []
        var done = 0
        while done < known.count {
            let end = CatalogueMerge.end(ofPieceAt: done, atMost: recordingsAtOnce, of: known.count) {
                known[$0].sectionCount
            }
            let piece = known[done..<end].map(\.identity)
            let began = ContinuousClock.now
            let part = try catalogue(now) { (_) throws(DatabaseError) in .recordings(piece) }
            done = end
            if done < known.count { PracticeStore.letOthersWrite(after: began.duration(to: .now)) }
            take(part)
        }
        // The lists of a long playlist need memory.
        known = []
        var rest = LibraryCatalogue()
        rest.takes = try catalogue(now, CatalogueScope.takes).takes
        rest.playlists = try merge(playlists: { nil }, now: now).get().playlists
        return rest
    }

    /// Returns a part of the catalogue, read at one moment.
    private func catalogue(
        _ now: Int64, _ scope: (StoreRows) throws(DatabaseError) -> CatalogueScope
    ) throws(StoreError) -> LibraryCatalogue {
        try change { (items) throws(DatabaseError) in
            let state = try CatalogueState(items, scope(items.rows), now: now)
            try state.write(items)
            return state.catalogue
        }
    }

    /// Merges a catalogue into the library.
    ///
    /// - Parameters:
    ///   - recordingsAtOnce: Recordings of a piece. The first piece contains all recordings with removals, up to the
    ///     limit of a piece.
    ///   - isCancelled: Called before each piece.
    ///   - told: Called with the summary of all pieces so far: after each piece of recordings, and after the takes,
    ///     even if not all takes could be merged.
    @discardableResult
    func apply(
        _ catalogue: consuming CataloguePieces, recordingsAtOnce: Int = CatalogueMerge.recordingsAtOnce,
        isCancelled: () -> Bool = { false }, told: (MergeSummary) -> Void = { _ in }
    ) throws -> MergeSummary {
        try folder.make()
        var merge = CatalogueMerge(self)
        var done = 0
        let count = catalogue.count
        func checkCancelled() throws {
            if isCancelled() { throw RecordingLibraryError.stopped(after: done, of: count) }
        }
        while done < count {
            try checkCancelled()
            let first = done == 0 ? min(catalogue.removalCount, CatalogueMerge.removalsAtOnce) : 0
            let end = CatalogueMerge.end(
                ofPieceAt: done, atLeast: max(first, 1), atMost: max(first, recordingsAtOnce), of: count,
                sections: catalogue.sectionCount)
            let began = ContinuousClock.now
            try merge.merge(recordings: catalogue.recordings(done..<end))
            done = end
            told(merge.summary)
            if done < count { PracticeStore.letOthersWrite(after: began.duration(to: .now)) }
        }
        catalogue.freeRecordings()
        try checkCancelled()
        do { try merge.merge(takes: catalogue.takes, pieceDone: checkCancelled) } catch {
            told(merge.summary)
            throw error
        }
        told(merge.summary)
        try merge.merge(playlists: catalogue.playlists)
        return merge.summary
    }

    /// Merges descriptions of takes into the library.
    func apply(takes: [ExactText: CatalogueItem]) throws -> MergeSummary {
        var merge = CatalogueMerge(self)
        try merge.merge(takes: takes)
        return merge.summary
    }

    /// Finds the missing keys of the sounds of takes, also in the trash. The keys are stored in pieces, each in one
    /// transaction.
    func findTakes() throws(StoreError) {
        let marks = try store.read { (rows) throws(DatabaseError) in try rows.takeMarks() } ?? [:]
        // The sound of a take whose file was replaced by another file can no longer be determined.
        let takes = try store.takes() + store.takes(TakeFilter(isTrash: true))
        let found = takes.filter { marks[$0.number]?.key == nil && !$0.isReplaced }.compactMap { take in
            (try? RecordingKey(ofFileAt: take.currentPath)).map {
                (take, $0, TakeTrash.isOwn(take, at: take.currentPath))
            }
        }
        try PracticeStore.inPieces(found, atOnce: CatalogueMerge.takesAtOnce) { (piece, _) throws(StoreError) in
            try store.change { (rows) throws(DatabaseError) in
                for (take, key, isShown) in piece {
                    // Another program may have finished or moved the take meanwhile, so the sound may differ.
                    guard let now = try rows.take(take.number), now.currentPath == take.currentPath,
                        now.sound.frameCount == take.sound.frameCount
                    else { continue }
                    try rows.setContent(key, ofTake: take.number, isShown: isShown)
                }
            }
        }
    }
}

extension RecordingLibraryError {
    /// Reports that the user has stopped an import between two parts.
    package static var stoppedImport: RecordingLibraryError {
        RecordingLibraryError(
            .cancelled, "the import was stopped after some of its parts",
            remedy: "Repeat the command to complete the import.")
    }

    fileprivate static func stopped(after done: Int, of count: Int) -> RecordingLibraryError {
        RecordingLibraryError(
            .cancelled, "the import was stopped after \(done) of \(counted(count, "recording"))",
            remedy: "Import the same file again to complete the import.")
    }
}
