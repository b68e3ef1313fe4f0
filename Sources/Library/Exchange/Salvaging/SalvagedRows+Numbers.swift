// Limits of all numbers in a store from elsewhere: from a backup, or from a damaged file.
internal import Catalogue
internal import Database
internal import JSON
internal import Store

/// The range of numbers that this program writes into columns.
struct NumberLimits {
    let table: String
    let columns: [String]
    let limits: ClosedRange<Int64>
    /// SQL expression that replaces a number outside the limits; nil to delete the row.
    let otherwise: String?

    fileprivate init(_ table: String, _ columns: String, _ limits: ClosedRange<Int64>, or otherwise: String?) {
        (self.table, self.limits, self.otherwise) = (table, limits, otherwise)
        self.columns = columns.split(separator: " ").map(String.init)
    }

    fileprivate static func all(
        _ limits: ClosedRange<Int64>, or otherwise: String, _ columns: (table: String, columns: String)...
    ) -> [NumberLimits] { columns.map { NumberLimits($0.table, $0.columns, limits, or: otherwise) } }
}

extension ClosedRange<Int64> {
    /// Numbers of sections and takes.
    fileprivate static var numbers: Self { 1...Int64(Int32.max / 2) }
    fileprivate static var rates: Self { 1...Int64(Int32.max) }
    fileprivate static var channels: Self { 1...64 }
    fileprivate static var hundredths: Self { -100_000...100_000 }
    fileprivate static var millionths: Self { 1...100_000_000 }

    /// Returns an SQL condition for values of a column outside the range.
    fileprivate func excludes(_ column: String) -> String { "\(column) NOT BETWEEN \(lowerBound) AND \(upperBound)" }
}

extension SalvagedRows {
    /// Limits of all columns with numbers, except ``limitedOtherwise`` and ``identities``. A value outside its limits
    /// cannot be true.
    static let limits: [NumberLimits] =
        // In seconds since 1970.
        NumberLimits.all(
            .seconds, or: "0", ("recording", "seen"), ("item", "added trashed"), ("document", "added trashed"),
            ("take", "time trashed"), ("practice", "began ended"), ("review", "time"), ("entry", "added"),
            ("fetch", "added tried"), ("feed", "added checked"), ("episode", "published"), ("playlist", "made"))
        // In milliseconds since 1970.
        + NumberLimits.all(
            .milliseconds, or: "0", ("document", "changed"), ("playlist", "changed"), ("section_time", "changed"),
            ("take_mark", "changed"), ("deleted_playlist", "time"))
        // The next value of these columns is the greatest value plus one.
        + NumberLimits.all(
            .counts, or: "0", ("recording", "revision"), ("item", "revision"), ("take", "revision"),
            ("playlist", "revision"), ("fetch", "revision"))
        // A removal of a salvaged store has a number below 0.
        + NumberLimits.all(.places, or: "0", ("item", "trashing"), ("document", "trashing"), ("take", "trashing"))
        + NumberLimits.all(
            0...1, or: "1", ("item", "gone"), ("document", "gone"), ("take", "gone"), ("section", "hard"),
            ("episode", "is_new"))
        + NumberLimits.all(.counts, or: "0", ("item", "byte_count"), ("document", "byte_count"), ("fetch", "done"))
        + NumberLimits.all(
            .counts, or: "NULL", ("recording", "position"), ("fetch", "total"), ("episode", "milliseconds byte_count"))
        + NumberLimits.all(.rates, or: "\(StoreRows.lostRate)", ("recording", "sample_rate"), ("take", "sample_rate"))
        + NumberLimits.all(.channels, or: "1", ("item", "channel_count"), ("take", "channel_count"))
        + NumberLimits.all(.hundredths, or: "NULL", ("item", "loudness true_peak"))
        + NumberLimits.all(.numbers, or: "NULL", ("practice", "section"), ("take", "section"), ("merged", "section"))
        + NumberLimits.all(.millionths, or: "NULL", ("practice", "lowest highest last"))
        + [
            NumberLimits("section", "id", .numbers, or: nil), NumberLimits("section", "first past", .counts, or: nil),
            NumberLimits("section_time", "section", .numbers, or: nil),
            NumberLimits("take", "id", .numbers, or: nil), NumberLimits("take", "frame_count", .counts, or: "0"),
            NumberLimits("take", "rating", 1...5, or: "NULL"),
            NumberLimits("practice", "first past", .counts, or: nil),
            NumberLimits("practice", "milliseconds", 0...1 << 40, or: "0"),
            NumberLimits("practice", "passes", 0...Int64(Int32.max), or: "0"),
            NumberLimits("review", "section", .numbers, or: nil), NumberLimits("review", "rating", 1...4, or: nil),
            NumberLimits("review", "interval", 1...36_500, or: "1"),
            NumberLimits("fetch", "priority", .places, or: "0"),
        ]

