internal import Files
internal import Glibc

/// Why something was not written.
struct StorageFault: Error, Equatable {
    /// An errno.
    let code: Int32
    /// How many of the bytes got there nevertheless.
    var writtenBytes = 0
}

/// A take's file: bytes at places, all of them or a fault that says how many.
final class TakeStorage {
    let path: String
    let descriptor: Int32
    let calls: any FileCalls

    /// How often a call that a signal interrupts, or that takes a part only, is made again before it counts as failed.
    private static let patience = 1000

    /// Makes a file at `path`, which must be free, with `header` in it.
    ///
    /// The file gets its name when the header is in it, so that whoever is killed leaves a whole file or none. File systems that
    /// know no files without a name (FAT, some network drives) have an empty one for that moment.
    init(creating path: String, header: [UInt8], calls: any FileCalls) throws(StorageFault) {
        self.path = path
        self.calls = calls
        let unnamed = calls.createUnnamed(in: FilePlace.folder(of: path))
        if unnamed >= 0 {
            let file = Int32(unnamed)
            if let fault = Self.fault({ () throws(StorageFault) in try Self.write(header, to: file, calls) }) {
                close(file)
                throw fault
            }
            let named = calls.name(file, path)
            if named >= 0 {
                descriptor = file
                return
            }
            close(file)
            if named == -Int(EEXIST) { throw StorageFault(code: EEXIST) }
        }
        let created = calls.create(path)
        if created < 0 { throw StorageFault(code: Int32(-created)) }
        let file = Int32(created)
        if let fault = Self.fault({ () throws(StorageFault) in try Self.write(header, to: file, calls) }) {
            close(file)
            _ = calls.remove(path)
            throw fault
        }
        descriptor = file
    }

    /// Takes over a file that is open for reading and writing.
    init(adopting descriptor: Int32, path: String, calls: any FileCalls) {
        self.path = path
        self.descriptor = descriptor
        self.calls = calls
    }

    deinit { close(descriptor) }

    /// Writes all of `bytes`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageFault) {
        try unsafe Self.write(bytes, to: descriptor, at: offset, calls)
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(StorageFault) {
        if let fault = unsafe bytes.withUnsafeBytes({ bytes in
            Self.fault { () throws(StorageFault) in try unsafe write(bytes, at: offset) }
        }) {
            throw fault
        }
    }

    func setLength(_ byteCount: Int64) throws(StorageFault) {
        try check { calls.setLength(descriptor, byteCount) }
    }

    /// Waits until samples and length are on the disk.
    func synchroniseData() throws(StorageFault) {
        try check(notSupported: [EINVAL, ENOSYS]) { calls.synchroniseData(descriptor) }
    }

    /// Waits until all of the file is on the disk, and its name.
    func synchronise() throws(StorageFault) {
        try check(notSupported: [EINVAL, ENOSYS]) { calls.synchronise(descriptor) }
        try synchroniseName()
    }

    /// Waits until the file's name is on the disk, where the folder may be read; where it may not, the system does it in its time.
    func synchroniseName() throws(StorageFault) {
        let result = calls.synchroniseFolder(FilePlace.folder(of: path))
        if result == -Int(EIO) { throw StorageFault(code: EIO) }
    }

    /// Removes the file; where its name stands for another one by now, that one stays.
    func remove() throws(StorageFault) {
        if FileIdentity(path: path)?.isSame(as: FileIdentity(descriptor: descriptor)) == true {
            try check { calls.remove(path) }
        }
    }

    /// - Parameter notSupported: what a call may say that a file system cannot do, which is no failure of the disk.
    private func check(notSupported: [Int32] = [], _ call: () -> Int) throws(StorageFault) {
        var result = call()
        for _ in 0..<Self.patience where result == -Int(EINTR) { result = call() }
        if result < 0, !notSupported.contains(Int32(-result)) { throw StorageFault(code: Int32(-result)) }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, _ calls: any FileCalls) throws(StorageFault) {
        if let fault = unsafe bytes.withUnsafeBytes({ bytes in
            fault { () throws(StorageFault) in try unsafe write(bytes, to: descriptor, at: 0, calls) }
        }) {
            throw fault
        }
    }

    private static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64, _ calls: any FileCalls
    ) throws(StorageFault) {
        var done = 0
        var attempts = 0
        while done < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
            let written = unsafe calls.write(descriptor, rest, at: offset + Int64(done))
            if written > 0 { done += written }
            if written < 0, written != -Int(EINTR) {
                throw StorageFault(code: Int32(-written), writtenBytes: done)
            }
            attempts += 1
            if done < bytes.count, attempts > patience { throw StorageFault(code: EIO, writtenBytes: done) }
        }
    }

    /// What `body` throws.
    static func fault(_ body: () throws(StorageFault) -> Void) -> StorageFault? {
        do throws(StorageFault) { try body() } catch { return error }
        return nil
    }
}
