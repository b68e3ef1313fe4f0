public import AudioFiles
internal import Database
public import Explanations
internal import Files
internal import Glibc
internal import JSON
public import Sections
internal import Synchronization
internal import UserState

/// The sections, positions, settings, takes and practice log of every practised recording.
///
/// A store is a file. Several programs may change the file at once without loss. The first use opens the file, and the
/// first change creates it; reading creates nothing.
///
///     let store = try PracticeStore(.user)
///     try store.apply(.mark(frame: 441_000, name: "Solo"), to: recording)
///
/// Threads: any; calls block for the disk, and up to five seconds for another program. Real-time safe: no.
public final class PracticeStore: Sendable {
    /// The location of a store.
    public enum Place: Sendable, Hashable {
        /// In the user's data folder: `$XDG_DATA_HOME/woodshed/practice.db`, by default below `~/.local/share`.
        case user
        /// In a file of any name.
        case file(String)
        /// In memory: the contents disappear with the object.
        case memory
    }

    /// The path of the store's file; nil in memory.
    public let path: String?
    let file: Mutex<StoreFile>
    let listeners = StoreListeners<RecordingKey>()
    let takeListeners = StoreListeners<Int>()
    let contentListeners = StoreListeners<StoreContent>()

    /// Creates a store without opening the file.
    ///
    /// - Parameter place: the user's data folder, a file, or memory.
    /// - Throws: `StoreError` of kind `noHome` if there is no home folder, for the user's place.
    public convenience init(_ place: Place) throws(StoreError) { try self.init(place, schema: .current) }

    /// Creates a store on a private copy of a file. The repair of a damaged copy waits for no other repair in the
    /// folder, because the caller may hold the folder's lock.
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

    /// The last repair of the store since this object was created; nil if the file was never found damaged.
    public var repair: StoreRepair? { file.withLock { $0.repair } }

    /// Impossible values read since this object was created, each with its treatment; each message once.
    package var unreadable: Set<String> { file.withLock { $0.unreadable } }

    // MARK: Reading

    /// Returns the recording with this key; nil if the store does not know the recording.
    public func recording(_ key: RecordingKey) throws(StoreError) -> StoredRecording? {
        try read { (rows) throws(DatabaseError) in try rows.recording(key)?.stored } ?? nil
    }

    /// Returns all recordings, the last seen first.
    public func recordings() throws(StoreError) -> [StoredRecording] {
        try read { (rows) throws(DatabaseError) in try rows.recordings() } ?? []
    }

    /// Returns the recordings with words in the title, or in the name or text of one section, that begin as the words
    /// of `text`; the last seen first.
    ///
    /// Upper and lower case and accents do not matter: "cafe" finds "Cafés".
    public func recordings(matching text: String) throws(StoreError) -> [StoredRecording] {
        guard let query = StoreQuery(text)?.text else { return [] }
        return try read { (rows) throws(DatabaseError) in try rows.recordings(matching: query) } ?? []
    }

    /// Returns the sections of a recording; nil if the store does not know the recording.
    package func sections(of key: RecordingKey) throws(StoreError) -> SectionList? {
        try read { (rows) throws(DatabaseError) in
            guard let row = try rows.recording(key) else { return nil }
            return try rows.sections(of: row)
        } ?? nil
    }

    /// Returns the sections of a recording. Until the first change, these are the sections in the file, such as cue
    /// points and chapters.
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

    /// Returns the key of the recording in a file in this state; nil if the store never saw this state.
    func key(ofFileIn state: FileState) throws(StoreError) -> RecordingKey? {
        try read { (rows) throws(DatabaseError) in try rows.key(ofFileIn: state) } ?? nil
    }

    /// Describes the changes that `undo` and `redo` would make, in words for the user; nil for none.
    public func history(of key: RecordingKey) throws(StoreError) -> (undo: String?, redo: String?) {
        try read { (rows) throws(DatabaseError) in
            guard let row = try rows.recording(key) else { return (nil, nil) }
            return (try rows.summary(row.done, of: row.id), try rows.summary(row.done + 1, of: row.id))
        } ?? (nil, nil)
    }

    // MARK: Changing

    /// Carries out an edit on a recording's sections and stores the result, in one transaction. A simultaneous change
    /// by another program comes before or after, and is never lost.
    ///
    /// - Returns: The change; empty if the edit changed nothing.
    /// - Throws: `SectionError` if the list refuses the edit, `StoreError` if the result cannot be stored. After an
    ///   error nothing has changed.
    @discardableResult
    public func apply(_ edit: SectionEdit, to recording: PracticeRecording) throws -> SectionChange {
        try apply(edit, to: recording) { _ in [:] }
    }

