// Writing to standard output and standard error: whole texts, with every failure seen. Data goes to standard output,
// everything said about it to standard error.
import Files
import Glibc
import Woodshed

/// Why a text did not get out.
enum OutputError: CommandError, Equatable {
    /// The reader has gone; the usual end of `woodshed … | head`.
    case closed
    /// The system's error number.
    case failed(Int32)

    var exitStatus: ExitStatus { self == .closed ? .closedPipe : .inputOutput }

    var message: String {
        switch self {
        case .closed: ""
        case .failed(let number): "standard output: \(systemText(number))"
        }
    }

    var remedy: String { "" }
}

/// One of the standard descriptors.
struct StandardStream: Sendable {
    let descriptor: Int32

    static let output = StandardStream(descriptor: STDOUT_FILENO)
    static let error = StandardStream(descriptor: STDERR_FILENO)

    /// Takes the places of standard descriptors that are closed, lest a file opened later be taken for one of them. What
    /// takes them refuses to be used.
    static func holdPlaces() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is given out, and the lower ones are taken by now.
            _ = unsafe open("/dev/null", mode)
        }
    }

    /// Writes the text whole.
    func write(_ text: String) throws(OutputError) {
        try write(bytes: Array(text.utf8)[...])
    }

    /// Writes all bytes, waiting for a slow reader if need be.
    func write(bytes: ArraySlice<UInt8>) throws(OutputError) {
        do throws(FileFault) { try FileBytes.append(bytes, to: descriptor) } catch {
            throw error.code == EPIPE ? .closed : .failed(error.code)
        }
    }

    /// Writes the text and a line feed.
    func line(_ text: String) throws(OutputError) { try write(text + "\n") }

    /// Writes a line nobody depends on: when standard error is closed there is no place left to complain.
    func note(_ text: String) { try? line(text) }
}
