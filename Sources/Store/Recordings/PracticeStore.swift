public import AudioFiles
internal import Database
internal import Files
internal import Glibc
internal import JSON
public import Sections
internal import Synchronization
internal import UserState

/// The sections, positions, settings, takes and practice log of every recording that was practised.
///
/// A store is a file, which several programs may change at once without losing anything. It is opened when it is first needed, and created by the
/// first change; reading creates nothing.
///
///     let store = try PracticeStore(.user)
///     try store.apply(.mark(frame: 441_000, name: "Solo"), to: recording)
///
/// Threads: any; calls block for the disk, and up to five seconds for another program. Real-time safe: no.
public final class PracticeStore: Sendable {
    /// Where a store is kept.
    public enum Place: Sendable, Hashable {
        /// In the user's data folder: `$XDG_DATA_HOME/woodshed/practice.db`, by default below `~/.local/share`.
        case user
        /// In a file of any name.
        case file(String)
        /// In memory: the contents are gone with the object.
        case memory
    }

    /// The path of its file; nil in memory.
    public let path: String?
    let file: Mutex<StoreFile>
    let listeners = StoreListeners<RecordingKey>()
    let takeListeners = StoreListeners<Int>()
    let contentListeners = StoreListeners<StoreContent>()

    /// Makes a store. Nothing is opened yet.
    ///
    /// - Parameter place: the user's data folder, a file, or memory.
    /// - Throws: `StoreError` of kind `noHome` if there is no home folder, for the user's place.
    public convenience init(_ place: Place) throws(StoreError) { try self.init(place, schema: .current) }

    /// Makes a store of a copy that no other program knows. If it is damaged, its repair waits for no other repair in the folder, whose lock the caller may
    /// have.
    package convenience init(ofCopy path: String) throws(StoreError) {
        try self.init(.file(path), schema: .current, isShared: false)
    }

    init(
        _ place: Place, schema: StoreSchema, busyTimeout: Int32 = 5000, isShared: Bool = true
    ) throws(StoreError) {
        switch place {
        case .user:
            guard let folder = DataFolder.path else { throw .noHome }
            path = folder + "/practice.db"
        case .file(let path): self.path = path
        case .memory: path = nil
        }
        file = Mutex(
            StoreFile(
                path: path ?? ":memory:", isInMemory: path == nil, keepsReserve: place == .user, schema: schema,
                busyTimeout: busyTimeout, isShared: isShared))
    }

    deinit {
        listeners.end()
        takeListeners.end()
        contentListeners.end()
    }

    /// What was done about the file if it was found damaged since this object was made; nil if it was not.
    public var repair: StoreRepair? { file.withLock { $0.repair } }

    /// Impossible values that were read since this object was made, and how each was handled; each message once.
    package var unreadable: Set<String> { file.withLock { $0.unreadable } }

    // MARK: Reading

    /// The recording with this key; nil if the store does not know it.
    public func recording(_ key: RecordingKey) throws(StoreError) -> StoredRecording? {
        try read { (rows) throws(DatabaseError) in try rows.recording(key)?.stored } ?? nil
    }

    /// All recordings, the last seen first.
    public func recordings() throws(StoreError) -> [StoredRecording] {
        try read { (rows) throws(DatabaseError) in try rows.recordings() } ?? []
    }

    /// The recordings whose title, or one of whose sections by its name or its text, has words that begin as those of `text`; the last seen first.
    ///
    /// Upper and lower case and accents do not matter: "cafe" finds "Cafés".
    public func recordings(matching text: String) throws(StoreError) -> [StoredRecording] {
        guard let query = StoreQuery(text)?.text else { return [] }
        return try read { (rows) throws(DatabaseError) in try rows.recordings(matching: query) } ?? []
    }

    /// The sections of a recording; nil if the store does not know it.
    public func sections(of key: RecordingKey) throws(StoreError) -> SectionList? {
        try read { (rows) throws(DatabaseError) in
            guard let row = try rows.recording(key) else { return nil }
            return try rows.sections(of: row)
        } ?? nil
    }

    /// The sections of a recording. If none was ever changed, these are the sections in its file, such as cue points and chapters.
    ///
    /// - Throws: `StoreError`, of kind `otherRecording` if the store knows the recording with another length or rate.
    public func sections(of recording: PracticeRecording) throws(StoreError) -> SectionList {
        let known = try read { (rows) throws(DatabaseError) -> (PracticeRecording, SectionList)? in
            guard let row = try rows.recording(recording.key) else { return nil }
            return (row.stored.recording, try rows.sections(of: row, in: recording))
        }
        var list = recording.noSections
        if case (let stored, let kept)?? = known {
            if let error = recording.conflict(with: stored) { throw error }
            list = kept
        }
        recording.bringSections(into: &list)
        return list
    }

