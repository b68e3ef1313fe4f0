import CCurl
import Explanations
import Glibc
import Libraries
import Synchronization
import TestSupport
import Testing

@testable import Transfers

/// A request driven by a test, as otherwise by the network thread of a queue.
@safe
private final class DrivenRequest {
    let exchange: Exchange
    private let functions: LibraryFunctions<CurlFunctions>
    private let multi: UnsafeMutableRawPointer

    private var curl: CurlFunctions { unsafe functions.table.pointee }

    init(_ request: TransferRequest) throws {
        functions = try Curl.functions()
        guard let multi = unsafe functions.table.pointee.curl_multi_init() else { throw TestFailure() }
        unsafe self.multi = multi
        let work = Work(Transfer(id: 1, request, QueueCore(.forTests, TransferHooks())))
        guard
            let exchange = Exchange(
                serial: 1, [request.address], work, range: nil, settings: .forTests, functions: functions)
        else { throw TestFailure() }
        self.exchange = exchange
        _ = unsafe curl.curl_multi_add_handle(multi, exchange.handle)
    }

    deinit {
        _ = unsafe curl.curl_multi_remove_handle(multi, exchange.handle)
        _ = unsafe curl.curl_multi_cleanup(multi)
    }

    /// Runs libcurl once. Returns the result of the request; nil before its end.
    @discardableResult
    func step() -> CURLcode? {
        var count: Int32 = 0
        _ = unsafe curl.curl_multi_perform(multi, &count)
        guard let message = unsafe curl.curl_multi_info_read(multi, &count) else { return nil }
        return unsafe message.pointee.data.result
    }

    /// Runs libcurl until the request ends. Returns the result; nil if the request does not end.
    func result() -> CURLcode? {
        var code: CURLcode?
        _ = eventually {
            code = step()
            return code != nil
        }
        return code
    }
}

@Suite("Abandoned requests")
struct AbandonedRequestTests {
    let server: FaultServer
    let folder: TestFolder

    init() throws { (server, folder) = (try .shared(), try TestFolder()) }

    private func request(_ path: String) throws -> TransferRequest {
        TransferRequest(try server.address(path), to: folder.path("a"))
    }

    @Test
    func `a request abandoned before its connection opens none`() async throws {
        let id = uniqueID()
        let driven = try DrivenRequest(request("/file?n=10&id=\(id)"))
        driven.exchange.abandon()
        #expect(driven.result() == CURLE_COULDNT_CONNECT)
        #expect(try await server.requests(id).isEmpty)
    }

    @Test
    func `a request abandoned before the answer does not look at the answer`() async throws {
        let (id, gate) = (uniqueID(), uniqueID())
        let answers = Mutex(0)
        var request = try request("/late?n=10&gate=\(gate)&id=\(id)")
        request.acceptsAnswer = { _ in answers.withLock { $0 += 1 } }
        let driven = try DrivenRequest(request)
        let isSent = try await eventuallySuspended {
            driven.step()
            return try await !server.requests(id).isEmpty
        }
        try #require(isSent)
        driven.exchange.abandon()
        try await server.ask("/release?gate=\(gate)")
        #expect(driven.result() == CURLE_WRITE_ERROR)
        #expect(driven.exchange.head.status == 0 && driven.exchange.verdict == nil)
        #expect(answers.withLock { $0 } == 0)
    }

    @Test
    func `a request abandoned within the answer takes no held bytes`() throws {
        let driven = try DrivenRequest(request("/file?n=10"))
        let exchange = driven.exchange
        try #require(
            eventually {
                driven.step()
                return exchange.isHolding
            })
        exchange.abandon()
        exchange.isPrepared = true
        exchange.release()
        driven.step()
        guard case .take = exchange.verdict else { throw TestFailure() }
        #expect(exchange.work.bytes.count == 0)
    }
}

@Suite("Requests without a free descriptor")
struct FullRequestTests {
    @Test(.enabled(if: !Sanitizers.watchThreads))
    func `a request that can open no socket names the limit of open files, not the network`() async {
        // In a separate process, which may open nothing more.
        await #expect(processExitsWith: .success) {
            let driven = try DrivenRequest(TransferRequest(WebAddress("http://127.0.0.1:9/a"), to: "/nonexistent/a"))
            guard waitForRuntimeDescriptors() else { exit(6) }
            var limit = rlimit()
            guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(1) }
            limit.rlim_cur = min(limit.rlim_cur, 256)
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(2) }
            // The runtime closes some descriptors a moment later: take the freed descriptors, too.
            var code: CURLcode?
            _ = eventually {
                while dup(0) >= 0 {}
                code = driven.step()
                return code != nil
            }
            guard code == CURLE_COULDNT_CONNECT else { exit(3) }
            let error = driven.exchange.error(CURLE_COULDNT_CONNECT)
            guard error.message == "http://127.0.0.1:9/a: the process may open no more files" else { exit(4) }
            guard error.exitStatus == .tryAgain, error.remedy == SystemLimit.files.remedy else { exit(5) }
        }
    }
}
