import Files
import Foundation
import Glibc
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Transfers

@Suite("Resuming of a part")
struct ResumeTests {
    let server: FaultServer
    let folder: TestFolder

    init() throws { (server, folder) = (try .shared(), try TestFolder()) }

    private func request(_ path: String, to name: String = "a.wav") throws -> TransferRequest {
        TransferRequest(try server.address(path), to: folder.path(name))
    }

    /// Each way in which a server can lie about a changed file, and the finding.
    static let lies: [(kind: String, reason: RestartReason?)] = [
        ("honest", nil), ("weak", .weakTag), ("none", .noValidator), ("length", .otherLength),
        ("shorter", .otherLength),
        ("tag", .otherValidator), ("untagged", .otherValidator), ("offset", .otherRange), ("whole", .changedOnServer),
        ("refused", .rangeRefused), ("moved", .otherValidator), ("both", .otherValidator), ("fresh", .noValidator),
        ("second", .noValidator), ("dateless", .noValidator), ("multipart", .otherRange), ("norange", .otherRange),
        ("star", .otherRange), ("longer", .otherRange), ("silent", .otherBytes), ("shifted", .otherBytes),
    ]

    @Test(arguments: lies.indices)
    func `a changed file begins again for the right reason, and an unchanged file resumes`(index: Int) async throws {
        let (kind, reason) = Self.lies[index]
        let (count, cut) = (100_000, 60_000)
        let id = uniqueID()
        let (result, events) = try await fetch(request("/lie?kind=\(kind)&n=\(count)&cut=\(cut)&id=\(id)"))
        _ = try result.get()
        #expect(events.restarts == (reason.map { [$0] } ?? []), "\(kind)")
        let version = reason == nil ? 1 : 2
        #expect(folder.bytes("a.wav") == content(version, count), "\(kind)")
        // Only other bytes show after the rest has begun.
        let rest = reason == nil || reason == .otherBytes ? [Int64(cut)] : []
        #expect(events.beginnings == [0] + rest + (reason == nil ? [] : [0]), "\(kind)")
        #expect(folder.names == ["a.wav"])
    }

    @Test
    func `a complete part from an address that this version refuses is kept`() async throws {
        let wanted = try request("/never")
        var record = PartRecord(address: wanted.address.text, effectiveAddress: "ftp://127.0.0.1/a.wav")
        (record.byteCount, record.durableBytes, record.isComplete) = (1000, 1000, true)
        try Data(content(1, 1000)).write(to: URL(fileURLWithPath: folder.path("a.wav.part")))
        try Data(record.json.text.utf8).write(to: URL(fileURLWithPath: folder.path("a.wav.part.json")))
        let (result, _) = try await fetch(wanted)
        #expect(try result.get().byteCount == 1000)
        #expect(folder.bytes("a.wav") == content(1, 1000) && folder.names == ["a.wav"])
    }

    /// WOODSHED_SPLICES=1000 for the long run.
    @Test
    func `no two versions of a file are ever joined, wherever the first one breaks off`() async throws {
        var random = SeededGenerator(printedFor: "splices")
        let kinds = Self.lies.map(\.kind) + ["encoded"]
        for number in 0..<environmentCount("WOODSHED_SPLICES", short: cases(100, few: 2 * kinds.count)) {
            let kind = kinds[number % kinds.count]
            let count = Int.random(in: 2...60_000, using: &random)
            let cut = Int.random(in: 0..<count, using: &random)
            let wanted = try request("/lie?kind=\(kind)&n=\(count)&cut=\(cut)&id=\(uniqueID())", to: "\(number)")
            // Every other transfer resumes in another run.
            let isLaterRun = Bool.random(using: &random)
            var result: Result<FetchedFile, TransferError>
            if isLaterRun {
                result = try await fetch(wanted, .forTests.with { $0.retries = 0 }).result
                #expect([.truncated, .disconnected].contains(result.error?.kind))
            }
            result = try await fetch(wanted).result
            if kind == "encoded" {
                #expect(result.error != nil || folder.bytes("\(number)") == content(2, count))
                continue
            }
            #expect(result.error == nil, "\(kind), \(cut) of \(count)")
            let bytes = try #require(folder.bytes("\(number)"))
            let isOld = bytes == content(1, count)
            let isNew = bytes == content(2, count)
            #expect(kind == "honest" || cut == 0 ? isOld || isNew : isNew, "\(kind), \(cut) of \(count)")
        }
    }

