// Bytes going to a file that appears whole or not at all, or to a descriptor the caller has.
internal import Glibc

/// Where output goes.
///
/// A regular file is written beside its final place under another name, and renamed over it at the end: an older file of
/// that name stays until then, and stays for good when something fails. What is no regular file (a pipe, /dev/null) and a
/// descriptor are written straight.
final class OutputFile {
    let path: String
    /// Whether earlier bytes can be written again.
    let canRewrite: Bool
    private let descriptor: Int32
    private let ownsDescriptor: Bool
    /// Where the descriptor stood when it was given to us.
    private let start: Int64
    private var temporaryPath: String?
    private var finalPath: String

    /// Prepares to write to `path`.
    init(path: String) throws(AudioFileError) {
        if path.isEmpty || path.utf8.contains(0) { throw .writing(path, errno: ENOENT, creating: true) }
        self.path = path
        finalPath = path
        start = 0
        ownsDescriptor = true
        var status = stat()
        if unsafe stat(path, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR { throw .directory(path) }
            if status.st_mode & S_IFMT != S_IFREG {
                canRewrite = false
                descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
                if descriptor < 0 { throw .writing(path, errno: errno, creating: true) }
                return
            }
            // Renaming would replace a file that may not be written, and a link instead of what it points to.
            if unsafe access(path, W_OK) != 0 { throw .writing(path, errno: errno, creating: true) }
            if let resolved = unsafe realpath(path, nil) {
                finalPath = unsafe String(cString: resolved)
                unsafe free(resolved)
            }
        }
        canRewrite = true
        let mode = status.st_mode & 0o7777
        let temporary = "\(finalPath).\(getpid())-\(UInt32.random(in: 0...UInt32.max)).part"
        descriptor = unsafe open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if descriptor < 0 { throw .writing(path, errno: errno, creating: true) }
        temporaryPath = temporary
        if mode != 0 { _ = fchmod(descriptor, mode) }
    }

    /// Writes to a descriptor, which is not closed at the end.
    init(descriptor: Int32, name: String) {
        path = name
        finalPath = name
        self.descriptor = descriptor
        ownsDescriptor = false
        var status = stat()
        let isRegular = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        // In a file opened for appending every write goes to the end, wherever it was meant to go.
        canRewrite = isRegular && fcntl(descriptor, F_GETFL) & O_APPEND == 0
        start = canRewrite ? Int64(lseek(descriptor, 0, SEEK_CUR)) : 0
    }

    deinit {
        discard()
        if ownsDescriptor { _ = close(descriptor) }
    }

    /// Appends all of `bytes`.
    func append(_ bytes: UnsafeRawBufferPointer) throws(AudioFileError) {
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
            let written = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            if written >= 0 { done += written } else { try waitOrThrow(errno) }
        }
    }

    /// Replaces the bytes at `offset` from where the writing began; only where `canRewrite`.
    func rewrite(_ bytes: [UInt8], at offset: Int64) throws(AudioFileError) {
        var done = 0
        while done < bytes.count {
            let written = unsafe bytes[done...].withUnsafeBytes {
                unsafe pwrite(
                    descriptor, $0.baseAddress, $0.count, off_t(start + offset) + done)
            }
            if written >= 0 { done += written } else { try waitOrThrow(errno) }
        }
    }

    /// Where the bytes are until `commit()`.
    var writtenPath: String { temporaryPath ?? finalPath }

    /// A descriptor for a library that closes what it is given; both share one position.
    func duplicate() throws(AudioFileError) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if copy < 0 { throw .writing(path, errno: errno, creating: false) }
        return copy
    }

    /// Makes the file appear under its name, which must be free, when all of it is on the disk.
    func commitNew() throws(AudioFileError) {
        guard let temporary = temporaryPath else { return }
        if fsync(descriptor) != 0, errno != EINVAL { throw .writing(path, errno: errno, creating: false) }
        // Unlike a renaming, a second name is refused where there is a file; but not all file systems know second names.
        if unsafe link(temporary, finalPath) == 0 {
            discard()
        } else if errno == EEXIST || FileIdentity(path: finalPath) != nil {
            throw .creatingTake(path, errno: EEXIST)
        } else {
            try commit()
        }
        _ = SystemFileCalls().synchroniseFolder(TakeStorage.folder(of: finalPath))
    }

    /// Makes the file appear under its name.
    func commit() throws(AudioFileError) {
        guard let temporary = temporaryPath else { return }
        if unsafe rename(temporary, finalPath) != 0 {
            let code = errno
            discard()
            throw .writing(path, errno: code, creating: true)
        }
        temporaryPath = nil
    }

    /// Removes what was written, as far as it is ours to remove.
    func discard() {
        if let temporary = temporaryPath { _ = unsafe unlink(temporary) }
        temporaryPath = nil
    }

    private func waitOrThrow(_ code: Int32) throws(AudioFileError) {
        if code == EINTR { return }
        // Somebody made the pipe non-blocking (terminals' descriptors are shared): wait for room.
        if code == EAGAIN {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = unsafe poll(&waiting, 1, 1000)
            return
        }
        throw .writing(path, errno: code, creating: false)
    }
}
