internal import Database
internal import Explanations
internal import Files
internal import Glibc
internal import RunLog
internal import UserState

/// The file of a store, and the connection to the file. One thread at a time.
struct StoreFile: ~Copyable {
    /// The path, or ":memory:".
    let path: String
    /// The last repair.
    private(set) var repair: StoreRepair?
    private let isInMemory: Bool
    /// True if other programs know the file.
    private let isShared: Bool
    /// True if a file beside the store reserves space for removals.
    private let keepsReserve: Bool
    private let schema: StoreSchema
    private let busyTimeout: Int32
    private var database: Database?
    /// Identity of the opened file; another file may have taken the name since.
    private var opened: FileIdentity?
    /// Number of connections so far.
    private var connectionCount: Int64 = 0

    init(
        path: String, isInMemory: Bool, keepsReserve: Bool, schema: StoreSchema = .current, busyTimeout: Int32 = 5000,
        isShared: Bool = true
    ) {
        (self.path, self.isInMemory, self.keepsReserve, self.isShared) = (path, isInMemory, keepsReserve, isShared)
        (self.schema, self.busyTimeout) = (schema, busyTimeout)
    }

    // MARK: Reading and changing

    /// Reads one state of the store; returns nil, and creates nothing, if there is no store yet.
    mutating func read<Value>(
        _ body: (StoreRows) throws(DatabaseError) -> Value
    ) throws(StoreError) -> Value? {
        try repairing { (file) throws(StoreError) in
            guard let database = try file.open(creating: false) else { return nil }
            return try file.stating { () throws(DatabaseError) in
                try database.snapshot { () throws(DatabaseError) in try body(StoreRows(database: database)) }
            }
        }
    }

    /// Changes the store in one transaction; creates the store if there is none yet.
    ///
    /// - Parameters:
    ///   - other: The path of another store, whose tables have the prefix `other` in statements; nil for none.
    ///   - isRemoval: True for a removal, which must succeed on a full disk, too.
    package mutating func change<Value>(
        beside other: String? = nil, isRemoval: Bool = false, _ body: (StoreRows) throws(DatabaseError) -> Value
    ) throws(StoreError) -> Value {
        let reserve = keepsReserve ? StoreReserve(besides: path) : nil
        let value: Value
        do throws(StoreError) { value = try changeOnce(beside: other, body) } catch {
            guard isRemoval, error.kind == .diskFull, let reserve, reserve.release() || reserve.freeCache() else {
                throw error
            }
            do throws(StoreError) { value = try changeOnce(beside: other, body) } catch {
                guard error.kind == .diskFull, reserve.freeCache() else { throw error }
                value = try changeOnce(beside: other, body)
            }
        }
        reserve?.keep()
        return value
    }

    private mutating func changeOnce<Value>(
        beside other: String?, _ body: (StoreRows) throws(DatabaseError) -> Value
    ) throws(StoreError) -> Value {
        try repairing { (file) throws(StoreError) in
            // Another program may replace the file by a repaired file, even repeatedly; three times in a row is no
            // coincidence.
            for _ in 0..<3 {
                guard let database = try file.open(creating: true) else { continue }
                let place = (isInMemory: file.isInMemory, path: file.path, opened: file.opened)
                let value = try file.stating { () throws(DatabaseError) in
                    if let other { _ = try database.rows("ATTACH ? AS other", [.text(other)]) { _ in } }
                    defer { if other != nil { _ = try? database.run("DETACH other") } }
                    return try database.transaction { () throws(DatabaseError) -> Value? in
                        // While this connection holds the write lock, no other program can replace the file.
                        let isInPlace = place.isInMemory || Self.isFile(at: place.path, place.opened)
                        return isInPlace ? try body(StoreRows(database: database)) : nil
                    }
                }
                if let value { return value }
            }
            throw .cannotOpen(file.path, "another program replaces the file repeatedly")
        }
    }

    /// Impossible values read so far, each with its treatment; each message once.
    var unreadable: Set<String> { noted.union(database?.unreadable ?? []) }
    /// The impossible values read by closed connections.
    private var noted: Set<String> = []

