// The tables of a store. Each change of the tables is a new version: a list of statements at the end of `versions`, and
// a file of the old version in the tests. Earlier versions never change.
internal import Database
internal import Explanations
internal import RunLog

/// The versions of the tables; tests add a version.
struct StoreSchema: Sendable {
    /// The statements that lead from each version to the next; an empty file has version 0.
    let versions: [[String]]

    /// The search indexes of words.
    static let wordIndexes = ["recording_words", "section_words", "section_trigrams", "item_words", "item_trigrams"]

    /// Application identifier in the file's header, "Wood", which distinguishes a store from other databases.
    static let applicationID: Int64 = 0x576F_6F64

    /// The current version, for reading and writing.
    var version: Int64 { Int64(versions.count) }

    // MARK: Bringing a file to that version

    private enum State {
        case empty, older(Int64), current, newer(Int64), foreign
    }

    /// Prepares a connection for use: creates the tables, or upgrades them to this version.
    ///
    /// - Returns: False if the database is empty and `creating` is false.
    func prepare(_ database: Database, path: String, creating: Bool) throws(StoreError) -> Bool {
        var state: State
        var isOlder = false
        do throws(DatabaseError) {
            // Other journal modes need files that must stay in step with the database; see
            // docs/decisions/library.md. With FULL, the deletion of the journal is not synchronised: after a loss of
            // power the journal may reappear, and undo the last change.
            for setting in ["synchronous=EXTRA", "journal_mode=DELETE"] {
                _ = try database.rows("PRAGMA \(setting)") { _ in }
            }
            state = try self.state(of: database)
            if case .older = state { isOlder = true }
            switch state {
            case .empty where !creating: return false
            case .empty, .older:
                state = try database.transaction { () throws(DatabaseError) in
                    // Another program may have upgraded the file meanwhile.
                    let state = try self.state(of: database)
                    if case .older(let version) = state {
                        // Copies through a second connection without a transaction. No other program can write while
                        // this connection holds the write lock.
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
            // The backup copy is the first file to be created, and so may be the first to fail.
            let isReadOnly = [StoreError.Kind.readOnly, .permissionDenied, .cannotOpen].contains(error.kind)
            throw isOlder && isReadOnly ? .older(path, error.kind) : error
        }
        switch state {
        case .current: return true
        case .newer(let version): throw .newer(path, version: version)
        case .empty, .older, .foreign: throw .foreign(path)
        }
    }

    /// Upgrades a file to this version. A statement refused in the file but accepted in an empty database shows that
    /// the file is damaged.
    private func migrate(_ database: Database, from state: State) throws(DatabaseError) {
        do throws(DatabaseError) { try bringUp(database, from: state) } catch {
            guard error.isPlainRefusal, case .older = state, canBeMade else { throw error }
            throw .damaged(error.message)
        }
    }

    /// True if an empty database accepts all statements.
    private var canBeMade: Bool {
        do throws(DatabaseError) {
            try make(in: Database(path: ":memory:", creating: true))
            return true
        } catch { return false }
    }

    /// Creates the tables in an empty database.
    func make(in database: Database) throws(DatabaseError) { try bringUp(database, from: .empty) }

    /// True if a database of the current version has all its tables, and SQLite finds no error in them.
    ///
    /// - Parameter permitsValues: True to accept values that violate a table's conditions.
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
            // Other errors say nothing about the contents of the file.
            return error.kind != .damaged && error.kind != .refused
        }
    }

    /// True if a file has triggers, or other tables, views or indexes than a store of its version. False for an
    /// unreadable file.
    func hasForeignParts(_ path: String) -> Bool {
        func parts(_ database: Database) throws(DatabaseError) -> [[String]] {
            try database.rows(
                "SELECT name, type, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY name, type, tbl_name"
            ) { (row) throws(DatabaseError) in
                let name = try row.text(0)
                // Each version of SQLite creates the inner tables of a word index in its own way.
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

    /// Throws if an index of words is damaged, or differs from the indexed rows. Reads all rows.
    static func checkWords(in database: Database) throws(DatabaseError) {
        for index in wordIndexes {
            // Without the rank, SQLite does not compare an index with external rows.
            try database.run("INSERT INTO \(index) (\(index), rank) VALUES ('integrity-check', 1)")
        }
    }

    /// Throws if a file is another program's database, or of a newer version. Accepts an unreadable file.
    ///
    /// - Parameter name: The file's name in the error.
    /// - Returns: True if the file is known to be a store of this version or an earlier version, even without rows or
    ///   tables.
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
    /// The schema of this program.
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
            // The search indexes. The words are not stored twice: an index refers to the tables' rows. `StoreRows`
            // updates the indexes, because with trusted_schema=OFF a trigger may not use such a table.
            words("recording_words", of: "recording", columns: "title", row: "id"),
            words("section_words", of: "section", columns: "name, text", row: "row"),
        ],
        [
            // The recording in each file, valid for one state of the file: an unchanged file need not be read again.
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
            // The user's takes. A row is never deleted, so that a take's number is never reused: after the removal of
            // its file, the row is marked `gone`. `trashing` counts the deletions, for undo.
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
