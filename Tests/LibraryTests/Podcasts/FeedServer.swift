import Foundation
import SoundFileSupport
import TestSupport
import Testing
import Transfers

@testable import Catalogue
@testable import Library
@testable import Store

/// A server of feeds and recordings; the server ends with the tests, because its standard input closes.
final class FeedServer {
    let port: Int
    private let server: PortServer
    private let queue: TransferQueue

    init() throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Servers/feeds.py")
        server = try #require(PortServer(script.path))
        port = server.ports[0]
        queue = TransferQueue(Self.settings)
    }

    /// Settings of a client without a configuration, for a single attempt.
    static var settings: TransferSettings {
        var settings = TransferSettings(userAgent: "woodshed/test")
        settings.proxy = .none
        settings.netrcPath = "/nonexistent/netrc"
        settings.retries = 0
        // A test waiting for an event continues when one of the few threads of the tasks is free: on a busy machine,
        // minutes later.
        (settings.answerSeconds, settings.stallSeconds, settings.settleSeconds) = (600, 600, 600)
        settings.slowestBytesPerSecond = 0
        return settings
    }

    func address(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }
    func fetch(_ request: TransferRequest) throws -> FetchedFile { try queue.fetchWaiting(request) }

    @discardableResult
    func ask(_ path: String, _ harness: LibraryHarness) throws -> String {
        let file = harness.scratch.file("answer")
        _ = try fetch(TransferRequest(WebAddress(address(path)), to: file, replaces: true))
        return try String(contentsOfFile: file, encoding: .utf8)
    }
}
