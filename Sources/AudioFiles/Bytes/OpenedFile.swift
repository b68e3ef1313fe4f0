// A regular file opened for reading, without ever blocking on what is none.
internal import Glibc

/// The descriptor of a regular file, closed with the last reference unless it was given away.
package final class OpenedFile: Sendable {
    package let path: String
    package let descriptor: Int32
    package let byteCount: Int64

    /// Opens the file; refuses directories, pipes and devices, and files without a byte.
    package init(path: String) throws(AudioFileError) {
        // A zero byte ends the name for the system: another file than the one named would be opened.
        if path.utf8.contains(0) || path.isEmpty { throw .reading(path, errno: ENOENT) }
        // Without O_NONBLOCK, opening a pipe nobody writes to would wait for ever.
        let (descriptor, code) = unsafe FileName.withSystemName(path) { name in
            let descriptor = unsafe open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
            return (descriptor, descriptor < 0 ? errno : 0)
        }
        if descriptor < 0 { throw .reading(path, errno: code) }
        self.path = path
        self.descriptor = descriptor
        var status = stat()
        let statusCode = unsafe fstat(descriptor, &status) == 0 ? 0 : errno
        byteCount = Int64(status.st_size)
        if statusCode != 0 { throw .reading(path, errno: statusCode) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .directory(path)
        default: throw .irregular(path)
        }
        if byteCount == 0 { throw .noFrames(path) }
    }

    /// The same file opened once more, with a position of its own.
    private init(reopening other: OpenedFile) throws(AudioFileError) {
        // By the descriptor: the path may stand for another file by now.
        let descriptor = unsafe open("/proc/self/fd/\(other.descriptor)", O_RDONLY | O_CLOEXEC | O_NOCTTY)
        if descriptor < 0 { throw .reading(other.path, errno: errno) }
        self.descriptor = descriptor
        path = other.path
        byteCount = other.byteCount
    }

    /// The same file opened once more, with a position of its own.
    package func reopened() throws(AudioFileError) -> OpenedFile { try OpenedFile(reopening: self) }

    deinit { _ = close(descriptor) }

    /// Up to `count` bytes from `offset` on; fewer at the end of the file or when reading fails.
    package func bytes(at offset: Int64, count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = unsafe read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// Fills `target` with the bytes from `offset` on, and returns how many there are: fewer at the end of the file or when
    /// reading fails. Any thread, also several at once.
    package func read(at offset: Int64, into target: UnsafeMutableRawBufferPointer) -> Int {
        var done = 0
        while done < target.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[done...])
            let count = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { break }
            done += count
        }
        return done
    }

    /// A descriptor of its own for a library that closes what it is given, positioned at the first byte.
    package func duplicate() throws(AudioFileError) -> Int32 {
        // Duplicates share one position; a fresh opening would be another file if the path was renamed meanwhile.
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if copy < 0 { throw .reading(path, errno: errno) }
        _ = lseek(copy, 0, SEEK_SET)
        return copy
    }
}
