internal import Files
internal import Glibc
internal import JSON

/// The unfinished file of a transfer, with its record, held under a lock.
///
/// The order of its steps decides what a crash leaves behind. The record names a version of the file before the first of its bytes is
/// written, and counts bytes only after they are on the disk. So whatever is lost, the counted bytes are that version's.
///
/// One thread at a time calls its functions, except for `write`, which the network's thread calls meanwhile.
final class PartFile: @unchecked Sendable {
    let place: FilePlace
    let names: PartNames
    private(set) var record: PartRecord
    /// The part; -1 once it is closed.
    private var descriptor: Int32
    /// Whether the part is locked: some file systems have no locks, and then the record's holder keeps others out.
    private let isLocked: Bool
    private let calls: any FileCalls
    /// Set when the disk could not store everything: the system forgets such errors, so nothing after it counts.
    private var isBroken = false
    /// Called once, when the part is closed.
    var onClose: (() -> Void)?

    /// Opens or creates the part of a file, and takes its lock.
    ///
    /// - Throws: A `TransferError`, of kind `heldByOther` if another transfer has the lock.
    init(_ request: TransferRequest, calls: any FileCalls) throws(TransferError) {
        let path = request.path
        do throws(FileFault) {
            place = try FilePlace(path)
            if place.isSpecial { throw FileFault(code: ENODEV, isCreating: true) }
        } catch { throw .disk(path, error) }
        self.calls = calls
        names = PartNames(place.finalPath)
        record = PartRecord(address: request.address.text)
        (descriptor, isLocked) = try Self.opened(path, names, calls)
        let found = Self.readRecord(names.record)
        if let found { record = found }
        record.holder = .own
    }

    deinit { close() }

