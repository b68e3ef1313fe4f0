internal import AudioFiles
internal import Database
public import Explanations
internal import Glibc
internal import Synchronization

/// The list of kept takes: recordings made by the user, with their sections.
///
/// The store keeps the list; the sound stays in separate files, which any program can open.
extension PracticeStore {
    /// The longest name of a take, in characters; a note has any number of lines, up to `mostNoteBytes` bytes.
    package static let mostNameCharacters = 200
    private static let mostNoteBytes = 1 << 16

    // MARK: Reading

    /// Returns the takes selected by a filter, the newest first.
    public func takes(_ filter: TakeFilter = TakeFilter()) throws(StoreError) -> [StoredTake] {
        try withOwners(try read { (rows) throws(DatabaseError) in try rows.takes(filter) } ?? [])
    }

    /// Returns the take with a number, even from the trash; nil if there is none.
    public func take(_ number: Int) throws(StoreError) -> StoredTake? {
        let take = try read { (rows) throws(DatabaseError) in try rows.take(number) } ?? nil
        return try withOwners([take].compactMap(\.self)).first
    }

    /// Returns the take in a file, unless the take is in the trash; nil if the store knows none there.
    ///
    /// - Parameter path: Absolute path of the file.
    package func take(inFileAt path: String) throws(StoreError) -> StoredTake? {
        TakeTrash.owner(of: try takes(sharing: path))
    }

    /// Returns the take that an interrupted recording has added to the list; nil if the interruption came earlier.
    ///
    /// A take with another length and another start is an older take, whose name was reused.
    ///
    /// - Parameters:
    ///   - path: Absolute path of the recording's file.
    ///   - time: Start of the recording, in seconds since 1970. The take may have begun up to 60 seconds earlier or
    ///     later.
    ///   - frameCount: The recording's length in frames.
    package func take(
        inFileAt path: String, begunAt time: Int64, frameCount: Int64
    ) throws(StoreError) -> StoredTake? {
        try takes(sharing: path).first { take in
            take.sound.frameCount == 0 || take.sound.frameCount == frameCount
                || abs(Double(take.sound.time) - Double(time)) <= 60
        }
    }

    /// Returns the takes in the list with one path, the newest first.
    func takes(sharing path: String) throws(StoreError) -> [StoredTake] {
        try read { (rows) throws(DatabaseError) in try rows.takes(inFileAt: path) } ?? []
    }

    /// Sets `isReplaced` of takes that share their path with other takes.
    func withOwners(_ takes: [StoredTake]) throws(StoreError) -> [StoredTake] {
        var owners: [String: Int] = [:]
        for path in Set(takes.filter(\.sharesPath).map(\.path)) {
            owners[path] = TakeTrash.owner(of: try self.takes(sharing: path))?.number
        }
        if owners.isEmpty { return takes }
        return takes.map { take in
            var take = take
            if take.sharesPath, let owner = owners[take.path] { take.isReplaced = owner != take.number }
            return take
        }
    }

    /// Returns the bytes of the takes' files: in the list, and in the trash.
    package func takeStorage() throws(StoreError) -> (kept: Int64, trash: Int64) {
        func bytes(_ takes: [StoredTake]) -> Int64 {
            takes.reduce(0) { $0 + ($1.isReplaced ? 0 : TakeTrash.byteCount($1.currentPath) ?? 0) }
        }
        return (bytes(try takes()), bytes(try takes(TakeFilter(isTrash: true))))
    }

    // MARK: Changing

    /// Adds a take to the list. A take already listed with this file and this time gets its new length and its new
    /// model, and nothing else. A starting take, without frames, never matches a finished take, even if both began in
    /// the same second. Reads the file of a finished take, up to 256 MiB, for later identification.
    ///
    /// - Parameters:
    ///   - path: The take's file; the name may be relative.
    ///   - sound: The known properties of the take's sound.
    ///   - model: The model of the take; nil for a recording without a model.
    ///   - recording: The recording of the model; added to the store if unknown. Without this argument, the model of an
    ///     unknown recording is dropped.
    @discardableResult
    package func addTake(
        inFileAt path: String, _ sound: StoredTake.Sound, model: StoredTake.Model? = nil,
        of recording: PracticeRecording? = nil
    ) throws(StoreError) -> StoredTake {
        let whole = FileName.absolute(path) ?? path
        let take = try changeTakes { (rows) throws(DatabaseError) in
            if let recording { _ = try rows.see(recording, at: Int64(time(nil))) }
            let number: Int
            let known = try rows.takes(inFileAt: whole).first { known in
                known.sound.time == sound.time && (sound.frameCount > 0 || known.sound.frameCount == 0)
            }
            if let known {
                number = known.number
                try rows.updateTake(number, .frameCount, .integer(sound.frameCount))
                if let model, model != known.model { try rows.updateTake(number, model) }
            } else {
                number = Int(try rows.addTake(path: whole, sound, model))
            }
            guard let take = try rows.take(number) else { throw .damaged("a take is not found") }
            return take
        }
        keepHash(of: take)
        return take
    }

