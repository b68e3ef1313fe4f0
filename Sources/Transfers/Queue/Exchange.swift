internal import CCurl
internal import Explanations
internal import Libraries

/// A request and the answer to it. The head of the answer decides the use of its body.
///
/// Only the network thread uses an exchange; libcurl calls it during `curl_multi_perform`.
@safe
final class Exchange {
    let serial: Int
    /// The requested address, then each redirection up to the address asked here. Never empty.
    let addresses: [WebAddress]
    let work: Work
    /// Requested first byte of the answer; nil if the whole file was requested.
    let rangeStart: Int64?
    private let functions: LibraryFunctions<CurlFunctions>
    let handle: UnsafeMutableRawPointer
    private var fields: UnsafeMutablePointer<curl_slist>?
    private let memory = HandleMemory()

    private(set) var head = ResponseHead()
    private(set) var verdict: ReceivedBytes.Verdict?
    /// True if the part is ready for the body.
    var isPrepared = false
    /// True if libcurl holds bytes back at our request.
    private(set) var isHolding = false
    /// True if the whole body arrived before the part was ready.
    var hasEnded = false
    /// Bytes received earlier, which the server must repeat at the beginning of this answer.
    private var overlap: ArraySlice<UInt8>
    private var ignoredBytes = 0

    /// Largest ignored body of a redirection, in bytes. A longer body is not even received.
    private static let longestIgnored = 1 << 16

    private var curl: CurlFunctions { unsafe functions.table.pointee }

    /// Creates an exchange; nil if there is no memory.
    init?(
        serial: Int, _ addresses: [WebAddress], _ work: Work,
        range: (start: Int64, overlap: [UInt8], validator: String)?, settings: TransferSettings,
        functions: LibraryFunctions<CurlFunctions>
    ) {
        guard let handle = unsafe functions.table.pointee.curl_easy_init() else { return nil }
        unsafe self.handle = handle
        (self.serial, self.addresses, self.work, self.functions) = (serial, addresses, work, functions)
        rangeStart = range?.start
        overlap = range?.overlap[...] ?? []
        // Send the caller's headers to the first server only: a header could be a secret of this server.
        let isFirst = address.host == work.request.address.host && address.port == work.request.address.port
        let extra = isFirst ? work.request.headers.map { "\($0.name): \($0.value)" } : []
        for line in ["Accept-Encoding: identity"] + extra
            + (range.map { ["Range: bytes=\($0.start)-", "If-Range: \($0.validator)"] } ?? work.request.conditions)
        {
            unsafe fields = unsafe functions.table.pointee.curl_slist_append(fields, line) ?? fields
        }
        setUp(settings)
    }

    deinit {
        unsafe curl.curl_easy_cleanup(handle)
        unsafe curl.curl_slist_free_all(fields)
    }

