// The tables of the library, and the word indexes: versions 5 to 7 of the store. The module `Library` reads and writes
// these tables. Their definitions are here, because all tables of a store have one version, and are created, checked
// and repaired together.

internal import Database

extension StoreSchema {
    /// Times are in seconds since 1970. Exceptions, in ms, are the times of changes compared by a merge: `item.edited`,
    /// `playlist.changed`, `deleted_playlist.time`, `section_time.changed` and `take_mark.changed`. Loudness is in
    /// hundredths of a LUFS, a true peak in hundredths of a dB. A row of `item` is never deleted: merges still know of
    /// removed items, and a recording added again regains its metadata. Tags are lines. `place` orders the entries of a
    /// playlist, with gaps, so that moving an entry changes one row.
    static let library = [
        """
        CREATE TABLE item (
            id INTEGER PRIMARY KEY,
            recording INTEGER NOT NULL UNIQUE REFERENCES recording (id) ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('audio', 'video')),
            place TEXT NOT NULL CHECK (place IN ('kept', 'linked')),
            path TEXT NOT NULL,
            original TEXT NOT NULL,
            byte_count INTEGER NOT NULL CHECK (byte_count >= 0),
            container TEXT NOT NULL,
            codec TEXT NOT NULL,
            channel_count INTEGER NOT NULL CHECK (channel_count > 0),
            title TEXT NOT NULL,
            artist TEXT NOT NULL DEFAULT '',
            language TEXT NOT NULL DEFAULT '',
            tags TEXT NOT NULL DEFAULT '',
            source TEXT NOT NULL DEFAULT '',
            licence TEXT NOT NULL DEFAULT '',
            loudness INTEGER,
            true_peak INTEGER,
            added INTEGER NOT NULL,
            edited TEXT NOT NULL DEFAULT '{}',
            trashed INTEGER,
            trashing INTEGER,
            gone INTEGER NOT NULL DEFAULT 0 CHECK (gone IN (0, 1)),
            revision INTEGER NOT NULL
        ) STRICT
        """,
        "CREATE INDEX item_by_added ON item (added)",
        "CREATE INDEX item_by_path ON item (path)",
        "CREATE INDEX item_by_source ON item (source)",
        "CREATE INDEX item_by_revision ON item (revision)",
        words("item_words", of: "item", columns: "title, artist, tags", row: "id"),
        // Trigrams find words of scripts without spaces, at any place in the text.
        trigrams("item_trigrams", of: "item", columns: "title, artist, tags", row: "id"),
        trigrams("section_trigrams", of: "section", columns: "name, text", row: "row"),
        "INSERT INTO section_trigrams (section_trigrams) VALUES ('rebuild')",
        """
        CREATE TABLE playlist (
            id INTEGER PRIMARY KEY,
            identity TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL UNIQUE CHECK (name <> ''),
            made INTEGER NOT NULL,
            changed INTEGER NOT NULL,
            revision INTEGER NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY,
            playlist INTEGER NOT NULL REFERENCES playlist (id) ON DELETE CASCADE,
            recording INTEGER NOT NULL REFERENCES recording (id) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            added INTEGER NOT NULL,
            UNIQUE (playlist, place)
        ) STRICT
        """,
        "CREATE INDEX entry_by_recording ON entry (recording)",
        // Waiting, paused and failed downloads. A finished download has an item, with its source, and no row here.
        """
        CREATE TABLE fetch (
            id INTEGER PRIMARY KEY,
            address TEXT NOT NULL UNIQUE,
            state TEXT NOT NULL CHECK (state IN ('waiting', 'paused', 'failed')),
            priority INTEGER NOT NULL DEFAULT 0,
            wishes TEXT NOT NULL DEFAULT '{}',
            done INTEGER NOT NULL DEFAULT 0 CHECK (done >= 0),
            total INTEGER,
            error TEXT NOT NULL DEFAULT '',
            remedy TEXT NOT NULL DEFAULT '',
            added INTEGER NOT NULL,
            tried INTEGER,
            revision INTEGER NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE feed (
            id INTEGER PRIMARY KEY,
            address TEXT NOT NULL UNIQUE,
            title TEXT NOT NULL,
            validators TEXT NOT NULL DEFAULT '{}',
            checked INTEGER,
            error TEXT NOT NULL DEFAULT '',
            added INTEGER NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE episode (
            id INTEGER PRIMARY KEY,
            feed INTEGER NOT NULL REFERENCES feed (id) ON DELETE CASCADE,
            identity TEXT NOT NULL,
            title TEXT NOT NULL,
            address TEXT NOT NULL,
            published INTEGER,
            milliseconds INTEGER,
            byte_count INTEGER,
            about TEXT NOT NULL DEFAULT '',
            recording INTEGER REFERENCES recording (id) ON DELETE SET NULL,
            is_new INTEGER NOT NULL DEFAULT 1 CHECK (is_new IN (0, 1)),
            UNIQUE (feed, identity)
        ) STRICT
        """,
        // Deleted playlists, for a merge.
        "CREATE TABLE deleted_playlist (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, time INTEGER NOT NULL) STRICT",
        // Time of the last change of each section, including deleted sections.
        """
        CREATE TABLE section_time (
            id INTEGER PRIMARY KEY,
            recording INTEGER NOT NULL REFERENCES recording (id) ON DELETE CASCADE,
            section INTEGER NOT NULL,
            changed INTEGER NOT NULL,
            UNIQUE (recording, section)
        ) STRICT
        """,
        // The mark that identifies a take's file (`TakeFileMark`), and the time of the last change of the take's
        // metadata.
        """
        CREATE TABLE take_mark (
            take INTEGER PRIMARY KEY REFERENCES take (id) ON DELETE CASCADE,
            content BLOB,
            changed INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """,
        // Contents of the catalogue when last written or merged, and how this library shows the contents: a difference
        // from the current state is a later change. Empty until the first exchange with another library.
        """
        CREATE TABLE merged (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL CHECK (kind IN ('recording', 'section', 'playlist', 'take')),
            owner TEXT NOT NULL,
            identity TEXT NOT NULL,
            section INTEGER,
            content TEXT NOT NULL,
            shown TEXT,
            UNIQUE (kind, owner, identity)
        ) STRICT
        """,
    ]

