// The tables of a store. A change to them is a new version: a list of statements at the end of `versions`, never a change to an earlier
// one, and a file of that version in the tests.
internal import Database
internal import RunLog

/// The versions of the tables; tests add one.
struct StoreSchema: Sendable {
    /// The statements that lead from each version to the next; an empty file has version 0.
    let versions: [[String]]

    /// The indexes of the words that are searched.
    static let wordIndexes = ["recording_words", "section_words", "section_trigrams", "item_words", "item_trigrams"]

    /// In the header of the file, so that nobody's database is taken for ours: "Wood".
    static let applicationID: Int64 = 0x576F_6F64

    /// The version that is read and written.
    var version: Int64 { Int64(versions.count) }

    // MARK: Bringing a file to that version

    private enum State {
        case empty, older(Int64), current, newer(Int64), foreign
    }

    /// Makes a connection ready for use: the tables are there, in this version.
    ///
    /// - Returns: False if the database is empty and is not to be made.
    func prepare(_ database: Database, path: String, creating: Bool) throws(StoreError) -> Bool {
        var state: State
        var isOlder = false
        do throws(DatabaseError) {
            // One that has to be kept in step with other files is not used; see docs/decisions.md. With FULL the end of the journal is
            // not put on the disk: after a loss of power it may be there again, and the last change would be taken back.
            for setting in ["synchronous=EXTRA", "journal_mode=DELETE"] {
                _ = try database.rows("PRAGMA \(setting)") { _ in }
            }
            state = try self.state(of: database)
            if case .older = state { isOlder = true }
            switch state {
            case .empty where !creating: return false
            case .empty, .older:
                state = try database.transaction { () throws(DatabaseError) in
                    // Another program may have done it meanwhile.
                    let state = try self.state(of: database)
                    if case .older(let version) = state {
                        // By a connection that has not begun to write; nobody can while this one has the right to.
                        let reader = try Database(path: path, creating: false)
                        try reader.copy(to: Database(path: "\(path).v\(version)-backup", creating: true))
                    }
                    RunLog.note(.sql, .info, "migrates to version \(self.version), from \(state): \(path)")
                    try migrate(database, from: state)
                    return try self.state(of: database)
                }
            default: break
            }
        } catch {
            let error = StoreError(error, path: path)
            // The copy that is kept before may be the first file that cannot be made.
            let isReadOnly = [StoreError.Kind.readOnly, .permissionDenied, .cannotOpen].contains(error.kind)
            throw isOlder && isReadOnly ? .older(path, error.kind) : error
        }
        switch state {
        case .current: return true
        case .newer(let version): throw .newer(path, version: version)
        case .empty, .older, .foreign: throw .foreign(path)
        }
    }

    /// Brings a file to this version. A statement that is refused there, but not in an empty database, is refused because of what is in the file.
    private func migrate(_ database: Database, from state: State) throws(DatabaseError) {
        do throws(DatabaseError) { try bringUp(database, from: state) } catch {
            guard error.isPlainRefusal, case .older = state, canBeMade else { throw error }
            throw .damaged(error.message)
        }
    }

    /// Whether an empty database accepts all statements.
    private var canBeMade: Bool {
        do throws(DatabaseError) {
            try make(in: Database(path: ":memory:", creating: true))
            return true
        } catch { return false }
    }

    /// Makes the tables in an empty database.
    func make(in database: Database) throws(DatabaseError) { try bringUp(database, from: .empty) }

    /// Whether a database of the current version has all its tables, and SQLite finds no mistake in them.
    ///
    /// - Parameter permitsValues: Whether values that a table's conditions refuse are no mistake.
    func isWhole(_ database: Database, permitsValues: Bool = false) -> Bool {
        func names(_ database: Database) throws(DatabaseError) -> [String] {
            try database.rows("SELECT name FROM sqlite_schema ORDER BY name") { (row) throws(DatabaseError) in
                try row.text(0)
            }
        }
        do throws(DatabaseError) {
            let model = try Database(path: ":memory:", creating: true)
            try make(in: model)
            guard try names(database) == names(model) else { return false }
            let report = try database.rows("PRAGMA integrity_check(\(permitsValues ? 10_000 : 1))") {
                (row) throws(DatabaseError) in try row.text(0)
            }
            try Self.checkWords(in: database)
            return report.allSatisfy { $0 == "ok" || permitsValues && $0.hasPrefix("CHECK constraint failed in ") }
        } catch {
            // Everything else says nothing about what is in the file.
            return error.kind != .damaged && error.kind != .refused
        }
    }