    private func setUp(_ settings: TransferSettings) {
        let table = unsafe functions.table
        func set(_ option: CURLoption, _ value: Int) { _ = unsafe curl_set_number(table, handle, option, value) }
        func set(_ option: CURLoption, _ text: String) { _ = unsafe curl_set_text(table, handle, option, text) }
        set(CURLOPT_URL, address.text)
        set(CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS))
        // The loop checks each redirection before following it.
        set(CURLOPT_FOLLOWLOCATION, 0)
        // A connection carries a single file at a time, so a newer HTTP version would add only more causes of failure.
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_QUICK_EXIT, 1)
        // libcurl's own timeout would wait for a name server; the loop's timeout does not.
        set(CURLOPT_CONNECTTIMEOUT, 86_400)
        set(CURLOPT_BUFFERSIZE, 1 << 18)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_USERAGENT, settings.userAgent)
        set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL))
        if let path = settings.netrcPath { set(CURLOPT_NETRC_FILE, path) }
        if let path = settings.certificatesPath { set(CURLOPT_CAINFO, path) }
        switch settings.proxy {
        case .system: break
        case .none: set(CURLOPT_PROXY, "")
        case .address(let proxy): set(CURLOPT_PROXY, proxy)
        }
        _ = unsafe curl_set_pointer(table, handle, CURLOPT_HTTPHEADER, fields)
        _ = unsafe curl_set_pointer(table, handle, CURLOPT_ERRORBUFFER, memory.errorWords)
        _ = unsafe curl_keep_sockets_private(table, handle, memory.sockets)
        // The loop retains this object for as long as libcurl knows the handle.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        _ = unsafe curl_set_pointer(table, handle, CURLOPT_HEADERDATA, context)
        _ = unsafe curl_set_pointer(table, handle, CURLOPT_WRITEDATA, context)
        _ = unsafe curl_set_receiver(table, handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            unsafe Exchange.of(context)?.receiveHead(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
        _ = unsafe curl_set_receiver(table, handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            unsafe Exchange.of(context)?.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
    }

    /// Returns the exchange of a callback; nil if the request is abandoned.
    private static func of(_ context: UnsafeMutableRawPointer?) -> Exchange? {
        guard let context = unsafe context else { return nil }
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
        return unsafe exchange.memory.sockets.pointee.is_abandoned ? nil : exchange
    }

    // MARK: What libcurl calls

    private func receiveHead(_ line: UnsafeRawBufferPointer) -> Int {
        guard unsafe head.take(line) else {
            verdict = .fail(.unexpected(address, "the head of the server's answer never ends"))
            return 0
        }
        if head.isComplete, verdict == nil {
            verdict = work.bytes.verdict(head, from: address, start: rangeStart, for: work.request) {
                work.part?.freeBytes
            }
            // The whole file: no bytes to compare.
            if !isRest { overlap = [] }
        }
        switch verdict {
        case nil, .take, .redirect: return line.count
        case .again, .fail: return 0
        }
    }

    private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard case .take = verdict else {
            ignoredBytes += bytes.count
            guard case .redirect = verdict, ignoredBytes <= Self.longestIgnored else { return 0 }
            return bytes.count
        }
        if !isPrepared || work.isPaused {
            isHolding = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        var bytes = unsafe bytes
        let whole = bytes.count
        if !overlap.isEmpty {
            let count = min(overlap.count, bytes.count)
            guard unsafe bytes[..<count].elementsEqual(overlap.prefix(count)) else {
                verdict = .again(.otherBytes)
                return 0
            }
            overlap = overlap.dropFirst(count)
            unsafe bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
        }
        if unsafe !bytes.isEmpty, let verdict = unsafe work.receive(bytes, from: address) {
            self.verdict = verdict
            return 0
        }
        return whole
    }

    // MARK: For the loop

    var address: WebAddress { addresses[addresses.count - 1] }

    /// The handle, as a dictionary key.
    var key: Int { unsafe Int(bitPattern: handle) }

    /// Makes every later callback refuse: the request opens no connection, and takes no byte of an answer. Call before
    /// the work ends or sends another request; libcurl may call back until the handle is removed, and while it is.
    func abandon() { unsafe memory.sockets.pointee.is_abandoned = true }

    /// Releases held bytes, if nothing holds them any more.
    func release() {
        guard isHolding, isPrepared, !work.isPaused else { return }
        isHolding = false
        _ = unsafe curl.curl_easy_pause(handle, Int32(CURLPAUSE_CONT))
    }

    /// True if libcurl can abandon a look-up at a silent name server.
    var leavesAtOnce: Bool { unsafe curl_set_number(functions.table, handle, CURLOPT_QUICK_EXIT, 1) == CURLE_OK }

    /// True if the name of the server has been resolved.
    var hasName: Bool {
        var seconds = 0.0
        _ = unsafe curl_get_seconds(functions.table, handle, CURLINFO_NAMELOOKUP_TIME, &seconds)
        return seconds > 0
    }

    /// True if the answer brings the requested rest of the file.
    var isRest: Bool { rangeStart != nil && head.status == 206 }

    /// End of the body as stated by the head, an offset in the file; nil if the head does not say.
    var promisedEnd: Int64? { isRest ? head.contentRange.map { $0.last + 1 } : nil }

    /// Target of the redirection; nil if the answer does not say.
    var redirection: String? {
        var text: UnsafePointer<CChar>?
        guard unsafe curl_get_text(functions.table, handle, CURLINFO_REDIRECT_URL, &text) == CURLE_OK else {
            return nil
        }
        return unsafe text.map { unsafe String(cString: $0) }
    }

    /// Returns the error for a result code of libcurl.
    func error(_ code: CURLcode) -> TransferError {
        var failed = 0
        _ = unsafe curl_get_number(functions.table, handle, CURLINFO_OS_ERRNO, &failed)
        let words = unsafe String(cString: memory.errorWords)
        let refused = unsafe memory.sockets.pointee.error
        // A family of addresses that the system lacks is no cause: the other family may have failed.
        let system = SystemLimit(errno: refused) == nil ? Int32(truncatingIfNeeded: failed) : refused
        return Curl.error(
            code, system: system, words: words, address: address,
            hasAnswered: head.status > 0, done: work.bytes.count, total: work.bytes.total)
    }
}

/// Memory for libcurl and for the callbacks in C; lives as long as the handle.
@safe
private final class HandleMemory {
    /// libcurl's message for the last error.
    let errorWords: UnsafeMutablePointer<CChar>
    let sockets: UnsafeMutablePointer<CurlSocketState>

    init() {
        unsafe errorWords = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorWords.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe sockets = .allocate(capacity: 1)
        unsafe sockets.initialize(to: CurlSocketState(is_abandoned: false, error: 0))
    }

    deinit {
        unsafe errorWords.deallocate()
        unsafe sockets.deallocate()
    }
}
