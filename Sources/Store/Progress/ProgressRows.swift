// Reads and writes the rows of the practice log and of the reviews, on a connection with a transaction begun by the
// caller.
internal import AudioFiles
internal import Database
internal import JSON
internal import Sections

extension StoreRows {
    // MARK: The practice log

    private static let entryColumns = """
        key, section, name, first, past, began, ended, milliseconds, passes, lowest, highest, last
        """

    /// Writes an entry: into a new row, or over an existing row.
    ///
    /// - Returns: The row of the entry.
    func write(_ entry: PracticeEntry, row: Int64?, of recording: Int64) throws(DatabaseError) -> Int64 {
        // A range saved meanwhile becomes its section.
        var section = entry.sectionID.map(Int64.init)
        if section == nil { section = try self.section(withFrames: entry.frames, of: recording) }
        let values: [DatabaseValue] = [
            .integer(orNull: section), .text(entry.name), .integer(entry.ended),
            .integer(Int64(clamping: Self.thousandths(entry.seconds))),
            .integer(entry.passes), .integer(orNull: entry.speeds.map { Self.millionths($0.lowest) }),
            .integer(orNull: entry.speeds.map { Self.millionths($0.highest) }),
            .integer(orNull: entry.speeds.map { Self.millionths($0.last) }),
        ]
        if let row {
            let count = try database.run(
                """
                UPDATE practice SET section = ?, name = ?, ended = ?, milliseconds = ?, passes = ?, lowest = ?, highest = ?, last = ?
                WHERE id = ? AND recording = ?
                """, values: values + [.integer(row), .integer(recording)])
            if count > 0 { return row }
        }
        // A store replaced meanwhile lacks the row.
        try database.run(
            """
            INSERT INTO practice (section, name, ended, milliseconds, passes, lowest, highest, last, recording, first, past, began)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            values: values + [
                .integer(recording), .integer(entry.frames.lowerBound), .integer(entry.frames.upperBound),
                .integer(entry.began),
            ])
        return database.lastInsertedRow
    }

    private func section(withFrames frames: Range<Int64>, of recording: Int64) throws(DatabaseError) -> Int64? {
        try database.first(
            "SELECT id FROM section WHERE recording = ? AND first = ? AND past = ? ORDER BY id", .integer(recording),
            .integer(frames.lowerBound), .integer(frames.upperBound)
        ) { (row) throws(DatabaseError) in try row.integer(0) }
    }

    /// Returns the entries of a recording, or of all recordings, the oldest first.
    func entries(of key: RecordingKey?) throws(DatabaseError) -> [PracticeEntry] {
        try database.readableRows(
            """
            SELECT \(Self.entryColumns) FROM practice JOIN recording ON practice.recording = recording.id
            \(key == nil ? "" : "WHERE key = ?") ORDER BY practice.id
            """, key.map { [.bytes($0.bytes)] } ?? [], row: Self.entry)
    }

    /// Returns the speed of the last complete pass of each section of a recording.
    func lastSpeeds(of recording: Int64) throws(DatabaseError) -> [Int64: Double] {
        let rows = try database.readableRows(
            "SELECT section, last FROM practice WHERE recording = ? AND section IS NOT NULL AND last IS NOT NULL ORDER BY id",
            [.integer(recording)]
        ) { (row) throws(DatabaseError) in (try row.integer(0), Double(try row.integer(1)) / 1e6) }
        return Dictionary(rows) { $1 }
    }

    private static func entry(_ row: DatabaseRow) throws(DatabaseError) -> PracticeEntry {
        guard let key = RecordingKey(bytes: try row.bytes(0)) else {
            throw .wrongValue("a recording has an impossible key")
        }
        let (first, past) = (try row.integer(3), try row.integer(4))
        guard first <= past else { throw .wrongValue("an entry of the practice log has impossible frames") }
        var speeds: PracticeEntry.Speeds?
        if let lowest = try row.integer(orNull: 9), let highest = try row.integer(orNull: 10),
            let last = try row.integer(orNull: 11)
        {
            speeds = PracticeEntry.Speeds(
                lowest: Double(lowest) / 1e6, highest: Double(highest) / 1e6, last: Double(last) / 1e6)
        }
        return PracticeEntry(
            key: key, sectionID: try row.integer(orNull: 1).map(Int.init), name: try row.text(2), frames: first..<past,
            began: try row.integer(5), ended: try row.integer(6), seconds: Double(try row.integer(7)) / 1000,
            passes: Int(try row.integer(8)), speeds: speeds)
    }

    private static func millionths(_ value: Double) -> Int64 { whole(value * 1e6) }
    private static func thousandths(_ value: Double) -> Int64 { whole(value * 1e3) }
    private static func whole(_ value: Double) -> Int64 {
        value.magnitude < 1e15 ? Int64(value.rounded()) : 0
    }

    // MARK: Reviews

    private static let reviewColumns = "key, section, time, rating, before, after, interval, evidence"
    private static let reviewTables = "review JOIN recording ON review.recording = recording.id"

    func add(_ review: SectionReview, of recording: Int64) throws(DatabaseError) {
        try database.run(
            """
            INSERT INTO review (recording, section, time, rating, before, after, interval, evidence)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, .integer(recording), .integer(review.sectionID), .integer(review.time),
            .integer(review.rating.rawValue), .text(orNull: review.before.map(Self.text)),
            .text(Self.text(review.after)), .integer(review.intervalDays), .text(Self.text(review.evidence)))
    }