    /// A lock belongs to a file and not to its name, so it is taken again if the name means another file by then.
    private static func opened(
        _ path: String, _ names: PartNames, _ calls: any FileCalls
    ) throws(TransferError) -> (descriptor: Int32, isLocked: Bool) {
        for _ in 0..<FileBytes.patience {
            var file = unsafe open(names.part, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
            if file < 0 {
                guard errno == ENOENT else { throw .disk(names.part, FileFault(code: errno, isCreating: true)) }
                let created = calls.create(names.part)
                if created == -Int(EEXIST) { continue }
                if created < 0 { throw .disk(path, FileFault(code: Int32(-created), isCreating: true)) }
                file = Int32(created)
            }
            guard FileState(descriptor: file) != nil else {
                Glibc.close(file)
                throw .disk(names.part, FileFault(code: ENODEV, isCreating: true))
            }
            let outcome: FileLock.Outcome
            do throws(FileFault) { outcome = try lock(file) } catch {
                Glibc.close(file)
                throw .disk(path, FileFault(code: error.code, isCreating: true))
            }
            let other = outcome == .unsupported ? otherHolder(names) : nil
            if outcome == .held || other != nil {
                Glibc.close(file)
                throw held(path, by: other ?? readRecord(names.record)?.holder ?? .none)
            }
            if let locked = FileIdentity(descriptor: file), locked.isSame(as: FileIdentity(path: names.part)) {
                return (file, outcome == .taken)
            }
            Glibc.close(file)
        }
        throw .disk(path, FileFault(code: EBUSY, isCreating: true))
    }

    /// A program that looks at the part locks it for a moment, too.
    static func lock(_ file: Int32) throws(FileFault) -> FileLock.Outcome {
        for _ in 0..<3 {
            let outcome = try FileLock.take(file)
            if outcome != .held { return outcome }
            usleep(1000)
        }
        return try FileLock.take(file)
    }

    /// The other process that writes the part, by its record; nil if there is none that runs.
    private static func otherHolder(_ names: PartNames) -> NotedProcess? {
        guard let holder = readRecord(names.record)?.holder, !holder.isOwn else { return nil }
        return holder.isRunning ? holder : nil
    }

    private static func held(_ path: String, by process: NotedProcess) -> TransferError {
        let holder =
            process.isOwn
            ? "this program"
            : process.countsHere ? "another program (process \(process.number))" : "another program"
        return TransferError(
            .heldByOther, "\(path): \(holder) is fetching it already", remedy: "Wait until it has finished, or end it.")
    }

    static func readRecord(_ path: String) -> PartRecord? {
        do throws(FileFault) {
            let file = try unsafe RegularFile(path, followsLinks: false)
            let largest = 1 << 16
            let bytes = try FileBytes.bytes(of: file.descriptor, count: largest + 1)
            return bytes.count <= largest ? JSONValue(reading: bytes).flatMap(PartRecord.init) : nil
        } catch { return nil }
    }

    // MARK: What is there

    /// What the files mean when a transfer begins.
    enum Beginning: Equatable {
        /// There is nothing; or there is a part that cannot be used, for this reason.
        case anew(RestartReason?)
        case goingOn(from: Int64)
        /// The part is whole.
        case complete
        /// The file has its name already: only the end of the work was missing.
        case named
    }

    /// Whether the target may be written, and how much of the part can be used; notes who holds it from now on.
    func beginning(_ request: TransferRequest) throws(TransferError) -> Beginning {
        let found = try found(request)
        if found != .named { try save(record) }
        return found
    }

    private func found(_ request: TransferRequest) throws(TransferError) -> Beginning {
        let length = FileState(descriptor: descriptor)?.byteCount ?? 0
        if let existing = FileIdentity(path: place.finalPath) {
            // Linked to its name already by a run that was killed before it could remove the other name.
            if existing.isSame(as: FileIdentity(descriptor: descriptor)), record.isComplete { return .named }
            if !request.replaces {
                if length == 0 { discard() }
                throw .disk(request.path, FileFault(code: EEXIST, isCreating: true))
            }
        }
        func anew(_ reason: RestartReason?) -> Beginning {
            record = PartRecord(address: request.address.text)
            record.holder = .own
            return .anew(reason)
        }
        if record.address != request.address.text { return anew(length > 0 ? .otherAddress : nil) }
        if record.durableBytes > length { return anew(.damagedPart) }
        if record.isComplete { return record.durableBytes == length ? .complete : anew(.damagedPart) }
        return record.durableBytes == 0 ? anew(nil) : .goingOn(from: record.durableBytes)
    }

    /// Bytes that an ordinary user may still write to the disk; nil if that is not known.
    var freeBytes: Int64? {
        let bytes = calls.freeBytes(descriptor)
        return bytes < 0 ? nil : Int64(bytes)
    }

    // MARK: Writing

    /// Empties the part, and notes which version the bytes will be that follow. Call it before the first of them.
    func begin(_ new: PartRecord) throws(TransferError) {
        // What the old record counts is gone with the first step, whether the second one succeeds or not.
        record.durableBytes = 0
        try check(calls.setLength(descriptor, 0))
        var new = new
        (new.holder, new.startedAt, new.startedBytes) = (.own, Clock.date, 0)
        new.earlierEnd = record.earlierEnd
        try save(new)
    }

    /// Notes where the bytes come from by now, and forgets whatever follows the ones that count.
    func goOn(_ new: PartRecord, from byteCount: Int64) throws(TransferError) {
        var new = new
        (new.durableBytes, new.holder) = (record.durableBytes, .own)
        (new.startedAt, new.startedBytes) = (Clock.date, byteCount)
        new.earlierEnd = record.earlierEnd
        try check(calls.setLength(descriptor, byteCount))
        try save(new)
    }

    /// Writes bytes; the network's thread calls it.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(TransferError) {
        do throws(FileFault) { try unsafe FileBytes.write(bytes, at: offset, of: descriptor, calls: calls) } catch {
            throw .disk(place.path, error)
        }
    }

    /// Reads bytes of the part; nil if they cannot be read.
    func bytes(at offset: Int64, count: Int) -> [UInt8]? {
        let bytes = try? FileBytes.bytes(of: descriptor, at: offset, count: count)
        return bytes?.count == count ? bytes : nil
    }

    /// Waits until the first `byteCount` bytes are on the disk, then counts them.
    func note(_ byteCount: Int64, isComplete: Bool = false) throws(TransferError) {
        if isBroken { throw .disk(place.path, FileFault(code: EIO)) }
        let result = isComplete ? calls.synchronise(descriptor) : calls.synchroniseData(descriptor)
        // An unsupported call is not a failure of the disk.
        if result < 0, result != -Int(EINVAL), result != -Int(ENOSYS) {
            isBroken = true
            throw .disk(place.path, FileFault(code: Int32(-result)))
        }
        var new = record
        (new.durableBytes, new.isComplete) = (byteCount, isComplete)
        if isComplete { new.byteCount = byteCount }
        try save(new)
    }

