// What the rows of a salvaged store say: within the limits of what is written here, and where it differs.
internal import Catalogue
internal import Database
internal import Store

extension SalvagedRows {
    /// Brings numbers that no version of this program writes to what can be read: a damaged byte may have made them. For the salvaged store itself.
    ///
    /// - Returns: Its recordings, also those in the trash.
    func limitNumbers(_ items: ItemRows) throws(DatabaseError) -> [ItemRow] {
        // The last second of the year 9999.
        let seconds: Int64 = 253_402_300_799
        for (table, columns) in [
            ("recording", "seen"), ("item", "added trashed"), ("document", "added trashed"), ("take", "time trashed"),
            ("practice", "began ended"), ("review", "time"), ("entry", "added"), ("fetch", "added tried"),
            ("feed", "added checked"), ("episode", "published"), ("playlist", "made"),
        ] {
            for column in columns.split(separator: " ") {
                try database.run("UPDATE \(table) SET \(column) = 0 WHERE \(column) NOT BETWEEN 0 AND \(seconds)")
            }
        }
        for (table, column) in [
            ("document", "changed"), ("playlist", "changed"), ("section_time", "changed"), ("take_mark", "changed"),
        ] {
            try database.run(
                "UPDATE \(table) SET \(column) = 0 WHERE \(column) NOT BETWEEN 0 AND \(seconds * 1000 + 999)")
        }
        // Beyond these a row says nothing that can be true.
        let frames = "BETWEEN 0 AND \(Int64(1) << 53)"
        for (table, column, limits, otherwise) in [
            ("recording", "sample_rate", "BETWEEN 1 AND \(Int32.max)", "\(StoreRows.lostRate)"),
            ("recording", "position", frames, "NULL"),
            ("item", "byte_count", frames, "0"), ("item", "channel_count", "BETWEEN 1 AND 64", "1"),
            ("item", "loudness", "BETWEEN -100000 AND 100000", "NULL"),
            ("item", "true_peak", "BETWEEN -100000 AND 100000", "NULL"), ("document", "byte_count", frames, "0"),
            ("take", "sample_rate", "BETWEEN 1 AND \(Int32.max)", "\(StoreRows.lostRate)"),
            ("take", "channel_count", "BETWEEN 1 AND 64", "1"), ("take", "frame_count", frames, "0"),
            ("practice", "milliseconds", "BETWEEN 0 AND \(Int64(1) << 40)", "0"),
            ("practice", "passes", "BETWEEN 0 AND \(Int32.max)", "0"),
            ("practice", "lowest", "BETWEEN 1 AND 100000000", "NULL"),
            ("practice", "highest", "BETWEEN 1 AND 100000000", "NULL"),
            ("practice", "last", "BETWEEN 1 AND 100000000", "NULL"), ("review", "interval", "BETWEEN 1 AND 36500", "1"),
            ("fetch", "done", frames, "0"), ("fetch", "total", frames, "NULL"),
            ("fetch", "priority", "BETWEEN -\(Int64(1) << 53) AND \(Int64(1) << 53)", "0"),
            ("episode", "milliseconds", frames, "NULL"), ("episode", "byte_count", frames, "NULL"),
        ] {
            try database.run("UPDATE \(table) SET \(column) = \(otherwise) WHERE \(column) NOT \(limits)")
        }
        // A recording with an impossible rate or length is known by its key alone.
        try database.run(
            """
            UPDATE recording SET sample_rate = \(StoreRows.lostRate), frame_count = 0
            WHERE sample_rate = \(StoreRows.lostRate) OR frame_count NOT \(frames)
            """)
        try database.run("DELETE FROM practice WHERE first NOT \(frames) OR past NOT \(frames)")
        var lost = try database.run("DELETE FROM section WHERE first NOT \(frames) OR past NOT \(frames)")
        let number = "BETWEEN 1 AND \(Int32.max / 2)"
        lost += try database.run("DELETE FROM section WHERE id NOT \(number)")
        if lost > 0 {
            try database.run(
                "UPDATE recording SET section_count = (SELECT count(*) FROM section WHERE section.recording = recording.id)"
            )
            try rows.rebuildWords()
        }
        try database.run("DELETE FROM section_time WHERE section NOT \(number)")
        try database.run("DELETE FROM review WHERE section NOT \(number)")
        for table in ["practice", "take"] {
            try database.run("UPDATE \(table) SET section = NULL WHERE section NOT \(number)")
        }
        try database.run("DELETE FROM take WHERE id NOT \(number) AND gone = 0")

        // A place outside the library's folder is read as the one inside.
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

    /// Takes over what was edited later there.
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
                    summary.conflicts.append(
                        SalvageConflict(
                            thing: row.item.words.title, field: field, kept: row.item.words.text(field),
                            passedOver: old.item.words.text(field)))
                }
            }
            guard words != row.item.words else { continue }
            try items.edit(row, words, edited: edited)
            summary.described += 1
        }
    }

    /// The title of a recording, in the words of SQLite.
    private static func title(_ store: String, _ recording: String) -> String {
        "coalesce(nullif((SELECT title FROM \(store).item WHERE item.recording = \(recording).id), ''), \(recording).title)"
    }

    /// The fields of sections, playlists and takes that differ.
    func conflicts() throws(DatabaseError) -> [SalvageConflict] {
        func found(_ field: String, _ query: String) throws(DatabaseError) -> [SalvageConflict] {
            try database.rows(query) { (row) throws(DatabaseError) in
                SalvageConflict(
                    thing: try row.text(0), field: field, kept: try row.text(1), passedOver: try row.text(2))
            }
        }
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
        let lists = "FROM main.playlist AS here JOIN other.playlist AS there ON there.identity = here.identity"
        all += try found(
            "name",
            "SELECT here.name, here.name, there.name \(lists) WHERE here.name <> there.name AND instr(here.name, there.name || ' (' || here.identity) <> 1"
        )
        // Those of lists that were not changed since are back.
        all += try found(
            "entries",
            """
            SELECT here.name, '', substr(group_concat(lost.title, ', '), 1, 1000) FROM main.playlist AS here
            JOIN (SELECT missing.playlist, \(Self.title("main", "ours")) AS title FROM missing JOIN main.recording AS ours ON ours.id = missing.recording
                WHERE missing.playlist NOT IN (SELECT number FROM list) ORDER BY missing.place) AS lost ON lost.playlist = here.id
            GROUP BY here.id ORDER BY here.id
            """)
        // What was remembered last is not told: it differs after each session.
        for (field, none) in [("position", "NULL"), ("settings", "'{}'")] {
            all += try found(
                field,
                """
                SELECT \(Self.title("main", "ours")), '', CAST(there.\(field) AS TEXT) FROM pair JOIN main.recording AS ours ON ours.id = pair.number
                JOIN other.recording AS there ON there.id = pair.was
                WHERE ours.\(field) IS \(none) AND there.\(field) IS NOT \(none) AND NOT (there.\(field) IS 0) ORDER BY ours.id
                """)
        }
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
    /// A field as a text.
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

    /// Takes over a field.
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