    /// Returns the reviews of a recording, or of all recordings, in chronological order.
    func reviews(of key: RecordingKey?, section: Int? = nil) throws(DatabaseError) -> [SectionReview] {
        var (conditions, values): ([String], [DatabaseValue]) = ([], [])
        if let key { (conditions, values) = (["key = ?"], [.bytes(key.bytes)]) }
        if let section {
            conditions.append("section = ?")
            values.append(.integer(section))
        }
        let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        return try database.readableRows(
            "SELECT \(Self.reviewColumns) FROM \(Self.reviewTables) \(filter) ORDER BY review.id", values,
            row: Self.review)
    }

    /// Returns the rated recordings whose file was later seen with another recording.
    func replacedRecordings() throws(DatabaseError) -> Set<RecordingKey> {
        let keys = try database.readableRows(
            """
            SELECT old.key FROM recording AS old JOIN recording AS new ON new.path = old.path
            WHERE old.id IN (SELECT recording FROM review)
            AND (new.seen, new.revision, new.id) > (old.seen, old.revision, old.id)
            """
        ) { (row) throws(DatabaseError) in RecordingKey(bytes: try row.bytes(0)) }
        return Set(keys.compactMap(\.self))
    }

    static func review(_ row: DatabaseRow) throws(DatabaseError) -> SectionReview {
        let interval = try row.integer(6)
        guard let key = RecordingKey(bytes: try row.bytes(0)), (1...36_500).contains(interval),
            let rating = ReviewRating(rawValue: Int(clamping: try row.integer(3)))
        else { throw .wrongValue("a review has an impossible rating or interval") }
        return SectionReview(
            key: key, sectionID: Int(try row.integer(1)), time: try row.integer(2), rating: rating,
            before: try row.text(orNull: 4).map { (text) throws(DatabaseError) in try state(text) },
            after: try state(try row.text(5)), intervalDays: Int(interval), evidence: try evidence(try row.text(7)))
    }

    /// Throws if the texts of a row cannot be read.
    static func checkReview(before: String?, after: String, evidence text: String) throws(DatabaseError) {
        _ = (try before.map { (text) throws(DatabaseError) in try state(text) }, try state(after), try evidence(text))
    }

    private static func text(_ state: MemoryState) -> String {
        JSONValue.object([
            .init("stability", .number(state.stability)), .init("difficulty", .number(state.difficulty)),
        ]).text
    }

    private static func state(_ text: String) throws(DatabaseError) -> MemoryState {
        let value = JSONValue(reading: Array(text.utf8))
        guard let stability = value?["stability"]?.number(in: .measures),
            let difficulty = value?["difficulty"]?.number(in: .measures)
        else { throw .wrongValue("the state of a review cannot be read") }
        return MemoryState(stability: stability, difficulty: difficulty)
    }

    private static func text(_ evidence: ReviewEvidence) -> String {
        let fields: [(String, Double?)] = [
            ("speed", evidence.speed), ("offset", evidence.offsetSeconds), ("spread", evidence.spreadSeconds),
            ("length", evidence.lengthRatio), ("pitch", evidence.pitchCents), ("energy", evidence.energyDecibels),
        ]
        return JSONValue.object(
            fields.compactMap { name, value in
                value.flatMap { $0.isFinite ? JSONValue.Field(name, .number($0)) : nil }
            }
        ).text
    }

    private static func evidence(_ text: String) throws(DatabaseError) -> ReviewEvidence {
        guard let value = JSONValue(reading: Array(text.utf8)) else {
            throw .wrongValue("the evidence of a review cannot be read")
        }
        func measure(_ name: String) -> Double? { value[name]?.number(in: .measures) }
        var evidence = ReviewEvidence(speed: measure("speed"))
        (evidence.offsetSeconds, evidence.spreadSeconds) = (measure("offset"), measure("spread"))
        (evidence.lengthRatio, evidence.pitchCents) = (measure("length"), measure("pitch"))
        evidence.energyDecibels = measure("energy")
        return evidence
    }
}
