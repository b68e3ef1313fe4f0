// Rows of playlists and their entries. Entries are ordered by `place`. Gaps between the places let an entry move
// without changes to other entries, until a gap is used up.
package import AudioFiles
package import Database
internal import Store

package struct PlaylistRows {
    let items: ItemRows

    package init(items: ItemRows) { self.items = items }

    private var database: Database { items.rows.database }

    /// Distance between the places of neighbours that were not moved.
    private static let gap: Int64 = 1 << 20
    private static let nextRevision = StoreRows.nextRevision(of: "playlist")
    private static let columns = """
        playlist.id, identity, name, made, changed,
        (SELECT count(*) FROM entry WHERE entry.playlist = playlist.id AND \(isShown)),
        (SELECT \(ItemRows.sum("1000 * frame_count / sample_rate")) FROM entry
            JOIN recording ON entry.recording = recording.id WHERE entry.playlist = playlist.id AND \(isShown))
        """
    /// Condition for an entry that `entries` shows: its recording was not permanently removed.
    private static let isShown =
        "EXISTS (SELECT 1 FROM item WHERE item.recording = entry.recording AND item.gone = 0)"

    // MARK: Playlists

    package func playlists() throws(DatabaseError) -> [Playlist] {
        try database.readableRows(
            "SELECT \(Self.columns) FROM playlist ORDER BY name COLLATE NOCASE, id", row: Self.value)
    }

    func playlist(_ number: Int) throws(DatabaseError) -> Playlist? {
        try database.first("SELECT \(Self.columns) FROM playlist WHERE id = ?", .integer(number), row: Self.value)
    }

    func playlist(named name: String) throws(DatabaseError) -> Playlist? {
        try database.first("SELECT \(Self.columns) FROM playlist WHERE name = ?", .text(name), row: Self.value)
    }

    package func make(_ name: String, identity: String, at time: Int64) throws(DatabaseError) -> Int {
        try database.run(
            "INSERT INTO playlist (identity, name, made, changed, revision) VALUES (?, ?, ?, ?, \(Self.nextRevision))",
            .text(identity), .text(name), .integer(time), .integer(StoreRows.milliseconds))
        return Int(database.lastInsertedRow)
    }

    package func rename(_ number: Int, _ name: String) throws(DatabaseError) {
        try database.run("UPDATE playlist SET name = ? WHERE id = ?", .text(name), .integer(number))
        try touch(number)
    }

    /// Deletes a playlist with its entries, and records the time of deletion.
    package func delete(_ number: Int) throws(DatabaseError) {
        try database.run(
            """
            INSERT OR REPLACE INTO deleted_playlist (identity, time)
            SELECT identity, max(?, changed / 1000 * 1000 + 1000) FROM playlist WHERE id = ?
            """, .integer(StoreRows.milliseconds), .integer(number))
        try database.run("DELETE FROM playlist WHERE id = ?", .integer(number))
    }

    /// Records a change of a playlist. A later change has a later time, whatever the clock says.
    func touch(_ number: Int) throws(DatabaseError) {
        try database.run(
            "UPDATE playlist SET changed = max(?, changed + 1), revision = \(Self.nextRevision) WHERE id = ?",
            .integer(StoreRows.milliseconds), .integer(number))
    }

    private static func value(_ row: DatabaseRow) throws(DatabaseError) -> Playlist {
        Playlist(
            number: Int(try row.integer(0)), identity: try row.text(1), name: try row.text(2),
            madeAt: try row.integer(3), changedAt: try row.integer(4) / 1000, entryCount: Int(try row.integer(5)),
            seconds: Double(try row.integer(6)) / 1000)
    }

    // MARK: Entries

    /// Returns the identities of the entries and of their recordings' rows, in order.
    func places(
        _ playlist: Int, where condition: String = "true"
    ) throws(DatabaseError) -> [(id: Int64, place: Int64, recording: Int64)] {
        try database.rows(
            "SELECT id, place, recording FROM entry WHERE playlist = ? AND \(condition) ORDER BY place",
            [.integer(playlist)]
        ) { (row) throws(DatabaseError) in (try row.integer(0), try row.integer(1), try row.integer(2)) }
    }

    /// Returns the entries that `entries` shows, in order: an entry stays when its recording is permanently removed,
    /// because the recording may be added again.
    func shownPlaces(_ playlist: Int) throws(DatabaseError) -> [(id: Int64, place: Int64, recording: Int64)] {
        try places(playlist, where: Self.isShown)
    }

    /// Returns the index among all entries for an index among the shown entries, both from 0. The number of shown
    /// entries means the end.
    ///
    /// - Parameter moved: An entry that does not count; nil for none.
    func index(ofShown index: Int, in playlist: Int, besides moved: Int64? = nil) throws(DatabaseError) -> Int {
        let all = try places(playlist).filter { $0.id != moved }
        let shown = try shownPlaces(playlist).filter { $0.id != moved }
        guard index < shown.count else { return all.count }
        return all.firstIndex { $0.id == shown[index].id } ?? all.count
    }

    /// Inserts recordings in front of the entry with an index from 0; the number of entries means the end.
    func insert(
        _ recordings: [Int64], into playlist: Int, at index: Int, time: Int64
    ) throws(DatabaseError) {
        let places = try freePlaces(recordings.count, in: playlist, at: index)
        for (recording, place) in zip(recordings, places) {
            try database.run(
                "INSERT INTO entry (playlist, recording, place, added) VALUES (?, ?, ?, ?)", .integer(playlist),
                .integer(recording), .integer(place), .integer(time))
        }
        try touch(playlist)
    }

    /// Replaces the entries of a playlist by recordings, in one statement: one statement for each recording would lock
    /// the store for long.
    package func replaceEntries(
        of playlist: Int, by keys: [RecordingKey], time: Int64
    ) throws(DatabaseError) {
        try database.run("DELETE FROM entry WHERE playlist = ?", .integer(playlist))
        try database.run(
            """
            INSERT INTO entry (playlist, recording, place, added)
            WITH RECURSIVE wanted (number) AS (
                SELECT 0 UNION ALL SELECT number + 1 FROM wanted WHERE number + 1 < ?2)
            SELECT ?1, recording.id, (number - ?2) * ?3, ?4
            FROM wanted CROSS JOIN recording ON recording.key = substr(?5, 16 * number + 1, 16)
            """, .integer(playlist), .integer(keys.count), .integer(Self.gap), .integer(time),
            .bytes(keys.flatMap(\.bytes)))
        try touch(playlist)
    }

    func remove(_ ids: [Int64], from playlist: Int) throws(DatabaseError) {
        for id in ids { try database.run("DELETE FROM entry WHERE id = ?", .integer(id)) }
        try touch(playlist)
    }

    /// Moves an entry in front of the entry with an index from 0, counted without the moved entry.
    func move(_ id: Int64, in playlist: Int, to index: Int) throws(DatabaseError) {
        // Out of the way first, so that the old place counts as free.
        let lowest = try self.places(playlist).first?.place ?? 0
        try database.run("UPDATE entry SET place = ? WHERE id = ?", .integer(lowest - Self.gap), .integer(id))
        let places = try freePlaces(1, in: playlist, at: index, besides: id)
        try database.run("UPDATE entry SET place = ? WHERE id = ?", .integer(places[0]), .integer(id))
        try touch(playlist)
    }

    /// Returns places for new entries in front of the entry with an index. Makes room if necessary.
    private func freePlaces(
        _ count: Int, in playlist: Int, at index: Int, besides moved: Int64? = nil
    ) throws(DatabaseError) -> [Int64] {
        for _ in 0..<2 {
            let places = try self.places(playlist).filter { $0.id != moved }.map(\.place)
            let after = index > 0 ? places[index - 1] : (places.first ?? 0) - Self.gap * Int64(count + 1)
            guard index < places.count else { return (1...max(1, Int64(count))).map { after + $0 * Self.gap } }
            let step = (places[index] - after) / Int64(count + 1)
            if step >= 1 { return (1...max(1, Int64(count))).map { after + $0 * step } }
            try spread(playlist, besides: moved, gap: Self.gap * Int64(count + 1))
        }
        throw .wrongValue("the entries of a playlist have impossible places")
    }

    /// Gives all entries places with equal gaps.
    private func spread(_ playlist: Int, besides moved: Int64?, gap: Int64) throws(DatabaseError) {
        let entries = try places(playlist).filter { $0.id != moved }
        // Two steps, because places must be unique at all times. The moved entry is below all others.
        let highest = max(entries.last?.place ?? 0, Int64(entries.count + 1) * gap)
        for (index, entry) in entries.enumerated() {
            try database.run(
                "UPDATE entry SET place = ? WHERE id = ?", .integer(highest + Int64(index + 1)), .integer(entry.id))
        }
        if let moved {
            try database.run("UPDATE entry SET place = ? WHERE id = ?", .integer(-gap), .integer(moved))
        }
        for (index, entry) in entries.enumerated() {
            try database.run(
                "UPDATE entry SET place = ? WHERE id = ?", .integer(Int64(index) * gap), .integer(entry.id))
        }
    }

    func entries(_ playlist: Int) throws(DatabaseError) -> [PlaylistEntry] {
        var entries: [PlaylistEntry] = []
        let indexes = try items.indexes()
        for (id, _, recording) in try places(playlist) {
            guard var item = try items.item(recording: recording)?.item else { continue }
            item.index = indexes[item.number] ?? 0
            entries.append(PlaylistEntry(id: id, index: entries.count + 1, item: item))
        }
        return entries
    }
}
