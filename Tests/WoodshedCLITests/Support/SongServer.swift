// A server on loopback with recordings, and with failures on request.
import Foundation
import Glibc
import TestSupport
import Testing

/// The server of the tests of Transfers. The server ends with the tests, because its standard input closes.
final class SongServer: Sendable {
    let port: UInt16
    /// The port for encrypted connections; 0 without a certificate.
    let securePort: UInt16
    private let server: PortServer

    init(certificate: String? = nil, key: String? = nil) throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        server = try #require(
            PortServer(
                tests.appendingPathComponent("TransfersTests/Servers/faults.py").path,
                [certificate, key].compactMap(\.self), portCount: certificate == nil ? 1 : 2))
        port = try #require(UInt16(exactly: server.ports[0]))
        securePort = server.ports.count > 1 ? try #require(UInt16(exactly: server.ports[1])) : 0
    }

    private static let running = Result { try SongServer() }
    static func shared() throws -> SongServer { try running.get() }

    /// The address of a recording, or of a fault. `/songs/NAME?frames=N` is a WAV file of so many frames.
    func address(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// A name for a conversation, unique among the tests.
    static func newName() -> String { UUID().uuidString }

    /// The requests of a conversation: a line each, range and validator.
    func requests(_ id: String) -> [String] { ask("/requests?of=\(id)").split(separator: "\n").map(String.init) }

    /// Whether a file was asked for once, and then only for its rest: a busy machine may release a held file so late
    /// that the client gives up waiting and asks for the rest.
    func isAskedOnce(_ id: String) -> Bool {
        let requests = requests(id)
        return requests.first?.hasPrefix("- ") == true && requests.dropFirst().allSatisfy { $0.hasPrefix("bytes=") }
    }

    /// Releases the requests waiting for a gate.
    func release(_ gate: String) { _ = ask("/release?gate=\(gate)") }

    /// The body of an answer.
    func ask(_ path: String) -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var place = sockaddr_in()
        (place.sin_family, place.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = unsafe withUnsafePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // A test fails instead of waiting for ever.
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let request = Array("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        guard connected == 0, unsafe write(descriptor, request, request.count) == request.count else { return "" }
        // No further request follows, so the server closes after its answer.
        shutdown(descriptor, Int32(SHUT_WR))
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count <= 0 { break }
            answer += buffer.prefix(count)
        }
        let text = String(decoding: answer, as: UTF8.self)
        return text.range(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? ""
    }
}

extension SongServer {
    /// An address of the server, for lines of a shell.
    static func path(_ path: String) -> String { (try? shared().address(path)) ?? "http://127.0.0.1:1/" }
}