    /// Version 6: documents of a recording, such as its sheet music. `added` and `trashed` are in seconds since 1970;
    /// `changed` is in ms, because a merge compares the time. `path` is the name in the library's folder for documents,
    /// which several rows may share, or the path of a linked file. A row is never deleted: a document removed by itself
    /// keeps `trashed`, so that a merge knows of the removal.
    static let documents = [
        """
        CREATE TABLE document (
            id INTEGER PRIMARY KEY,
            recording INTEGER NOT NULL REFERENCES recording (id) ON DELETE CASCADE,
            hash TEXT NOT NULL CHECK (length(hash) = 32),
            place TEXT NOT NULL CHECK (place IN ('kept', 'linked')),
            path TEXT NOT NULL,
            name TEXT NOT NULL,
            byte_count INTEGER NOT NULL CHECK (byte_count >= 0),
            added INTEGER NOT NULL,
            trashed INTEGER,
            trashing INTEGER,
            gone INTEGER NOT NULL DEFAULT 0 CHECK (gone IN (0, 1)),
            changed INTEGER NOT NULL,
            UNIQUE (recording, hash)
        ) STRICT
        """,
        "CREATE INDEX document_by_path ON document (path)",
        "CREATE INDEX document_by_hash ON document (hash)",
    ]
    /// Version 7: the indexes hold words with folded letters. They refer to views that fold the tables' text, so no
    /// text is stored twice.
    static let foldedWords: [String] =
        wordIndexes.map { "DROP TABLE \($0)" } + [
            folded("recording", row: "id", columns: "title"),
            folded("section", row: "row", columns: "name", "text"),
            folded("item", row: "id", columns: "title", "artist", "tags"),
            words("recording_words", of: "folded_recording", columns: "title", row: "id"),
            words("section_words", of: "folded_section", columns: "name, text", row: "row"),
            trigrams("section_trigrams", of: "folded_section", columns: "name, text", row: "row"),
            words("item_words", of: "folded_item", columns: "title, artist, tags", row: "id"),
            trigrams("item_trigrams", of: "folded_item", columns: "title, artist, tags", row: "id"),
        ] + wordIndexes.map { "INSERT INTO \($0) (\($0)) VALUES ('rebuild')" }

    private static func folded(_ table: String, row: String, columns: String...) -> String {
        let folded = columns.map { "\(FoldedText.function)(\($0)) AS \($0)" }.joined(separator: ", ")
        return "CREATE VIEW folded_\(table) AS SELECT \(row), \(folded) FROM \(table)"
    }
}
