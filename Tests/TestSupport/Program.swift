// A program that talks to a control socket.
internal import Glibc

/// The other side of a control socket.
package final class Program {
    private let descriptor: Int32
    private var input: [UInt8] = []

    /// nil if nobody takes the connection.
    package init?(_ path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // The deinitialiser closes the socket, also in this case.
        guard connected == 0 else { return nil }
        // A test fails instead of waiting for ever.
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends as much as the other side takes at once.
    ///
    /// - Returns: How many bytes.
    package func flood(_ bytes: [UInt8]) -> Int {
        let sent = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        return max(0, sent)
    }

    /// Nothing more will be sent.
    package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// The next line; nil at the end.
    package func line() -> String? {
        while true {
            if let end = input.firstIndex(of: UInt8(ascii: "\n")) {
                defer { input = Array(input[(end + 1)...]) }
                return String(decoding: input[..<end], as: UTF8.self)
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { return nil }
            input += buffer.prefix(count)
        }
    }

    package func ask(_ text: String) -> String? {
        send(text + "\n")
        return line()
    }
}
