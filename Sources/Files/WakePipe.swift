package import Explanations
internal import Glibc

/// The reason why the system gives no pipe.
package struct WakePipeError: CategorisedError, Equatable {
    package let message: String
    package let remedy: String
    package let exitStatus: ExitStatus

    /// - Parameter code: The system's error number.
    package init(_ code: Int32) {
        let limit = SystemLimit(errno: code)
        message = limit?.cause ?? "the system gives no pipe (\(systemText(code)))"
        remedy = limit?.remedy ?? "End other programs, and try again."
        exitStatus = limit?.exitStatus ?? .tryAgain
    }
}

/// A pipe of this process to itself, for waking a loop that waits in `poll`. Neither end ever blocks, and no child
/// inherits the pipe. The owner closes the pipe.
package struct WakePipe: Sendable {
    package let readEnd: Int32
    package let writeEnd: Int32

    /// Creates the pipe.
    package init() throws(WakePipeError) {
        var ends: [Int32] = [-1, -1]
        // Use sockets, which get these properties in a single step: another thread may start a child at any moment.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw WakePipeError(errno) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    /// Writes a byte; a full pipe wakes the loop as well.
    package func wake() {
        var byte: UInt8 = 1
        _ = unsafe write(writeEnd, &byte, 1)
    }

    /// Returns the bytes written since the last call, at most 64.
    package func drain() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(readEnd, &bytes, bytes.count)
        return count > 0 ? Array(bytes.prefix(count)) : []
    }

    package func closeBoth() {
        close(readEnd)
        close(writeEnd)
    }
}
