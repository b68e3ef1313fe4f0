internal import Files
internal import Glibc
internal import JSON

/// The unfinished file of a transfer, with its record, protected by a lock.
///
/// The order of steps decides the state after a crash. The record names a version of the file before the first byte of
/// this version is written. The record counts bytes only once they are on the disk. Whatever a crash loses, the counted
/// bytes therefore belong to the named version.
///
/// A single thread at a time calls the functions, except for `write`: the network thread may call `write` meanwhile.
final class PartFile: @unchecked Sendable {
    let place: FilePlace
    let names: PartNames
    private(set) var record: PartRecord
    /// Descriptor of the part; -1 once closed.
    private var descriptor: Int32
    /// True if the part is locked. Some file systems have no locks; there the record's holder keeps other processes
    /// out.
    private let isLocked: Bool
    private let calls: any FileCalls
    /// True after the disk failed to store everything. The system forgets such errors, so later syncs prove nothing.
    private var isBroken = false
    /// Called once, when the part is closed.
    var onClose: (() -> Void)?

    /// Opens or creates the part of a file, and locks the part.
    ///
    /// - Throws: A `TransferError`; kind `heldByOther` if another transfer holds the lock.
    init(_ request: TransferRequest, calls: any FileCalls) throws(TransferError) {
        let path = request.path
        do throws(FileFault) {
            place = try FilePlace(path)
            if place.isSpecial { throw FileFault(code: ENODEV, isCreating: true) }
        } catch { throw .disk(path, error) }
        self.calls = calls
        names = PartNames(place.finalPath)
        let opened = try Self.opened(path, names, calls)
        do throws(FileFault) {
            record = try Self.readRecord(names.record) ?? PartRecord(address: request.address.text)
        } catch {
            FileLock.release(opened.descriptor)
            throw .unreadableRecord(names.record, error)
        }
        (descriptor, isLocked) = opened
        record.holder = .own
    }

    deinit { close() }

