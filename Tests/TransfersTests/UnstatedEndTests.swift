import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Transfers

@Suite("Files whose end the server does not state")
struct UnstatedEndTests {
    let server: FaultServer
    let folder: TestFolder
    let id = uniqueID()

    init() throws { (server, folder) = (try .shared(), try TestFolder()) }

    /// A request for a file with a stated number of bytes.
    private func request(_ query: String, of count: Int) throws -> TransferRequest {
        var request = TransferRequest(try server.address("/file?\(query)&id=\(id)"), to: folder.path("a.wav"))
        request.check = { part in
            if part.byteCount < count, !part.isEndStated, !part.endsAsBefore {
                throw TransferError(.truncated, "it ends too early", remedy: "Fetch it again.")
            }
            return nil
        }
        return request
    }

    private func settings(retries: Int) -> TransferSettings { .forTests.with { $0.retries = retries } }

    @Test(arguments: ["", "&norange", "&tag", "&star"])
    func `a file that ended too early is requested again in the same run`(query: String) async throws {
        let wanted = try request("n=50000&nolength&cut=20000\(query)", of: 50_000)
        let (result, events) = try await fetch(wanted, settings(retries: 1))
        _ = try result.get()
        #expect(
            events.retries.map(\.error.kind) == [.truncated]
                && events.retries.first?.error.message == "it ends too early")
        #expect(folder.bytes("a.wav") == content(1, 50_000) && folder.names == ["a.wav"])
        #expect(try await server.requests(id).count == 2)
    }

    @Test(arguments: ["&norange", "&tag"])
    func `a file that ends twice at the same byte is whole, in one run or in two`(query: String) async throws {
        let wanted = try request("n=30000&nolength\(query)", of: 50_000)
        #expect(try await fetch(wanted, settings(retries: 1)).result.error == nil)
        #expect(folder.bytes("a.wav") == content(1, 30_000) && folder.names == ["a.wav"])
        try FileManager.default.removeItem(atPath: folder.path("a.wav"))
        let (result, events) = try await fetch(wanted, settings(retries: 0))
        #expect(result.error?.kind == .truncated && folder.names == ["a.wav.part", "a.wav.part.json"])
        guard case .failed(_, let kept) = events.last else { throw TestFailure() }
        #expect(kept == 30_000)
        #expect(try await fetch(wanted, settings(retries: 0)).result.error == nil)
        #expect(folder.bytes("a.wav") == content(1, 30_000) && folder.names == ["a.wav"])
        #expect(try await server.requests(id).count == 4)
    }

    @Test(arguments: ["&norange&versions", "&norange&shrinks", "&tag&versions"])
    func `other bytes and another length are not the same end`(query: String) async throws {
        let wanted = try request("n=30000&nolength\(query)", of: 50_000)
        let (result, events) = try await fetch(wanted, settings(retries: 3))
        #expect(result.error?.kind == .truncated && events.retries.count == 3)
        #expect(folder.names == ["a.wav.part", "a.wav.part.json"])
        #expect(try await server.requests(id).count == 4)
    }

    @Test
    func `a rest shorter than its range is no end`() async throws {
        // The second answer brings the only byte, which is there already.
        let wanted = try request("n=1000&nolength&star&cut=1&cuts=2", of: 1000)
        let (result, events) = try await fetch(wanted, settings(retries: 2))
        #expect(result.error == nil && events.retries.count == 2)
        #expect(folder.bytes("a.wav") == content(1, 1000))
        #expect(try await server.requests(id).count == 3)
    }

    @Test
    func `a rest with a length is no end of a file of unknown length`() async throws {
        let wanted = try request("n=100000&nolength&cut=20000&star&slice=40000", of: 100_000)
        let (result, events) = try await fetch(wanted)
        #expect(result.error == nil && events.beginnings == [0, 20_000, 50_000, 73_616, 97_232])
        #expect(folder.bytes("a.wav") == content(1, 100_000) && folder.names == ["a.wav"])
    }

    @Test(arguments: [50_000, 60_000])
    func `a broken connection delivers only a file whose content proves itself whole`(
        stated: Int
    ) async throws {
        // Like a server ending an encrypted connection without the closing message, with some versions of libcurl and
        // of libcurl's libraries.
        let query = "n=50000&nolength&norange&reset"
        var wanted = try request(query, of: 50_000)
        wanted.check = { part in
            guard part.isEndClean || part.byteCount == stated else {
                throw TransferError(.truncated, "it ends too early", remedy: "Fetch it again.")
            }
            return nil
        }
        let (result, events) = try await fetch(wanted, settings(retries: 1))
        if stated == 50_000 {
            #expect(result.error == nil && events.retries.isEmpty && folder.bytes("a.wav") == content(1, 50_000))
            #expect(folder.names == ["a.wav"])
            return
        }
        #expect(result.error?.message == "it ends too early" && events.retries.count == 1)
        #expect(folder.names == ["a.wav.part", "a.wav.part.json"])
        // Nor does a later run take the part for a whole file.
        #expect(try await fetch(wanted, settings(retries: 0)).result.error?.kind == .truncated)
        #expect(try await server.requests(id).count == 3)
        // A checksum decides as well. With a wrong checksum, the rest may be missing.
        for (digest, error) in [("bad", TransferError.Kind.truncated), ("good", nil)] {
            wanted.address = try request(query + "&digest=\(digest)", of: 50_000).address
            #expect(try await fetch(wanted, settings(retries: 0)).result.error?.kind == error)
        }
        #expect(folder.names == ["a.wav"])
        wanted.check = nil
        wanted.replaces = true
        #expect(try await fetch(wanted, settings(retries: 0)).result.error?.kind == .truncated)
    }

    @Test
    func `the next attempt of a transfer comes in its time, whenever the check ends`() async throws {
        var hooks = TransferHooks()
        // Nothing else wakes the thread of the network.
        hooks.idleSeconds = 1_000_000
        let queue = TransferQueue(.forTests, hooks: hooks)
        let log = EventLog(queue)
        for number in 0..<50 {
            var wanted = try request("n=50000&nolength&cut=20000", of: 50_000)
            wanted.address = try WebAddress(wanted.address.text + "-\(number)")
            let transfer = try queue.add(wanted)
            #expect(log.waitFor("finished", transfer))
            try FileManager.default.removeItem(atPath: folder.path("a.wav"))
        }
        await queue.close()
    }

    /// Holds the first check of a file until released, and makes the check report an incomplete file.
    private final class Gate: Sendable {
        private let isOpen = Atomic<Bool>(false)
        func open() { isOpen.store(true, ordering: .releasing) }
        func wait() { standStill { isOpen.load(ordering: .acquiring) } }
    }

    private func held(by gate: Gate) throws -> TransferRequest {
        var wanted = try request("n=50000&nolength&cut=20000", of: 50_000)
        let check = try #require(wanted.check)
        wanted.check = { part in
            gate.wait()
            return try check(part)
        }
        return wanted
    }

    @Test
    func `a file paused during its check waits before it is requested again`() async throws {
        let (queue, gate) = (TransferQueue(.forTests), Gate())
        let log = EventLog(queue)
        let transfer = try queue.add(held(by: gate))
        #expect(log.waitFor("analysing", transfer))
        transfer.pause()
        gate.open()
        #expect(log.waitFor("paused", transfer))
        #expect(try await server.requests(id).count == 1 && transfer.state == .paused)
        transfer.resume()
        _ = try await transfer.awaitedOutcome
        #expect(folder.bytes("a.wav") == content(1, 50_000) && folder.names == ["a.wav"])
        await queue.close()
    }

    @Test(arguments: [false, true])
    func `a file cancelled during its check keeps its part, unless it is discarded`(
        isDiscarding: Bool
    ) async throws {
        let (queue, gate) = (TransferQueue(.forTests), Gate())
        let log = EventLog(queue)
        let transfer = try queue.add(held(by: gate))
        #expect(log.waitFor("analysing", transfer))
        transfer.cancel(discarding: isDiscarding)
        #expect(log.waitFor("cancelled", transfer))
        gate.open()
        // Waits until the part is closed.
        await queue.close()
        #expect(folder.names == (isDiscarding ? [] : ["a.wav.part", "a.wav.part.json"]))
        let (result, events) = try await fetch(held(by: gate))
        #expect(result.error == nil && events.beginnings == [isDiscarding ? 0 : 20_000])
        #expect(folder.bytes("a.wav") == content(1, 50_000))
    }
}