    /// Whether a file has other tables, views or indexes than a store of its version, or triggers. Of a file that cannot be read nothing is known.
    func hasForeignParts(_ path: String) -> Bool {
        func parts(_ database: Database) throws(DatabaseError) -> [[String]] {
            try database.rows(
                "SELECT name, type, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY name, type, tbl_name"
            ) { (row) throws(DatabaseError) in
                let name = try row.text(0)
                // Each version of SQLite makes the tables of an index of words in its own way.
                let isInner = Self.wordIndexes.contains { name.hasPrefix($0 + "_") }
                return [name, try row.text(1), try row.text(2), isInner ? "" : try row.text(3)]
            }
        }
        do throws(DatabaseError) {
            let database = try Database(path: path, creating: false)
            let version = try database.first("PRAGMA user_version") { (row) throws(DatabaseError) in
                try row.integer(0)
            }
            guard let version, (1...self.version).contains(version) else { return false }
            let model = try Database(path: ":memory:", creating: true)
            try StoreSchema(versions: Array(versions.prefix(Int(version)))).make(in: model)
            return try parts(database) != parts(model)
        } catch { return false }
    }

    /// Throws if an index of words is damaged, or does not fit the rows to which it refers. Reads all of them.
    static func checkWords(in database: Database) throws(DatabaseError) {
        for index in wordIndexes {
            // Without the rank, an index is not compared with rows outside of it.
            try database.run("INSERT INTO \(index) (\(index), rank) VALUES ('integrity-check', 1)")
        }
    }

    /// Throws if a file is another program's database, or of a newer version. Of a file that cannot be read nothing is known.
    ///
    /// - Parameter name: What the error calls the file.
    /// - Returns: Whether the file is known to be a store of this version or an earlier one, also without rows or tables.
    func refuseOther(_ path: String, named name: String) throws(StoreError) -> Bool {
        guard let database = try? Database(path: path, creating: false), let state = try? state(of: database) else {
            return false
        }
        switch state {
        case .newer(let version): throw .newer(name, version: version)
        case .foreign: throw .foreign(name)
        case .older, .current: return true
        case .empty:
            let application = try? database.first("PRAGMA application_id") { (row) throws(DatabaseError) in
                try row.integer(0)
            }
            return application == Self.applicationID
        }
    }

    private func bringUp(_ database: Database, from state: State) throws(DatabaseError) {
        let version: Int64
        switch state {
        case .empty: version = 0
        case .older(let older): version = older
        case .current, .newer, .foreign: return
        }
        for statement in versions[Int(version)...].joined() { try database.run(statement) }
        _ = try database.rows("PRAGMA application_id = \(Self.applicationID)") { _ in }
        _ = try database.rows("PRAGMA user_version = \(self.version)") { _ in }
    }

    private func state(of database: Database) throws(DatabaseError) -> State {
        func number(_ query: String) throws(DatabaseError) -> Int64 {
            try database.first(query) { (row) throws(DatabaseError) in try row.integer(0) } ?? 0
        }
        guard try number("SELECT count(*) FROM sqlite_schema") > 0 else { return .empty }
        let version = try number("PRAGMA user_version")
        guard try number("PRAGMA application_id") == Self.applicationID, version > 0 else { return .foreign }
        if version == self.version { return .current }
        return version > self.version ? .newer(version) : .older(version)
    }
}

extension StoreSchema {
    /// What this program reads and writes.
    static let current = StoreSchema(versions: versions)

