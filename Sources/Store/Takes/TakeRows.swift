// Reads and writes the rows of the takes, on a connection with a transaction begun by the caller.
package import AudioFiles
package import Database
internal import JSON

extension StoreRows {
    private static let takeColumns = """
        take.id, take.path, time, take.sample_rate, channel_count, take.frame_count, device, key, section, model, name, note,
        rating, trashed, trashed IS NULL AND EXISTS (SELECT 1 FROM take AS other
            WHERE other.path = take.path AND other.id <> take.id AND other.trashed IS NULL AND other.gone = 0)
        """
    private static let takeTables = "take LEFT JOIN recording ON take.recording = recording.id"
    private static let nextTakeRevision = nextRevision(of: "take")

    /// Adds a take; returns its number.
    func addTake(path: String, _ sound: StoredTake.Sound, _ model: StoredTake.Model?) throws(DatabaseError) -> Int64 {
        var recording: Int64?
        if let model { recording = try self.recording(model.key)?.id }
        try database.run(
            """
            INSERT INTO take (path, time, sample_rate, channel_count, frame_count, device, recording, section, model, revision)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, \(Self.nextTakeRevision))
            """, .text(path), .integer(sound.time), .integer(sound.sampleRate), .integer(sound.channelCount),
            .integer(sound.frameCount), .text(sound.device), .integer(orNull: recording),
            .integer(orNull: model?.sectionID.map(Int64.init)), .text(orNull: model.map(Self.text)))
        return database.lastInsertedRow
    }

    package func take(_ number: Int) throws(DatabaseError) -> StoredTake? {
        try database.first(
            "SELECT \(Self.takeColumns) FROM \(Self.takeTables) WHERE take.id = ? AND gone = 0", .integer(number),
            row: Self.take)
    }

    /// Returns the takes with this path outside of the trash, the last begun first. `TakeTrash.owner(of:)` tells which
    /// take owns the file.
    ///
    /// The order of the numbers does not tell: a repair, an import or a restoration gives a new number to an old take.
    func takes(inFileAt path: String) throws(DatabaseError) -> [StoredTake] {
        try database.readableRows(
            """
            SELECT \(Self.takeColumns) FROM \(Self.takeTables) WHERE take.path = ? AND trashed IS NULL AND gone = 0
            ORDER BY time DESC, take.id DESC
            """, [.text(path)], row: Self.take)
    }

    /// Returns the takes with these numbers, in this order, without those in the trash.
    package func takes(numbered numbers: [Int]) throws(DatabaseError) -> [StoredTake] {
        var found: [StoredTake] = []
        for number in numbers {
            found += try database.readableRows(
                """
                SELECT \(Self.takeColumns) FROM \(Self.takeTables) WHERE take.id = ? AND trashed IS NULL AND gone = 0
                """, [.integer(Int64(number))], row: Self.take)
        }
        return found
    }

    /// Returns the takes selected by a filter, the newest first.
    package func takes(_ filter: TakeFilter) throws(DatabaseError) -> [StoredTake] {
        var conditions = ["gone = 0", "trashed IS \(filter.isTrash ? "NOT " : "")NULL"]
        var values: [DatabaseValue] = []
        if let key = filter.key {
            conditions.append("key = ?")
            values.append(.bytes(key.bytes))
        }
        if let id = filter.sectionID {
            conditions.append("section = ?")
            values.append(.integer(id))
        }
        values.append(.integer(Int64(filter.limit ?? -1)))
        return try database.readableRows(
            """
            SELECT \(Self.takeColumns) FROM \(Self.takeTables) WHERE \(conditions.joined(separator: " AND "))
            ORDER BY take.id DESC LIMIT ?
            """, values, row: Self.take)
    }

    /// Returns the numbers of all takes, in the trash or not.
    func takeNumbers() throws(DatabaseError) -> Set<Int> {
        Set(
            try database.rows("SELECT id FROM take WHERE gone = 0") { (row) throws(DatabaseError) in
                Int(try row.integer(0))
            })
    }

