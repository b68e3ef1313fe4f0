// A merge in pieces, each a transaction.
internal import AudioFiles
internal import Catalogue
internal import Database
internal import Files
internal import Store
internal import TextFormats

/// Merges a catalogue into a library piece by piece. Each piece reads the state of its part of the store in its own
/// transaction, so other programs may change the store between two pieces.
struct CatalogueMerge {
    private let library: RecordingLibrary
    private let now = StoreRows.milliseconds
    /// Undo step for all removals so far: a single undo restores everything removed.
    private var trashing: Int64?
    private(set) var summary = MergeSummary()

    /// Recordings of a piece. With this many, another program that writes waits for some tenths of a second.
    static let recordingsAtOnce = 400
    /// Maximum number of sections in a piece with more than one recording. The sections of one recording form a single
    /// change that can be undone.
    static let sectionsAtOnce = 1200
    /// Takes of a piece. A take is a row without an index of words, so it costs less than a recording.
    static let takesAtOnce = 1000
    /// Maximum number of recordings with removals in the first piece.
    static let removalsAtOnce = 1000

    init(_ library: RecordingLibrary) { self.library = library }

    /// Returns the end of a piece of recordings that begins at an index.
    ///
    /// - Parameter sections: Returns the number of sections of a recording, by its index in `0 ..< count`.
    static func end(
        ofPieceAt first: Int, atLeast least: Int = 1, atMost most: Int, of count: Int, sections: (Int) -> Int
    ) -> Int {
        var (end, total) = (first, 0)
        while end < count, end - first < most {
            total += sections(end)
            if end - first >= least, total > sectionsAtOnce { break }
            end += 1
        }
        return end
    }

    mutating func merge(recordings: [(id: ExactText, recording: LibraryCatalogue.Recording)]) throws {
        var piece = LibraryCatalogue()
        for (id, recording) in recordings { piece.recordings[id] = recording }
        let ids = recordings.map(\.id)
        let (now, before) = (now, trashing)
        try merge(piece, { (_) throws(DatabaseError) in .recordings(ids) }) { (writer, state) throws(DatabaseError) in
            var trashing = before
            try writer.writeRecordings(ids, &state, trashing: &trashing, now: now)
            return trashing
        }
    }

    /// Merges takes. Call after recordings and sections, because takes refer to both.
    ///
    /// - Parameter pieceDone: Called between two pieces.
    mutating func merge(
        takes: [ExactText: CatalogueItem], atOnce: Int = CatalogueMerge.takesAtOnce, pieceDone: () throws -> Void = {}
    ) throws {
        try library.findTakes()
        // Also after an error: the pieces before it are in the store.
        defer { library.store.announceTakeChanges() }
        try PracticeStore.inPieces(takes.keys.sorted(), atOnce: atOnce) { (piece, isLast) in
            var lists = LibraryCatalogue()
            for key in piece { lists.takes[key] = takes[key] }
            let (chosen, before) = (Set(piece), trashing)
            try merge(lists, { (rows) throws(DatabaseError) in try CatalogueScope.scope(ofTakes: chosen, rows) }) {
                (writer, state) throws(DatabaseError) in
                try writer.writeTakes(state, among: chosen)
                return before
            }
            if !isLast { try pieceDone() }
        }
    }

    /// Merges playlists. Call after recordings, because playlists refer to recordings.
    ///
    /// - Parameter read: Returns the playlists; called again if another program changes playlists meanwhile.
    mutating func merge(playlists read: () throws(CatalogueError) -> [ExactText: CatalogueItem]) throws {
        summary.playlists += try library.merge(playlists: read, now: now).get().changed
    }

    private mutating func merge(
        _ piece: LibraryCatalogue, _ scope: (StoreRows) throws(DatabaseError) -> CatalogueScope,
        _ write: (inout CatalogueWriter, inout CatalogueState) throws(DatabaseError) -> Int64?
    ) throws {
        let (calls, folder, now) = (library.calls, library.folder, now)
        // Exclusive: if another program added or removed a recording for good at this moment, its file would not be
        // where the store says.
        let done = try folder.exclusively { () throws in
            let done = try library.change { (items) throws(DatabaseError) in
                try items.addingWordsAtOnce { (items) throws(DatabaseError) in
                    let scope = try scope(items.rows)
                    var state = try CatalogueState(items, scope, now: now)
                    var writer = CatalogueWriter(items, folder) { _ = calls.rename($0, to: $1) }
                    state.merge(try writer.fitting(piece, state.local))
                    let trashing = try write(&writer, &state)
                    try state.noteShown(items, scope)
                    try state.write(items)
                    return (
                        summary: writer.summary, trashing: trashing, trashed: writer.trashed,
                        documents: writer.documents
                    )
                }
            }
            for name in done.trashed { _ = calls.rename(folder.file(name), to: folder.trashed(name)) }
            return done
        }
        trashing = done.trashing
        summary += done.summary
        library.settleDocuments(named: done.documents)
    }
}
