internal import AudioFiles
internal import Database
internal import Glibc
internal import Synchronization

/// The takes that are kept: recordings made by the user, with the section that they belong to.
///
/// The store keeps the list; the sound stays in files of its own, which any program can open.
extension PracticeStore {
    /// The longest name of a take, in characters; a note has as many lines as one likes, up to `mostNoteBytes` bytes.
    package static let mostNameCharacters = 200
    private static let mostNoteBytes = 1 << 16

    // MARK: Reading

    /// The takes that a filter lets through, the newest first.
    public func takes(_ filter: TakeFilter = TakeFilter()) throws(StoreError) -> [StoredTake] {
        try withOwners(try read { (rows) throws(DatabaseError) in try rows.takes(filter) } ?? [])
    }

    /// The take of a number, also from the trash; nil if there is none.
    public func take(_ number: Int) throws(StoreError) -> StoredTake? {
        let take = try read { (rows) throws(DatabaseError) in try rows.take(number) } ?? nil
        return try withOwners([take].compactMap(\.self)).first
    }

    /// The take in a file, unless it is in the trash; nil if the store knows none there.
    ///
    /// - Parameter path: Where the file is, from the root of the file system.
    public func take(inFileAt path: String) throws(StoreError) -> StoredTake? {
        TakeTrash.owner(of: try takes(sharing: path))
    }

    /// The take that an interrupted recording has put into the list; nil if it has not come that far.
    ///
    /// A take that has another length and began at another time is an older one, whose name was used again.
    ///
    /// - Parameters:
    ///   - path: The recording's file, from the root of the file system.
    ///   - time: When the recording began, in seconds since 1970. Its take may have begun some seconds earlier or later.
    ///   - frameCount: The recording's length.
    package func take(
        inFileAt path: String, begunAt time: Int64, frameCount: Int64
    ) throws(StoreError) -> StoredTake? {
        try takes(sharing: path).first { take in
            take.sound.frameCount == 0 || take.sound.frameCount == frameCount
                || abs(Double(take.sound.time) - Double(time)) <= 60
        }
    }

    /// The takes in the list with one path, the newest first.
    private func takes(sharing path: String) throws(StoreError) -> [StoredTake] {
        try read { (rows) throws(DatabaseError) in try rows.takes(inFileAt: path) } ?? []
    }

    /// Tells of takes whose path others have, too, whether the file is theirs.
    private func withOwners(_ takes: [StoredTake]) throws(StoreError) -> [StoredTake] {
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

    /// The bytes of the files of takes: of those in the list, and of those in the trash.
    public func takeStorage() throws(StoreError) -> (kept: Int64, trash: Int64) {
        func bytes(_ takes: [StoredTake]) -> Int64 {
            takes.reduce(0) { $0 + ($1.isReplaced ? 0 : TakeTrash.byteCount($1.currentPath) ?? 0) }
        }
        return (bytes(try takes()), bytes(try takes(TakeFilter(isTrash: true))))
    }

    // MARK: Changing

    /// Adds a take to the list. A take whose file is in the list already, with this time, gets its new length and its new model, and nothing else.
    /// A take that begins, without frames, is another one than a take that has ended, also if both began in the same second.
    /// The file of a take that has ended is read, up to 256 MiB of it, so that it is known again.
    ///
    /// - Parameters:
    ///   - path: Its file; the name may be relative.
    ///   - sound: What is known of its sound.
    ///   - model: What it was recorded against; nil for a recording of its own.
    ///   - recording: The recording of the model; the store gets to know it. Without it a model of an unknown recording is left out.
    @discardableResult
    public func addTake(
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

    /// Keeps what the file of a take is known by, in a step of its own: no other program waits while the file is read, and the take is listed whatever
    /// happens meanwhile.
    private func keepHash(of take: StoredTake) {
        guard take.sound.frameCount > 0, !TakeTrash.isOther(take), let hash = TakeFileMark.hash(ofFileAt: take.path)
        else {
            return
        }
        // Without it the times of the take and the file have to show whether the file is the take's. Nobody who listens is told: what is shown stays.
        _ = try? file.withLock { (file) throws(StoreError) in
            try file.change { (rows) throws(DatabaseError) in
                guard let now = try rows.take(take.number), now.path == take.path,
                    now.sound.frameCount == take.sound.frameCount
                else { return }
                try rows.setHash(hash, ofTake: take.number)
            }
        }
    }

    /// Stores the length of a take that has ended, and its new path if it was moved or converted. Its file is read, up to 256 MiB of it, so that it is
    /// known again.
    ///
    /// - Parameters:
    ///   - number: the take's number.
    ///   - frameCount: its length in frames.
    ///   - path: where its file is now; nil if it is where it was.
    /// - Throws: `TakeError` if the take is unknown, `StoreError` if the change cannot be stored.
    @discardableResult
    public func finish(take number: Int, frameCount: Int64, path: String? = nil) throws -> StoredTake {
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

    /// Removes a take from the list. Its file stays as it is.
    public func forget(take number: Int) throws(StoreError) {
        try changeTakes(isRemoval: true) { (rows) throws(DatabaseError) in try rows.removeTake(number) }
    }

    /// Changes the name, the note or the rating of a take.
    ///
    /// - Throws: `TakeError` if the take is unknown or the text is refused, `StoreError` if the change cannot be stored.
    @discardableResult
    public func edit(take number: Int, _ edit: TakeEdit) throws -> StoredTake {
        let (column, value) = try Self.column(edit)
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
                    remedy: "Make it shorter, or write a note.")
            }
            return (.name, .text(name))
        case .note(let text):
            guard text.utf8.count <= mostNoteBytes, !text.utf8.contains(0) else {
                throw TakeError(
                    .textRefused, "a note has at most \(mostNoteBytes) bytes", remedy: "Make it shorter.")
            }
            return (.note, .text(text))
        case .rate(let rating):
            guard rating.map((1...5).contains) ?? true else {
                throw TakeError(.textRefused, "a rating is 1 to 5", remedy: "Give a number from 1 to 5, or none.")
            }
            return (.rating, .integer(orNull: rating.map(Int64.init)))
        }
    }

