internal import Explanations
internal import Glibc

/// A log file, to which several processes append lines at once.
///
/// Each line is one write with O_APPEND, so lines never mix. A file beyond its limit is renamed to `NAME.1`, and
/// replaces an older file of this name.
package struct LogFile: Sendable {
    /// The reason why a file is unusable.
    package struct Fault: Error, Equatable {
        /// The end of a sentence that begins with the file's name.
        package let text: String
    }

    package let path: String
    private let limit: Int64
    private let printable: @Sendable (String) -> String
    private var descriptor: Int32

    /// The usual limit of a file, in bytes.
    package static let usualLimit: Int64 = 10_000_000
    /// The longest text, in bytes; the rest is left out, so that a line stays one write.
    private static let longest = 16_000

    /// Opens a file, or creates the file with access for the user only. Its folder must exist.
    ///
    /// - Parameters:
    ///   - path: The file. Files other than logs of this program are refused, because the name may be a mistake.
    ///   - limit: The size in bytes at which a new file begins.
    ///   - printable: Makes a text safe for terminals.
    package init(
        _ path: String, limit: Int64 = LogFile.usualLimit, printable: @escaping @Sendable (String) -> String
    ) throws(Fault) {
        (self.path, self.limit, self.printable) = (path, limit, printable)
        descriptor = try Self.opened(path)
    }

    private static func opened(_ path: String) throws(Fault) -> Int32 {
        // Without O_NONBLOCK a pipe without a reader would block the program.
        let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        let descriptor = unsafe open(path, flags, 0o600)
        guard descriptor >= 0 else { throw Fault(text: "cannot be written: \(systemText(errno))") }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Fault(text: "is not a regular file")
        }
        var first = [UInt8](repeating: 0, count: 11)
        let count = unsafe pread(descriptor, &first, first.count, 0)
        guard count <= 0 || count == first.count && LogTime.beginsDate(first) else {
            close(descriptor)
            throw Fault(text: "is not a log of woodshed")
        }
        if status.st_mode & 0o077 != 0 { _ = fchmod(descriptor, 0o600) }
        return descriptor
    }

    /// Appends a line.
    mutating func write(_ area: LogArea, _ level: LogLevel, _ text: String) {
        keepInPlace()
        guard descriptor >= 0 else { return }
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        let line = line(
            area, level, text, seconds: Int64(time.tv_sec), milliseconds: Int(time.tv_nsec / 1_000_000),
            process: getpid())
        let bytes = Array(line.utf8)
        _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
    }

    /// Returns a line with its ending.
    func line(
        _ area: LogArea, _ level: LogLevel, _ text: String, seconds: Int64, milliseconds: Int, process: Int32
    ) -> String {
        var text = text
        if text.utf8.count > Self.longest { text = String(text.prefix(Self.longest / 4)) + "…" }
        return "\(LogTime.text(seconds, milliseconds)) \(level.name) \(area.name) \(process) \(printable(text))\n"
    }

    /// Follows the name to a new file if another process has renamed ours, and renames a full file.
    private mutating func keepInPlace() {
        var (own, named) = (stat(), stat())
        if descriptor >= 0, unsafe fstat(descriptor, &own) == 0, unsafe stat(path, &named) == 0,
            own.st_ino == named.st_ino, own.st_dev == named.st_dev
        {
            guard own.st_size >= limit else { return }
            // A process that does not get the lock continues in the full file: another process is renaming the file.
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK && errno != EINTR else { return }
            defer { if descriptor >= 0 { flock(descriptor, LOCK_UN) } }
            // Only the lock guarantees that the name still belongs to this file.
            guard unsafe stat(path, &named) == 0, own.st_ino == named.st_ino, own.st_dev == named.st_dev else {
                return reopen()
            }
            guard unsafe rename(path, path + ".1") == 0 else { return }
        }
        reopen()
    }

    private mutating func reopen() {
        if descriptor >= 0 {
            // A program being started by another thread may share the descriptor, and with it the lock.
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
        descriptor = (try? Self.opened(path)) ?? -1
    }
}
