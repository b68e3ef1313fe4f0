// Rows of the library's recordings, on a connection on which the caller has begun a transaction.
package import AudioFiles
package import Database
internal import Explanations
internal import JSON
package import Store

/// A row of the library. The index of the item is 0 until computed.
package struct ItemRow {
    package let number: Int
    package let recording: Int64
    package var isGone: Bool
    /// Name in the library's folder, or the path of a linked file.
    package let path: String
    package fileprivate(set) var item: LibraryItem
    /// Times of the user's changes to each field, in milliseconds since 1970.
    package let edited: [String: Int64]
    /// Number of the removal that last moved the recording to the trash; stays after the removal was undone.
    package let trashing: Int64?
}

package struct ItemRows {
    package let rows: StoreRows
    package let folder: String
    /// Recordings with a higher number are added to the search index later; nil if every recording is indexed at once.
    private var wordsComeLaterAfter: Int64?

    package init(rows: StoreRows, folder: String) { (self.rows, self.folder) = (rows, folder) }

    private var database: Database { rows.database }

    private static let columns = """
        item.id, item.recording, gone, place, item.path, original, byte_count, container, codec, channel_count, kind,
        item.title, artist, language, tags, source, licence, loudness, true_peak, added, edited, trashed, trashing,
        recording.key, recording.sample_rate, recording.frame_count, recording.seen, recording.section_count,
        (SELECT count(*) FROM document
            WHERE document.recording = item.recording AND document.trashed IS NULL AND document.gone = 0)
        """
    private static let tables = "item JOIN recording ON item.recording = recording.id"
    static let nextRevision = StoreRows.nextRevision(of: "item")

    // MARK: Reading

    package func item(number: Int) throws(DatabaseError) -> ItemRow? {
        try database.first(
            "SELECT \(Self.columns) FROM \(Self.tables) WHERE item.id = ?", .integer(number), row: value)
    }

    package func item(_ key: RecordingKey) throws(DatabaseError) -> ItemRow? {
        try database.first(
            "SELECT \(Self.columns) FROM \(Self.tables) WHERE recording.key = ?", .bytes(key.bytes), row: value)
    }

    /// Returns the row for the row of a recording; nil if permanently removed.
    package func item(recording: Int64) throws(DatabaseError) -> ItemRow? {
        try database.readableRows(
            "SELECT \(Self.columns) FROM \(Self.tables) WHERE item.recording = ? AND gone = 0", [.integer(recording)],
            row: value
        ).first
    }

    /// Returns the recording's row for a number in the library; nil if unknown or permanently removed.
    func recording(number: Int) throws(DatabaseError) -> Int64? {
        try database.first("SELECT recording FROM item WHERE id = ? AND gone = 0", .integer(number)) {
            (row) throws(DatabaseError) in try row.integer(0)
        }
    }

    /// Returns the bytes of the library's own files, without the trash.
    func keptBytes() throws(DatabaseError) -> Int64 {
        let recordings: Int64? = try database.first(
            "SELECT \(Self.sum("byte_count")) FROM item WHERE place = 'kept' AND gone = 0 AND trashed IS NULL"
        ) { (row) throws(DatabaseError) in try row.integer(0) }
        return try (recordings ?? 0) + DocumentRows(items: self).keptBytes()
    }

    /// Returns an SQL expression for a sum of lengths that cannot overflow.
    static func sum(_ column: String) -> String {
        "CAST(min(total(max(0, \(column))), \(ClosedRange<Int64>.counts.upperBound)) AS INTEGER)"
    }

    package func item(path: String) throws(DatabaseError) -> ItemRow? {
        try database.first(
            "SELECT \(Self.columns) FROM \(Self.tables) WHERE item.path = ? AND gone = 0 ORDER BY item.id DESC",
            .text(path), row: value)
    }

    package func item(source: String) throws(DatabaseError) -> ItemRow? {
        try database.first(
            "SELECT \(Self.columns) FROM \(Self.tables) WHERE source = ? AND gone = 0 ORDER BY item.id DESC",
            .text(source), row: value)
    }

    /// Returns the recordings from an address that are not removed, with their indexes, newest first.
    package func items(source: String) throws(DatabaseError) -> [ItemRow] {
        var found = try database.readableRows(
            """
            SELECT \(Self.columns) FROM \(Self.tables) WHERE source = ? AND gone = 0 AND trashed IS NULL
            ORDER BY item.id DESC
            """, [.text(source)], row: value)
        let places = found.isEmpty ? [:] : try indexes()
        for place in found.indices { found[place].item.index = places[found[place].number] ?? 0 }
        return found
    }

    /// Returns all rows, including permanently removed recordings, in the order of addition.
    package func all() throws(DatabaseError) -> [ItemRow] {
        try database.readableRows("SELECT \(Self.columns) FROM \(Self.tables) ORDER BY item.id", row: value)
    }

    /// Returns the recordings that pass a filter. The index of each recording counts all recordings that are not
    /// removed.
    package func items(_ filter: ItemFilter) throws(DatabaseError) -> [ItemRow] {
        let query = ItemQuery(filter)
        guard let query else { return [] }
        let limit = query.isFilteredLater ? nil : filter.limit
        var found = try database.readableRows(
            """
            SELECT \(Self.columns) FROM \(Self.tables) WHERE \(query.conditions.joined(separator: " AND "))
            ORDER BY \(query.order) LIMIT \(limit ?? -1)
            """, query.values, row: value)
        if query.isFilteredLater {
            found = Array(found.lazy.filter { query.accepts($0.item.words) }.prefix(filter.limit ?? .max))
        }
        if filter.isTrash { return found }
        let isWhole =
            query.conditions.count == ItemQuery.usualConditions && filter.order == .added && !query.isFilteredLater
        let places = isWhole ? nil : try indexes()
        for place in found.indices {
            let index = places.map { $0[found[place].number] ?? 0 } ?? place + 1
            found[place].item.index = index
        }
        return found
    }

    /// Returns the numbers of all recordings, in the trash or not.
    func numbers() throws(DatabaseError) -> Set<Int> {
        Set(
            try database.rows("SELECT id FROM item WHERE gone = 0") { (row) throws(DatabaseError) in
                Int(try row.integer(0))
            })
    }

    /// Returns the index of each number. The latest addition has index 1.
    func indexes() throws(DatabaseError) -> [Int: Int] {
        let numbers = try database.rows(
            "SELECT id FROM item WHERE gone = 0 AND trashed IS NULL ORDER BY added DESC, id DESC"
        ) { (row) throws(DatabaseError) in Int(try row.integer(0)) }
        // A damaged index can name a row twice.
        return Dictionary(numbers.enumerated().map { ($1, $0 + 1) }) { first, _ in first }
    }

    // MARK: Writing

    /// Adds a recording, or restores a removed recording with the user's earlier description.
    ///
    /// - Returns: Number of the recording.
    package func add(_ new: NewItem, recording: Int64, at time: Int64) throws(DatabaseError) -> Int {
        let file: [DatabaseValue] = [
            .text(new.kind.rawValue), .text(new.place.rawValue), .text(new.path), .text(new.originalName),
            .integer(new.byteCount), .text(new.container), .text(new.codec), .integer(new.channelCount),
        ]
        let known: Int64? = try database.first("SELECT id FROM item WHERE recording = ?", .integer(recording)) {
            (row) throws(DatabaseError) in try row.integer(0)
        }
        if let known {
            try database.run(
                """
                UPDATE item SET kind = ?, place = ?, path = ?, original = ?, byte_count = ?, container = ?, codec = ?,
                channel_count = ?, gone = 0, trashed = NULL,
                added = CASE WHEN gone = 1 OR trashed IS NOT NULL THEN ? ELSE added END,
                revision = \(Self.nextRevision) WHERE id = ?
                """, values: file + [.integer(time), .integer(known)])
            return Int(known)
        }
        let words = new.words
        try database.run(
            """
            INSERT INTO item (kind, place, path, original, byte_count, container, codec, channel_count, title, artist,
            language, tags, source, licence, recording, added, edited, revision)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \(Self.nextRevision))
            """,
            values: file + [
                .text(words.title), .text(words.artist), .text(words.language),
                .text(words.tags.joined(separator: "\n")), .text(words.source), .text(words.licence),
                .integer(recording), .integer(time),
                .text(Self.text(new.told.reduce(into: [:]) { $0[$1] = StoreRows.milliseconds })),
            ])
        let number = database.lastInsertedRow
        if wordsComeLaterAfter == nil { try addWords(of: number) }
        return Int(number)
    }

    /// Changes the description of a recording, with the times of change.
    package func edit(_ row: ItemRow, _ words: LibraryItem.Words, edited: [String: Int64]) throws(DatabaseError) {
        try removeWords(of: Int64(row.number))
        try database.run(
            """
            UPDATE item SET title = ?, artist = ?, language = ?, tags = ?, source = ?, licence = ?, edited = ?,
            revision = \(Self.nextRevision) WHERE id = ?
            """, .text(words.title), .text(words.artist), .text(words.language),
            .text(words.tags.joined(separator: "\n")), .text(words.source), .text(words.licence),
            .text(Self.text(edited)), .integer(row.number))
        try addWords(of: Int64(row.number))
    }

    /// Sets the time of addition of a recording.
    package func setAdded(_ number: Int, _ time: Int64) throws(DatabaseError) {
        try database.run(
            "UPDATE item SET added = ?, revision = \(Self.nextRevision) WHERE id = ?", .integer(time), .integer(number))
    }

    /// Restores a permanently removed recording to the list.
    package func bringBack(_ number: Int) throws(DatabaseError) {
        try database.run(
            "UPDATE item SET gone = 0, trashed = NULL, revision = \(Self.nextRevision) WHERE id = ?", .integer(number))
    }

    func setLoudness(_ loudness: LibraryItem.Loudness, of number: Int) throws(DatabaseError) {
        func hundredths(_ value: Double) -> DatabaseValue {
            .integer(Int64((min(max(-1000, value), 1000) * 100).rounded()))
        }
        try database.run(
            "UPDATE item SET loudness = ?, true_peak = ? WHERE id = ?", hundredths(loudness.integrated),
            hundredths(loudness.truePeak), .integer(number))
    }

    /// Sets the place and path of a recording's file.
    func move(_ number: Int, _ place: LibraryItem.Place, _ path: String) throws(DatabaseError) {
        try database.run(
            "UPDATE item SET place = ?, path = ?, revision = \(Self.nextRevision) WHERE id = ?", .text(place.rawValue),
            .text(path), .integer(number))
    }

    // MARK: The trash

    /// Moves a recording to the trash.
    ///
    /// - Parameters:
    ///   - time: Seconds since 1970.
    ///   - trashing: Result of ``undoStep(_:after:)`` for this recording.
    package func trash(_ number: Int, at time: Int64, trashing: Int64) throws(DatabaseError) {
        try database.run(
            "UPDATE item SET trashed = ?, trashing = ?, revision = \(Self.nextRevision) WHERE id = ?",
            .integer(time), .integer(trashing), .integer(number))
    }

    /// Restores a recording from the trash. The row keeps the number of its removal.
    package func untrash(_ number: Int) throws(DatabaseError) {
        try database.run(
            "UPDATE item SET trashed = NULL, revision = \(Self.nextRevision) WHERE id = ?", .integer(number))
    }

    /// Returns the number of the last removal that still has a recording or a document in the trash; nil if the trash
    /// is empty.
    package func lastTrashing() throws(DatabaseError) -> Int64? {
        try database.first(
            """
            SELECT max(trashing) FROM (
                SELECT trashing FROM item WHERE trashed IS NOT NULL AND gone = 0
                UNION ALL
                SELECT document.trashing FROM document JOIN item ON item.recording = document.recording
                WHERE document.trashed IS NOT NULL AND document.gone = 0 AND item.gone = 0)
            """
        ) { (row) throws(DatabaseError) in try row.integer(orNull: 0) } ?? nil
    }

    func items(trashing: Int64) throws(DatabaseError) -> [ItemRow] {
        try database.readableRows(
            "SELECT \(Self.columns) FROM \(Self.tables) WHERE trashed IS NOT NULL AND gone = 0 AND trashing = ? ORDER BY item.id",
            [.integer(trashing)], row: value)
    }

    /// Forgets a recording in the trash, except that the recording existed.
    ///
    /// - Returns: False if the recording is no longer in the trash.
    func forget(_ number: Int) throws(DatabaseError) -> Bool {
        try database.run(
            """
            UPDATE item SET gone = 1, revision = \(Self.nextRevision)
            WHERE id = ? AND trashed IS NOT NULL
            """, .integer(number)) > 0
    }

    // MARK: Words to search

    private static let indexes = ["item_words", "item_trigrams"]

    /// Executes `body`, which may add recordings, but not edit them. Adds the new recordings to the search index
    /// afterwards, in one step.
    package func addingWordsAtOnce<Value>(
        _ body: (ItemRows) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        try rows.addingWordsAtOnce { (later) throws(DatabaseError) in
            let last = try database.first("SELECT coalesce(max(id), 0) FROM item") { (row) throws(DatabaseError) in
                try row.integer(0)
            }
            // Above this number, SQLite may choose any free number, so no number marks the new rows. See
            // `StoreRows.addingWordsAtOnce`.
            if last ?? 0 > 1 << 53 { return try body(ItemRows(rows: later, folder: folder)) }
            var items = ItemRows(rows: later, folder: folder)
            items.wordsComeLaterAfter = last ?? 0
            let value = try body(items)
            for index in Self.indexes {
                try database.run(
                    "INSERT INTO \(index) (rowid, title, artist, tags) SELECT id, title, artist, tags FROM folded_item WHERE id > ?",
                    .integer(last ?? 0))
            }
            return value
        }
    }

    private func addWords(of number: Int64) throws(DatabaseError) {
        for index in Self.indexes {
            try database.run(
                "INSERT INTO \(index) (rowid, title, artist, tags) SELECT id, title, artist, tags FROM folded_item WHERE id = ?",
                .integer(number))
        }
    }

    /// Removes a recording from the search indexes. The indexes do not store the words, so the deletion has to supply
    /// the words.
    private func removeWords(of number: Int64) throws(DatabaseError) {
        for index in Self.indexes {
            try database.run(
                """
                INSERT INTO \(index) (\(index), rowid, title, artist, tags)
                SELECT 'delete', id, title, artist, tags FROM folded_item WHERE id = ?
                """, .integer(number))
        }
    }

    // MARK: Rows as values

    private func value(_ row: DatabaseRow) throws(DatabaseError) -> ItemRow {
        let (rate, frames) = (try row.integer(24), try row.integer(25))
        guard let key = RecordingKey(bytes: try row.bytes(23)), (1...Int64(Int32.max)).contains(rate), frames >= 0,
            let place = LibraryItem.Place(rawValue: try row.text(3)),
            let kind = LibraryItem.Kind(rawValue: try row.text(10))
        else { throw .wrongValue("a recording of the library has an impossible key, rate, length, place or kind") }
        var words = LibraryItem.Words(title: try row.text(11))
        (words.artist, words.language) = (try row.text(12), try row.text(13))
        words.tags = try row.text(14).split(separator: "\n").map(String.init)
        (words.source, words.licence) = (try row.text(15), try row.text(16))
        var loudness: LibraryItem.Loudness?
        if let integrated = try row.integer(orNull: 17), let peak = try row.integer(orNull: 18) {
            loudness = .init(integrated: Double(integrated) / 100, truePeak: Double(peak) / 100)
        }
        let number = Int(try row.integer(0))
        var (stored, trashed) = (try row.text(4), try row.integer(orNull: 21))
        if place == .kept, !LibraryFolder.isName(stored) {
            // A damaged byte, or an attacker after a file of the user: no file outside the folder may be touched.
            stored = LibraryFolder.name(key, original: try row.text(5), container: try row.text(7))
        }
        let file =
            place == .kept ? folder + "/" + (trashed == nil ? "" : LibraryFolder.trashName + "/") + stored : stored
        let recording = PracticeRecording(
            key: key, sampleRate: Int(rate), frameCount: frames, title: words.title, path: file)
        return ItemRow(
            number: number, recording: try row.integer(1), isGone: try row.integer(2) != 0, path: stored,
            item: LibraryItem(
                number: number, index: 0, recording: recording, kind: kind, place: place, path: file,
                originalName: try row.text(5), byteCount: try row.integer(6), container: try row.text(7),
                codec: try row.text(8), channelCount: Int(try row.integer(9)), words: words, loudness: loudness,
                addedAt: try row.integer(19), seenAt: try row.integer(26), sectionCount: Int(try row.integer(27)),
                documentCount: Int(try row.integer(28)), trashedAt: trashed),
            edited: try StoredText.times(row, 20), trashing: try row.integer(orNull: 22))
    }

    private static func text(_ times: [String: Int64]) -> String {
        JSONValue.object(times.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) }).text
    }
}

extension RecordingLibrary {
    package func read<Value: Sendable>(
        _ body: (ItemRows) throws(DatabaseError) -> Value
    ) throws(StoreError) -> Value? {
        try store.read { [folder] (rows) throws(DatabaseError) in
            try body(ItemRows(rows: rows, folder: folder.path))
        }
    }

    @discardableResult
    package func change<Value: Sendable>(
        isRemoval: Bool = false, _ body: (ItemRows) throws(DatabaseError) -> Value
    ) throws(StoreError) -> Value {
        try store.change(isRemoval: isRemoval) { [folder] (rows) throws(DatabaseError) in
            try body(ItemRows(rows: rows, folder: folder.path))
        }
    }
}
