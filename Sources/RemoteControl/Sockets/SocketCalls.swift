internal import Glibc

/// The system calls of Unix stream sockets. No call blocks, and no child inherits a descriptor.
enum SocketCalls {
    static func make() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    /// Gives a socket its name in the file system.
    static func bind(_ socket: Int32, _ path: String) -> Bool {
        unsafe withAddress(path) { unsafe Glibc.bind(socket, $0, $1) == 0 }
    }

    /// Starts accepting connections.
    static func listen(_ socket: Int32) -> Bool { Glibc.listen(socket, 64) == 0 }

    /// True if a name belongs to a socket without a listener; nil with errno if the system has no socket left for the
    /// question.
    static func isDeserted(_ path: String) -> Bool? {
        let probe = make()
        guard probe >= 0 else { return nil }
        defer { close(probe) }
        // A full queue of connections gives EAGAIN: somebody listens.
        return unsafe withAddress(path) { unsafe Glibc.connect(probe, $0, $1) != 0 && errno == ECONNREFUSED }
    }

    /// Returns the next connection; -1 with errno.
    static func accept(_ listener: Int32) -> Int32 {
        let accepted = Glibc.accept(listener, nil, nil)
        guard accepted >= 0 else { return -1 }
        // Swift's Glibc lacks accept4. At worst, a child started in between holds the connection during its own life.
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
        return accepted
    }

    /// Sends the bytes that the socket takes now.
    ///
    /// - Returns: The number of bytes; -1 with errno. A closed connection gives EPIPE, never a signal.
    static func send(_ socket: Int32, _ bytes: ArraySlice<UInt8>) -> Int {
        unsafe bytes.withUnsafeBytes { unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Connects to the socket of this name.
    static func connect(_ socket: Int32, _ path: String) -> Bool {
        unsafe withAddress(path) { unsafe Glibc.connect(socket, $0, $1) == 0 }
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            return false
        }
        // The rest of the field is zero, which ends the path.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