    /// Moves takes to the trash. Takes that another program has removed meanwhile are passed by.
    ///
    /// - Parameters:
    ///   - time: Seconds since 1970.
    ///   - trashing: Number of the undo step of the pieces before; nil for none.
    func trash(_ numbers: [Int], at time: Int64, _ trashing: Int64?) throws(DatabaseError) -> TakeDeletion {
        var deletion = TakeDeletion(trashing: trashing)
        var listed: [Int] = []
        for number in numbers {
            guard let take = try self.take(number) else { continue }
            if deletion.sharing[take.path] == nil { deletion.sharing[take.path] = try takes(inFileAt: take.path) }
            deletion.marks[number] = try mark(ofTake: number)
            if take.isTrashed { deletion.earlier.append(take) } else { listed.append(number) }
        }
        for number in listed {
            let step = try undoStep(deletion.trashing, after: self.trashing(ofTake: number), among: "take")
            try updateTake(number, .trashed, .integer(time))
            try updateTake(number, .trashing, .integer(step))
            deletion.trashing = step
            if let take = try self.take(number) { deletion.takes.append(take) }
        }
        return deletion
    }

    /// Returns the number of the deletion that last moved a take to the trash; stays after the deletion was undone. Nil
    /// for none.
    func trashing(ofTake number: Int) throws(DatabaseError) -> Int64? {
        try database.first("SELECT trashing FROM take WHERE id = ?", .integer(number)) {
            (row) throws(DatabaseError) in try row.integer(orNull: 0)
        } ?? nil
    }

    /// Returns the number of the undo step for the removal of a row. Two removals never share a number, even if another
    /// program undoes the first pieces of a removal, or empties the trash, between two pieces.
    ///
    /// A row keeps the number of its last removal for ever, so the highest number of all rows is the last number that
    /// was given. A number above the limit of counts comes from a damaged byte, and is passed over: no number can
    /// follow 2^63 - 1.
    ///
    /// - Parameters:
    ///   - step: Number of the removal's earlier pieces; nil for a new removal.
    ///   - former: Number of the row's last removal; nil for none. A later removal than `step`, since undone, had this
    ///     number, and the number must not get lost. The rest of the removal then becomes a step of its own.
    ///   - numbers: A table or a query with the column `trashing` of all rows.
    package func undoStep(
        _ step: Int64?, after former: Int64?, among numbers: String
    ) throws(DatabaseError) -> Int64 {
        let most = ClosedRange<Int64>.counts.upperBound
        if let step, former.map({ $0 <= step || $0 >= most }) ?? true { return step }
        return try database.first(
            "SELECT max(coalesce(max(trashing), 0), 0) + 1 FROM \(numbers) WHERE trashing < ?", .integer(most)
        ) { (row) throws(DatabaseError) in try row.integer(0) } ?? 1
    }

    /// Updates a column of a take: a remark of the user, or the path, length or trash state.
    package func updateTake(_ number: Int, _ column: TakeColumn, _ value: DatabaseValue) throws(DatabaseError) {
        switch column {
        case .name, .note, .rating: try noteChange(ofTake: number, at: Self.milliseconds)
        case .path, .frameCount: try setContent(nil, ofTake: number)
        case .trashed, .trashing: break
        }
        try database.run(
            "UPDATE take SET \(column.rawValue) = ?, revision = \(Self.nextTakeRevision) WHERE id = ?", value,
            .integer(number))
    }

    /// Stores the time of a change. A later change has a later time, even if the clock went back.
    package func noteChange(ofTake number: Int, at time: Int64) throws(DatabaseError) {
        try database.run(
            """
            INSERT INTO take_mark (take, changed) VALUES (?, ?)
            ON CONFLICT (take) DO UPDATE SET changed = max(changed + 1, excluded.changed)
            """, .integer(number), .integer(time))
    }

    /// Stores the key of a take's sound. A nil key also deletes the stored hash of the file.
    ///
    /// - Parameter isShown: True if the file with this sound is proven to be the take's. If not, the file is never
    ///   removed with the take.
    package func setContent(
        _ key: RecordingKey?, ofTake number: Int, isShown: Bool = true
    ) throws(DatabaseError) {
        guard let key else {
            try database.run("UPDATE take_mark SET content = NULL WHERE take = ?", .integer(number))
            return
        }
        let hash = try mark(ofTake: number)?.hash ?? (isShown ? nil : TakeFileMark.unknown)
        try setMark(TakeFileMark(key: key, hash: hash), ofTake: number)
    }

