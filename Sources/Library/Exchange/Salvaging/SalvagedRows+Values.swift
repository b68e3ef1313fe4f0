// Differences between the rows of a salvaged store and the rows here.
internal import Catalogue
internal import Database
internal import Store

extension SalvagedRows {
    /// Takes over the fields that were edited later in the salvaged store.
    func describe(
        _ theirs: [ItemRow], _ items: ItemRows, _ summary: inout SalvageSummary
    ) throws(DatabaseError) {
        for old in theirs {
            guard let row = try items.item(old.item.key), !row.isGone else { continue }
            var (words, edited) = (row.item.words, row.edited)
            for field in words.fields(otherThan: old.item.words) {
                let time = old.edited[field] ?? 0
                if time <= now, time > edited[field] ?? 0 {
                    words.set(field, as: old.item.words)
                    edited[field] = time
                } else if !old.item.words.text(field).isEmpty {
                    summary.add([
                        SalvageConflict(
                            thing: row.item.words.title, field: field, kept: row.item.words.text(field),
                            passedOver: old.item.words.text(field))
                    ])
                }
            }
            guard words != row.item.words else { continue }
            try items.edit(row, words, edited: edited)
            summary.described += 1
        }
    }

    /// Returns an SQL expression for the title of a recording.
    static func title(_ store: String, _ recording: String) -> String {
        "coalesce(nullif((SELECT title FROM \(store).item WHERE item.recording = \(recording).id), ''), \(recording).title)"
    }

    func found(_ field: String, _ query: String) throws(DatabaseError) -> [SalvageConflict] {
        try database.rows(query) { (row) throws(DatabaseError) in
            SalvageConflict(
                thing: try row.text(0), field: field, kept: try row.text(1), passedOver: try row.text(2))
        }
    }

    /// Returns the fields of sections that differ, and remembered values that are only there.
    func conflictsOfRecordings() throws(DatabaseError) -> [SalvageConflict] {
        var all: [SalvageConflict] = []
        for (field, value) in [
            ("name", "name"), ("text", "text"), ("settings", "settings"), ("range", "first || '-' || %.past"),
            ("kind", "kind"), ("mark as hard", "hard || ''"),
        ] {
            let (kept, old) = (
                "here." + value.replacing("%", with: "here"), "there." + value.replacing("%", with: "there")
            )
            all += try found(
                field,
                """
                SELECT \(Self.title("main", "ours")) || ': ' || here.name, \(kept), \(old) FROM renumbered JOIN pair ON pair.number = renumbered.recording
                JOIN main.recording AS ours ON ours.id = pair.number
                JOIN main.section AS here ON here.recording = pair.number AND here.id = renumbered.now
                JOIN other.section AS there ON there.recording = pair.was AND there.id = renumbered.was WHERE \(kept) <> \(old)
                AND there.past <= pair.frame_count ORDER BY ours.id, here.id
                """)
        }
        // Remembered values in both stores are not reported: such values differ after each session.
        for (field, none) in [("position", "NULL"), ("settings", "'{}'")] {
            all += try found(
                field,
                """
                SELECT \(Self.title("main", "ours")), '', CAST(there.\(field) AS TEXT) FROM pair JOIN main.recording AS ours ON ours.id = pair.number
                JOIN other.recording AS there ON there.id = pair.was
                WHERE ours.\(field) IS \(none) AND there.\(field) IS NOT \(none) AND NOT (there.\(field) IS 0) ORDER BY ours.id
                """)
        }
        return all
    }

    /// Returns the names of playlists that differ, and the entries that are only there.
    func conflictsOfPlaylists() throws(DatabaseError) -> [SalvageConflict] {
        let lists = "FROM main.playlist AS here JOIN other.playlist AS there ON there.identity = here.identity"
        var all = try found(
            "name",
            "SELECT here.name, here.name, there.name \(lists) WHERE here.name <> there.name AND instr(here.name, there.name || ' (' || here.identity) <> 1"
        )
        // Leaves out lists that were not changed since: their entries are already restored.
        all += try found(
            "entries",
            """
            SELECT here.name, '', substr(group_concat(lost.title, ', '), 1, 1000) FROM main.playlist AS here
            JOIN (SELECT missing.playlist, \(Self.title("main", "ours")) AS title FROM missing JOIN main.recording AS ours ON ours.id = missing.recording
                WHERE missing.playlist NOT IN (SELECT number FROM list) ORDER BY missing.place) AS lost ON lost.playlist = here.id
            GROUP BY here.id ORDER BY here.id
            """)
        return all
    }

    /// Returns the fields of takes that differ.
    func conflictsOfTakes() throws(DatabaseError) -> [SalvageConflict] {
        var all: [SalvageConflict] = []
        let takes =
            "FROM main.take AS here JOIN other.take AS there ON there.path = here.path AND there.time = here.time"
        for field in ["name", "note", "rating"] {
            let (kept, old) = ("coalesce(here.\(field), '')", "coalesce(there.\(field), '')")
            all += try found(
                field,
                "SELECT 'take ' || here.id, CAST(\(kept) AS TEXT), CAST(\(old) AS TEXT) \(takes) WHERE \(kept) <> \(old) AND \(old) <> ''"
            )
        }
        return all
    }
}

extension LibraryItem.Words {
    /// Returns a field as text.
    fileprivate func text(_ field: String) -> String {
        switch field {
        case "title": title
        case "artist": artist
        case "language": language
        case "tags": tags.joined(separator: ", ")
        case "source": source
        default: licence
        }
    }

    /// Copies a field from other words.
    fileprivate mutating func set(_ field: String, as other: LibraryItem.Words) {
        switch field {
        case "title": title = other.title
        case "artist": artist = other.artist
        case "language": language = other.language
        case "tags": tags = other.tags
        case "source": source = other.source
        default: licence = other.licence
        }
    }
}
