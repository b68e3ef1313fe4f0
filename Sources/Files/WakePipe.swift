internal import Glibc

/// A pipe to this process: wakes a loop that waits in `poll`. Neither end ever blocks, and no child inherits it; the owner closes it.
package struct WakePipe: Sendable {
    package let readEnd: Int32
    package let writeEnd: Int32

    /// nil if the process may open no more descriptors.
    package init?() {
        var ends: [Int32] = [-1, -1]
        // Sockets, because they are made like that in one step: another thread may start a child at any moment.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    /// Writes a byte; a full pipe wakes the loop as well.
    package func wake() {
        var byte: UInt8 = 1
        _ = unsafe write(writeEnd, &byte, 1)
    }

    /// The bytes left since the last call.
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
