// Adds many rows to the indexes of words at once, on a connection with a transaction begun by the caller.
package import Database

extension StoreRows {
    /// Tables with words: the column of a row's number, the columns with words, and the indexes.
    private static let tablesWithWords = [
        (table: "recording", row: "id", columns: "title", indexes: ["recording_words"]),
        (table: "section", row: "row", columns: "name, text", indexes: ["section_words", "section_trigrams"]),
        (table: "item", row: "id", columns: "title, artist, tags", indexes: ["item_words", "item_trigrams"]),
    ]

    /// Carries out `body`, which adds rows past the index, and indexes the added rows afterwards. `body` may change no
    /// words of other rows.
    package func indexingNewRows<Value>(
        _ body: () throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        var last: [Int64] = []
        for entry in Self.tablesWithWords {
            let greatest = try database.first("SELECT coalesce(max(\(entry.row)), 0) FROM main.\(entry.table)") {
                (row) throws(DatabaseError) in try row.integer(0)
            }
            last.append(greatest ?? 0)
        }
        let value = try body()
        // See `addingWordsAtOnce`.
        guard last.allSatisfy({ $0 <= 1 << 53 }) else {
            try rebuildWords()
            return value
        }
        for (entry, last) in zip(Self.tablesWithWords, last) {
            for index in entry.indexes {
                try database.run(
                    """
                    INSERT INTO main.\(index) (rowid, \(entry.columns))
                    SELECT \(entry.row), \(entry.columns) FROM main.folded_\(entry.table) WHERE \(entry.row) > ?
                    """, .integer(last))
            }
        }
        return value
    }

    /// Carries out `body`, which changes the titles of recordings past the index, and updates the index.
    ///
    /// - Parameter numbers: Query for the numbers of the recordings.
    package func changingTitles(
        of numbers: String, _ body: () throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        let words = "FROM main.folded_recording WHERE id IN (\(numbers))"
        // The index does not store the words, so the deletion has to supply the words.
        try database.run(
            "INSERT INTO main.recording_words (recording_words, rowid, title) SELECT 'delete', id, title \(words)")
        try body()
        try database.run("INSERT INTO main.recording_words (rowid, title) SELECT id, title \(words)")
    }
}