    /// Returns a number that changes with each change by another connection, and when another file takes the place of
    /// the store's file; nil if there is no store.
    mutating func dataVersion() -> Int64? {
        guard let database = try? open(creating: false),
            let version = try? database.first(
                "PRAGMA data_version", row: { (row) throws(DatabaseError) in try row.integer(0) })
        else { return nil }
        // SQLite counts in 32 bits, and counts anew for each connection.
        return connectionCount << 32 &+ version
    }

    /// Carries out `body`; after a repair of a damaged file, carries out `body` once more.
    private mutating func repairing<Value>(
        _ body: (inout StoreFile) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        do throws(StoreError) { return try body(&self) } catch {
            guard error.kind == .damaged, !isInMemory else { throw error }
            close()
            RunLog.note(.sql, .warning, "damaged, is being repaired: \(error.message)")
            let made = try StoreRepair(
                of: path, schema: schema, cause: error, busyTimeout: busyTimeout, isShared: isShared)
            repair = made ?? repair
            RunLog.note(.sql, .info, repair?.message ?? "repaired by another program: \(path)")
        }
        return try body(&self)
    }

    /// Carries out `body`; an error names the store.
    private func stating<Value>(_ body: () throws(DatabaseError) -> Value) throws(StoreError) -> Value {
        do throws(DatabaseError) { return try body() } catch {
            throw StoreError(isDamaged(error) ? .damaged(error.message) : error, path: path)
        }
    }

    /// True if the contents of the file caused the refusal of a statement, and not a mistake in the program: SQLite has
    /// one code for both.
    private func isDamaged(_ error: DatabaseError) -> Bool {
        guard error.kind == .refused, let database else { return false }
        // A repair drops rows with impossible values, and so helps only if the statement met such a row.
        return !schema.isWhole(database, permitsValues: !error.isConditionRefusal)
    }

    // MARK: The connection

    private mutating func close() {
        noted = unreadable
        (database, opened) = (nil, nil)
    }

    private static func isFile(at path: String, _ opened: FileIdentity?) -> Bool {
        FileIdentity(path: path).map { $0.isSame(as: opened) } ?? false
    }

    private mutating func open(creating: Bool) throws(StoreError) -> Database? {
        if let database, isInMemory || Self.isFile(at: path, opened) { return database }
        close()
        if !isInMemory {
            guard try prepareFile(creating: creating) else { return nil }
        }
        let (path, schema, timeout) = (path, schema, busyTimeout)
        let creates = creating || isInMemory
        let database = try stating { () throws(DatabaseError) in
            try Database(path: path, creating: creates, busyTimeout: timeout)
        }
        // Before the first read: if the file is replaced now, `opened` is the new file's identity, and the next
        // transaction notices.
        let opened = FileIdentity(path: path)
        guard try schema.prepare(database, path: path, creating: creates) else { return nil }
        (self.database, self.opened) = (database, opened)
        connectionCount += 1
        return database
    }

    /// Returns true if there is a file to open, or to create; creates the folders above a new file.
    private func prepareFile(creating: Bool) throws(StoreError) -> Bool {
        var status = stat()
        if unsafe stat(path, &status) == 0 {
            // Opening a pipe could block for ever.
            guard status.st_mode & S_IFMT == S_IFREG else { throw .cannotOpen(path, "this is not a file") }
            guard unsafe access(path, R_OK) == 0 else { throw .system(path, errno) }
            if creating, unsafe access(path, W_OK) != 0 { throw .system(path, errno) }
            return true
        }
        guard errno == ENOENT || errno == ENOTDIR && !creating else { throw .system(path, errno) }
        guard creating else { return false }
        do throws(StateFile.Fault) { try StateFolder.makeFolders(above: path) } catch {
            throw .system(path, error.code)
        }
        let folder = FilePlace.folder(of: path)
        guard unsafe access(folder, W_OK | X_OK) == 0 else { throw .system(path, errno) }
        return true
    }
}