    @Test
    func `a broken transfer resumes in the same run and in another run`() async throws {
        let id = uniqueID()
        let path = "/file?n=500000&cut=200000&cuts=2&id=\(id)"
        let (result, _) = try await fetch(request(path), .forTests.with { $0.retries = 0 })
        #expect(result.error?.kind == .truncated)
        #expect(folder.names == ["a.wav.part", "a.wav.part.json"])
        let (again, events) = try await fetch(request(path))
        _ = try again.get()
        #expect(events.restarts == [] && events.beginnings == [200_000, 383_616])
        #expect(folder.bytes("a.wav") == content(1, 500_000) && folder.names == ["a.wav"])
        #expect(try await server.requests(id) == ["- -", "bytes=183616- \"v1-500000\"", "bytes=367232- \"v1-500000\""])
    }

    @Test
    func `an answer refused by its head takes nothing away from the part`() async throws {
        let id = uniqueID()
        var wanted = try request("/file?n=500000&cut=200000&portal=2&id=\(id)")
        wanted.acceptsAnswer = { answer in
            if answer.contentType == "text/html" { throw TransferError(.rejected, "a web page", remedy: "Log in.") }
        }
        for kind in [TransferError.Kind.truncated, .rejected] {
            #expect(try await fetch(wanted, .forTests.with { $0.retries = 0 }).result.error?.kind == kind)
            #expect(folder.names == ["a.wav.part", "a.wav.part.json"])
        }
        let (result, events) = try await fetch(wanted)
        #expect(result.error == nil && events.restarts == [] && events.beginnings == [200_000])
        #expect(folder.bytes("a.wav") == content(1, 500_000) && folder.names == ["a.wav"])
    }

    @Test(arguments: ["", "&nolength&star"])
    func `a file longer than permitted takes nothing away from an earlier part`(query: String) async throws {
        let id = uniqueID()
        var wanted = try request("/file?n=500000&cut=200000\(query)&id=\(id)")
        wanted.check = { part in
            if part.byteCount < 500_000 { throw TransferError(.truncated, "it ends too early", remedy: "Again.") }
            return nil
        }
        var limited = wanted
        limited.sizeLimit = 300_000
        #expect(try await fetch(wanted, .forTests.with { $0.retries = 0 }).result.error?.kind == .truncated)
        let (refused, told) = try await fetch(limited)
        #expect(refused.error?.kind == .tooLarge && folder.names == ["a.wav.part", "a.wav.part.json"])
        guard case .failed(_, let kept) = told.last else { throw TestFailure() }
        #expect((200_000...300_000).contains(kept))
        let (result, events) = try await fetch(wanted)
        #expect(result.error == nil && events.restarts == [] && events.beginnings == [kept])
        #expect(folder.bytes("a.wav") == content(1, 500_000) && folder.names == ["a.wav"])
    }

    @Test
    func `an answer with the whole file reports the kind of the part that it would replace`() async throws {
        let id = uniqueID()
        var wanted = try request("/file?n=5000&cut=2000&cuts=2&portal=3&versions&type=audio/x&id=\(id)")
        let seen = Mutex<[String]>([])
        wanted.acceptsAnswer = { answer in
            seen.withLock { $0.append("\(answer.contentType ?? "-") \(answer.replacedType ?? "-")") }
        }
        for _ in 1...3 { _ = try await fetch(wanted, .forTests.with { $0.retries = 0 }) }
        #expect(seen.withLock { $0 } == ["audio/x -", "audio/x audio/x", "text/html audio/x"])
    }

    @Test
    func `the time left counts only the bytes that are missing`() async throws {
        let gate = uniqueID()
        let queue = TransferQueue(.forTests)
        let log = EventLog(queue)
        func resumed() -> [TransferProgress] {
            log.all().progress.filter { $0.doneBytes > 1_000_000 && $0.doneBytes < 2_000_000 }
        }
        // The first answer breaks off, and the server holds back the second until the test has seen an event in
        // between.
        let path = "/file?n=2000000&cut=1000000&hold=1500000&gate=\(gate)&id=\(uniqueID())&rate=1000000"
        let transfer = try queue.add(request(path))
        #expect(eventually { resumed().contains { $0.bytesPerSecond > 0 } })
        try await server.ask("/release?gate=\(gate)")
        _ = try await transfer.awaitedOutcome
        #expect(!resumed().isEmpty)
        for progress in resumed() where progress.bytesPerSecond > 0 {
            let missing = 2_000_000 - progress.doneBytes
            #expect(progress.secondsLeft == (missing + progress.bytesPerSecond - 1) / progress.bytesPerSecond)
        }
    }