    /// Stores the hash of a take's file, beside the key.
    func setHash(_ hash: [UInt8], ofTake number: Int) throws(DatabaseError) {
        try setMark(TakeFileMark(key: mark(ofTake: number)?.key, hash: hash), ofTake: number)
    }

    private func setMark(_ mark: TakeFileMark, ofTake number: Int) throws(DatabaseError) {
        try database.run(
            "INSERT INTO take_mark (take, content) VALUES (?, ?) ON CONFLICT (take) DO UPDATE SET content = excluded.content",
            .integer(number), .bytes(mark.bytes))
    }

    /// Returns the mark that identifies a take's file; nil if there is none.
    func mark(ofTake number: Int) throws(DatabaseError) -> TakeFileMark? {
        try database.first("SELECT content FROM take_mark WHERE take = ?", .integer(number)) {
            (row) throws(DatabaseError) in row.isNull(0) ? nil : TakeFileMark(try row.bytes(0))
        } ?? nil
    }

    /// Returns the known keys of takes' sounds, and the time of the last remark on each take, in ms; by the numbers of
    /// the takes.
    package func takeMarks() throws(DatabaseError) -> [Int: (key: RecordingKey?, changed: Int64)] {
        let marks = try database.readableRows("SELECT take, content, changed FROM take_mark") {
            (row) throws(DatabaseError) in
            (Int(try row.integer(0)), row.isNull(1) ? nil : TakeFileMark(try row.bytes(1)).key, try row.integer(2))
        }
        return marks.reduce(into: [:]) { $0[$1.0] = ($1.1, $1.2) }
    }

    /// Returns all takes of a section, in the trash or not.
    func takes(ofSection section: Int, of recording: Int64) throws(DatabaseError) -> [StoredTake] {
        try database.readableRows(
            "SELECT \(Self.takeColumns) FROM \(Self.takeTables) WHERE take.recording = ? AND take.section = ? AND gone = 0",
            [.integer(recording), .integer(Int64(section))], row: Self.take)
    }

    /// Stores the model of a take.
    package func updateTake(_ number: Int, _ model: StoredTake.Model) throws(DatabaseError) {
        let recording = try self.recording(model.key)?.id
        try database.run(
            "UPDATE take SET recording = ?, section = ?, model = ?, revision = \(Self.nextTakeRevision) WHERE id = ?",
            .integer(orNull: recording), .integer(orNull: model.sectionID.map(Int64.init)), .text(Self.text(model)),
            .integer(Int64(number)))
    }

    /// Marks a take as gone.
    func removeTake(_ number: Int) throws(DatabaseError) {
        try database.run(
            """
            UPDATE take SET gone = 1, path = '', model = NULL, name = '', note = '', revision = \(Self.nextTakeRevision) WHERE id = ?
            """, .integer(number))
    }

    /// Returns true if a take is still in the trash, with the same path.
    func isStillTrashed(_ take: StoredTake) throws(DatabaseError) -> Bool {
        guard let now = try self.take(take.number) else { return false }
        return now.isTrashed && now.path == take.path
    }

    /// Returns the number of the last deletion among the takes still in the trash.
    func lastTrashing() throws(DatabaseError) -> Int64? {
        try database.first("SELECT max(trashing) FROM take WHERE trashed IS NOT NULL AND gone = 0") {
            (row) throws(DatabaseError) in
            try row.integer(orNull: 0)
        } ?? nil
    }

    /// Returns the takes that one deletion has moved to the trash.
    func takes(trashing: Int64) throws(DatabaseError) -> [StoredTake] {
        try database.readableRows(
            """
            SELECT \(Self.takeColumns) FROM \(Self.takeTables) WHERE trashed IS NOT NULL AND gone = 0 AND trashing = ?
            ORDER BY take.id
            """, [.integer(trashing)], row: Self.take)
    }

    func takes(changedAfter revision: Int64) throws(DatabaseError) -> [Int] {
        try database.rows("SELECT id FROM take WHERE revision > ?", [.integer(revision)]) {
            (row) throws(DatabaseError) in Int(try row.integer(0))
        }
    }

    // MARK: Rows as values