    /// The key of the recording in a file that is in this state; nil if it was not seen in it.
    func key(ofFileIn state: FileState) throws(StoreError) -> RecordingKey? {
        try read { (rows) throws(DatabaseError) in try rows.key(ofFileIn: state) } ?? nil
    }

    /// What `undo` and `redo` would do, in words for the user; nil where there is nothing.
    public func history(of key: RecordingKey) throws(StoreError) -> (undo: String?, redo: String?) {
        try read { (rows) throws(DatabaseError) in
            guard let row = try rows.recording(key) else { return (nil, nil) }
            return (try rows.summary(row.done, of: row.id), try rows.summary(row.done + 1, of: row.id))
        } ?? (nil, nil)
    }

    // MARK: Changing

    /// Carries out an edit on a recording's sections and keeps the result, in one step: what another program changes at the same moment
    /// comes before or after it, and is not lost.
    ///
    /// - Returns: What has changed; empty if nothing had to.
    /// - Throws: `SectionError` if the list refuses the edit, `StoreError` if it cannot be kept. Nothing has changed then.
    @discardableResult
    public func apply(_ edit: SectionEdit, to recording: PracticeRecording) throws -> SectionChange {
        try apply(edit, to: recording) { _ in [:] }
    }

    /// - Parameter origins: What the sections of the change are taken over from, by their identities.
    package func apply(
        _ edit: SectionEdit, to recording: PracticeRecording, origins: (SectionChange) -> [Int: SectionOrigin]
    ) throws -> SectionChange {
        if try self.recording(recording.key) == nil {
            // An edit that is refused makes no store.
            var list = recording.noSections
            recording.bringSections(into: &list)
            try list.apply(edit)
        }
        return try changeList { (rows) throws(DatabaseError) in
            let known = try rows.recording(recording.key)
            if let known, let error = recording.conflict(with: known.stored.recording) { return .failure(error) }
            var list =
                try known.map { (row) throws(DatabaseError) in
                    try rows.sections(of: row, in: recording)
                } ?? recording.noSections
            let brought = recording.bringSections(into: &list)
            let change: SectionChange
            do throws(SectionError) { change = try list.apply(edit) } catch { return .failure(error) }
            // Not before: an edit that is refused changes nothing, not even the title.
            var row = try rows.see(recording, at: Self.now)
            guard !change.isEmpty else { return .success(change) }
            if let brought {
                try rows.write(brought, nextSection: list.nextID, of: row.id)
                try rows.append(brought, to: row)
                row = try rows.recording(recording.key) ?? row
            }
            try rows.write(change, nextSection: list.nextID, of: row.id)
            let origins = origins(change)
            try rows.append(change, to: row, origins: origins)
            try rows.moveProgress(of: origins, to: row.id, forward: true)
            return .success(change)
        }
    }

    /// Undoes the last change to a recording's sections that is not undone yet.
    ///
    /// - Returns: What has changed.
    /// - Throws: `SectionError` of kind `nothingToUndo`, or `StoreError`.
    @discardableResult
    public func undo(_ key: RecordingKey) throws -> SectionChange { try step(key, forward: false) }

    /// Redoes the change that was undone last.
    ///
    /// - Returns: What has changed.
    /// - Throws: `SectionError` of kind `nothingToUndo`, or `StoreError`.
    @discardableResult
    public func redo(_ key: RecordingKey) throws -> SectionChange { try step(key, forward: true) }

    private func step(_ key: RecordingKey, forward: Bool) throws -> SectionChange {
        let nothing = SectionError(
            .nothingToUndo, "there is no change to \(forward ? "redo" : "undo")",
            remedy: "The sections are as they were before.")
        guard try recording(key) != nil else { throw nothing }
        return try changeList { (rows) throws(DatabaseError) in
            guard let row = try rows.recording(key),
                let change = try rows.change(forward ? row.done + 1 : row.done, of: row.id)
            else { return .failure(nothing) }
            let step = forward ? change : change.reversed
            let origins = try rows.origins(ofChange: forward ? row.done + 1 : row.done, of: row.id)
            // While the sections of both recordings are there.
            if !forward { try rows.moveProgress(of: origins, to: row.id, forward: false) }
            try rows.write(step, nextSection: row.nextSection, of: row.id)
            if forward { try rows.moveProgress(of: origins, to: row.id, forward: true) }
            try rows.setDone(forward ? row.done + 1 : row.done - 1, of: row.id)
            return .success(step)
        }
    }

