internal import Database
internal import Sections

/// Copies what can be read of a damaged store, row by row.
final class Salvage {
    private let source: Database
    private let target: Database
    private(set) var recordingCount = 0
    private(set) var sectionCount = 0
    private(set) var takeCount = 0
    private(set) var itemCount = 0
    private(set) var practiceCount = 0
    private(set) var reviewCount = 0
    private(set) var isComplete = true

    /// Rows that are looked for in vain, one after another, where a table cannot be walked.
    private static let mostMisses = 2000

    init(from source: Database, into target: Database) { (self.source, self.target) = (source, target) }

    func run(_ schema: StoreSchema) throws(DatabaseError) {
        try target.transaction { () throws(DatabaseError) in
            try schema.make(in: target)
            recordingCount = try copy(
                "recording", row: "id",
                [
                    "key", "sample_rate", "frame_count", "title", "path", "seen", "position", "settings",
                    "next_section", "done", "revision",
                ]
            ) { (row) throws(DatabaseError) in
                _ = try StoredText.settings(try row.text(8))
            }
            sectionCount = try copy(
                "section", row: "row",
                ["recording", "id", "kind", "first", "past", "name", "text", "hard", "settings"]
            ) { (row) throws(DatabaseError) in
                _ = try StoredText.settings(try row.text(9))
            }
            _ = try copy("change", row: "rowid", ["recording", "number", "summary", "removed", "added"]) {
                (row) throws(DatabaseError) in
                _ = (try StoredText.sections(try row.text(4)), try StoredText.sections(try row.text(5)))
            }
            takeCount = try copy(
                "take", row: "id",
                [
                    "path", "time", "sample_rate", "channel_count", "frame_count", "device", "recording", "section",
                    "model",
                    "name", "note", "rating", "trashed", "trashing", "gone", "revision",
                ]
            ) { (row) throws(DatabaseError) in
                _ = try row.text(1)
            }
            practiceCount = try copy(
                "practice", row: "id",
                [
                    "recording", "section", "name", "first", "past", "began", "ended", "milliseconds", "passes",
                    "lowest", "highest", "last",
                ]
            ) { _ in }
            reviewCount = try copy(
                "review", row: "id",
                ["recording", "section", "time", "rating", "before", "after", "interval", "evidence"]
            ) { (row) throws(DatabaseError) in
                try StoreRows.checkReview(
                    before: try row.text(orNull: 5), after: try row.text(6), evidence: try row.text(8))
            }
            try copyLibrary()
            if !isComplete {
                // A change could be undone only in the list that it led to.
                try target.run("DELETE FROM change")
                try target.run("UPDATE recording SET done = 0")
                // What was lost was not deleted: the next merge brings it back.
                try target.run("UPDATE merged SET shown = NULL")
                // A number that was given must not be given again.
                try target.run(
                    """
                    UPDATE recording SET next_section =
                        max(next_section, (SELECT coalesce(max(id), 0) + 1 FROM section WHERE section.recording = recording.id))
                    """)
            }
            // It can be made again from the sound, so nothing is lost without it. Nor is anything lost without the files' states: a
            // file is read again.
            let wasComplete = isComplete
            _ = try copy("envelope", row: "recording", ["content"]) { _ in }
            isComplete = wasComplete
            try target.run(
                "UPDATE recording SET section_count = (SELECT count(*) FROM section WHERE section.recording = recording.id)"
            )
            for index in StoreSchema.wordIndexes {
                try target.run("INSERT INTO \(index) (\(index)) VALUES ('rebuild')")
            }
        }
    }

    /// Whether a table is younger than the damaged store.
    private func isYounger(_ table: String) -> Bool {
        do throws(DatabaseError) {
            let version = try source.first("PRAGMA user_version") { (row) throws(DatabaseError) in try row.integer(0) }
            guard let version, version > 0, version < StoreSchema.current.version else { return false }
            return try source.rows("SELECT 1 FROM sqlite_schema WHERE name = ?", [.text(table)]) { _ in }.isEmpty
        } catch { return false }
    }

