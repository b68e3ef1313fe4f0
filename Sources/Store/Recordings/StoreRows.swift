// Reads and writes the rows of a store, on a connection with a transaction begun by the caller.
package import AudioFiles
package import Database
internal import Explanations
package import Files
internal import JSON
package import Sections
internal import Synchronization

/// The row of a recording, with the columns hidden from users.
package struct RecordingRow {
    package let id: Int64
    package let stored: StoredRecording
    package let nextSection: Int
    /// The number of the last change in force: later numbers are undone changes.
    let done: Int64
}

package struct StoreRows {
    package let database: Database
    /// Recordings with a higher number are indexed later; nil if every recording is indexed at once.
    private var wordsComeLaterAfter: Int64?

    package init(database: Database) { self.database = database }

    /// The greatest number of changes kept for a recording.
    package static let mostChanges: Int64 = 1000

    /// The sample rate of a recording whose key alone survived in a damaged store, with a length of 0. The recording's
    /// file provides the rest.
    package static let lostRate: Int64 = 1

    // MARK: Recordings

    private static let columns = """
        recording.id, key, sample_rate, frame_count, title, path, seen, position, settings, section_count, next_section, done
        """

    /// The order of the sightings, the last first. Of two within a second, the last has the greater revision.
    private static let lastSeenFirst = "recording.seen DESC, recording.revision DESC, recording.id DESC"

    package func recording(_ key: RecordingKey) throws(DatabaseError) -> RecordingRow? {
        try database.first(
            "SELECT \(Self.columns) FROM recording WHERE key = ?", .bytes(key.bytes), row: Self.recording)
    }

    /// The current time in milliseconds since 1970.
    package static var milliseconds: Int64 {
        let moment = FileState.Moment.now
        return moment.seconds * 1000 + moment.nanoseconds / 1_000_000
    }

    package func recording(id: Int64) throws(DatabaseError) -> RecordingRow? {
        try database.first(
            "SELECT \(Self.columns) FROM recording WHERE recording.id = ?", .integer(id), row: Self.recording)
    }

    /// Returns all recordings, the last seen first.
    func recordings() throws(DatabaseError) -> [StoredRecording] {
        try database.readableRows(
            "SELECT \(Self.columns) FROM recording ORDER BY \(Self.lastSeenFirst)", row: Self.stored)
    }

    /// Returns the recordings with words in the title, or in one section, that begin as the words of `query`; the last
    /// seen first.
    func recordings(matching query: String) throws(DatabaseError) -> [StoredRecording] {
        try database.readableRows(
            """
            SELECT \(Self.columns) FROM recording WHERE recording.id IN (
                SELECT rowid FROM recording_words WHERE recording_words MATCH ?1
                UNION
                SELECT recording FROM section WHERE row IN (
                    SELECT rowid FROM section_words WHERE section_words MATCH ?1))
            ORDER BY \(Self.lastSeenFirst)
            """, [.text(query)], row: Self.stored)
    }

    private static func stored(_ row: DatabaseRow) throws(DatabaseError) -> StoredRecording {
        try recording(row).stored
    }

    private static func recording(_ row: DatabaseRow) throws(DatabaseError) -> RecordingRow {
        let (rate, frames) = (try row.integer(2), try row.integer(3))
        guard let key = RecordingKey(bytes: try row.bytes(1)), (1...Int64(Int32.max)).contains(rate), frames >= 0 else {
            throw .wrongValue("a recording has an impossible key, rate or length")
        }
        let recording = PracticeRecording(
            key: key, sampleRate: Int(rate), frameCount: frames, title: try row.text(4), path: try row.text(orNull: 5))
        let stored = StoredRecording(
            recording: recording, lastSeen: try row.integer(6), position: try row.integer(orNull: 7),
            settings: try StoredText.settings(row, 8), sectionCount: Int(try row.integer(9)))
        return RecordingRow(
            id: try row.integer(0), stored: stored, nextSection: Int(try row.integer(10)), done: try row.integer(11))
    }

    /// Adds the recording, or updates its title, its path and the time when last seen; returns the recording's row.
    package func see(_ recording: PracticeRecording, at time: Int64) throws(DatabaseError) -> RecordingRow {
        if let row = try self.recording(recording.key) {
            let isRenamed = row.stored.recording.title != recording.title && row.id <= wordsComeLaterAfter ?? .max
            if isRenamed { try removeWords(ofRecording: row.id) }
            try database.run(
                """
                UPDATE recording SET title = ?, path = coalesce(?, path), seen = ?, frame_count = ?,
                sample_rate = CASE sample_rate WHEN \(Self.lostRate) THEN ? ELSE sample_rate END,
                revision = \(Self.nextRevision) WHERE id = ?
                """, .text(recording.title), .text(orNull: recording.path), .integer(time),
                .integer(recording.frameCount), .integer(recording.sampleRate), .integer(row.id))
            if isRenamed { try addWords(ofRecording: row.id) }
        } else {
            try database.run(
                """
                INSERT INTO recording (key, sample_rate, frame_count, title, path, seen, revision)
                VALUES (?, ?, ?, ?, ?, ?, \(Self.nextRevision))
                """, .bytes(recording.key.bytes), .integer(recording.sampleRate), .integer(recording.frameCount),
                .text(recording.title), .text(orNull: recording.path), .integer(time))
            if wordsComeLaterAfter == nil { try addWords(ofRecording: database.lastInsertedRow) }
        }
        guard let row = try self.recording(recording.key) else { throw .damaged("a recording is not found") }
        if let state = recording.fileState { try write(state, of: row.id) }
        return row
    }

    func remember(_ id: Int64, position: Int64?, settings: [String: String]) throws(DatabaseError) {
        try database.run(
            "UPDATE recording SET position = ?, settings = ? WHERE id = ?", .integer(orNull: position),
            .text(StoredText.text(settings)), .integer(id))
    }

    // MARK: Files

    /// Returns the key of the recording in a file in this state; nil if the store never saw this state.
    func key(ofFileIn state: FileState) throws(DatabaseError) -> RecordingKey? {
        try database.rows(
            """
            SELECT key FROM file JOIN recording ON recording = recording.id WHERE device = ? AND inode = ?
            AND byte_count = ? AND modified = ? AND modified_nanoseconds = ? AND changed = ? AND changed_nanoseconds = ?
            """, Self.values(state)
        ) { (row) throws(DatabaseError) in RecordingKey(bytes: try row.bytes(0)) }.first ?? nil
    }

    /// Returns the times of the last write to the files seen with each recording, by the recording's row.
    package func writingTimes() throws(DatabaseError) -> [Int64: Set<FileState.Moment>] {
        let times = try database.readableRows("SELECT recording, modified, modified_nanoseconds FROM file") {
            (row) throws(DatabaseError) in
            (try row.integer(0), FileState.Moment(seconds: try row.integer(1), nanoseconds: try row.integer(2)))
        }
        return Dictionary(grouping: times, by: \.0).mapValues { Set($0.map(\.1)) }
    }

    /// Stores the state of a file and replaces the file's earlier state.
    private func write(_ state: FileState, of id: Int64) throws(DatabaseError) {
        try database.run(
            "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values: Self.values(state) + [.integer(id)])
    }

    private static func values(_ state: FileState) -> [DatabaseValue] {
        [
            Int64(bitPattern: state.device), Int64(bitPattern: state.inode), state.byteCount,
            state.modified.seconds, state.modified.nanoseconds, state.changed.seconds, state.changed.nanoseconds,
        ].map { .integer($0) }
    }

    // MARK: Revisions

    private static let nextRevision = nextRevision(of: "recording")

    /// Returns an SQL expression for the revision of a changed row.
    package static func nextRevision(of table: String) -> String { "(\(lastRevision(of: table)) + 1)" }

    /// Returns an SQL expression for the greatest revision. Ignores impossible revisions: with the next number, each
    /// change would be refused.
    private static func lastRevision(of table: String) -> String {
        "(SELECT coalesce(max(revision), 0) FROM \(table) WHERE revision <= \(ClosedRange.counts.upperBound))"
    }

    func lastRevision(of table: String) throws(DatabaseError) -> Int64 {
        try database.first("SELECT \(Self.lastRevision(of: table))") { (row) throws(DatabaseError) in
            try row.integer(0)
        } ?? 0
    }

    func keys(changedAfter revision: Int64) throws(DatabaseError) -> [RecordingKey] {
        try database.readableRows("SELECT key FROM recording WHERE revision > ?", [.integer(revision)]) {
            (row) throws(DatabaseError) in RecordingKey(bytes: try row.bytes(0))
        }.compactMap { $0 }
    }

    // MARK: Sections

    /// - Parameter recording: The recording in its current state; nil if unchanged. Stored sections are cut at the
    ///   recording's end.
    package func sections(of row: RecordingRow, in recording: PracticeRecording? = nil) throws(DatabaseError)
        -> SectionList
    {
        let recording = recording ?? row.stored.recording
        let end = recording.frameCount
        var sections = try database.readableRows(
            "SELECT id, kind, first, past, name, text, hard, settings FROM section WHERE recording = ?",
            [.integer(row.id)], row: Self.section)
        for index in sections.indices where sections[index].frames.upperBound > end && end > 0 {
            let frames = sections[index].frames
            sections[index].frames = min(frames.lowerBound, end - 1)..<end
        }
        return SectionList(
            sampleRate: recording.sampleRate, frameCount: end, sections: sections, nextID: try nextSection(of: row))
    }

    package static func section(_ row: DatabaseRow) throws(DatabaseError) -> SavedSection {
        let (id, first, past) = (try row.integer(0), try row.integer(2), try row.integer(3))
        guard let kind = SavedSection.Kind(rawValue: try row.text(1)), 0 <= first, first < past,
            numbersOfSections.contains(id)
        else {
            throw .wrongValue("a section has an impossible number, kind or range")
        }
        return SavedSection(
            id: Int(id), kind: kind, frames: first..<past, name: try row.text(4), text: try row.text(5),
            isHard: try row.integer(6) != 0, settings: try StoredText.settings(row, 7))
    }

    /// Writes the removed and added sections, and the identity of the next new section.
    package func write(_ change: SectionChange, nextSection: Int, of id: Int64) throws(DatabaseError) {
        let now = Self.milliseconds
        for section in change.removed {
            try noteChange(ofSection: section.id, of: id, at: now)
            try removeWords(ofSection: section.id, in: id)
            try database.run("DELETE FROM section WHERE recording = ? AND id = ?", .integer(id), .integer(section.id))
        }
        for section in change.added {
            try noteChange(ofSection: section.id, of: id, at: now)
            try insert(section, into: id)
        }
        try database.run(
            "UPDATE recording SET next_section = ?, section_count = section_count + ?, revision = \(Self.nextRevision) WHERE id = ?",
            .integer(nextSection), .integer(change.added.count - change.removed.count), .integer(id))
    }

    /// Stores the time of a change. A later change has a later time, even if the clock went back.
    private func noteChange(ofSection section: Int, of id: Int64, at time: Int64) throws(DatabaseError) {
        try database.run(
            """
            INSERT INTO section_time (recording, section, changed) VALUES (?, ?, ?)
            ON CONFLICT (recording, section) DO UPDATE SET changed = max(changed + 1, excluded.changed)
            """, .integer(id), .integer(section), .integer(time))
    }

    func insert(_ section: SavedSection, into id: Int64) throws(DatabaseError) {
        try database.run(
            """
            INSERT INTO section (recording, id, kind, first, past, name, text, hard, settings)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .integer(id), .integer(section.id), .text(section.kind.rawValue), .integer(section.frames.lowerBound),
            .integer(section.frames.upperBound), .text(section.name), .text(section.text),
            .integer(section.isHard ? 1 : 0), .text(StoredText.text(section.settings)))
        let row = database.lastInsertedRow
        for index in Self.sectionIndexes {
            try database.run(
                "INSERT INTO \(index) (rowid, name, text) SELECT row, name, text FROM folded_section WHERE row = ?",
                .integer(row))
        }
    }

    // MARK: Words to search

    /// Carries out `body`, and indexes the added recordings afterwards, in one statement. SQLite writes out an index's
    /// pending words before each statement that changes an index. With many recordings, this would be most of the work.
    package func addingWordsAtOnce<Value>(
        _ body: (StoreRows) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        let last = try database.first("SELECT coalesce(max(id), 0) FROM recording") { (row) throws(DatabaseError) in
            try row.integer(0)
        }
        // After the greatest possible number there is no next number: SQLite then takes any.
        if last ?? 0 > 1 << 53 { return try body(self) }
        var rows = self
        rows.wordsComeLaterAfter = last ?? 0
        let value = try body(rows)
        try database.run(
            "INSERT INTO recording_words (rowid, title) SELECT id, title FROM folded_recording WHERE id > ?",
            .integer(last ?? 0))
        return value
    }

    /// Rebuilds the indexes of all words.
    package func rebuildWords() throws(DatabaseError) {
        for index in StoreSchema.wordIndexes { try database.run("INSERT INTO \(index) (\(index)) VALUES ('rebuild')") }
    }

    private func addWords(ofRecording id: Int64) throws(DatabaseError) {
        try database.run(
            "INSERT INTO recording_words (rowid, title) SELECT id, title FROM folded_recording WHERE id = ?",
            .integer(id))
    }

    /// Passes the words to the index, because the index does not store words.
    private func removeWords(ofRecording id: Int64) throws(DatabaseError) {
        try database.run(
            """
            INSERT INTO recording_words (recording_words, rowid, title)
            SELECT 'delete', id, title FROM folded_recording WHERE id = ?
            """, .integer(id))
    }

    private func removeWords(ofSection section: Int, in id: Int64) throws(DatabaseError) {
        for index in Self.sectionIndexes {
            try database.run(
                """
                INSERT INTO \(index) (\(index), rowid, name, text)
                SELECT 'delete', row, name, text FROM folded_section
                WHERE row = (SELECT row FROM section WHERE recording = ? AND id = ?)
                """, .integer(id), .integer(section))
        }
    }

    private static let sectionIndexes = ["section_words", "section_trigrams"]

    // MARK: History

    /// The change with a number; nil if there is none.
    package func change(_ number: Int64, of id: Int64) throws(DatabaseError) -> SectionChange? {
        try database.first(
            "SELECT summary, removed, added FROM change WHERE recording = ? AND number = ?", .integer(id),
            .integer(number)
        ) { (row) throws(DatabaseError) in
            SectionChange(
                removed: try StoredText.sections(try row.text(1)), added: try StoredText.sections(try row.text(2)),
                summary: try row.text(0))
        }
    }

    func summary(_ number: Int64, of id: Int64) throws(DatabaseError) -> String? {
        try database.first(
            "SELECT summary FROM change WHERE recording = ? AND number = ?", .integer(id), .integer(number)
        ) { (row) throws(DatabaseError) in try row.text(0) }
    }

    /// Adds a change after the last change in force, and deletes the undone changes.
    package func append(_ change: SectionChange, to row: RecordingRow) throws(DatabaseError) {
        try append(change, to: row, origins: [:])
    }

    func append(
        _ change: SectionChange, to row: RecordingRow, origins: [Int: SectionOrigin]
    ) throws(DatabaseError) {
        try database.run("DELETE FROM change WHERE recording = ? AND number > ?", .integer(row.id), .integer(row.done))
        try database.run(
            "INSERT INTO change (recording, number, summary, removed, added) VALUES (?, ?, ?, ?, ?)", .integer(row.id),
            .integer(row.done + 1), .text(change.summary), .text(StoredText.text(change.removed)),
            .text(StoredText.text(change.added, origins: origins)))
        try database.run(
            "DELETE FROM change WHERE recording = ? AND number <= ?", .integer(row.id),
            .integer(row.done + 1 - Self.mostChanges))
        try setDone(row.done + 1, of: row.id)
    }

    func setDone(_ number: Int64, of id: Int64) throws(DatabaseError) {
        try database.run("UPDATE recording SET done = ? WHERE id = ?", .integer(number), .integer(id))
    }

    // MARK: Envelopes

    func envelope(of key: RecordingKey) throws(DatabaseError) -> [UInt8]? {
        try database.first(
            "SELECT content FROM envelope JOIN recording ON recording = recording.id WHERE key = ?", .bytes(key.bytes)
        ) { (row) throws(DatabaseError) in try row.bytes(0) }
    }

    func setEnvelope(_ content: [UInt8], of id: Int64) throws(DatabaseError) {
        try database.run(
            "INSERT INTO envelope VALUES (?, ?) ON CONFLICT (recording) DO UPDATE SET content = excluded.content",
            .integer(id), .bytes(content))
    }

    func recordings(inFileAt path: String) throws(DatabaseError) -> [StoredRecording] {
        try database.readableRows(
            "SELECT \(Self.columns) FROM recording WHERE path = ? ORDER BY \(Self.lastSeenFirst)", [.text(path)],
            row: Self.stored)
    }

    /// Returns the recordings with a duration in `seconds`, the last seen first.
    func recordings(lasting seconds: ClosedRange<Double>) throws(DatabaseError) -> [StoredRecording] {
        let milliseconds = seconds.lowerBound * 1000...seconds.upperBound * 1000
        guard milliseconds.lowerBound.magnitude < 1e15, milliseconds.upperBound.magnitude < 1e15 else { return [] }
        let rows = try database.readableRows(
            """
            SELECT \(Self.columns) FROM recording WHERE frame_count * 1000 / sample_rate BETWEEN ? AND ?
            ORDER BY \(Self.lastSeenFirst)
            """,
            [
                .integer(Int64(milliseconds.lowerBound.rounded(.down))),
                .integer(Int64(milliseconds.upperBound.rounded(.up))),
            ], row: Self.stored)
        return rows.filter {
            seconds.contains(Double($0.recording.frameCount) / Double($0.recording.sampleRate))
        }
    }
}

extension PracticeStore {
    /// Reads one state of the store; returns nil, and creates nothing, if there is no store yet.
    package func read<Value: Sendable>(
        _ body: (StoreRows) throws(DatabaseError) -> Value
    ) throws(StoreError) -> Value? {
        try file.withLock { (file) throws(StoreError) in try file.read(body) }
    }

    /// Changes the store in one transaction; creates the store if there is none yet.
    ///
    /// - Parameters:
    ///   - other: The path of another store, whose tables have the prefix `other` in statements; nil for none.
    ///   - isRemoval: True for a removal, which must succeed on a full disk, too.
    @discardableResult
    package func change<Value: Sendable>(
        beside other: String? = nil, isRemoval: Bool = false, _ body: (StoreRows) throws(DatabaseError) -> Value
    ) throws(StoreError) -> Value {
        let value = try file.withLock { (file) throws(StoreError) in
            try file.change(beside: other, isRemoval: isRemoval, body)
        }
        announceChanges()
        return value
    }
}
