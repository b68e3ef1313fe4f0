// The rows of a salvaged store in pieces, each a transaction.
internal import Database
internal import Store

/// The rows of a salvaged store that one transaction takes over. The rows of a recording stay together.
enum SalvagePiece: Sendable, Hashable {
    /// Recordings with these numbers there, and the rows that belong to them.
    case recordings(ClosedRange<Int64>)
    /// Takes of no recording, with these numbers there.
    case takes(ClosedRange<Int64>)
    /// All playlists. Call after the recordings, because playlists refer to recordings.
    case playlists
    /// All subscriptions and fetches. Call after the recordings, because the address of a recording is not fetched.
    case feeds

    /// SQL condition on `there` for the recordings that the piece refers to.
    var recordings: String {
        switch self {
        case .recordings(let numbers): "there.id BETWEEN \(numbers.lowerBound) AND \(numbers.upperBound)"
        case .takes: "0"
        case .playlists, .feeds: "1"
        }
    }

    /// SQL condition on `there` for the takes of the piece.
    var takes: String {
        switch self {
        case .recordings(let numbers): "there.recording BETWEEN \(numbers.lowerBound) AND \(numbers.upperBound)"
        case .takes(let numbers):
            "there.recording IS NULL AND there.id BETWEEN \(numbers.lowerBound) AND \(numbers.upperBound)"
        case .playlists, .feeds: "0"
        }
    }

    /// Returns the pieces of a store, on a connection to that store.
    static func pieces(
        of rows: StoreRows, recordingsAtOnce: Int, takesAtOnce: Int
    ) throws(DatabaseError) -> [SalvagePiece] {
        // Sections are indexed, so they take most of the time.
        let recordings = try rows.database.rows(
            """
            SELECT id, (SELECT count(*) FROM section WHERE section.recording = recording.id)
                + ((SELECT count(*) FROM practice WHERE practice.recording = recording.id)
                + (SELECT count(*) FROM review WHERE review.recording = recording.id)
                + (SELECT count(*) FROM take WHERE take.recording = recording.id)) / 4 FROM recording ORDER BY id
            """
        ) { (row) throws(DatabaseError) in (number: try row.integer(0), rows: Int(try row.integer(1))) }
        var pieces: [SalvagePiece] = []
        var done = 0
        repeat {
            // The pieces cover all numbers: a row may name a recording that is lost.
            let first = done == 0 ? Int64.min : recordings[done].number
            done = CatalogueMerge.end(ofPieceAt: done, atMost: recordingsAtOnce, of: recordings.count) {
                recordings[$0].rows
            }
            pieces.append(.recordings(first...(done < recordings.count ? recordings[done].number - 1 : Int64.max)))
        } while done < recordings.count
        let numbers = try rows.database.rows("SELECT id FROM take WHERE recording IS NULL AND gone = 0 ORDER BY id") {
            (row) throws(DatabaseError) in try row.integer(0)
        }
        var takes = numbers[...]
        while let first = takes.first {
            let piece = takes.prefix(takesAtOnce)
            takes = takes.dropFirst(takesAtOnce)
            pieces.append(.takes(first...(piece.last ?? first)))
        }
        return pieces + [.playlists, .feeds]
    }
}