    /// Stores the hash that identifies a take's file, in a separate transaction. So no other program waits for the
    /// reading of the file, and the take is listed even if this step fails.
    private func keepHash(of take: StoredTake) {
        guard take.sound.frameCount > 0, !TakeTrash.isOther(take), let hash = TakeFileMark.hash(ofFileAt: take.path)
        else {
            return
        }
        // Without the hash, the times of the take and the file have to prove the file's owner. Listeners are not
        // notified, because the visible data stays the same.
        _ = try? file.withLock { (file) throws(StoreError) in
            try file.change { (rows) throws(DatabaseError) in
                guard let now = try rows.take(take.number), now.path == take.path,
                    now.sound.frameCount == take.sound.frameCount
                else { return }
                try rows.setHash(hash, ofTake: take.number)
            }
        }
    }

    /// Stores the length of a finished take, and its new path if the file was moved or converted. Reads the take's
    /// file, up to 256 MiB, for later identification.
    ///
    /// - Parameters:
    ///   - number: the take's number.
    ///   - frameCount: its length in frames.
    ///   - path: the current path of the file; nil if unchanged.
    /// - Throws: `TakeError` if the take is unknown, `StoreError` if the change cannot be stored.
    @discardableResult
    package func finish(take number: Int, frameCount: Int64, path: String? = nil) throws -> StoredTake {
        let whole = path.map { FileName.absolute($0) ?? $0 }
        let take = try changeTakes { (rows) throws(DatabaseError) -> Result<StoredTake, any Error> in
            guard try rows.take(number) != nil else { return .failure(TakeError.unknown(number)) }
            try rows.updateTake(number, .frameCount, .integer(frameCount))
            if let whole { try rows.updateTake(number, .path, .text(whole)) }
            return try rows.take(number).map { .success($0) } ?? .failure(TakeError.unknown(number))
        }.get()
        keepHash(of: take)
        return take
    }

    /// Removes a take from the list. The take's file stays.
    package func forget(take number: Int) throws(StoreError) {
        try changeTakes(isRemoval: true) { (rows) throws(DatabaseError) in try rows.removeTake(number) }
    }

    /// Changes the name, the note or the rating of a take.
    ///
    /// - Throws: `TakeError` if the take is unknown or the text is refused, `StoreError` if the change cannot be
    ///   stored.
    @discardableResult
    public func edit(take number: Int, _ edit: TakeEdit) throws -> StoredTake {
        let (column, value) = try Self.column(edit)
        // A refused request creates no store.
        guard try self.take(number) != nil else { throw TakeError.unknown(number) }
        return try changeTakes { (rows) throws(DatabaseError) -> Result<StoredTake, any Error> in
            guard try rows.take(number) != nil else { return .failure(TakeError.unknown(number)) }
            try rows.updateTake(number, column, value)
            return try rows.take(number).map { .success($0) } ?? .failure(TakeError.unknown(number))
        }.get()
    }

    private static func column(_ edit: TakeEdit) throws(TakeError) -> (TakeColumn, DatabaseValue) {
        switch edit {
        case .rename(let name):
            let isLine = !name.contains { $0.isNewline }
            guard isLine, name.isWithin(mostNameCharacters), !name.utf8.contains(0) else {
                throw TakeError(
                    .textRefused, "a name is one line of at most \(mostNameCharacters) characters",
                    remedy: "Shorten the name, or write a note.")
            }
            return (.name, .text(name))
        case .note(let text):
            guard text.utf8.count <= mostNoteBytes, !text.utf8.contains(0) else {
                throw TakeError(
                    .textRefused, "a note has at most \(mostNoteBytes) bytes", remedy: "Shorten the note.")
            }
            return (.note, .text(text))
        case .rate(let rating):
            guard rating.map((1...5).contains) ?? true else {
                throw TakeError(.textRefused, "a rating is 1 to 5", remedy: "Give a number from 1 to 5, or none.")
            }
            return (.rating, .integer(orNull: rating.map(Int64.init)))
        }
    }
}
