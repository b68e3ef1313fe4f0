// Rows of documents, on a connection on which the caller has begun a transaction.
package import Database
internal import Store

package struct DocumentRow {
    /// State of a document, including the state of its recording.
    package enum State { case present, trashed, gone }

    package let id: Int64
    package let recording: Int64
    let itemNumber: Int
    package let hash: String
    package let place: LibraryItem.Place
    /// Name in the library's folder for documents, or the path of a linked file.
    package let path: String
    package let name: String
    package let byteCount: Int64
    let addedAt: Int64
    /// Time of the document's own removal, in seconds since 1970.
    let trashedAt: Int64?
    /// Number of the document's last removal; stays after the removal was undone.
    package let trashing: Int64?
    /// True if the file was permanently removed, with its recording or by itself.
    package let isGone: Bool
    /// Time of the last change, in ms since 1970.
    package let changedAt: Int64
    package let state: State
    /// True if a present document, this or another document, has the same file.
    let isFilePresent: Bool

    /// The document's state in a catalogue: false after its own removal, nil as if the document was never here.
    package var isTold: Bool? { trashedAt != nil ? false : isGone ? nil : true }
}

package struct DocumentRows {
    let items: ItemRows

    package init(items: ItemRows) { self.items = items }

    private var database: Database { items.rows.database }

    private static let present =
        "document.gone = 0 AND document.trashed IS NULL AND item.gone = 0 AND item.trashed IS NULL"
    private static let columns = """
        document.id, document.recording, item.id, document.hash, document.place, document.path, document.name,
        document.byte_count, document.added, document.trashed, document.gone, document.changed,
        item.trashed IS NOT NULL, item.gone,
        EXISTS (SELECT 1 FROM document AS other JOIN item AS owner ON owner.recording = other.recording
            WHERE other.path = document.path AND other.place = 'kept' AND other.gone = 0 AND other.trashed IS NULL
            AND owner.gone = 0 AND owner.trashed IS NULL), document.trashing
        """
    private static let tables = "document JOIN item ON item.recording = document.recording"
    private static let query = "SELECT \(columns) FROM \(tables)"

    // MARK: Reading

    /// Returns all documents, including removed documents.
    package func all() throws(DatabaseError) -> [DocumentRow] {
        var isWhole = true
        return try all(isWhole: &isWhole)
    }

    /// Returns all documents, including removed documents. Sets `isWhole` to false if a row is unreadable.
    func all(isWhole: inout Bool) throws(DatabaseError) -> [DocumentRow] {
        try database.readableRows("\(Self.query) ORDER BY document.id", isWhole: &isWhole, row: Self.value)
    }

    /// Returns all documents of a recording, including removed documents. Sets `isWhole` to false if a row is
    /// unreadable.
    package func all(of recording: Int64, isWhole: inout Bool) throws(DatabaseError) -> [DocumentRow] {
        try database.readableRows(
            "\(Self.query) WHERE document.recording = ? ORDER BY document.id", [.integer(recording)],
            isWhole: &isWhole, row: Self.value)
    }

    /// Returns the documents of a recording that were not removed by themselves, in the order of attachment.
    package func documents(of recording: Int64) throws(DatabaseError) -> [DocumentRow] {
        try database.readableRows(
            """
            \(Self.query) WHERE document.recording = ? AND document.trashed IS NULL AND document.gone = 0
            ORDER BY document.id
            """, [.integer(recording)], row: Self.value)
    }

    package func document(_ hash: String, of recording: Int64) throws(DatabaseError) -> DocumentRow? {
        try database.first(
            "\(Self.query) WHERE document.recording = ? AND document.hash = ?", .integer(recording), .text(hash),
            row: Self.value)
    }

    /// Returns the library's own documents with this content, without permanently removed documents.
    package func kept(_ hash: String) throws(DatabaseError) -> [DocumentRow] {
        try database.readableRows(
            """
            \(Self.query) WHERE document.hash = ? AND document.place = 'kept' AND document.gone = 0 AND item.gone = 0
            ORDER BY document.id
            """, [.text(hash)], row: Self.value)
    }

    /// Returns the documents removed in an undo step.
    package func documents(trashing: Int64) throws(DatabaseError) -> [DocumentRow] {
        try database.readableRows(
            """
            \(Self.query) WHERE document.trashing = ? AND document.trashed IS NOT NULL AND document.gone = 0
            AND item.gone = 0 ORDER BY document.id
            """, [.integer(trashing)], row: Self.value)
    }

    /// Returns the bytes of the library's own documents, without the trash.
    func keptBytes() throws(DatabaseError) -> Int64 {
        try database.first(
            """
            SELECT \(ItemRows.sum("bytes")) FROM (SELECT max(document.byte_count) AS bytes FROM \(Self.tables)
                WHERE document.place = 'kept' AND \(Self.present) GROUP BY document.path)
            """
        ) { (row) throws(DatabaseError) in try row.integer(0) } ?? 0
    }

    // MARK: Writing

    /// Values for writing a document.
    package struct New {
        let hash: String
        package let place: LibraryItem.Place
        package let path: String
        let name: String
        let byteCount: Int64

        package init(hash: String, place: LibraryItem.Place, path: String, name: String, byteCount: Int64) {
            (self.hash, self.place, self.path) = (hash, place, path)
            (self.name, self.byteCount) = (name, byteCount)
        }
    }

    /// Adds a document, or restores a removed document, with the given name and place.
    ///
    /// - Parameters:
    ///   - time: Time of attachment, in seconds since 1970.
    ///   - changed: Time of the change, in ms since 1970, for a merge.
    package func write(_ new: New, of recording: Int64, at time: Int64, changed: Int64) throws(DatabaseError) {
        try database.run(
            """
            INSERT INTO document (recording, hash, place, path, name, byte_count, added, changed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (recording, hash) DO UPDATE SET place = excluded.place, path = excluded.path,
                name = excluded.name, byte_count = excluded.byte_count,
                added = CASE WHEN gone = 1 OR trashed IS NOT NULL THEN excluded.added ELSE added END,
                trashed = NULL, gone = 0, changed = excluded.changed
            """, .integer(recording), .text(new.hash), .text(new.place.rawValue), .text(new.path), .text(new.name),
            .integer(new.byteCount), .integer(time), .integer(changed))
    }

    package func rename(_ id: Int64, _ name: String) throws(DatabaseError) {
        try database.run("UPDATE document SET name = ? WHERE id = ?", .text(name), .integer(id))
    }

    /// Moves a document to the trash.
    ///
    /// - Parameter changed: Time of the change elsewhere, in ms since 1970. Nil for now, which is later than the
    ///   earlier changes, whatever the clock says.
    package func trash(_ id: Int64, at time: Int64, trashing: Int64, changed: Int64? = nil) throws(DatabaseError) {
        try database.run(
            "UPDATE document SET trashed = ?, trashing = ?, changed = coalesce(?, max(?, changed + 1)) WHERE id = ?",
            .integer(time), .integer(trashing), .integer(orNull: changed), .integer(StoreRows.milliseconds),
            .integer(id))
    }

    /// Restores a document from the trash, as now. The document keeps the number of its removal: see
    /// ``ItemRows/undoStep(_:after:)``.
    ///
    /// - Returns: False if the document is no longer in the trash by the removal of `row`.
    func untrash(_ row: DocumentRow) throws(DatabaseError) -> Bool {
        try database.run(
            """
            UPDATE document SET trashed = NULL, changed = max(?, changed + 1)
            WHERE id = ? AND trashed IS NOT NULL AND gone = 0 AND trashing IS ?
            """, .integer(StoreRows.milliseconds), .integer(row.id), .integer(orNull: row.trashing)) > 0
    }

    /// Forgets a document, except that the document existed.
    func forget(_ id: Int64) throws(DatabaseError) {
        try database.run("UPDATE document SET gone = 1 WHERE id = ?", .integer(id))
    }

    /// Forgets all documents of a recording.
    func forget(recording: Int64) throws(DatabaseError) {
        try database.run("UPDATE document SET gone = 1 WHERE recording = ?", .integer(recording))
    }

    private static func value(_ row: DatabaseRow) throws(DatabaseError) -> DocumentRow {
        guard let place = LibraryItem.Place(rawValue: try row.text(4)) else {
            throw .wrongValue("a document has an impossible place")
        }
        var path = try row.text(5)
        if place == .kept, !LibraryFolder.isName(path) {
            let hash = try row.text(3)
            path = DocumentFile.name(DocumentFile.isHash(hash) ? hash : "damaged", original: try row.text(6))
        }
        let (trashed, isGone) = (try row.integer(orNull: 9), try row.integer(10) != 0)
        let (isItemTrashed, isItemGone) = (try row.integer(12) != 0, try row.integer(13) != 0)
        let state: DocumentRow.State =
            isGone || isItemGone ? .gone : trashed != nil || isItemTrashed ? .trashed : .present
        return DocumentRow(
            id: try row.integer(0), recording: try row.integer(1), itemNumber: Int(try row.integer(2)),
            hash: try row.text(3), place: place, path: path, name: try row.text(6),
            byteCount: try row.integer(7), addedAt: try row.integer(8), trashedAt: trashed,
            trashing: try row.integer(orNull: 15), isGone: isGone, changedAt: try row.integer(11), state: state,
            isFilePresent: try row.integer(14) != 0)
    }
}
