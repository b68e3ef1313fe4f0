internal import AudioFiles
public import Catalogue
internal import Database
internal import Explanations
internal import Files
internal import JSON
public import Store
package import TextFormats

/// What the library holds, for other computers, without the sound.
extension RecordingLibrary {
    /// The longest catalogue that is read, in bytes.
    package static let largestCatalogue: Int64 = 512 << 20

    /// The catalogue of the library, as a text in JSON: recordings, sections, playlists, and what is said about takes.
    ///
    /// Two libraries with the same contents, after each has merged the other's, give the same text.
    ///
    /// - Parameter withKeys: Whether the addresses from which recordings come keep private keys, such as passwords and `?auth=…`. Readers of
    ///   the text can use them. Without them, merging the text changes no address that differs in its keys alone.
    /// - Throws: `StoreError`.
    public func catalogueText(withKeys: Bool = false) throws(StoreError) -> String {
        try exportedText(withKeys: withKeys).text
    }

    /// The text of ``catalogueText(withKeys:)``, and how many recordings' addresses are without their keys in it.
    package func exportedText(withKeys: Bool) throws(StoreError) -> (text: String, shortenedAddresses: Int) {
        var catalogue = try catalogue()
        let count = withKeys ? 0 : catalogue.removeKeys()
        return (catalogue.json.text, count)
    }

    /// Merges the catalogue of another library into this one. Field by field the later change wins. What was deleted stays deleted, unless it was
    /// changed later. Neither the order of merges nor their number matters.
    ///
    /// Recordings that are new here are in the list without their files. What was removed in the other library is in the trash.
    ///
    /// A merge consists of pieces of some hundred recordings, playlists and takes last. Each piece is merged as a whole or not at all, and other
    /// programs can use the store between two. After an error or a crash, merging the same catalogue again completes it.
    ///
    /// - Parameter bytes: the result of ``catalogueText(withKeys:)`` of the other library, in UTF-8.
    /// - Throws: `CatalogueError`: nothing has changed then; `RecordingLibraryError`, `StoreError`: the pieces before the error are merged.
    @discardableResult
    public func merge(catalogueIn bytes: [UInt8]) throws -> MergeSummary {
        try apply(CataloguePieces(reading: bytes))
    }

    /// The catalogue of the library now. Remembers it, so that later changes are known to be later.
    ///
    /// It is put together from pieces, each as of one moment: other programs can use the store between two.
    package func catalogue() throws(StoreError) -> LibraryCatalogue {
        try catalogue(recordingsAtOnce: CatalogueMerge.recordingsAtOnce) {}
    }

    /// - Parameter pieceTold: Called after each piece of recordings.
    func catalogue(recordingsAtOnce: Int, pieceTold: () -> Void) throws(StoreError) -> LibraryCatalogue {
        // Reading makes no store.
        guard try read({ _ in true }) == true else { return LibraryCatalogue() }
        try findTakes()
        let now = StoreRows.milliseconds
        let known =
            try read { (items) throws(DatabaseError) in
                try MergedRows(database: items.rows.database).recordings()
            } ?? []
        var all = LibraryCatalogue()
        var done = 0
        while done < known.count {
            let end = CatalogueMerge.end(ofPieceAt: done, atMost: recordingsAtOnce, of: known.count) {
                known[$0].sectionCount
            }
            let piece = known[done..<end].map(\.identity)
            let began = ContinuousClock.now
            let part = try catalogue(now) { (_) throws(DatabaseError) in .recordings(piece) }
            all.recordings.merge(part.recordings) { $1 }
            done = end
            if done < known.count { Self.letOthersWrite(after: began.duration(to: .now)) }
            pieceTold()
        }
        all.takes = try catalogue(now, CatalogueScope.takes).takes
        all.playlists = try merge(playlists: nil, now: now).playlists
        return all
    }

    /// A part of the catalogue, as of one moment.
    private func catalogue(
        _ now: Int64, _ scope: (StoreRows) throws(DatabaseError) -> CatalogueScope
    ) throws(StoreError) -> LibraryCatalogue {
        try change { (items) throws(DatabaseError) in
            let state = try CatalogueState(items, scope(items.rows), now: now)
            try state.write(items)
            return state.catalogue
        }
    }

    /// Makes the library what it and a catalogue say together.
    ///
    /// - Parameters:
    ///   - recordingsAtOnce: The recordings of a piece. The first one has all that remove something, or as many as one piece can have.
    ///   - isCancelled: Called before each piece.
    @discardableResult
    func apply(
        _ catalogue: CataloguePieces, recordingsAtOnce: Int = CatalogueMerge.recordingsAtOnce,
        isCancelled: () -> Bool = { false }
    ) throws -> MergeSummary {
        try folder.make()
        var merge = CatalogueMerge(self)
        var done = 0
        while done < catalogue.count {
            if isCancelled() { throw RecordingLibraryError.stopped(after: done, of: catalogue.count) }
            let first = done == 0 ? min(catalogue.removalCount, CatalogueMerge.removalsAtOnce) : 0
            let end = CatalogueMerge.end(
                ofPieceAt: done, atLeast: max(first, 1), atMost: max(first, recordingsAtOnce), of: catalogue.count,
                sections: catalogue.sectionCount)
            let began = ContinuousClock.now
            try merge.merge(recordings: catalogue.recordings(done..<end))
            done = end
            if done < catalogue.count { Self.letOthersWrite(after: began.duration(to: .now)) }
        }
        if isCancelled() { throw RecordingLibraryError.stopped(after: done, of: catalogue.count) }
        try merge.merge(takes: catalogue.lists.takes)
        try merge.merge(playlists: catalogue.lists.playlists)
        return merge.summary
    }

    /// Makes takes what the library and a catalogue say together.
    func apply(takes: [ExactText: CatalogueItem]) throws -> MergeSummary {
        var merge = CatalogueMerge(self)
        try merge.merge(takes: takes)
        return merge.summary
    }

    /// Finds the keys of takes' sounds that are not known yet.
    func findTakes() throws(StoreError) {
        let marks = try store.read { (rows) throws(DatabaseError) in try rows.takeMarks() } ?? [:]
        // Nobody can tell how a take sounded whose file is another one's by now.
        let unknown = try store.takes().filter { marks[$0.number]?.key == nil && !$0.isReplaced }
        let found = unknown.compactMap { take in
            (try? RecordingKey(ofFileAt: take.path)).map { (take, $0, TakeTrash.isOwn(take, at: take.path)) }
        }
        if found.isEmpty { return }
        try store.change { (rows) throws(DatabaseError) in
            for (take, key, isShown) in found {
                // Another program may have ended or moved it meanwhile: then it has another sound.
                guard let now = try rows.take(take.number), now.path == take.path,
                    now.sound.frameCount == take.sound.frameCount
                else { continue }
                try rows.setContent(key, ofTake: take.number, isShown: isShown)
            }
        }
    }
}

extension RecordingLibraryError {
    fileprivate static func stopped(after done: Int, of count: Int) -> RecordingLibraryError {
        RecordingLibraryError(
            .cancelled, "it was stopped after \(done) of \(counted(count, "recording"))",
            remedy: "Import the same file again: that completes it.")
    }
}
