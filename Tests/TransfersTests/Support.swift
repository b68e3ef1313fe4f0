import Files
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Transfers

/// The server of faults, on loopback; the server ends with the tests, because the standard input does.
final class FaultServer: Sendable {
    let port: Int
    /// 0 without a certificate.
    let securePort: Int
    private let server: PortServer

    init(certificate: (path: String, key: String)? = nil) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Servers/faults.py")
        server = try #require(
            PortServer(
                script.path, certificate.map { [$0.path, $0.key] } ?? [], portCount: certificate == nil ? 1 : 2))
        port = server.ports[0]
        securePort = server.ports.count > 1 ? server.ports[1] : 0
    }

    private static let running = Result { try FaultServer() }
    static func shared() throws -> FaultServer { try running.get() }

    static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    /// A server with a certificate made in a folder, and settings with trust in the certificate.
    static func secure(_ folder: TestFolder) throws -> (server: FaultServer, settings: TransferSettings) {
        let (certificate, key) = (folder.path("certificate"), folder.path("key"))
        let make = Process()
        make.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        make.arguments = [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650", "-subj", "/CN=localhost", "-addext",
            "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
        ]
        (make.standardOutput, make.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try make.run()
        make.waitUntilExit()
        let server = try FaultServer(certificate: (certificate, key))
        return (server, TransferSettings.forTests.with { $0.certificatesPath = certificate })
    }

    func address(_ path: String, secure: Bool = false) throws -> WebAddress {
        try WebAddress(secure ? "https://localhost:\(securePort)\(path)" : "http://127.0.0.1:\(port)\(path)")
    }

    /// Asks the server itself, by curl's own functions through a separate queue.
    @discardableResult
    func ask(_ path: String) async throws -> String {
        let folder = try TestFolder()
        let file = try await TransferQueue(.forTests).fetch(TransferRequest(address(path), to: folder.path("answer")))
        return try String(contentsOfFile: file.path, encoding: .utf8)
    }

    /// The requests of a conversation: a line each, range and validator.
    func requests(_ id: String) async throws -> [String] {
        try await ask("/requests?of=\(id)").split(separator: "\n").map(String.init)
    }
}

/// A new folder, removed with the owner.
final class TestFolder: Sendable {
    let root: String

    init() throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("transfers-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func path(_ name: String) -> String { root + "/" + name }
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: root).sorted()) ?? [] }
    func bytes(_ name: String) -> [UInt8]? { FileManager.default.contents(atPath: path(name)).map(Array.init) }
}

extension TransferSettings {
    /// Without proxies of this machine, and without waits.
    static var forTests: TransferSettings {
        var settings = TransferSettings(userAgent: "woodshed/test")
        settings.proxy = .none
        settings.firstWaitSeconds = 0.001
        settings.longestWaitSeconds = 1
        // A busy machine may hold up a test for minutes; tests of the limits set other limits.
        (settings.answerSeconds, settings.stallSeconds, settings.slowSeconds) = (3600, 3600, 3600)
        settings.settleSeconds = 3600
        settings.netrcPath = "/nonexistent/netrc"
        return settings
    }

    func with(_ change: (inout TransferSettings) -> Void) -> TransferSettings {
        var settings = self
        change(&settings)
        return settings
    }
}

/// The content sent by the server.
func content(_ version: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { index in
        let block = index >> 8
        return UInt8(truncatingIfNeeded: (index & 255) * 131 + (block * 31 + (block >> 8) * 7 + version * 101))
    }
}

/// The head of an answer, from its lines.
func head(_ text: String) -> ResponseHead {
    var head = ResponseHead()
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        let bytes = Array((line + "\r\n").utf8)
        #expect(unsafe bytes.withUnsafeBytes { unsafe head.take($0) })
    }
    return head
}

func uniqueID() -> String { UUID().uuidString }

/// Fetches, and returns the result and every event.
func fetch(
    _ request: TransferRequest, _ settings: TransferSettings = .forTests, hooks: TransferHooks = TransferHooks()
) async throws -> (result: Result<FetchedFile, TransferError>, events: [TransferEvent.Kind]) {
    let queue = TransferQueue(settings, hooks: hooks)
    let events = Mutex<[TransferEvent.Kind]>([])
    queue.observe { event in events.withLock { $0.append(event.kind) } }
    let result = try await withPatience { () -> Result<FetchedFile, TransferError> in
        let result: Result<FetchedFile, TransferError>
        do throws(TransferError) {
            result = .success(try await queue.fetch(request))
        } catch { result = .failure(error) }
        await queue.close()
        return result
    }
    return (result, events.withLock { $0 })
}

extension Transfer {
    /// The outcome, for a transfer that must end.
    var awaitedOutcome: FetchedFile { get async throws { try await withPatience { try await self.outcome } } }
}

extension Result where Failure == TransferError {
    var error: TransferError? { if case .failure(let error) = self { error } else { nil } }
}

extension Result where Success == FetchedFile {
    var file: FetchedFile? { try? get() }
}

extension [TransferEvent.Kind] {
    var restarts: [RestartReason] { compactMap { if case .restarted(let reason) = $0 { reason } else { nil } } }
    var retries: [(seconds: Double, error: TransferError)] {
        compactMap { if case .retrying(let seconds, let error) = $0 { (seconds, error) } else { nil } }
    }
    var progress: [TransferProgress] { compactMap { if case .progress(let progress) = $0 { progress } else { nil } } }
    var beginnings: [Int64] { compactMap { if case .downloading(_, let from) = $0 { from } else { nil } } }

    var names: [String] {
        map { kind in
            switch kind {
            case .queued: "queued"
            case .connecting: "connecting"
            case .downloading: "downloading"
            case .progress: "progress"
            case .restarted: "restarted"
            case .retrying: "retrying"
            case .paused: "paused"
            case .resumed: "resumed"
            case .analysing: "analysing"
            case .finished: "finished"
            case .failed: "failed"
            case .cancelled: "cancelled"
            }
        }
    }
}

/// The next event of a stream for which a claim is true.
func first(
    _ events: AsyncStream<TransferEvent>, where isWanted: @escaping (TransferEvent) -> Bool
) async throws -> TransferEvent? {
    try await withPatience { () -> TransferEvent? in
        for await event in events where isWanted(event) { return event }
        return nil
    }
}