    private static func take(_ row: DatabaseRow) throws(DatabaseError) -> StoredTake {
        let (rate, channels, frames) = (try row.integer(3), try row.integer(4), try row.integer(5))
        guard (1...Int64(Int32.max)).contains(rate), (1...64).contains(channels), frames >= 0 else {
            throw .wrongValue("a take has an impossible rate or length")
        }
        var model: StoredTake.Model?
        if let text = try row.text(orNull: 9), !row.isNull(7), let key = RecordingKey(bytes: try row.bytes(7)) {
            let section = try row.integer(orNull: 8)
            // A take belongs to the user, even if a bundle described its model badly.
            model = try row.readable(or: nil) { () throws(DatabaseError) in
                try self.model(text, key: key, section: section)
            }
        }
        return StoredTake(
            number: Int(try row.integer(0)), path: try row.text(1),
            sound: StoredTake.Sound(
                time: try row.integer(2), sampleRate: Int(rate), channelCount: Int(channels), frameCount: frames,
                device: try row.text(6)),
            model: model, name: try row.text(10), note: try row.text(11),
            rating: try row.integer(orNull: 12).flatMap { (1...5).contains($0) ? Int($0) : nil },
            trashedAt: try row.integer(orNull: 13), sharesPath: try row.integer(14) != 0)
    }

    private static func text(_ model: StoredTake.Model) -> String {
        JSONValue.object([
            .init("name", .string(model.sectionName)), .init("first", .integer(model.frames.lowerBound)),
            .init("past", .integer(model.frames.upperBound)), .init("pass", .integer(model.pass)),
            .init("speed", .number(model.speed)), .init("semitones", .number(model.semitones)),
            .init("start", .number(model.start)), .init("alignment", .string(model.alignment.rawValue)),
        ]).text
    }

    private static func model(
        _ text: String, key: RecordingKey, section: Int64?
    ) throws(DatabaseError) -> StoredTake.Model {
        let value = JSONValue(reading: Array(text.utf8))
        guard let name = value?["name"]?.stringValue, let first = value?["first"]?.integer(in: .counts),
            let past = value?["past"]?.integer(in: .counts), first <= past,
            let pass = value?["pass"]?.integer(in: .counts),
            let speed = value?["speed"]?.number(in: .speeds),
            let semitones = value?["semitones"]?.number(in: .semitones),
            let start = value?["start"]?.number(in: .measures),
            let alignment = value?["alignment"]?.stringValue.flatMap(StoredTake.Alignment.init)
        else { throw .wrongValue("the model of a take cannot be read") }
        return StoredTake.Model(
            key: key, sectionID: section.map(Int.init), sectionName: name, frames: first..<past, pass: Int(pass),
            speed: speed, semitones: semitones, start: start, alignment: alignment)
    }
}

/// The columns of a take that can change.
package enum TakeColumn: String {
    case name
    case note
    case rating
    case path
    case frameCount = "frame_count"
    case trashed
    case trashing
}

/// The takes that one piece of a deletion has moved to the trash, and the values that prove whose their files are.
struct TakeDeletion: Sendable {
    /// Number of the undo step; nil before the first deleted take.
    var trashing: Int64?
    var takes: [StoredTake] = []
    /// Takes that an earlier deletion has moved to the trash.
    var earlier: [StoredTake] = []
    /// The listed takes before the deletion with the path of a take, by the path.
    var sharing: [String: [StoredTake]] = [:]
    var marks: [Int: TakeFileMark] = [:]
}

/// The takes that a deletion has moved to the trash, and the takes whose files could not be hidden.
struct TrashedTakes: Sendable {
    var takes: [StoredTake] = []
    /// Numbers of the takes that have returned to the list.
    var listed: [Int] = []
    private var first: (number: Int, error: AudioFileError)?

    /// Notes that the file of a take could not be hidden.
    mutating func note(_ error: AudioFileError, _ take: StoredTake) { first = first ?? (take.number, error) }

    /// The first error, which also names all takes that have returned to the list; nil for none.
    var failure: AudioFileError? {
        guard let (number, error) = first else { return nil }
        return listed.isEmpty || listed == [number]
            ? error : error.adding("; still in the list: \(StoredTake.words(listed))")
    }
}

/// A take in the trash whose file has its name again, before the take returns to the list.
struct ReturningTake: Sendable {
    let take: StoredTake
    /// Number of the deletion; nil if unknown.
    let deletion: Int64?
    /// True if the file was hidden, until this or an interrupted restoring.
    let wasHidden: Bool
    /// False if the file was missing.
    let hasFile: Bool
}
