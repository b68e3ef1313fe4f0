import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Transfers

/// Notes the events of a queue, and waits for some.
final class EventLog: Sendable {
    private let events = Mutex<[TransferEvent]>([])

    init(_ queue: TransferQueue) { queue.observe { [self] event in events.withLock { $0.append(event) } } }

    func all(_ id: Int? = nil) -> [TransferEvent.Kind] {
        events.withLock { $0.filter { id == nil || $0.id == id }.map(\.kind) }
    }

    /// The numbers of the transfers with an event of this name, in order.
    func order(_ name: String) -> [Int] {
        events.withLock { events in zip(events.map(\.kind).names, events).filter { $0.0 == name }.map(\.1.id) }
    }

    func waitFor(_ name: String, _ transfer: Transfer) -> Bool { eventually { all(transfer.id).names.contains(name) } }
}

@Suite("Queue of transfers")
struct QueueTests {
    let server: FaultServer
    let folder: TestFolder

    init() throws { (server, folder) = (try .shared(), try TestFolder()) }

    private func request(_ path: String, _ name: String, priority: Int = 0, host: String = "127.0.0.1") throws
        -> TransferRequest
    {
        let address = try WebAddress("http://\(host):\(server.port)\(path)")
        return TransferRequest(address, to: folder.path(name), priority: priority)
    }

    @Test
    func `transfers of a higher priority begin first, and equal ones in their order`() async throws {
        let queue = TransferQueue(.forTests.with { $0.limit = 1 })
        let log = EventLog(queue)
        let gate = uniqueID()
        let held = try queue.add(request("/late?n=10&gate=\(gate)", "a"))
        #expect(log.waitFor("connecting", held))
        let low = try queue.add(request("/file?n=10", "b"))
        let high = try queue.add(request("/file?n=10", "c", priority: 5))
        let last = try queue.add(request("/file?n=10", "d"))
        let raised = try queue.add(request("/file?n=10", "e"))
        raised.setPriority(9)
        #expect(log.waitFor("queued", raised))
        try await server.ask("/release?gate=\(gate)")
        for transfer in [held, low, high, last, raised] { _ = try await transfer.awaitedOutcome }
        #expect(log.order("connecting") == [held, raised, high, low, last].map(\.id))
        #expect(log.order("finished") == [held, raised, high, low, last].map(\.id))
    }

    @Test
    func `a server gets only a limited number of transfers at a time, and other servers need not wait`() async throws {
        let queue = TransferQueue(.forTests.with { ($0.limit, $0.limitPerHost) = (3, 1) })
        let log = EventLog(queue)
        let gate = uniqueID()
        let slow = try queue.add(request("/late?n=10&gate=\(gate)", "a"))
        let next = try queue.add(request("/late?n=10&gate=\(gate)", "b"))
        let other = try queue.add(request("/file?n=10", "c", host: "localhost"))
        _ = try await other.awaitedOutcome
        #expect(log.waitFor("connecting", slow))
        #expect(next.state == .queued && slow.state == .connecting)
        try await server.ask("/release?gate=\(gate)")
        _ = try await next.awaitedOutcome
        #expect(log.order("connecting").last == next.id)
    }