    /// - Parameter origins: The origins of the change's sections, by the identities of the sections.
    package func apply(
        _ edit: SectionEdit, to recording: PracticeRecording, origins: (SectionChange) -> [Int: SectionOrigin]
    ) throws -> SectionChange {
        if try self.recording(recording.key) == nil {
            // A refused edit creates no store.
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
            // Only now: a refused edit changes nothing, not even the title.
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

    /// Undoes the last change in force of a recording's sections.
    ///
    /// - Returns: The reversed change.
    /// - Throws: `SectionError` of kind `nothingToUndo`, or `StoreError`.
    @discardableResult
    public func undo(_ key: RecordingKey) throws -> SectionChange { try step(key, forward: false) }

    /// Redoes the last undone change.
    ///
    /// - Returns: The change.
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
            // Before the sections of the taker are removed: the move needs the sections of both recordings.
            if !forward { try rows.moveProgress(of: origins, to: row.id, forward: false) }
            try rows.write(step, nextSection: row.nextSection, of: row.id)
            if forward { try rows.moveProgress(of: origins, to: row.id, forward: true) }
            try rows.setDone(forward ? row.done + 1 : row.done - 1, of: row.id)
            return .success(step)
        }
    }

    /// Stores the position and the settings for the next practice, and updates the recording's title and path.
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

    /// Records that a file holds this recording, and no longer an earlier one.
    package func see(_ recording: PracticeRecording) throws(StoreError) { try keep(recording) { _, _ in } }

    // MARK: Recognition of copies

    /// Stores the envelope that recognises a copy in another encoding.
    package func setEnvelope(_ content: [UInt8], of recording: PracticeRecording) throws(StoreError) {
        try keep(recording) { (rows, id) throws(DatabaseError) in try rows.setEnvelope(content, of: id) }
    }

    /// Returns the stored envelope; nil if there is none.
    package func envelope(of key: RecordingKey) throws(StoreError) -> [UInt8]? {
        try read { (rows) throws(DatabaseError) in try rows.envelope(of: key) } ?? nil
    }

    /// Returns the recordings with a duration in `seconds`, the last seen first.
    package func recordings(lasting seconds: ClosedRange<Double>) throws(StoreError) -> [StoredRecording] {
        try read { (rows) throws(DatabaseError) in try rows.recordings(lasting: seconds) } ?? []
    }

    /// Returns the recordings last seen in a file, the last seen first.
    package func recordings(inFileAt path: String) throws(StoreError) -> [StoredRecording] {
        try read { (rows) throws(DatabaseError) in try rows.recordings(inFileAt: path) } ?? []
    }

    // MARK: Parts

    /// Seconds since 1970.
    private static var now: Int64 { Int64(time(nil)) }

    /// Changes takes in one transaction, and announces the change.
    @discardableResult
    func changeTakes<Value: Sendable>(
        isRemoval: Bool = false, _ body: (StoreRows) throws(DatabaseError) -> Value
    ) throws(StoreError) -> Value {
        let value = try file.withLock { (file) throws(StoreError) in try file.change(isRemoval: isRemoval, body) }
        announceTakeChanges()
        return value
    }

    /// Passes elements in pieces to `body`, which needs one transaction for a piece. Other programs can use the store
    /// between two pieces.
    package static func inPieces<Element, Failure: Error>(
        _ elements: [Element], atOnce most: Int,
        _ body: (_ piece: [Element], _ isLast: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        var rest = elements[...]
        while !rest.isEmpty {
            let began = ContinuousClock.now
            let piece = Array(rest.prefix(most))
            rest = rest.dropFirst(piece.count)
            try body(piece, rest.isEmpty)
            if !rest.isEmpty { letOthersWrite(after: began.duration(to: .now)) }
        }
    }

    /// Sleeps for a tenth of the time that a piece of work took, to leave the store free. A program that waits for the
    /// store polls every 100 ms, and fails after 5 s. Without the pause, such a program would seldom find the store
    /// free between two pieces.
    package static func letOthersWrite(after time: Duration) {
        let microseconds = min(time / 10, .milliseconds(110)) / .microseconds(1)
        usleep(UInt32(max(0, microseconds)))
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

    /// Adds the sections of the recording's file, if `list` never had a section.
    ///
    /// - Returns: The change; nil if there was nothing to add.
    @discardableResult
    func bringSections(into list: inout SectionList) -> SectionChange? {
        guard list.nextID == 1, !fileSections.isEmpty else { return nil }
        // Marks of a file lie inside the file, and their names are cleaned, so the list accepts all of them.
        guard let change = try? list.apply(.add(fileSections)) else { return nil }
        return SectionChange(
            removed: change.removed, added: change.added, summary: "took over the sections of the file")
    }

    /// The greatest difference in frames between two lengths of one recording: encoder padding at the start and the
    /// end, and the last packet. Later versions of this program, and of the programs it asks, know better which of
    /// these frames belong to the sound.
    private static let mostPadding: Int64 = 8192

    /// Returns an error if the lengths or rates differ. Equal sound has equal length, except for padding. Otherwise the
    /// file was cut off, or the key belongs to another recording by mistake.
    func conflict(with known: PracticeRecording) -> StoreError? {
        known.isLost || known.sampleRate == sampleRate && Self.isOneLength(known.frameCount, frameCount)
            ? nil : .otherRecording(self, known: known)
    }

    /// True if two lengths in frames can belong to one recording.
    package static func isOneLength(_ left: Int64, _ right: Int64) -> Bool { (left - right).magnitude <= mostPadding }

    /// True if only the key is known, because a repair of the store has lost the rest.
    package var isLost: Bool { sampleRate == Int(StoreRows.lostRate) && frameCount == 0 }
}