    /// Opens and locks the part. A lock belongs to a file and not to its name, so the lock is retried if the name
    /// meanwhile refers to another file.
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
            let other: NotedProcess?
            do throws(FileFault) { other = try outcome == .unsupported ? otherHolder(names) : nil } catch {
                FileLock.release(file)
                throw .unreadableRecord(names.record, error)
            }
            if outcome == .held || other != nil {
                Glibc.close(file)
                throw held(path, by: other ?? (try? readRecord(names.record))?.holder ?? .none)
            }
            if let locked = FileIdentity(descriptor: file), locked.isSame(as: FileIdentity(path: names.part)) {
                return (file, outcome == .taken)
            }
            FileLock.release(file)
        }
        throw .disk(path, FileFault(code: EBUSY, isCreating: true))
    }

    /// Locks a file. A program inspecting the part also locks it for a moment, so a refusal is retried three times, 1
    /// ms apart.
    static func lock(_ file: Int32) throws(FileFault) -> FileLock.Outcome {
        for _ in 0..<3 {
            let outcome = try FileLock.take(file)
            if outcome != .held { return outcome }
            usleep(1000)
        }
        return try FileLock.take(file)
    }

    /// Returns the other process writing the part, by its record; nil if no such process is running.
    private static func otherHolder(_ names: PartNames) throws(FileFault) -> NotedProcess? {
        guard let holder = try readRecord(names.record)?.holder, !holder.isOwn else { return nil }
        return holder.isRunning ? holder : nil
    }

    private static func held(_ path: String, by process: NotedProcess) -> TransferError {
        let holder =
            process.isOwn
            ? "this program"
            : process.countsHere ? "another program (process \(process.number))" : "another program"
        return TransferError(
            .heldByOther, "\(path): \(holder) is fetching it already",
            remedy: "Wait until the other transfer has finished, or end the other transfer.")
    }

    /// Reads a record; nil if there is none, or if the file is not a record of this version.
    ///
    /// - Throws: Any other reason, such as a want of descriptors. The received bytes then still belong to the record.
    static func readRecord(_ path: String) throws(FileFault) -> PartRecord? {
        let largest = 1 << 16
        let bytes: [UInt8]
        do throws(FileFault) {
            let file = try unsafe RegularFile(path, followsLinks: false)
            bytes = try FileBytes.bytes(of: file.descriptor, count: largest + 1)
        } catch {
            // A link, a folder or a device of this name is not a record.
            if [ENOENT, ENOTDIR, ELOOP, EISDIR, ENODEV, ENXIO].contains(error.code) { return nil }
            throw error
        }
        return bytes.count <= largest ? JSONValue(reading: bytes).flatMap(PartRecord.init) : nil
    }

    // MARK: What is there

    /// The state found when a transfer begins.
    enum Beginning: Equatable {
        /// There are no bytes, or the part cannot be used for this reason.
        case anew(RestartReason?)
        case goingOn(from: Int64)
        /// The part is the whole file.
        case complete
        /// The file already has its final name; an earlier run ended before the clean-up.
        case named
    }

    /// Checks that the target may be written, and returns the usable state of the part. Records this process as the
    /// holder.
    func beginning(_ request: TransferRequest) throws(TransferError) -> Beginning {
        let found = try found(request)
        if found != .named { try save(record) }
        return found
    }

    private func found(_ request: TransferRequest) throws(TransferError) -> Beginning {
        let length = FileState(descriptor: descriptor)?.byteCount ?? 0
        if let existing = FileIdentity(path: place.finalPath) {
            // An earlier run linked the file to its final name, and was killed before it removed the name of the part.
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

    /// Number of bytes that an ordinary user may still write to the disk; nil if unknown.
    var freeBytes: Int64? {
        let bytes = calls.freeBytes(descriptor)
        return bytes < 0 ? nil : Int64(bytes)
    }

    // MARK: Writing

    /// Empties the part, and records the version of the following bytes. Call before the first byte.
    func begin(_ new: PartRecord) throws(TransferError) {
        // Emptying invalidates the old count, whether saving the new record succeeds or not.
        record.durableBytes = 0
        try check(calls.setLength(descriptor, 0))
        var new = new
        (new.holder, new.startedAt, new.startedBytes) = (.own, FileState.Moment.now.seconds, 0)
        new.earlierEnd = record.earlierEnd
        try save(new)
    }

    /// Records the new source of the bytes, and cuts the part after `byteCount` bytes.
    func goOn(_ new: PartRecord, from byteCount: Int64) throws(TransferError) {
        var new = new
        (new.durableBytes, new.holder) = (record.durableBytes, .own)
        (new.startedAt, new.startedBytes) = (FileState.Moment.now.seconds, byteCount)
        new.earlierEnd = record.earlierEnd
        try check(calls.setLength(descriptor, byteCount))
        try save(new)
    }

    /// Writes bytes. Called by the network thread.
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

    /// Waits until the first `byteCount` bytes are on the disk, then records their number.
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

    /// Records that the part is incomplete, as found in its content. If the server did not state the end, also records
    /// the place where the bytes ended.
    func noteIncomplete(isWanted: () -> Bool) throws(TransferError) {
        var new = record
        (new.isComplete, new.byteCount) = (false, nil)
        if !record.isEndStated {
            // Without a checksum the next attempt merely loses the comparison with this attempt.
            let sum = (try? sum(.sha256, isWanted: isWanted)).flatMap { Checksum(.sha256, $0) }
            new.earlierEnd = sum.map { EarlierEnd(byteCount: record.durableBytes, checksum: $0) }
        }
        try save(new)
    }

    /// Returns true if an earlier attempt brought exactly the present bytes and ended with them.
    func endsAsBefore(isWanted: () -> Bool) throws(TransferError) -> Bool {
        guard !record.isEndStated, let end = record.earlierEnd, end.byteCount == record.durableBytes else {
            return false
        }
        guard let found = try sum(.sha256, isWanted: isWanted) else { throw .cancelled }
        return found == end.checksum.bytes
    }

    /// Writes a record to the disk. The new record takes effect only after the write.
    private func save(_ new: PartRecord) throws(TransferError) {
        let other: NotedProcess?
        do throws(FileFault) { other = try isLocked ? nil : Self.otherHolder(names) } catch {
            throw .unreadableRecord(names.record, error)
        }
        if let other { throw Self.held(place.path, by: other) }
        do throws(FileFault) {
            // Use the fixed name of the unfinished record only under the lock: the record of a killed process is then
            // reused. In a shared folder, a link of this name could lead to any file of the user.
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

    /// Gives the whole part its final name. Remove the record afterwards, so that a later run understands the state
    /// after a kill between the two steps.
    ///
    /// - Parameter path: The final name, if different from the planned name.
    func name(_ path: String?, replaces: Bool) throws(TransferError) -> String {
        do throws(FileFault) {
            let final = try path.map { (path) throws(FileFault) in try FilePlace(path) } ?? place
            try final.put(names.part, replaces: replaces, calls: calls)
            return final.path
        } catch { throw .disk(path ?? place.path, error) }
    }

    /// Gives the part another name, which remains after the part is removed; returns false on failure.
    func keep(as path: String) -> Bool {
        _ = calls.remove(path)
        if calls.name(descriptor, path) >= 0 { return true }
        // Not every file system has hard links. Remove the record first: without a record the part is not used.
        removeRecord()
        guard isOurs, calls.rename(names.part, to: path) >= 0 else { return false }
        // From now on the old name may belong to another transfer.
        close()
        return true
    }

    /// Removes the remains beside a file with its final name, and closes the part.
    func tidy() {
        if let named = FileIdentity(path: names.part), named.isSame(as: FileIdentity(descriptor: descriptor)) {
            _ = calls.remove(names.part)
        }
        removeRecord()
        close()
    }

    /// Removes the record and the part, and closes the part. The record goes first: without a record the part is not
    /// used.
    func discard() {
        removeRecord()
        if isOurs { _ = calls.remove(names.part) }
        close()
    }

    /// True if part and record belong to this transfer. Without the lock they may belong to another transfer.
    private var isOurs: Bool {
        if descriptor < 0 || isLocked { return descriptor >= 0 }
        do throws(FileFault) { return try Self.otherHolder(names) == nil } catch { return false }
    }

    private func removeRecord() {
        guard isOurs else { return }
        _ = calls.remove(names.record)
        _ = calls.remove(names.record + PartNames.unfinishedEnding)
    }

    /// Closes the part, which releases the lock.
    func close() {
        if !isLocked, descriptor >= 0, FileIdentity(path: names.record) != nil {
            var free = record
            free.holder = .none
            try? save(free)
        }
        if descriptor >= 0 {
            FileLock.unlock(descriptor)
            _ = calls.close(descriptor)
        }
        descriptor = -1
        onClose?()
        onClose = nil
    }

    /// Returns the checksum of the whole part; nil if no longer wanted.
    func sum(_ algorithm: Checksum.Algorithm, isWanted: () -> Bool) throws(TransferError) -> [UInt8]? {
        try ChecksumComputation.sum(algorithm, of: descriptor, at: place.path, isWanted: isWanted)
    }
}
