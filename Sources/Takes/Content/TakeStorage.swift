internal import Files
internal import Glibc

/// A take's file. Each write stores all bytes at the given offset, or throws a fault with the number of stored bytes.
final class TakeStorage {
    let path: String
    let descriptor: Int32
    let calls: any FileCalls

    /// Creates a file with `header` at `path`, which must not exist.
    init(creating path: String, header: [UInt8], calls: any FileCalls) throws(FileFault) {
        descriptor = try NewFile.create(path, beginningWith: header, calls: calls)
        self.path = path
        self.calls = calls
    }

    /// Takes over an open file.
    init(adopting descriptor: Int32, path: String, calls: any FileCalls) {
        self.path = path
        self.descriptor = descriptor
        self.calls = calls
    }

    deinit { close(descriptor) }

    /// Writes all of `bytes`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileFault) {
        try unsafe FileBytes.write(bytes, at: offset, of: descriptor, calls: calls)
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(FileFault) {
        try FileBytes.write(bytes, at: offset, of: descriptor, calls: calls)
    }

    func setLength(_ byteCount: Int64) throws(FileFault) {
        try check { calls.setLength(descriptor, byteCount) }
    }

    /// Waits until samples and length are on the disk.
    func synchroniseData() throws(FileFault) { try calls.keepData(of: descriptor) }

    /// Waits until the whole file and its name are on the disk.
    func synchronise() throws(FileFault) {
        try check(notSupported: [EINVAL, ENOSYS]) { calls.synchronise(descriptor) }
        try synchroniseName()
    }

    /// Waits until the file's name is on the disk, if the folder is readable; otherwise the system writes the name
    /// later.
    func synchroniseName() throws(FileFault) {
        let result = calls.synchroniseFolder(FilePlace.folder(of: path))
        if result == -Int(EIO) { throw FileFault(code: EIO) }
    }

    /// Removes the file. If the name now refers to another file, the other file stays.
    func remove() throws(FileFault) {
        if FileIdentity(path: path)?.isSame(as: FileIdentity(descriptor: descriptor)) == true {
            try check { calls.remove(path) }
        }
    }

    /// - Parameter notSupported: Errors of a file system that lacks the call; they do not mean a failure of the disk.
    private func check(notSupported: [Int32] = [], _ call: () -> Int) throws(FileFault) {
        var result = call()
        for _ in 0..<FileBytes.patience where result == -Int(EINTR) { result = call() }
        if result < 0, !notSupported.contains(Int32(-result)) { throw FileFault(code: Int32(-result)) }
    }
}