    private static let versions: [[String]] = [
        [
            """
            CREATE TABLE recording (
                id INTEGER PRIMARY KEY,
                key BLOB NOT NULL UNIQUE CHECK (length(key) = 16),
                sample_rate INTEGER NOT NULL CHECK (sample_rate > 0),
                frame_count INTEGER NOT NULL CHECK (frame_count >= 0),
                title TEXT NOT NULL,
                path TEXT,
                seen INTEGER NOT NULL,
                position INTEGER,
                settings TEXT NOT NULL DEFAULT '{}',
                section_count INTEGER NOT NULL DEFAULT 0,
                next_section INTEGER NOT NULL DEFAULT 1,
                done INTEGER NOT NULL DEFAULT 0,
                revision INTEGER NOT NULL
            ) STRICT
            """,
            "CREATE INDEX recording_by_seen ON recording (seen)",
            "CREATE INDEX recording_by_revision ON recording (revision)",
            """
            CREATE TABLE envelope (
                recording INTEGER PRIMARY KEY REFERENCES recording (id) ON DELETE CASCADE,
                content BLOB NOT NULL
            ) STRICT
            """,
            """
            CREATE TABLE section (
                row INTEGER PRIMARY KEY,
                recording INTEGER NOT NULL REFERENCES recording (id) ON DELETE CASCADE,
                id INTEGER NOT NULL CHECK (id > 0),
                kind TEXT NOT NULL CHECK (kind IN ('range', 'part')),
                first INTEGER NOT NULL,
                past INTEGER NOT NULL CHECK (past > first),
                name TEXT NOT NULL,
                text TEXT NOT NULL,
                hard INTEGER NOT NULL CHECK (hard IN (0, 1)),
                settings TEXT NOT NULL,
                UNIQUE (recording, id)
            ) STRICT
            """,
            """
            CREATE TABLE change (
                recording INTEGER NOT NULL REFERENCES recording (id) ON DELETE CASCADE,
                number INTEGER NOT NULL,
                summary TEXT NOT NULL,
                removed TEXT NOT NULL,
                added TEXT NOT NULL,
                PRIMARY KEY (recording, number)
            ) STRICT
            """,
            // What is searched. The words are not stored a second time: the index refers to the tables' rows. `StoreRows` keeps it in
            // step, not a trigger: with trusted_schema=OFF a trigger may not use such a table.
            words("recording_words", of: "recording", columns: "title", row: "id"),
            words("section_words", of: "section", columns: "name, text", row: "row"),
        ],
        [
            // Which recording a file holds, valid for one state of it: a file that has not changed need not be read to know it.
            """
            CREATE TABLE file (
                device INTEGER NOT NULL,
                inode INTEGER NOT NULL,
                byte_count INTEGER NOT NULL,
                modified INTEGER NOT NULL,
                modified_nanoseconds INTEGER NOT NULL,
                changed INTEGER NOT NULL,
                changed_nanoseconds INTEGER NOT NULL,
                recording INTEGER NOT NULL REFERENCES recording (id) ON DELETE CASCADE,
                PRIMARY KEY (device, inode)
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX file_by_recording ON file (recording)",
        ],
        [
            // What the user recorded. A row is never deleted, so that a take's number is not given again: when its file was removed, it
            // is gone. `trashing` counts the deletions, for undo.
            """
            CREATE TABLE take (
                id INTEGER PRIMARY KEY,
                path TEXT NOT NULL,
                time INTEGER NOT NULL,
                sample_rate INTEGER NOT NULL CHECK (sample_rate > 0),
                channel_count INTEGER NOT NULL CHECK (channel_count > 0),
                frame_count INTEGER NOT NULL CHECK (frame_count >= 0),
                device TEXT NOT NULL,
                recording INTEGER REFERENCES recording (id) ON DELETE SET NULL,
                section INTEGER,
                model TEXT,
                name TEXT NOT NULL DEFAULT '',
                note TEXT NOT NULL DEFAULT '',
                rating INTEGER CHECK (rating BETWEEN 1 AND 5),
                trashed INTEGER,
                trashing INTEGER,
                gone INTEGER NOT NULL DEFAULT 0 CHECK (gone IN (0, 1)),
                revision INTEGER NOT NULL
            ) STRICT
            """,
            "CREATE INDEX take_by_recording ON take (recording, section)",
            "CREATE INDEX take_by_path ON take (path)",
            "CREATE INDEX take_by_revision ON take (revision)",
        ],
        progress,
        library,
        documents,
        foldedWords,
    ]

    static func words(_ name: String, of table: String, columns: String, row: String) -> String {
        """
        CREATE VIRTUAL TABLE \(name) USING fts5(\(columns), content='\(table)', content_rowid='\(row)',
            tokenize='unicode61 remove_diacritics 2', prefix='1 2 3')
        """
    }

    static func trigrams(_ name: String, of table: String, columns: String, row: String) -> String {
        """
        CREATE VIRTUAL TABLE \(name) USING fts5(\(columns), content='\(table)', content_rowid='\(row)', tokenize='trigram')
        """
    }
}
