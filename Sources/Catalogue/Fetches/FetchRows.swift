// Rows of unfinished fetches.
package import Database
internal import JSON
package import Store

/// Rows of the unfinished fetches, on a connection on which the caller has begun a transaction.
package struct FetchRows {
    package let rows: StoreRows

    private var database: Database { rows.database }

    private static let columns =
        "id, address, state, priority, wishes, done, total, error, remedy, added, tried"
    private static let nextRevision = StoreRows.nextRevision(of: "fetch")

    /// Returns all fetches, in the order of execution.
    package func all() throws(DatabaseError) -> [PendingFetch] {
        try database.readableRows("SELECT \(Self.columns) FROM fetch ORDER BY priority DESC, id", row: Self.value)
    }

    /// Returns the addresses of all fetches, including rows that are otherwise unreadable; nil if an address is
    /// unreadable.
    func addresses() throws(DatabaseError) -> [String]? {
        var isWhole = true
        let found = try database.readableRows("SELECT address FROM fetch", isWhole: &isWhole) {
            (row) throws(DatabaseError) in try row.text(0)
        }
        return isWhole ? found : nil
    }

    func fetch(_ number: Int) throws(DatabaseError) -> PendingFetch? {
        try database.first("SELECT \(Self.columns) FROM fetch WHERE id = ?", .integer(number), row: Self.value)
    }

    /// Returns the present state of a fetch; nil if no longer listed. Compares the address too, because another fetch
    /// may have reused the number.
    func current(_ fetch: PendingFetch) throws(DatabaseError) -> PendingFetch? {
        try self.fetch(fetch.number).flatMap { $0.address == fetch.address ? $0 : nil }
    }

    func fetch(address: String) throws(DatabaseError) -> PendingFetch? {
        try database.first("SELECT \(Self.columns) FROM fetch WHERE address = ?", .text(address), row: Self.value)
    }

    /// Returns the revision for the next change. Reads the whole list.
    package func nextRevision() throws(DatabaseError) -> Int64 {
        try database.first("SELECT \(Self.nextRevision)") { (row) throws(DatabaseError) in try row.integer(0) } ?? 1
    }

    /// Adds an address that is not on the list, with ``nextRevision()``. All additions and changes of one transaction
    /// may share a revision.
    func add(
        _ address: String, _ wishes: FetchWishes, priority: Int, revision: Int64, at time: Int64
    ) throws(DatabaseError) -> Int {
        try database.run(
            """
            INSERT INTO fetch (address, state, priority, wishes, added, revision) VALUES (?, 'waiting', ?, ?, ?, ?)
            """, .text(address), .integer(priority), .text(Self.text(wishes)), .integer(time), .integer(revision))
        return Int(database.lastInsertedRow)
    }

    package func set(_ number: Int, _ state: PendingFetch.State, revision: Int64) throws(DatabaseError) {
        try database.run(
            "UPDATE fetch SET state = ?, error = '', remedy = '', revision = ? WHERE id = ?", .text(state.rawValue),
            .integer(revision), .integer(number))
    }

    func set(_ number: Int, _ wishes: FetchWishes, revision: Int64) throws(DatabaseError) {
        try database.run(
            "UPDATE fetch SET wishes = ?, revision = ? WHERE id = ?", .text(Self.text(wishes)), .integer(revision),
            .integer(number))
    }

    func setPriority(_ number: Int, _ priority: Int, revision: Int64) throws(DatabaseError) {
        try database.run(
            "UPDATE fetch SET priority = ?, revision = ? WHERE id = ?", .integer(priority), .integer(revision),
            .integer(number))
    }

    // Numbers are reused after a fetch is gone, so the address must match too.

    package func note(_ fetch: PendingFetch, done: Int64, total: Int64?) throws(DatabaseError) {
        try database.run(
            "UPDATE fetch SET done = ?, total = ? WHERE id = ? AND address = ?", .integer(max(0, done)),
            .integer(orNull: total), .integer(fetch.number), .text(fetch.address))
    }

    package func fail(
        _ fetch: PendingFetch, _ error: String, _ remedy: String, at time: Int64
    ) throws(DatabaseError) {
        try database.run(
            """
            UPDATE fetch SET state = 'failed', error = ?, remedy = ?, tried = ?, revision = \(Self.nextRevision)
            WHERE id = ? AND address = ?
            """, .text(error), .text(remedy), .integer(time), .integer(fetch.number), .text(fetch.address))
    }

    package func remove(_ fetch: PendingFetch) throws(DatabaseError) {
        try database.run(
            "DELETE FROM fetch WHERE id = ? AND address = ?", .integer(fetch.number), .text(fetch.address))
    }

    private static func value(_ row: DatabaseRow) throws(DatabaseError) -> PendingFetch {
        guard let state = PendingFetch.State(rawValue: try row.text(2)) else {
            throw .wrongValue("a fetch has an impossible state")
        }
        return PendingFetch(
            number: Int(try row.integer(0)), address: try row.text(1), state: state,
            priority: Int(try row.integer(3)), wishes: try wishes(row, 4), doneBytes: try row.integer(5),
            totalBytes: try row.integer(orNull: 6), error: try row.text(7), remedy: try row.text(8),
            addedAt: try row.integer(9), triedAt: try row.integer(orNull: 10))
    }

    private static func text(_ wishes: FetchWishes) -> String {
        var fields: [JSONValue.Field] = []
        func add(_ name: String, _ text: String?) {
            if let text { fields.append(.init(name, .string(text))) }
        }
        add("title", wishes.title)
        add("artist", wishes.artist)
        add("language", wishes.language)
        add("licence", wishes.licence)
        add("sha256", wishes.sha256)
        if !wishes.tags.isEmpty { fields.append(.init("tags", .array(wishes.tags.map { .string($0) }))) }
        return JSONValue.object(fields).text
    }

    /// Returns empty wishes for unreadable text, and reports the text as unreadable.
    private static func wishes(_ row: DatabaseRow, _ column: Int) throws(DatabaseError) -> FetchWishes {
        let text = try row.text(column)
        return try row.readable(or: FetchWishes()) { () throws(DatabaseError) in try wishes(text) }
    }

    private static func wishes(_ text: String) throws(DatabaseError) -> FetchWishes {
        guard let value = JSONValue(reading: Array(text.utf8)) else {
            throw .wrongValue("the settings of a fetch cannot be read")
        }
        var wishes = FetchWishes()
        (wishes.title, wishes.artist) = (value["title"]?.stringValue, value["artist"]?.stringValue)
        (wishes.language, wishes.licence) = (value["language"]?.stringValue, value["licence"]?.stringValue)
        wishes.sha256 = value["sha256"]?.stringValue
        wishes.tags = value["tags"]?.elements?.compactMap(\.stringValue) ?? []
        return wishes
    }
}

extension RecordingLibrary {
    @discardableResult
    package func changeFetches<Value: Sendable>(
        isRemoval: Bool = false, _ body: (FetchRows) throws(DatabaseError) -> Value
    ) throws(StoreError) -> Value {
        try store.change(isRemoval: isRemoval) { (rows) throws(DatabaseError) in try body(FetchRows(rows: rows)) }
    }
}
