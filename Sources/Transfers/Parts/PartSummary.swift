package import Files
internal import Glibc

/// The state of a part, for lists and for cleaning up.
package struct PartSummary: Sendable, Equatable {
    /// Of the part.
    package let path: String
    /// Of its record; nil if it has none.
    package let recordPath: String?
    /// Where it comes from; nil without a record.
    package let address: String?
    /// Bytes of the part, and of the whole file if that is known.
    package let byteCount: Int64
    package let wholeByteCount: Int64?
    /// Bytes from which a transfer can go on; 0 without a record.
    package let keptByteCount: Int64
    /// Whether a transfer holds it at the moment.
    package let isHeld: Bool
    /// The mean rate since its bytes began to come; nil if no transfer holds it, or if the rate is not known.
    package let bytesPerSecond: Int64?

    /// The parts in a folder, in the order of their names.
    package static func all(in folder: String) throws(FileFault) -> [PartSummary] {
        let names = try Folder.names(in: folder)
        return names.filter { $0.hasSuffix(PartNames.partEnding) }.sorted().compactMap {
            PartSummary(path: folder + "/" + $0)
        }
    }

    /// The part of a file that is to have this path; nil if there is none.
    package init?(ofFile path: String) { self.init(path: path + PartNames.partEnding) }

    /// Removes the part of a file, and its record before it, under the part's lock; nothing if a transfer holds it.
    ///
    /// - Parameters:
    ///   - path: Of the file.
    ///   - others: More files, which are removed after them in this order.
    /// - Returns: Whether the part is gone.
    package static func remove(ofFile path: String, and others: [String] = [], calls: any FileCalls) -> Bool {
        let names = PartNames(path)
        let file = unsafe open(names.part, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        if file < 0, errno != ENOENT { return false }
        defer { if file >= 0 { Glibc.close(file) } }
        if file >= 0 {
            switch try? PartFile.lock(file) {
            case .taken: break
            case .unsupported:
                if PartFile.readRecord(names.record)?.holder.isRunning ?? false { return false }
            case .held, nil: return false
            }
            guard let locked = FileIdentity(descriptor: file), locked.isSame(as: FileIdentity(path: names.part)) else {
                return false
            }
        }
        let record = [names.record, names.record + PartNames.unfinishedEnding]
        // Without a lock a part that another program makes at this moment stays.
        for name in record + (file >= 0 ? [names.part] : []) + others {
            let code = calls.remove(name)
            if code < 0, code != -Int(ENOENT), name == names.part { return false }
        }
        return true
    }

    private init?(path: String) {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return nil }
        let state = FileState(descriptor: file)
        let lockCode = flock(file, LOCK_SH | LOCK_NB) == 0 ? 0 : errno
        // Before anything is read: as long as it is open, no transfer can take its lock.
        Glibc.close(file)
        guard let state else { return nil }
        let record = path + ".json"
        let found = PartFile.readRecord(record)
        // Where there are no locks, the record says whose the part is.
        isHeld = lockCode == EWOULDBLOCK || lockCode != 0 && found?.holder.isRunning ?? false
        self.path = path
        recordPath = found == nil ? nil : record
        (address, byteCount, wholeByteCount) = (found?.address, state.byteCount, found?.byteCount)
        keptByteCount = min(found?.durableBytes ?? 0, state.byteCount)
        let seconds = found.map { $0.startedAt > 0 ? Clock.date - $0.startedAt : 0 } ?? 0
        let received = byteCount - (found?.startedBytes ?? 0)
        bytesPerSecond = isHeld && seconds > 0 && received >= 0 ? received / seconds : nil
    }
}
