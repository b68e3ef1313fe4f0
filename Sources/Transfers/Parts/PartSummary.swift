internal import Explanations
package import Files
internal import Glibc

/// The state of a part, for lists and for cleaning up.
package struct PartSummary: Sendable, Equatable {
    /// Path of the part.
    package let path: String
    /// Path of the record; nil if there is none.
    package let recordPath: String?
    /// Address of the file; nil without a record.
    package let address: String?
    /// Number of bytes of the part, and of the whole file if known.
    package let byteCount: Int64
    package let wholeByteCount: Int64?
    /// Number of bytes from which a transfer can continue; 0 without a record.
    package let keptByteCount: Int64
    /// True if a transfer holds the part at the moment.
    package let isHeld: Bool
    /// Mean rate since the bytes began to arrive; nil if no transfer holds the part, or if the rate is unknown.
    package let bytesPerSecond: Int64?

    /// Returns the parts in a folder, sorted by name.
    ///
    /// - Throws: The fault of reading the folder, or of a limit of open files.
    package static func all(in folder: String) throws(FileFault) -> [PartSummary] {
        var parts: [PartSummary] = []
        for name in try Folder.names(in: folder).filter({ $0.hasSuffix(PartNames.partEnding) }).sorted() {
            if let part = try PartSummary(path: folder + "/" + name) { parts.append(part) }
        }
        return parts
    }

    /// Reads the part for a file of this path; nil if there is none.
    ///
    /// - Throws: The fault of a limit of open files: then nothing is known of the part.
    package init?(ofFile path: String) throws(FileFault) { try self.init(path: path + PartNames.partEnding) }

    /// Removes the record and then the part of a file, under the part's lock. Removes nothing if a transfer holds the
    /// part.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - others: Paths of further files, removed after the part in this order.
    /// - Returns: True if the part is gone.
    package static func remove(ofFile path: String, and others: [String] = [], calls: any FileCalls) -> Bool {
        let names = PartNames(path)
        let file = unsafe open(names.part, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        if file < 0, errno != ENOENT { return false }
        defer { FileLock.release(file) }
        if file >= 0 {
            switch try? PartFile.lock(file) {
            case .taken: break
            case .unsupported:
                do throws(FileFault) {
                    if try PartFile.readRecord(names.record)?.holder.isRunning ?? false { return false }
                } catch { return false }
            case .held, nil: return false
            }
            guard let locked = FileIdentity(descriptor: file), locked.isSame(as: FileIdentity(path: names.part)) else {
                return false
            }
        }
        let record = [names.record, names.record + PartNames.unfinishedEnding]
        // Without a lock, leave a part just created by another program.
        for name in record + (file >= 0 ? [names.part] : []) + others {
            let code = calls.remove(name)
            if code < 0, code != -Int(ENOENT), name == names.part { return false }
        }
        return true
    }

    private init?(path: String) throws(FileFault) {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            let fault = FileFault(code: errno)
            if SystemLimit(errno: fault.code) != nil { throw fault }
            return nil
        }
        let state = FileState(descriptor: file)
        let lockCode = flock(file, LOCK_SH | LOCK_NB) == 0 ? 0 : errno
        // Release before reading anything: until then no transfer can lock the part.
        FileLock.release(file)
        guard let state else { return nil }
        let record = path + ".json"
        let found: PartRecord?
        do throws(FileFault) { found = try PartFile.readRecord(record) } catch {
            if SystemLimit(errno: error.code) != nil { throw error }
            // For lists, a record that cannot be read at the moment is as good as none.
            found = nil
        }
        // Where the file system has no locks, the record names the holder of the part.
        isHeld = lockCode == EWOULDBLOCK || lockCode != 0 && found?.holder.isRunning ?? false
        self.path = path
        recordPath = found == nil ? nil : record
        (address, byteCount, wholeByteCount) = (found?.address, state.byteCount, found?.byteCount)
        keptByteCount = min(found?.durableBytes ?? 0, state.byteCount)
        let seconds = found.map { $0.startedAt > 0 ? FileState.Moment.now.seconds - $0.startedAt : 0 } ?? 0
        let received = byteCount - (found?.startedBytes ?? 0)
        bytesPerSecond = isHeld && seconds > 0 && received >= 0 ? received / seconds : nil
    }
}