    /// Stores the position and the settings with which practising continues, and brings the recording's title and path up to date.
    ///
    /// - Parameters:
    ///   - recording: the recording.
    ///   - position: a frame of its file; nil for none.
    ///   - settings: names of options and their values, as in `SavedSection.settings`; they replace the stored ones.
    public func remember(
        _ recording: PracticeRecording, position: Int64?, settings: [String: String]
    ) throws(StoreError) {
        try keep(recording) { (rows, id) throws(DatabaseError) in
            try rows.remember(id, position: position, settings: settings)
        }
    }

    /// Notes that a recording is in its file, and what was there before is not any more.
    package func see(_ recording: PracticeRecording) throws(StoreError) { try keep(recording) { _, _ in } }

    // MARK: Recognition of copies

    /// Keeps what a copy in another encoding is recognised by.
    package func setEnvelope(_ content: [UInt8], of recording: PracticeRecording) throws(StoreError) {
        try keep(recording) { (rows, id) throws(DatabaseError) in try rows.setEnvelope(content, of: id) }
    }

    /// What was kept by `setEnvelope`; nil if nothing was.
    package func envelope(of key: RecordingKey) throws(StoreError) -> [UInt8]? {
        try read { (rows) throws(DatabaseError) in try rows.envelope(of: key) } ?? nil
    }

    /// The recordings that last as long as `seconds` says, the last seen first.
    package func recordings(lasting seconds: ClosedRange<Double>) throws(StoreError) -> [StoredRecording] {
        try read { (rows) throws(DatabaseError) in try rows.recordings(lasting: seconds) } ?? []
    }

    /// The recordings that were last seen in a file, the last one first.
    package func recordings(inFileAt path: String) throws(StoreError) -> [StoredRecording] {
        try read { (rows) throws(DatabaseError) in try rows.recordings(inFileAt: path) } ?? []
    }

    // MARK: Parts

    /// Seconds since 1970.
    private static var now: Int64 { Int64(time(nil)) }

    /// A change of takes.
    @discardableResult
    func changeTakes<Value: Sendable>(
        isRemoval: Bool = false, _ body: (StoreRows) throws(DatabaseError) -> Value
    ) throws(StoreError) -> Value {
        let value = try file.withLock { (file) throws(StoreError) in try file.change(isRemoval: isRemoval, body) }
        announceTakeChanges()
        return value
    }

    private func changeList(
        _ body: (StoreRows) throws(DatabaseError) -> Result<SectionChange, any Error>
    ) throws -> SectionChange {
        try change(body).get()
    }

    private func keep(
        _ recording: PracticeRecording, _ body: (StoreRows, Int64) throws(DatabaseError) -> Void
    ) throws(StoreError) {
        let conflict = try change { (rows) throws(DatabaseError) -> StoreError? in
            if let known = try rows.recording(recording.key)?.stored.recording,
                let error = recording.conflict(with: known)
            {
                return error
            }
            try body(rows, rows.see(recording, at: Self.now).id)
            return nil
        }
        if let conflict { throw conflict }
    }
}

extension PracticeRecording {
    var noSections: SectionList { SectionList(sampleRate: sampleRate, frameCount: frameCount) }

    /// Adds the sections of the recording's file, if no section was ever made in `list`.
    ///
    /// - Returns: What has changed; nil if nothing had to.
    @discardableResult
    func bringSections(into list: inout SectionList) -> SectionChange? {
        guard list.nextID == 1, !fileSections.isEmpty else { return nil }
        // Marks of a file are inside it and their names are cleaned, so the list does not refuse them.
        guard let change = try? list.apply(.add(fileSections)) else { return nil }
        return SectionChange(
            removed: change.removed, added: change.added, summary: "took over the sections of the file")
    }

    /// The most frames by which two lengths of one recording may differ: what encoders put in front and at the end, and the last packet.
    /// Which of them belong to the sound is known better by each version of this program and of those that it asks.
    private static let mostPadding: Int64 = 8192

    /// Equal sound has equal length, but for padding; if it has not, the file was cut off or the key is another recording's by mistake.
    func conflict(with known: PracticeRecording) -> StoreError? {
        known.isLost || known.sampleRate == sampleRate && Self.isOneLength(known.frameCount, frameCount)
            ? nil : .otherRecording(self, known: known)
    }

    /// Whether two lengths in frames can be those of one recording.
    package static func isOneLength(_ left: Int64, _ right: Int64) -> Bool { (left - right).magnitude <= mostPadding }

    /// Whether only its key is known, because a repair of the store has lost the rest.
    package var isLost: Bool { sampleRate == Int(StoreRows.lostRate) && frameCount == 0 }
}