    /// Columns whose limits depend on other columns, by table: see ``limitNumbers(_:)``.
    static let limitedOtherwise = [
        "recording": ["frame_count", "section_count", "next_section", "done"], "change": ["number"],
        "entry": ["place"],
    ]

    /// Columns with numbers that only identify a row, so any value is valid. All columns of the table `file` belong
    /// here; the rows of `file` are deleted.
    static let identities: Set<String> = ["id", "row", "recording", "playlist", "feed", "take"]

    /// Limits the numbers in the salvaged store itself: a damaged byte, or an attacker, may have written numbers that
    /// no version of this program writes.
    ///
    /// - Returns: The recordings of the store, including the trash.
    func limitNumbers(_ items: ItemRows) throws(DatabaseError) -> [ItemRow] {
        // Deletes the file states of another computer. Each file is read again.
        try database.run("DELETE FROM file")
        var lostSections = 0
        for entry in Self.limits {
            for column in entry.columns {
                let change = entry.otherwise.map { "UPDATE \(entry.table) SET \(column) = \($0)" }
                let count = try database.run(
                    "\(change ?? "DELETE FROM \(entry.table)") WHERE \(entry.limits.excludes(column))")
                if change == nil, entry.table == "section" { lostSections += count }
            }
        }
        // Only the key of a recording with an impossible rate or length is known.
        try database.run(
            """
            UPDATE recording SET sample_rate = \(StoreRows.lostRate), frame_count = 0
            WHERE sample_rate = \(StoreRows.lostRate) OR \(ClosedRange.counts.excludes("frame_count"))
            """)
        try limitHistories()
        try spreadEntries()
        try database.run(
            "UPDATE recording SET next_section = 1 WHERE \(ClosedRange.rates.excludes("next_section"))")
        try rows.raiseNextSections()
        try rows.countSections()
        if lostSections > 0 { try rows.rebuildWords() }
        return try limitPlaces(items)
    }

    /// Deletes the changes of recordings whose number of undone changes is unknown.
    private func limitHistories() throws(DatabaseError) {
        let isOther = "SELECT id FROM recording WHERE \(ClosedRange.counts.excludes("done"))"
        try database.run(
            "DELETE FROM change WHERE recording IN (\(isOther)) OR \(ClosedRange.counts.excludes("number"))")
        try database.run("UPDATE recording SET done = 0 WHERE \(ClosedRange.counts.excludes("done"))")
    }

    /// Gives new places to the entries of playlists with impossible places, in the same order.
    private func spreadEntries() throws(DatabaseError) {
        try makeTable(
            """
            spread AS SELECT id, playlist, recording, row_number() OVER (PARTITION BY playlist ORDER BY place) << 20 AS place, added
            FROM main.entry WHERE playlist IN (SELECT playlist FROM main.entry WHERE \(ClosedRange.places.excludes("place")))
            """)
        // Places must be unique at all times, so the old entries are deleted first.
        try database.run("DELETE FROM main.entry WHERE id IN (SELECT id FROM temp.spread)")
        try database.run(
            """
            INSERT INTO main.entry (id, playlist, recording, place, added)
            SELECT id, playlist, recording, place, added FROM temp.spread
            WHERE playlist IN (SELECT id FROM main.playlist) AND recording IN (SELECT id FROM main.recording)
            """)
        try database.run("DROP TABLE temp.spread")
    }

    /// Replaces a path outside the library's folder by the path inside.
    private func limitPlaces(_ items: ItemRows) throws(DatabaseError) -> [ItemRow] {
        for row in try items.all() where row.item.place == .kept {
            try database.run(
                "UPDATE item SET path = ? WHERE id = ? AND path <> ?1", .text(row.path), .integer(row.number))
        }
        for row in try DocumentRows(items: items).all() where row.place == .kept {
            try database.run(
                "UPDATE document SET path = ? WHERE id = ? AND path <> ?1", .text(row.path), .integer(row.id))
        }
        var all: [ItemRow] = []
        for isTrash in [false, true] {
            var filter = ItemFilter()
            filter.isTrash = isTrash
            all += try items.items(filter)
        }
        return all
    }
}