    @Test
    func `a damaged record, a record of another address and a part too short begin again`() async throws {
        let changes: [(RestartReason?, (TestFolder) throws -> Void)] = [
            (nil, { try Data("{".utf8).write(to: URL(fileURLWithPath: $0.path("a.wav.part.json"))) }),
            (
                .otherAddress,
                { folder in
                    let text = try String(contentsOfFile: folder.path("a.wav.part.json"), encoding: .utf8)
                    try text.replacing("/file", with: "/elif").write(
                        toFile: folder.path("a.wav.part.json"), atomically: true, encoding: .utf8)
                }
            ),
            (.damagedPart, { unsafe truncate($0.path("a.wav.part"), 5) }),
            // As a loss of power leaves the part: the transfer uses only counted bytes.
            (
                nil,
                { folder in
                    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path("a.wav.part")))
                    try file.seekToEnd()
                    try file.write(contentsOf: Data(count: 5000))
                }
            ),
        ]
        for (reason, change) in changes {
            let path = "/file?n=300000&cut=100000&id=\(uniqueID())"
            _ = try await fetch(request(path), .forTests.with { $0.retries = 0 })
            try change(folder)
            let (result, events) = try await fetch(request(path))
            _ = try result.get()
            #expect(events.restarts == (reason.map { [$0] } ?? []))
            #expect(folder.bytes("a.wav") == content(1, 300_000) && folder.names == ["a.wav"])
            try FileManager.default.removeItem(atPath: folder.path("a.wav"))
        }
    }

    @Test
    func `a complete part whose check was interrupted is checked again without the server`() async throws {
        let id = uniqueID()
        var wanted = try request("/file?n=5000&id=\(id)")
        wanted.check = { _ in throw TransferError(.diskFull, "no room", remedy: "none") }
        let (result, events) = try await fetch(wanted)
        #expect(result.error?.kind == .diskFull)
        guard case .failed(_, let kept) = events.last else { throw TestFailure() }
        #expect(kept == 5000 && folder.names == ["a.wav.part", "a.wav.part.json"])
        wanted.check = nil
        #expect(try await fetch(wanted).result.error == nil)
        #expect(folder.bytes("a.wav") == content(1, 5000) && folder.names == ["a.wav"])
        #expect(try await server.requests(id).count == 1)
    }

    @Test
    func `the second of two transfers to one file is told the holder of the file`() async throws {
        let gate = uniqueID()
        let wanted = try request("/file?n=5000&hold=1000&gate=\(gate)")
        let queue = TransferQueue(.forTests)
        let events = queue.events
        let transfer = try queue.add(wanted)
        #expect(try await first(events) { if case .downloading = $0.kind { true } else { false } } != nil)
        let parts = folder.path("")
        #expect(eventually { (try? PartSummary.all(in: parts))?.first?.isHeld == true })
        let error = try await fetch(wanted).result.error
        #expect(error?.kind == .heldByOther && error?.message.contains("this program") == true)
        #expect(!PartSummary.remove(ofFile: folder.path("a.wav"), calls: SystemFileCalls()))
        try await server.ask("/release?gate=\(gate)")
        #expect(try await transfer.awaitedOutcome.byteCount == 5000)
        #expect(folder.bytes("a.wav") == content(1, 5000))
        #expect(PartSummary.remove(ofFile: folder.path("a.wav"), calls: SystemFileCalls()))
    }

    @Test
    func `links in place of a part or its record are not followed`() async throws {
        let precious = folder.path("precious")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: precious))
        for ending in [".part", ".part.json", ".part.json.new"] {
            let link = folder.path("a.wav" + ending)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: precious)
            _ = try await fetch(request("/file?n=1000&cut=500&id=\(uniqueID())"))
            #expect(folder.bytes("precious") == Array("mine".utf8), "\(ending)")
            for name in folder.names where name != "precious" {
                try FileManager.default.removeItem(atPath: folder.path(name))
            }
        }
    }

    @Test
    func `a directory in place of a part is named in the error, and stays`() async throws {
        let part = folder.path("a.wav.part")
        try FileManager.default.createDirectory(atPath: part, withIntermediateDirectories: false)
        let id = uniqueID()
        let error = try await fetch(request("/file?n=1000&id=\(id)")).result.error
        #expect(error?.kind == .disk && error?.message.hasPrefix("\(part): ") == true, "\(error?.message ?? "")")
        #expect(folder.names == ["a.wav.part"])
        #expect(try await server.requests(id).isEmpty)
    }

    @Test
    func `parts in a folder can be listed`() async throws {
        _ = try await fetch(request("/file?n=9000&cut=5000&id=\(uniqueID())"), .forTests.with { $0.retries = 0 })
        let parts = try PartSummary.all(in: folder.root)
        #expect(parts.count == 1)
        #expect(parts.first?.byteCount == 5000 && parts.first?.wholeByteCount == 9000 && parts.first?.isHeld == false)
        #expect(parts.first?.address?.contains("/file?n=9000") == true)
    }
}

struct TestFailure: Error {}