    private func copyLibrary() throws(DatabaseError) {
        itemCount = try copy(
            "item", row: "id",
            [
                "recording", "kind", "place", "path", "original", "byte_count", "container", "codec", "channel_count",
                "title", "artist", "language", "tags", "source", "licence", "loudness", "true_peak", "added", "edited",
                "trashed", "trashing", "gone", "revision",
            ]
        ) { (row) throws(DatabaseError) in
            _ = try StoredText.times(try row.text(19))
        }
        _ = try copy(
            "document", row: "id",
            [
                "recording", "hash", "place", "path", "name", "byte_count", "added", "trashed", "trashing", "gone",
                "changed",
            ]
        ) { _ in }
        _ = try copy("playlist", row: "id", ["identity", "name", "made", "changed", "revision"]) { _ in }
        _ = try copy("entry", row: "id", ["playlist", "recording", "place", "added"]) { _ in }
        _ = try copy(
            "fetch", row: "id",
            [
                "address", "state", "priority", "wishes", "done", "total", "error", "remedy", "added", "tried",
                "revision",
            ]
        ) { _ in }
        _ = try copy("feed", row: "id", ["address", "title", "validators", "checked", "error", "added"]) { _ in }
        _ = try copy(
            "episode", row: "id",
            [
                "feed", "identity", "title", "address", "published", "milliseconds", "byte_count", "about", "recording",
                "is_new",
            ]
        ) { _ in }
        _ = try copy("deleted_playlist", row: "id", ["identity", "time"]) { _ in }
        _ = try copy("section_time", row: "id", ["recording", "section", "changed"]) { _ in }
        _ = try copy("take_mark", row: "take", ["content", "changed"]) { _ in }
        _ = try copy("merged", row: "id", ["kind", "owner", "identity", "section", "content", "shown"]) { _ in }
    }

    /// Copies the rows of a table that can be read and that `check` accepts; returns how many.
    private func copy(
        _ table: String, row name: String, _ columns: [String], check: (DatabaseRow) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> Int {
        if isYounger(table) { return 0 }
        let list = columns.joined(separator: ", ")
        let insert =
            "INSERT INTO \(table) (\(name), \(list)) VALUES (?\(String(repeating: ", ?", count: columns.count)))"
        var count = 0
        var failure: DatabaseError?
        /// Copies one row; returns its number.
        func take(_ row: DatabaseRow) -> Int64? {
            guard let number = try? row.integer(0) else {
                isComplete = false
                return nil
            }
            do throws(DatabaseError) {
                try check(row)
                try target.run(
                    insert,
                    values: try (0...columns.count).map { (column) throws(DatabaseError) in try row.value(column) })
                count += 1
            } catch {
                // What the tables do not accept is damaged; anything else is a disk that is full, and the like.
                if error.kind != .damaged, error.kind != .refused { failure = error }
                isComplete = false
            }
            return number
        }
        /// Walks the table until a row that cannot be read; returns the last one that could be, and whether that was the end.
        func walk(_ order: String, until end: Int64?) -> (last: Int64?, isWhole: Bool) {
            var last: Int64?
            do throws(DatabaseError) {
                try source.forEachRow("SELECT \(name), \(list) FROM \(table) ORDER BY \(name) \(order)") { row in
                    if let end, let number = try? row.integer(0), number <= end { return false }
                    last = take(row) ?? last
                    return failure == nil
                }
                return (last, true)
            } catch { return (last, false) }
        }
        let upwards = walk("ASC", until: nil)
        if !upwards.isWhole {
            isComplete = false
            let downwards = walk("DESC", until: upwards.last ?? 0)
            let first = (upwards.last ?? 0) + 1
            let end = downwards.isWhole ? first : downwards.last ?? .max
            var misses = 0
            for number in first..<max(end, first) where failure == nil {
                // A page has some hundred rows at most, so beyond this there is none that can be read.
                guard misses < Self.mostMisses else { break }
                misses += 1
                try? source.forEachRow("SELECT \(name), \(list) FROM \(table) WHERE \(name) = ?", [.integer(number)]) {
                    row in
                    _ = take(row)
                    misses = 0
                    return false
                }
            }
        }
        if let failure { throw failure }
        return count
    }
}
