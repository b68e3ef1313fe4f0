import Explanations
import Files
import Foundation
import TestSupport
import Testing

@testable import Transfers

@Suite("Fetching of one file")
struct FetchTests {
    let server: FaultServer
    let folder: TestFolder

    init() throws { (server, folder) = (try .shared(), try TestFolder()) }

    private func request(_ path: String, _ change: (inout TransferRequest) -> Void = { _ in }) throws -> TransferRequest
    {
        var request = TransferRequest(try server.address(path), to: folder.path("a.wav"))
        change(&request)
        return request
    }

    @Test(arguments: [0, 1, 1000, 1_000_000])
    func `a file of any length arrives as it is, and nothing else is left`(count: Int) async throws {
        let (result, events) = try await fetch(request("/file?n=\(count)&disposition=attachment;filename=b.wav"))
        let file = try result.get()
        #expect(file.path == folder.path("a.wav") && file.byteCount == Int64(count))
        #expect(file.answer.suggestedName == "b.wav" && file.answer.contentType == "audio/wav")
        #expect(folder.names == ["a.wav"])
        #expect(folder.bytes("a.wav") == content(1, count))
        #expect(
            events.names.filter { $0 != "progress" } == [
                "queued", "connecting", "downloading", "analysing", "finished",
            ])
    }

    @Test(arguments: ["/file?n=50000&chunked", "/file?n=50000&nolength"])
    func `a file of a length that the server does not state arrives as it is`(path: String) async throws {
        let (result, events) = try await fetch(request(path))
        #expect(try result.get().byteCount == 50000)
        #expect(folder.bytes("a.wav") == content(1, 50000))
        #expect(
            events.progress.last
                == events.progress.last.map {
                    TransferProgress(
                        doneBytes: 50000, totalBytes: 50000, bytesPerSecond: $0.bytesPerSecond, secondsLeft: 0)
                })
    }

    @Test
    func `progress never goes back, and ends at the length`() async throws {
        let gate = uniqueID()
        let queue = TransferQueue(.forTests)
        let log = EventLog(queue)
        let transfer = try queue.add(request("/file?n=3000000&hold=1000000&gate=\(gate)&rate=3000000"))
        // While no data arrives, the queue reports the falling rate again.
        #expect(eventually { log.all().progress.count { $0.doneBytes == 1_000_000 } > 1 })
        try await server.ask("/release?gate=\(gate)")
        _ = try await transfer.awaitedOutcome
        let events = log.all()
        let done = events.progress.map(\.doneBytes)
        #expect(done.count > 2 && done == done.sorted() && done.last == 3_000_000)
        #expect(events.progress.dropLast().allSatisfy { ($0.fraction ?? 1) < 1 || $0.doneBytes == 3_000_000 })
        #expect(events.progress.last?.fraction == 1)
    }

    struct Failure: Sendable, CustomStringConvertible {
        let path: String
        let kind: TransferError.Kind
        var description: String { "\(path) \(kind)" }
        init(_ path: String, _ kind: TransferError.Kind) { (self.path, self.kind) = (path, kind) }
    }

    static let failures = [
        Failure("/status?code=401", .unauthorised), Failure("/status?code=403", .unauthorised),
        Failure("/status?code=404", .notFound), Failure("/status?code=410", .gone),
        Failure("/status?code=429", .tooManyRequests), Failure("/status?code=500", .server),
        Failure("/status?code=503", .server), Failure("/status?code=204", .unexpected),
        Failure("/status?code=206", .unexpected), Failure("/status?code=304", .unexpected),
        Failure("/status?code=418", .unexpected), Failure("/headers", .unexpected), Failure("/bomb", .unexpected),
        Failure("/transferbomb", .unexpected), Failure("/circle?n=0", .redirectLoop),
        Failure("/chain?n=30", .redirectLoop),
        Failure("/redirect?to=ftp://127.0.0.1/a", .unexpected), Failure("/redirect?to=file:///etc/passwd", .unexpected),
        Failure("/redirect?to=http://user:secret@127.0.0.1/", .unexpected), Failure("/huge", .tooLarge),
        Failure("/close", .disconnected), Failure("/reset", .disconnected), Failure("/junk", .unexpected),
        Failure("/file?n=1000&cut=500&cuts=9999999", .truncated),
        Failure("/file?n=1000&cut=500&cuts=9999999&reset", .truncated),
        Failure("/file?n=100&digest=bad", .checksum), Failure("/file?n=100&digest=bad&form=new", .checksum),
        Failure("/file?n=100&md5=bad", .checksum),
    ]

    @Test(arguments: failures)
    func `every fault of a server has its own error, and leaves no file under the name`(_ failure: Failure) async throws
    {
        let (result, events) = try await fetch(request(failure.path), .forTests.with { $0.retries = 1 })
        let error = try #require(result.error)
        #expect(error.kind == failure.kind, "\(error)")
        #expect(!error.message.isEmpty && !error.remedy.isEmpty && !error.message.contains("secret"))
        #expect(folder.names.allSatisfy { $0.hasPrefix("a.wav.part") }, "\(folder.names)")
        #expect(events.retries.count == (error.isPassing ? 1 : 0))
        #expect(events.names.last == "failed")
    }

    @Test
    func `absent servers are reported with distinct causes`() async throws {
        let closed = try WebAddress("http://127.0.0.1:1/a")
        #expect(try await fetch(TransferRequest(closed, to: folder.path("a"))).result.error?.kind == .refused)
        let unknown = try WebAddress("http://no-such-host.invalid/a")
        #expect(try await fetch(TransferRequest(unknown, to: folder.path("a"))).result.error?.kind == .dns)
        // Looked up as xn--bcher-kva, in any locale of this program.
        let foreign = try WebAddress("http://bücher.invalid/a")
        #expect(try await fetch(TransferRequest(foreign, to: folder.path("a"))).result.error?.kind == .dns)
        #expect(folder.names == [])
    }

    @Test
    func `redirections are followed, and the file comes from the last address`() async throws {
        let (result, _) = try await fetch(request("/chain?n=10"))
        #expect(try result.get().answer.address.text == server.address("/chain?n=0&milliseconds=0").text)
    }

    @Test
    func `all redirections of an attempt share the timeout for the answer`() async throws {
        let impatient = TransferSettings.forTests.with { ($0.answerSeconds, $0.retries) = (1, 0) }
        let (result, _) = try await fetch(request("/chain?n=10&milliseconds=300"), impatient)
        #expect(result.error?.kind == .timeout)
    }

    @Test
    func `a server that never answers, stops or drips is given up`() async throws {
        let impatient = TransferSettings.forTests.with {
            ($0.answerSeconds, $0.stallSeconds, $0.retries) = (0.2, 0.2, 1)
        }
        let never = try await fetch(request("/never"), impatient)
        #expect(never.result.error?.kind == .timeout && never.events.retries.count == 1)
        let stalled = try await fetch(request("/file?n=100000&hold=50000&norange&gate=\(uniqueID())"), impatient)
        #expect(stalled.result.error?.kind == .timeout)
        let slow = TransferSettings.forTests.with {
            ($0.slowSeconds, $0.slowestBytesPerSecond, $0.retries) = (0.3, 10_000, 1)
        }
        #expect(try await fetch(request("/drip"), slow).result.error?.kind == .timeout)
    }

    @Test
    func `a server that fails twice and then answers is asked three times, no sooner than requested`() async throws {
        let (result, events) = try await fetch(request("/flaky?id=\(uniqueID())&fails=2&code=503&retry=1&n=100"))
        _ = try result.get()
        #expect(events.retries.map(\.error.kind) == [.server, .server])
        #expect(events.retries.allSatisfy { $0.seconds >= 1 && $0.error.retryAfterSeconds == 1 })
    }

    @Test
    func `a server that requests a long wait ends the transfer`() async throws {
        let (result, events) = try await fetch(request("/status?code=429&retry=3600"))
        #expect(result.error?.kind == .tooManyRequests && result.error?.retryAfterSeconds == 3600)
        #expect(events.retries.isEmpty)
    }

    @Test
    func `a file longer than permitted is refused by its stated and by its real length`() async throws {
        #expect(try await fetch(request("/file?n=1001") { $0.sizeLimit = 1000 }).result.error?.kind == .tooLarge)
        #expect(try await fetch(request("/file?n=1000") { $0.sizeLimit = 1000 }).result.error == nil)
        let endless = try request("/endless") { ($0.sizeLimit, $0.path) = (1_000_000, folder.path("b")) }
        #expect(try await fetch(endless).result.error?.kind == .tooLarge)
        #expect(folder.names == ["a.wav"])
    }

    @Test
    func `checksums of the server and of the caller are compared`() async throws {
        for path in ["/file?n=1000&digest=good", "/file?n=1000&digest=good&form=new", "/file?n=1000&md5=good"] {
            #expect(try await fetch(request(path) { $0.replaces = true }).result.error == nil)
        }
        let sum = "79ef23bf1ec45aaddc069bb1aad6112e614afe9c8a681a44492be09049790963"
        let right = try request("/file?n=1000") { ($0.sha256, $0.replaces) = (sum, true) }
        #expect(try await fetch(right).result.error == nil)
        let wrong = try request("/file?n=1000&v=2") { ($0.sha256, $0.path) = (sum, folder.path("b")) }
        #expect(try await fetch(wrong).result.error?.kind == .checksum)
        #expect(folder.names == ["a.wav"])
        let no = try request("/file?n=1000") { $0.sha256 = "123" }
        #expect(try await fetch(no).result.error?.kind == .badAddress)
    }

    @Test
    func `the caller refuses a web page by its head, and a file by its contents`() async throws {
        struct NoSound: Error {}
        let page = try request("/html") {
            $0.acceptsAnswer = { answer in
                if answer.contentType?.hasPrefix("text/html") == true {
                    throw TransferError(.rejected, "this is a web page", remedy: "Look for the file's own address.")
                }
            }
        }
        let refused = try await fetch(page).result.error
        #expect(refused?.kind == .rejected && refused?.message == "this is a web page")
        let (result, _) = try await fetch(request("/file?n=100") { $0.check = { _ in throw NoSound() } })
        #expect(result.error?.kind == .rejected)
        #expect(folder.names == [])
    }

    @Test
    func `a file refused as a whole is kept under the name given for refused files`() async throws {
        struct NoSound: Error {}
        let kept = folder.path("a.rejected")
        for (count, path) in [(100, "/file?n=100"), (200, "/file?n=200&digest=bad"), (300, "/file?n=300")] {
            let (result, _) = try await fetch(
                request(path) {
                    $0.rejectedPath = kept
                    if count != 200 { $0.check = { _ in throw NoSound() } }
                })
            #expect(result.error?.kind == (count == 200 ? .checksum : .rejected))
            #expect(result.error?.remedy.hasSuffix("The received file is kept: \(kept)") == true)
            #expect(folder.names == ["a.rejected"] && folder.bytes("a.rejected") == content(1, count))
        }
        // Of a file without bytes there is nothing to keep.
        let empty = try request("/file?n=0") {
            $0.rejectedPath = folder.path("b")
            $0.check = { _ in throw NoSound() }
        }
        #expect(try await fetch(empty).result.error?.remedy.contains("kept") == false && folder.names == ["a.rejected"])
    }

    @Test(arguments: [Explanations.ExitStatus.unavailable, .noPermission, .inputOutput, .tryAgain, .interrupted])
    func `a file that the caller cannot check now is kept, and not fetched again`(status: Explanations.ExitStatus)
        async throws
    {
        struct CannotLook: ExplainedError, CategorisedError {
            let exitStatus: Explanations.ExitStatus
            var message: String { "a program is missing" }
            var remedy: String { "Install it." }
        }
        let id = uniqueID()
        let failing = try request("/file?n=100&id=\(id)") { $0.check = { _ in throw CannotLook(exitStatus: status) } }
        let (result, events) = try await fetch(failing)
        #expect(result.error?.exitStatus == status)
        #expect(status == .interrupted || result.error?.message == "a program is missing")
        #expect(events.names.last == (status == .interrupted ? "cancelled" : "failed"))
        #expect(folder.names.contains { $0.contains("part") })
        #expect(try await fetch(request("/file?n=100&id=\(id)")).result.error == nil)
        #expect(folder.names == ["a.wav"] && folder.bytes("a.wav") == content(1, 100))
        #expect(try await server.requests(id).count == 1)
    }

    @Test
    func `the caller's check sees the whole file before the file has its name, and may choose another`() async throws {
        let (root, expected) = (folder.root, content(1, 5000))
        let (result, _) = try await fetch(
            request("/file?n=5000") {
                $0.check = { part in
                    let bytes = FileManager.default.contents(atPath: part.path).map(Array.init)
                    let names = try FileManager.default.contentsOfDirectory(atPath: root)
                    guard bytes == expected, !names.contains("a.wav"), part.isWanted() else { return nil }
                    return root + "/chosen.wav"
                }
            })
        #expect(try result.get().path == folder.path("chosen.wav"))
        #expect(folder.names == ["chosen.wav"])
    }

    @Test
    func `an existing file stays unless replacing is requested`() async throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.path("a.wav")))
        let id = uniqueID()
        #expect(try await fetch(request("/file?n=10&id=\(id)")).result.error?.kind == .alreadyExists)
        #expect(try await server.requests(id).isEmpty)
        #expect(folder.names == ["a.wav"] && folder.bytes("a.wav") == Array("mine".utf8))
        #expect(try await fetch(request("/file?n=10") { $0.replaces = true }).result.error == nil)
        #expect(folder.bytes("a.wav") == content(1, 10))
    }

    @Test
    func `a target that cannot be written is refused before a request is sent`() async throws {
        let id = uniqueID()
        for (path, kind) in [
            (folder.root, TransferError.Kind.disk), (folder.path("no/such/folder"), .disk), ("/dev/null", .disk),
        ] {
            let wanted = try request("/file?n=10&id=\(id)") { $0.path = path }
            #expect(try await fetch(wanted).result.error?.kind == kind)
        }
        #expect(try await server.requests(id).isEmpty)
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `a folder without write permission is reported with that cause`() async throws {
        _ = unsafe chmod(folder.root, 0o500)
        defer { _ = unsafe chmod(folder.root, 0o700) }
        #expect(try await fetch(request("/file?n=10")).result.error?.kind == .noPermission)
    }

    @Test
    func `a file name of the greatest length on the disk works`() async throws {
        let name = String(repeating: "ä", count: 125) + ".flac"
        let wanted = try request("/file?n=10") { $0.path = folder.path(name) }
        #expect(try await fetch(wanted).result.error == nil)
        #expect(folder.names == [name])
    }

    @Test(.enabled(if: FaultServer.hasOpenSSL, "needs the program openssl"))
    func `an encrypted address needs a trusted certificate, and never redirects to an unencrypted one`()
        async throws
    {
        let (server, trusting) = try FaultServer.secure(folder)
        func wanted(_ path: String) throws -> TransferRequest {
            TransferRequest(try server.address(path, secure: true), to: folder.path("a.wav"), replaces: true)
        }
        #expect(try await fetch(wanted("/file?n=1000")).result.error?.kind == .tls)
        #expect(try await fetch(wanted("/file?n=1000"), trusting).result.error == nil)
        let insecure = try server.address("/file?n=1000").text.replacing("?", with: "%3F")
        let (result, _) = try await fetch(wanted("/redirect?to=\(insecure)"), trusting)
        #expect(result.error?.kind == .redirectToInsecure)
    }

    @Test
    func `a configured proxy gets the request for the address`() async throws {
        let proxied = TransferSettings.forTests.with { $0.proxy = .address("http://127.0.0.1:\(server.port)") }
        let wanted = TransferRequest(try WebAddress("http://files.example/file?n=100"), to: folder.path("a.wav"))
        #expect(try await fetch(wanted, proxied).result.error == nil)
        #expect(folder.bytes("a.wav") == content(1, 100))
    }

    @Test
    func `user names and passwords come from a file, and appear nowhere else`() async throws {
        let netrc = folder.path("netrc")
        try Data("machine 127.0.0.1 login me password secret\n".utf8).write(to: URL(fileURLWithPath: netrc))
        let id = uniqueID()
        let (result, _) = try await fetch(request("/file?n=10&id=\(id)"), .forTests.with { $0.netrcPath = netrc })
        _ = try result.get()
        #expect(try await server.ask("/authorization?of=\(id)") == "Basic bWU6c2VjcmV0")
    }
}
