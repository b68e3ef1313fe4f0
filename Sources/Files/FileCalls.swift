// The system calls for writing files, all in the same place, so that tests can make each call fail.
internal import CLinux
internal import Glibc

/// System calls on files. Each function returns the result of the system's call, or minus an errno.
package protocol FileCalls: Sendable {
    /// Returns a descriptor of a new unnamed file in `folder`.
    func createUnnamed(in folder: String) -> Int
    /// Returns a descriptor of a new file; refuses an existing file.
    func create(_ path: String) -> Int
    /// Gives the file of a descriptor a name; refuses an existing name.
    func name(_ descriptor: Int32, _ path: String) -> Int
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int
    /// Shortens a file, or extends it by a hole, which reads as zeros.
    func setLength(_ descriptor: Int32, _ byteCount: Int64) -> Int
    /// Waits until the data and the length are on the disk.
    func synchroniseData(_ descriptor: Int32) -> Int
    /// Waits until the whole file, with its metadata, is on the disk.
    func synchronise(_ descriptor: Int32) -> Int
    /// Waits until the names in a folder are on the disk.
    func synchroniseFolder(_ folder: String) -> Int
    func remove(_ path: String) -> Int
    /// Renames a file, replacing a file with that name.
    func rename(_ path: String, to other: String) -> Int
    func close(_ descriptor: Int32) -> Int
    /// Returns the number of bytes that an ordinary user may still write to the disk of a descriptor's file.
    func freeBytes(_ descriptor: Int32) -> Int
}

extension FileCalls {
    /// Waits until a file's data and length are on the disk.
    ///
    /// A file system without this call has not failed. An interrupted call is retried.
    package func keepData(of descriptor: Int32) throws(FileFault) {
        var result = synchroniseData(descriptor)
        for _ in 0..<FileBytes.patience where result == -Int(EINTR) { result = synchroniseData(descriptor) }
        if result < 0, ![EINVAL, ENOSYS].contains(Int32(-result)) { throw FileFault(code: Int32(-result)) }
    }
}

/// The system's own calls.
package struct SystemFileCalls: FileCalls {
    package init() {}

    package func createUnnamed(in folder: String) -> Int {
        result(unsafe open(folder, __O_TMPFILE | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o666))
    }

    package func create(_ path: String) -> Int {
        result(unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0o666))
    }

    package func name(_ descriptor: Int32, _ path: String) -> Int {
        result(unsafe linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW))
    }

    package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
        let written = unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
        return written < 0 ? -Int(errno) : written
    }

    package func setLength(_ descriptor: Int32, _ byteCount: Int64) -> Int {
        result(ftruncate(descriptor, off_t(byteCount)))
    }
    package func synchroniseData(_ descriptor: Int32) -> Int { result(fdatasync(descriptor)) }
    package func synchronise(_ descriptor: Int32) -> Int { result(fsync(descriptor)) }

    package func synchroniseFolder(_ folder: String) -> Int {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { return -Int(errno) }
        defer { Glibc.close(descriptor) }
        return result(fsync(descriptor))
    }

    package func remove(_ path: String) -> Int { result(unsafe unlink(path)) }

    package func rename(_ path: String, to other: String) -> Int { result(unsafe Glibc.rename(path, other)) }

    /// Renames a file in one step, and refuses an existing name. Some file systems, mainly network disks, lack this
    /// kind of renaming, and refuse with EINVAL.
    package func rename(_ path: String, toNew other: String) -> Int {
        result(unsafe linux_rename_to_new(path, other))
    }

    package func close(_ descriptor: Int32) -> Int { result(Glibc.close(descriptor)) }

    package func freeBytes(_ descriptor: Int32) -> Int {
        var status = statvfs()
        if unsafe fstatvfs(descriptor, &status) != 0 { return -Int(errno) }
        // Some file systems report as many blocks as the number can hold.
        let (blocks, blockBytes) = (Int(clamping: status.f_bavail), Int(clamping: status.f_frsize))
        let (bytes, isTooMuch) = blocks.multipliedReportingOverflow(by: blockBytes)
        return isTooMuch ? .max : bytes
    }

    private func result(_ code: Int32) -> Int { code < 0 ? -Int(errno) : Int(code) }
}
