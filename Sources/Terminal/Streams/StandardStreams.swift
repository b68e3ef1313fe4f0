// Writes complete texts to standard output and standard error, and reports every failure. Data goes to standard output,
// messages to standard error.
package import Explanations
import Files
import Glibc
import Synchronization

/// The reason why a text was not written.
package enum OutputError: ExplainedError, CategorisedError, Equatable {
    /// The reader has closed the pipe, the normal end of `woodshed … | head`.
    case closed
    /// The system's error number.
    case failed(Int32)
    /// The reader stalled: number of unwritten bytes at the end of the run, and the status that ended the run.
    case unread(Int, ending: ExitStatus)

    package var exitStatus: ExitStatus {
        switch self {
        case .closed: .closedPipe
        case .unread(_, let ending) where ending != .success: ending
        case .failed, .unread: .inputOutput
        }
    }

    package var message: String {
        switch self {
        case .closed: ""
        case .failed(let number): "standard output: \(systemText(number))"
        case .unread(let count, _):
            "standard output: its reader does not read; \(counted(count, "byte")) were not written"
        }
    }

    package var remedy: String { "" }
}

/// A standard descriptor.
package struct StandardStream: Sendable {
    package let descriptor: Int32

    package static let output = StandardStream(descriptor: STDOUT_FILENO)
    package static let error = StandardStream(descriptor: STDERR_FILENO)

    /// Opens placeholders for closed standard descriptors, so a file opened later does not get their numbers. Reads and
    /// writes of the placeholders fail.
    package static func holdPlaces() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // `open` returns the lowest free number, and all lower numbers are in use by now.
            _ = unsafe open("/dev/null", mode)
        }
    }

    /// True if the stream is a terminal.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Returns true if both streams are the same terminal.
    package func sharesTerminal(with other: StandardStream) -> Bool {
        var (own, others) = (stat(), stat())
        guard isTerminal, other.isTerminal else { return false }
        guard unsafe fstat(descriptor, &own) == 0, unsafe fstat(other.descriptor, &others) == 0 else { return false }
        return own.st_rdev == others.st_rdev
    }

    private static let dropsErrors = Atomic<Bool>(false)

    /// Starts or ends dropping all later text for standard error, used for a stalled reader.
    package static func dropErrors(_ isDropping: Bool) { dropsErrors.store(isDropping, ordering: .relaxed) }

    /// Returns true if a short text can be written without waiting for the reader, now or within a time. Safe in a
    /// signal handler.
    package func takesMore(milliseconds: Int32 = 0) -> Bool {
        DescriptorEvents.wait(for: POLLOUT, of: descriptor, milliseconds: milliseconds) != 0
    }

    /// Writes all of the text.
    package func write(_ text: String) throws(OutputError) {
        try write(bytes: Array(text.utf8)[...])
    }

    /// Writes all bytes, and waits for a slow reader if necessary.
    package func write(bytes: ArraySlice<UInt8>) throws(OutputError) {
        if descriptor == STDERR_FILENO, Self.dropsErrors.load(ordering: .relaxed) { return }
        do throws(FileFault) { try FileBytes.append(bytes, to: descriptor) } catch {
            throw error.code == EPIPE ? .closed : .failed(error.code)
        }
    }

    /// Writes the text and a line feed.
    package func line(_ text: String) throws(OutputError) { try write(text + "\n") }

    /// Writes a line that may be lost: a failure on a closed standard error cannot be reported anywhere.
    package func note(_ text: String) { try? line(text) }
}