    @Test
    func `a paused transfer takes no bytes, lets others begin, and resumes on its own connection`() async throws {
        let queue = TransferQueue(.forTests.with { $0.limit = 1 })
        let log = EventLog(queue)
        let (gate, id) = (uniqueID(), uniqueID())
        let paused = try queue.add(request("/file?n=3000000&hold=1000&gate=\(gate)&id=\(id)", "a"))
        #expect(eventually { paused.progress.doneBytes == 1000 })
        paused.pause()
        #expect(log.waitFor("paused", paused))
        #expect(paused.state == .paused)
        try await server.ask("/release?gate=\(gate)")
        let other = try queue.add(request("/file?n=100000", "b"))
        _ = try await other.awaitedOutcome
        #expect(paused.state == .paused && paused.progress.doneBytes == 1000)
        paused.resume()
        _ = try await paused.awaitedOutcome
        #expect(folder.bytes("a") == content(1, 3_000_000))
        #expect(try await server.requests(id).count == 1)
        #expect(
            log.all(paused.id).names.filter { $0 != "progress" } == [
                "queued", "connecting", "downloading", "paused", "resumed", "analysing", "finished",
            ])
    }

    @Test
    func `a transfer paused before its beginning keeps its place in the queue`() async throws {
        let queue = TransferQueue(.forTests.with { $0.limit = 1 })
        let log = EventLog(queue)
        let gate = uniqueID()
        let held = try queue.add(request("/late?n=10&gate=\(gate)", "a"))
        let waiting = try queue.add(request("/file?n=10", "b"))
        #expect(log.waitFor("connecting", held))
        queue.pauseAll()
        #expect(log.waitFor("paused", held) && log.waitFor("paused", waiting))
        #expect(held.state == .paused && waiting.state == .paused)
        try await server.ask("/release?gate=\(gate)")
        queue.resumeAll()
        _ = try await (held.outcome, waiting.outcome)
        #expect(folder.names == ["a", "b"])
    }

    @Test
    func `a connection that the server closes during a pause is opened again`() async throws {
        let queue = TransferQueue(.forTests)
        let log = EventLog(queue)
        let (gate, id) = (uniqueID(), uniqueID())
        let transfer = try queue.add(request("/file?n=300000&hold=100000&drop&gate=\(gate)&id=\(id)", "a"))
        #expect(eventually { transfer.progress.doneBytes == 100_000 })
        transfer.pause()
        #expect(log.waitFor("paused", transfer))
        try await server.ask("/release?gate=\(gate)")
        transfer.resume()
        _ = try await transfer.awaitedOutcome
        #expect(folder.bytes("a") == content(1, 300_000))
        #expect(try await server.requests(id) == ["- -", "bytes=83616- \"v1-300000\""])
    }

    @Test(arguments: ["/never", "/file?n=900000&hold=300000&gate=never"])
    func `a cancelled transfer ends whatever its server does, and keeps its part`(path: String) async throws {
        let patient = TransferSettings.forTests.with { ($0.answerSeconds, $0.stallSeconds) = (3600, 3600) }
        var hooks = TransferHooks()
        hooks.noteSeconds = 0
        let queue = TransferQueue(patient, hooks: hooks)
        let log = EventLog(queue)
        let transfer = try queue.add(request(path, "a"))
        let holds = path != "/never"
        #expect(holds ? eventually { transfer.progress.doneBytes == 300_000 } : log.waitFor("connecting", transfer))
        // The queue reports the end soon, regardless of the disk, with only data already on the way to the disk before.
        let record = folder.path("a.part.json")
        if holds { #expect(eventually { (try? PartFile.readRecord(record))?.durableBytes == 300_000 }) }
        transfer.cancel()
        await #expect(throws: TransferError.self) { _ = try await transfer.awaitedOutcome }
        guard case .cancelled(let kept) = log.all(transfer.id).last else { throw TestFailure() }
        #expect(kept == (holds ? 300_000 : 0) && transfer.state == .cancelled)
        await queue.close()
        #expect(folder.names == (holds ? ["a.part", "a.part.json"] : []))
    }

    @Test
    func `a discarded transfer leaves no file`() async throws {
        let queue = TransferQueue(.forTests)
        let transfer = try queue.add(request("/file?n=900000&hold=300000&gate=never", "a"))
        #expect(eventually { transfer.progress.doneBytes == 300_000 })
        transfer.cancel(discarding: true)
        await #expect(throws: TransferError.self) { _ = try await transfer.awaitedOutcome }
        await queue.close()
        #expect(folder.names == [])
    }

    @Test
    func `a transfer cancelled during its check gives no file, and keeps its part`() async throws {
        let queue = TransferQueue(.forTests)
        let log = EventLog(queue)
        var wanted = try request("/file?n=1000", "a")
        let isChecking = Atomic<Bool>(false)
        wanted.check = { part in
            isChecking.store(true, ordering: .releasing)
            standStill { !part.isWanted() }
            return nil
        }
        let transfer = try queue.add(wanted)
        #expect(eventually { isChecking.load(ordering: .acquiring) })
        #expect(transfer.state == .analysing)
        transfer.cancel()
        await #expect(throws: TransferError.self) { _ = try await transfer.awaitedOutcome }
        await queue.close()
        #expect(folder.names == ["a.part", "a.part.json"])
        #expect(log.all(transfer.id).names.suffix(2) == ["analysing", "cancelled"])
        wanted.check = nil
        #expect(try await fetch(wanted).result.error == nil)
    }

    @Test
    func `a hundred cancelled transfers leave no descriptor open`() async throws {
        // A separate server, so that all of the server's connections belong to this test.
        let server = try FaultServer()
        for number in 0..<5 {
            let queue = TransferQueue(.forTests.with { ($0.limit, $0.limitPerHost) = (8, 8) })
            let transfers = try (0..<20).map { index in
                let path = index % 2 == 0 ? "/never" : "/file?n=100000&hold=50000&gate=never"
                return try queue.add(
                    TransferRequest(server.address(path), to: folder.path("\(number)-\(index)")))
            }
            #expect(eventually { transfers.contains { $0.state == .downloading } })
            #expect(!descriptors(to: server).isEmpty)
            queue.cancelAll(discarding: number % 2 == 0)
            for transfer in transfers {
                await #expect(throws: TransferError.self) { _ = try await transfer.awaitedOutcome }
            }
            await queue.close()
        }
        #expect(eventually { descriptors(to: server).isEmpty })
    }

    /// Descriptors of this process for connections to a server, or for paths in the test's folder.
    private func descriptors(to server: FaultServer) -> [String] {
        let port = String(server.port, radix: 16, uppercase: true)
        let table = (try? String(contentsOfFile: "/proc/self/net/tcp", encoding: .utf8)) ?? ""
        let sockets = table.split(separator: "\n").dropFirst().compactMap { line -> String? in
            let words = line.split(separator: " ")
            return words.count > 9 && words[2].hasSuffix(":" + port) ? "socket:[\(words[9])]" : nil
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
            .filter { sockets.contains($0) || $0.hasPrefix(folder.root) }
    }

    @Test
    func `every reader gets the same events in the same order, and streams end with the last one`() async throws {
        let queue = TransferQueue(.forTests)
        let streams = (0..<3).map { _ in queue.events }
        let transfer = try queue.add(request("/file?n=100000", "a"))
        _ = try await transfer.awaitedOutcome
        await queue.close()
        var seen: [[String]] = []
        for stream in streams {
            var kinds: [TransferEvent.Kind] = []
            try await withPatience {
                for await event in stream {
                    kinds.append(event.kind)
                    if event.isLast { break }
                }
            }
            seen.append(kinds.names)
        }
        #expect(seen[0].last == "finished" && seen[1] == seen[0] && seen[2] == seen[0])
        try await withPatience { for await _ in transfer.events { Issue.record("an event after the last one") } }
        #expect(try await transfer.awaitedOutcome.byteCount == 100_000)
    }

    @Test
    func `a queue that is released, closed or whose task is cancelled ends its transfers`() async throws {
        var queue: TransferQueue? = TransferQueue(.forTests)
        let released = try #require(try queue?.add(request("/never", "a")))
        queue = nil
        await #expect(throws: TransferError.self) { _ = try await released.awaitedOutcome }

        let other = TransferQueue(.forTests)
        let wanted = try request("/never", "b")
        let task = Task { try await other.fetch(wanted) }
        task.cancel()
        await #expect(throws: TransferError.self) { _ = try await task.value }

        await other.close()
        #expect(throws: TransferError.self) { try other.add(wanted) }
        // No call waits for the removal of the released transfer's part, and the queue reports the end soon, regardless
        // of the disk.
        #expect(eventually { folder.names == [] })
    }

    @Test
    func `a queue may be used again after all its transfers have ended`() async throws {
        let queue = TransferQueue(.forTests)
        for number in 0..<20 {
            #expect(try await queue.fetch(request("/file?n=\(number)", "\(number)")).byteCount == Int64(number))
        }
        #expect(folder.names.count == 20)
    }
}