    /// Notes that the part is not the whole file after all: its content says so. If the server did not say it, notes also where the bytes ended.
    func noteIncomplete(isWanted: () -> Bool) throws(TransferError) {
        var new = record
        (new.isComplete, new.byteCount) = (false, nil)
        if !record.isEndStated {
            // Without a checksum the next attempt cannot be compared with this one, and no more than that.
            let sum = (try? sum(.sha256, isWanted: isWanted)).flatMap { Checksum(.sha256, $0) }
            new.earlierEnd = sum.map { EarlierEnd(byteCount: record.durableBytes, checksum: $0) }
        }
        try save(new)
    }

    /// Whether an earlier attempt brought the same bytes as are there now, and ended with them.
    func endsAsBefore(isWanted: () -> Bool) throws(TransferError) -> Bool {
        guard !record.isEndStated, let end = record.earlierEnd, end.byteCount == record.durableBytes else {
            return false
        }
        guard let found = try sum(.sha256, isWanted: isWanted) else { throw .cancelled }
        return found == end.checksum.bytes
    }

    /// Puts a record on the disk; only then it counts.
    private func save(_ new: PartRecord) throws(TransferError) {
        if !isLocked, let other = Self.otherHolder(names) { throw Self.held(place.path, by: other) }
        do throws(FileFault) {
            // Only with the lock: the unfinished record has a fixed name, so that one left by a killed process is used again.
            // In a folder of everybody's, a link of that name could lead to any file of the user's.
            let file = try WholeFile(
                names.record, suffix: isLocked ? PartNames.unfinishedEnding : nil, followsLinks: false,
                permissions: 0o600, calls: calls)
            try file.append(Array((new.json.text + "\n").utf8))
            try file.commit()
        } catch { throw .disk(place.path, error) }
        record = new
    }

    private func check(_ result: Int) throws(TransferError) {
        if result < 0 { throw .disk(place.path, FileFault(code: Int32(-result))) }
    }

    // MARK: The end

    /// Gives the whole part its name; the record goes afterwards, so that a kill between leaves what a later run understands.
    ///
    /// - Parameter path: The name if it is another one than was planned.
    func name(_ path: String?, replaces: Bool) throws(TransferError) -> String {
        do throws(FileFault) {
            let final = try path.map { (path) throws(FileFault) in try FilePlace(path) } ?? place
            try final.put(names.part, replaces: replaces, calls: calls)
            return final.path
        } catch { throw .disk(path ?? place.path, error) }
    }

    /// Gives the part another name, under which it stays when the part goes; false if it cannot.
    func keep(as path: String) -> Bool {
        _ = calls.remove(path)
        if calls.name(descriptor, path) >= 0 { return true }
        // Not every file system has second names. The record goes first: without it the part is not used.
        removeRecord()
        guard isOurs, calls.rename(names.part, to: path) >= 0 else { return false }
        // By now its old name may be another transfer's.
        close()
        return true
    }

    /// Removes what is left beside a file that has its name.
    func tidy() {
        if let named = FileIdentity(path: names.part), named.isSame(as: FileIdentity(descriptor: descriptor)) {
            _ = calls.remove(names.part)
        }
        removeRecord()
        close()
    }

    /// Removes part and record. The record goes first: without it the part is not used.
    func discard() {
        removeRecord()
        if isOurs { _ = calls.remove(names.part) }
        close()
    }

    /// Whether part and record are this transfer's; without the lock they are another one's.
    private var isOurs: Bool { descriptor >= 0 && (isLocked || Self.otherHolder(names) == nil) }

    private func removeRecord() {
        guard isOurs else { return }
        _ = calls.remove(names.record)
        _ = calls.remove(names.record + PartNames.unfinishedEnding)
    }

    /// Closes the part, which gives up the lock.
    func close() {
        if !isLocked, descriptor >= 0, FileIdentity(path: names.record) != nil {
            var free = record
            free.holder = .none
            try? save(free)
        }
        if descriptor >= 0 { _ = calls.close(descriptor) }
        descriptor = -1
        onClose?()
        onClose = nil
    }

    /// The checksum of the whole part; nil if it is no longer wanted.
    func sum(_ algorithm: Checksum.Algorithm, isWanted: () -> Bool) throws(TransferError) -> [UInt8]? {
        try ChecksumComputation.sum(algorithm, of: descriptor, at: place.path, isWanted: isWanted)
    }
}