    // MARK: The trash

    /// Moves takes to the trash, in one step that `undoTrash` takes back. Their files stay in their folders, under hidden names. A file that cannot be
    /// shown to be the take's, because somebody has changed it or used its name again, is left as it is.
    ///
    /// - Parameter numbers: the numbers of the takes.
    /// - Returns: The takes as they are now.
    /// - Throws: `TakeError` if one is unknown or in the trash; `AudioFileError` if a file cannot be renamed: that take stays in the list.
    @discardableResult
    public func trash(takes numbers: [Int]) throws -> [StoredTake] {
        let now = Int64(time(nil))
        // The list first: if the program ends before a file is hidden, nothing is lost.
        var sharing: [String: [StoredTake]] = [:]
        var marks: [Int: TakeFileMark] = [:]
        let takes = try changeTakes(isRemoval: true) {
            (rows) throws(DatabaseError) -> Result<[StoredTake], any Error> in
            let trashing = try (rows.lastTrashing() ?? 0) + 1
            for number in numbers {
                guard let take = try rows.take(number) else { return .failure(TakeError.unknown(number)) }
                if take.isTrashed { return .failure(TakeError.trashed(number)) }
                if sharing[take.path] == nil { sharing[take.path] = try rows.takes(inFileAt: take.path) }
                marks[number] = try rows.mark(ofTake: number)
            }
            var trashed: [StoredTake] = []
            for number in Set(numbers).sorted() {
                try rows.updateTake(number, .trashed, .integer(now))
                try rows.updateTake(number, .trashing, .integer(trashing))
                if let take = try rows.take(number) { trashed.append(take) }
            }
            return .success(trashed)
        }.get()
        var failure: AudioFileError?
        let owners = sharing.mapValues { TakeTrash.owner(of: $0)?.number }
        for take in takes
        where owners[take.path] == take.number && TakeTrash.isOwn(take, marks[take.number], at: take.path) {
            do throws(AudioFileError) { try TakeTrash.hide(take) } catch {
                failure = error
                try setTrashed(take.number, nil)
            }
        }
        if let failure { throw failure }
        return takes
    }

    /// Restores the takes that were moved to the trash last.
    ///
    /// - Throws: `TakeError` of kind `nothingToUndo` if there are none; otherwise as `restore(take:)`.
    @discardableResult
    public func undoTrash() throws -> [StoredTake] {
        let takes =
            try read { (rows) throws(DatabaseError) -> [StoredTake] in
                guard let trashing = try rows.lastTrashing() else { return [] }
                return try rows.takes(trashing: trashing)
            } ?? []
        if takes.isEmpty { throw TakeError.nothingToUndo }
        return try takes.map { try restore(take: $0.number) }
    }

    /// Brings a take back from the trash, under its name.
    ///
    /// - Throws: `TakeError` of kind `unknown`, `trashed` if it is not in the trash, `nameTaken` if another file or a take in the list has its name now;
    ///   `AudioFileError` if the file cannot be renamed. The take stays in the trash then.
    @discardableResult
    public func restore(take number: Int) throws -> StoredTake {
        guard let take = try take(number) else { throw TakeError.unknown(number) }
        guard take.isTrashed else {
            throw TakeError(.trashed, "take \(number) is not in the trash", remedy: "List the trash.")
        }
        if let other = TakeTrash.rival(of: take, among: try takes(sharing: take.path)) {
            throw TakeError(
                .nameTaken, "take \(number) cannot come back: take \(other.number) has the same name, \(take.path)",
                remedy: "Delete take \(other.number) from the list first.")
        }
        guard try TakeTrash.bringBack(take) else {
            throw TakeError(
                .nameTaken, "take \(number) cannot come back: there is another file \(take.path)",
                remedy: "Move that file away first.")
        }
        try setTrashed(number, nil)
        return try self.take(number) ?? take
    }

    /// Removes the files of all takes in the trash, for good, and forgets the takes. A take whose hidden file cannot be shown to be its own stays there.
    ///
    /// - Returns: The takes that were removed, and the bytes that are free now.
    /// - Throws: `AudioFileError` if a file cannot be removed; that take and those after it stay in the trash.
    @discardableResult
    public func emptyTrash() throws -> (takes: [StoredTake], bytes: Int64) {
        var (removed, freed): ([StoredTake], Int64) = ([], 0)
        for take in try takes(TakeFilter(isTrash: true)) {
            let mark = try read { (rows) throws(DatabaseError) in try rows.mark(ofTake: take.number) } ?? nil
            guard let bytes = try TakeTrash.empty(take, mark) else { continue }
            freed += bytes
            try forget(take: take.number)
            removed.append(take)
        }
        return (removed, freed)
    }

    private func setTrashed(_ number: Int, _ time: Int64?) throws(StoreError) {
        try changeTakes { (rows) throws(DatabaseError) in
            try rows.updateTake(number, .trashed, .integer(orNull: time))
        }
    }
}
