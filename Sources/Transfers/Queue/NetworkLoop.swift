internal import CCurl
internal import Files
internal import Glibc
internal import Libraries
internal import Realtime
internal import RunLog

/// The network thread: carries out commands, runs libcurl, and checks timeouts. The thread exists while there are
/// transfers.
///
/// The thread waits for the network, and for writes into the system's page cache. `FileWork` does the work that waits
/// for the disk itself.
@safe
final class NetworkLoop: @unchecked Sendable {
    /// The core, which retains this loop until the thread ends.
    private let core: QueueCore
    private let settings: TransferSettings
    private let functions: LibraryFunctions<CurlFunctions>
    private let multi: UnsafeMutableRawPointer
    private let files: FileWork
    private var works: [Int: Work] = [:]
    /// Exchanges in progress, by libcurl's handle.
    private var exchanges: [Int: Exchange] = [:]
    /// True if a change since the last scheduling may let a transfer begin.
    private var mayBegin = false
    /// Earliest start of the next waiting attempt, as of the last scheduling.
    private var nextRetryAt = Double.infinity
    /// Time of the last check of timeouts, and time of the next check. A command can bring the next check forward.
    private var (lastLook, wakeAt) = (0.0, 0.0)
    private var lastSerial = 0
    /// Requests of ended transfers whose server names are still being resolved.
    private var abandoned: [Exchange] = []

    private var curl: CurlFunctions { unsafe functions.table.pointee }

    /// Creates a loop; nil if there is no memory or no thread.
    init?(_ core: QueueCore, _ functions: LibraryFunctions<CurlFunctions>) {
        guard let files = FileWork(core) else { return nil }
        guard let multi = unsafe functions.table.pointee.curl_multi_init() else {
            files.end()
            return nil
        }
        unsafe self.multi = multi
        (self.core, self.functions, self.files) = (core, functions, files)
        settings = core.settings
    }

    deinit { _ = unsafe curl.curl_multi_cleanup(multi) }

    /// Starts the thread; returns false if the system has none.
    func start() -> Bool {
        guard let thread = PlainThread(name: "woodshed-fetch", { [self] in run() }) else {
            files.end()
            return false
        }
        thread.detach()
        return true
    }

    /// Ends a wait of the thread. Any thread may call this function while the core retains the loop.
    func wake() { _ = unsafe curl.curl_multi_wakeup(multi) }

    private func run() {
        // Block SIGPIPE and the other signals: a server closing a connection early must not end the program.
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] { unsafe sigdelset(&signals, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        // libcurl converts non-ASCII server names by the locale. The default locale knows ASCII alone unless the
        // program sets another.
        let locale = unsafe newlocale(1 << LC_CTYPE, "C.UTF-8", nil)
        let before = unsafe uselocale(locale)
        defer {
            _ = unsafe uselocale(before)
            if let locale = unsafe locale { unsafe freelocale(locale) }
        }
        while let commands = core.take(isIdle: works.isEmpty) {
            for command in commands { carryOut(command) }
            schedule()
            var running: Int32 = 0
            _ = unsafe curl.curl_multi_perform(multi, &running)
            for exchange in exchanges.values { announce(exchange.work) }
            readResults()
            let now = MonotonicTime.seconds()
            // With thousands of waiting transfers, this check takes longer than receiving some bytes.
            if mayBegin || now - lastLook >= 0.01 {
                lastLook = now
                lookAtTimes()
                schedule()
                wakeAt = nextTime()
            }
            if works.isEmpty { continue }
            let milliseconds = Int32(max(0, ((min(wakeAt, nextRetryAt) - MonotonicTime.seconds()) * 1000).rounded(.up)))
            _ = unsafe curl.curl_multi_poll(multi, nil, 0, milliseconds, nil)
        }
        files.end()
        for exchange in abandoned { _ = unsafe curl.curl_multi_remove_handle(multi, exchange.handle) }
    }

    private func readResults() {
        var left: Int32 = 0
        var results: [(UnsafeMutableRawPointer?, CURLcode)] = unsafe []
        while let message = unsafe curl.curl_multi_info_read(multi, &left) {
            if unsafe message.pointee.msg == CURLMSG_DONE {
                unsafe results.append((message.pointee.easy_handle, message.pointee.data.result))
            }
        }
        for unsafe(handle, code) in unsafe results {
            if let index = abandoned.firstIndex(where: { unsafe $0.handle == handle }) {
                _ = unsafe curl.curl_multi_remove_handle(multi, handle)
                abandoned.remove(at: index)
            } else if let exchange = exchanges[Int(bitPattern: handle)] {
                announce(exchange.work)
                finish(exchange, code)
            }
        }
    }

    // MARK: Commands

    private func carryOut(_ command: Command) {
        (mayBegin, lastLook) = (true, 0)
        switch command {
        case .add(let transfer):
            let work = Work(transfer)
            works[transfer.id] = work
            transfer.tell(.queued)
        case .pause(let id): for work in chosen(id) { pause(work) }
        case .resume(let id): for work in chosen(id) { work.isPauseWanted = false }
        case .cancel(let id, let discarding):
            for work in chosen(id) where work.ending == nil { cancel(work, discarding: discarding) }
        case .priority(let id, let priority): works[id]?.priority = priority
        case .opened(let transfer, let part, let beginning): opened(transfer, part, beginning)
        case .notOpened(let id, let error):
            guard let work = works[id] else { break }
            fail(work, error)
            tellEnd(work, keptBytes: 0)
        case .prepared(let id, let serial, let error):
            if let work = works[id], work.exchange?.serial == serial { prepared(work, error) }
        case .noted(let id, let error):
            guard let work = works[id] else { break }
            work.isNoting = false
            // A complete part belongs to its checking thread, which finds the same error.
            if let error, work.state != .analysing { fail(work, error) }
        case .settled(let id, let keptBytes): if let work = works[id] { tellEnd(work, keptBytes: keptBytes) }
        case .checked(let id, let result, let keptBytes): checked(id, result, keptBytes: keptBytes)
        case .cutOff(let transfer, let part, let error): cutOff(transfer, part, error)
        }
    }

    /// Returns the transfers of a command. For nil, returns all transfers by ascending number.
    private func chosen(_ id: Int?) -> [Work] {
        if let id { return works[id].map { [$0] } ?? [] }
        return works.values.sorted { $0.transfer.id < $1.transfer.id }
    }

    private func enter(_ work: Work, _ state: TransferState) {
        mayBegin = true
        work.transfer.enter(state)
    }

    // MARK: Beginning

    /// Starts or resumes as many transfers as the limits permit.
    private func schedule() {
        let now = MonotonicTime.seconds()
        if !mayBegin, now < nextRetryAt { return }
        mayBegin = false
        nextRetryAt = works.values.compactMap(\.retryAt).filter { $0 > now }.min() ?? .infinity
        func isActive(_ work: Work) -> Bool {
            if work.ending != nil { return false }
            switch work.state {
            case .validating, .downloading, .analysing: return true
            case .connecting: return work.exchange != nil
            case .queued, .paused, .done, .failed, .cancelled: return false
            }
        }
        func wantsTurn(_ work: Work) -> Bool {
            if work.ending != nil { return false }
            switch work.state {
            case .queued: return true
            case .connecting: return work.exchange == nil && (work.retryAt ?? 0) <= now
            case .paused: return !work.isPauseWanted
            case .validating, .downloading, .analysing, .done, .failed, .cancelled: return false
            }
        }
        var active = works.values.filter(isActive)
        var isFull: Bool { active.count >= max(1, settings.limit) }
        func hasRoom(_ work: Work) -> Bool {
            let sameHost = active.count { $0.state != .analysing && $0.host == work.host }
            return sameHost < max(1, settings.limitPerHost)
        }
        func isBefore(_ one: Work, _ other: Work) -> Bool {
            (other.priority, one.transfer.id) < (one.priority, other.transfer.id)
        }
        if isFull { return }
        var waiting = works.values.filter(wantsTurn)
        // Only a few may begin, and sorting thousands would take longer than receiving a file.
        while !isFull, let work = waiting.filter(hasRoom).min(by: isBefore) {
            waiting.removeAll { $0 === work }
            begin(work)
            if isActive(work) { active.append(work) }
        }
    }

    private func begin(_ work: Work) {
        switch work.state {
        case .queued:
            enter(work, .validating)
            files.open(work.transfer)
        case .connecting: connect(work)
        case .paused:
            work.transfer.tell(.resumed)
            if let exchange = work.exchange {
                enter(work, .downloading)
                work.startMeasuring()
                exchange.release()
            } else if work.part == nil {
                enter(work, .queued)
                begin(work)
            } else {
                enter(work, .connecting)
                connect(work)
            }
        case .validating, .downloading, .analysing, .done, .failed, .cancelled: break
        }
    }

    private func opened(_ transfer: Transfer, _ part: PartFile, _ beginning: PartFile.Beginning) {
        guard let work = works[transfer.id] else {
            // The end was reported at the deadline.
            files.settle(nil, part, written: 0, isDiscarding: transfer.isDiscarding)
            return
        }
        work.part = part
        if let ending = work.ending {
            files.settle(transfer.id, part, written: 0, isDiscarding: ending.isDiscarding)
            return
        }
        guard work.state == .validating else { return }
        switch beginning {
        case .anew(let reason):
            if let reason { work.transfer.tell(.restarted(reason)) }
        case .goingOn: work.bytes = ReceivedBytes(part.record)
        case .complete, .named:
            work.bytes = ReceivedBytes(part.record)
            analyse(work, isNamed: beginning == .named)
            return
        }
        if work.isPauseWanted {
            enter(work, .paused)
            work.transfer.tell(.paused)
        } else {
            enter(work, .connecting)
            connect(work)
        }
    }

    // MARK: Requests

    /// Largest number of restarts. A part discarded more often belongs to a constantly changing file.
    private static let mostRestarts = 5

    /// Largest number of redirections followed.
    private static let mostRedirections = 10

    /// Sends the request of a new attempt.
    private func connect(_ work: Work) {
        work.retryAt = nil
        // All redirections of an attempt share one timeout: each server of a chain could use up another.
        work.startMeasuring()
        work.transfer.tell(.connecting(work.request.address.shown))
        send(work, along: [work.request.address])
    }

    /// Asks the last of some addresses, each of which redirects to the next.
    private func send(_ work: Work, along addresses: [WebAddress]) {
        lastSerial += 1
        var range: (start: Int64, overlap: [UInt8], validator: String)?
        do throws(RestartReason) {
            range = try work.bytes.range { offset, count in work.part?.bytes(at: offset, count: count) }
        } catch { forget(work, error) }
        guard
            let exchange = Exchange(
                serial: lastSerial, addresses, work, range: range, settings: settings, functions: functions)
        else {
            fail(work, .unexpected(addresses[addresses.count - 1], "there is not enough memory"))
            return
        }
        work.exchange = exchange
        let wanted = range.map { "from byte \($0.start)" } ?? "from the first byte"
        RunLog.note(.net, .debug, "\(work.transfer.id): request \(lastSerial) to \(exchange.address.shown), \(wanted)")
        exchanges[exchange.key] = exchange
        _ = unsafe curl.curl_multi_add_handle(multi, exchange.handle)
    }

    /// Restarts with the first byte.
    private func forget(_ work: Work, _ reason: RestartReason) {
        work.bytes.forget()
        work.transfer.tell(.restarted(reason))
    }

    /// Ends the request of a work in any state.
    private func drop(_ work: Work) {
        guard let exchange = work.exchange else { return }
        work.exchange = nil
        exchanges[exchange.key] = nil
        exchange.abandon()
        // An old libcurl would wait here for a silent name server.
        if !exchange.leavesAtOnce, exchange.head.status == 0, !exchange.hasName {
            abandoned.append(exchange)
        } else {
            _ = unsafe curl.curl_multi_remove_handle(multi, exchange.handle)
        }
    }

    /// Notifies the work of an answer with bytes.
    private func announce(_ work: Work) {
        guard let exchange = work.exchange, case .take(let record, let restart) = exchange.verdict,
            let part = work.part, work.state == .connecting
        else { return }
        if exchange.isRest {
            let count = work.bytes.count
            work.bytes.goOn(record)
            files.prepare(work.transfer.id, exchange.serial) { () throws(TransferError) in
                try part.goOn(record, from: count)
            }
        } else {
            if let restart { forget(work, restart) }
            work.bytes.begin(record)
            files.prepare(work.transfer.id, exchange.serial) { () throws(TransferError) in try part.begin(record) }
        }
        enter(work, .downloading)
        work.transfer.tell(.downloading(record.answer(from: exchange.address), from: work.bytes.count))
        work.startMeasuring()
    }

    private func prepared(_ work: Work, _ error: TransferError?) {
        guard let exchange = work.exchange else { return }
        if let error {
            fail(work, error)
            return
        }
        exchange.isPrepared = true
        // Exclude the time taken by the disk from the server's time.
        work.startMeasuring()
        if exchange.hasEnded { finish(exchange, CURLE_OK) } else { exchange.release() }
    }

    /// Handles the end of a request.
    private func finish(_ exchange: Exchange, _ code: CURLcode) {
        let work = exchange.work
        if case .take = exchange.verdict, !exchange.isPrepared, code == CURLE_OK {
            exchange.hasEnded = true
            return
        }
        // libcurl gives no address unless it received the whole body, and the body may be anything.
        let redirection = exchange.redirection ?? exchange.head.value("location")
        let error = code == CURLE_OK ? nil : exchange.error(code)
        RunLog.note(.net, .debug, exchange.logText)
        work.exchange = nil
        exchanges[exchange.key] = nil
        _ = unsafe curl.curl_multi_remove_handle(multi, exchange.handle)
        switch exchange.verdict {
        case .take:
            let end = work.bytes.total ?? exchange.promisedEnd
            if let end, work.bytes.count < end {
                failOrRetry(work, error ?? .truncated(exchange.address, done: work.bytes.count, total: end))
            } else if let error, code != CURLE_RECV_ERROR || !exchange.isPrepared || end == nil && !work.judgesEnd {
                failOrRetry(work, error)
            } else {
                analyse(work, isEndClean: error == nil || end != nil)
            }
        case .redirect: follow(work, exchange.addresses, to: redirection)
        case .again(let reason): beginAgain(work, reason)
        case .fail(let error, isUseless: true): fail(work, error, isDiscarding: true)
        case .fail(let error, isUseless: false): failOrRetry(work, error)
        case nil: failOrRetry(work, error ?? .unexpected(exchange.address, "the server's answer cannot be understood"))
        }
    }

    private func beginAgain(_ work: Work, _ reason: RestartReason) {
        work.restarts += 1
        forget(work, reason)
        guard work.restarts <= Self.mostRestarts else {
            fail(
                work,
                TransferError(
                    .changedOnServer,
                    "\(work.request.address.shown): the file changes on the server while it is fetched (\(reason.words))",
                    remedy: "Try again later."))
            return
        }
        reconnect(work)
        if work.state == .connecting { connect(work) }
    }

    /// Returns to connecting; a paused transfer stays paused.
    private func reconnect(_ work: Work) {
        if work.state == .downloading { enter(work, .connecting) }
    }

    private func follow(_ work: Work, _ addresses: [WebAddress], to text: String?) {
        let address = addresses[addresses.count - 1]
        guard let text, let next = try? WebAddress(text) else {
            fail(work, .unexpected(address, "the address redirects to an address that cannot be fetched"))
            return
        }
        guard next.isSecure || !address.isSecure else {
            fail(
                work,
                TransferError(
                    .redirectToInsecure,
                    "\(address.shown): the encrypted address redirects to an unencrypted address, \(next.shown)",
                    remedy: "Fetch the unencrypted address if you trust the network."))
            return
        }
        let isLoop = addresses.contains(next)
        guard !isLoop, addresses.count <= Self.mostRedirections else {
            let what = isLoop ? "the redirections form a loop" : "the address redirects too often"
            fail(
                work,
                TransferError(.redirectLoop, "\(work.request.address.shown): \(what)", remedy: "Check the address."))
            return
        }
        send(work, along: addresses + [next])
    }

    private func failOrRetry(_ work: Work, _ error: TransferError) {
        let isOffline = settings.waitsForNetwork && error.isOffline
        guard isOffline || error.isPassing && work.failures < settings.retries else {
            fail(work, error)
            return
        }
        work.failures += 1
        var random = SystemRandomNumberGenerator()
        var seconds = settings.waitSeconds(afterFailures: work.failures, using: &random)
        if let asked = error.retryAfterSeconds {
            guard Double(asked) <= settings.longestWaitSeconds else {
                fail(work, error)
                return
            }
            seconds = max(seconds, Double(asked))
        }
        drop(work)
        reconnect(work)
        work.retryAt = MonotonicTime.seconds() + seconds
        mayBegin = true
        if work.state == .connecting { work.transfer.tell(.retrying(afterSeconds: seconds, error)) }
    }

    // MARK: Pausing

    private func pause(_ work: Work) {
        guard work.ending == nil else { return }
        work.isPauseWanted = true
        switch work.state {
        // The connection stays open, but libcurl stops reading from it.
        case .downloading: break
        case .queued, .connecting:
            drop(work)
            work.retryAt = nil
        // A file being opened or checked is paused afterwards, if bytes are missing.
        case .validating, .analysing, .paused, .done, .failed, .cancelled: return
        }
        enter(work, .paused)
        work.transfer.tell(.paused)
    }

    // MARK: Completing

    /// Starts the check once all bytes are present.
    ///
    /// - Parameters:
    ///   - isEndClean: False if the connection ended in an error. Only the content can then prove its completeness.
    ///   - isNamed: True if an earlier run has already named the file.
    private func analyse(_ work: Work, isEndClean: Bool = true, isNamed: Bool = false) {
        guard let part = work.part else { return }
        work.bytes.complete()
        let progress = work.meter.progress(work.bytes.count, of: work.bytes.total, at: MonotonicTime.seconds())
        work.transfer.show(progress)
        work.transfer.tell(.progress(progress))
        enter(work, .analysing)
        work.transfer.tell(.analysing)
        files.check(
            work.transfer, part, byteCount: work.bytes.count, isEndClean: isEndClean, isNamed: isNamed)
    }

    private func checked(_ id: Int, _ result: Result<FetchedFile, TransferError>, keptBytes: Int64) {
        guard let work = works[id], work.state == .analysing else { return }
        switch result {
        case .success(let file):
            enter(work, .done)
            works[id] = nil
            work.transfer.end(result, .finished(file))
        case .failure(let error):
            work.ending = (error.kind == .cancelled ? nil : error, false, 0)
            tellEnd(work, keptBytes: keptBytes)
        }
    }

    /// Retries after the connection ended before the file. The next attempt brings the rest, or the same bytes again.
    private func cutOff(_ transfer: Transfer, _ part: PartFile, _ error: TransferError) {
        guard let work = works[transfer.id], work.ending == nil, work.state == .analysing else {
            // The end was reported meanwhile.
            files.settle(nil, part, written: 0, isDiscarding: transfer.isDiscarding)
            return
        }
        work.bytes.reopen(part.record)
        enter(work, .connecting)
        failOrRetry(work, error)
        if work.isPauseWanted { pause(work) }
    }

    // MARK: Failing and cancelling

    /// Deadline for reporting the end of a cancelled transfer, in seconds. Like `settleSeconds`, the deadline of a
    /// failed transfer, it holds however long the disk takes.
    private static let cancelSeconds = 0.15

    private func fail(_ work: Work, _ error: TransferError, isDiscarding: Bool = false) {
        guard work.ending == nil else { return }
        drop(work)
        let deadline = MonotonicTime.seconds() + settings.settleSeconds
        work.ending = (error.kind == .cancelled ? nil : error, isDiscarding, deadline)
        settle(work, isDiscarding: isDiscarding)
    }

    private func cancel(_ work: Work, discarding: Bool) {
        guard work.ending == nil, work.transfer.giveUp(discarding: discarding) else { return }
        drop(work)
        work.ending = (nil, discarding, MonotonicTime.seconds() + Self.cancelSeconds)
        if work.state == .analysing {
            // The checking thread closes the part.
            tellEnd(work, keptBytes: discarding ? 0 : work.bytes.count)
        } else {
            settle(work, isDiscarding: discarding)
        }
    }

    private func settle(_ work: Work, isDiscarding: Bool) {
        if let part = work.part {
            files.settle(work.transfer.id, part, written: work.bytes.count, isDiscarding: isDiscarding)
        } else if work.state == .validating {
            // The part is being opened.
        } else {
            tellEnd(work, keptBytes: 0)
        }
    }

    /// Reports the decided end.
    private func tellEnd(_ work: Work, keptBytes: Int64) {
        guard let ending = work.ending, !work.state.isLast else { return }
        works[work.transfer.id] = nil
        if let error = ending.error {
            enter(work, .failed)
            work.transfer.end(.failure(error), .failed(error, keptBytes: keptBytes))
        } else {
            enter(work, .cancelled)
            work.transfer.end(.failure(.cancelled), .cancelled(keptBytes: keptBytes))
        }
    }

    // MARK: Times

    private func lookAtTimes() {
        let now = MonotonicTime.seconds()
        for work in works.values {
            if let ending = work.ending {
                if now >= ending.deadline { tellEnd(work, keptBytes: ending.isDiscarding ? 0 : work.bytes.notedCount) }
                continue
            }
            guard let exchange = work.exchange else { continue }
            switch work.state {
            case .connecting:
                if now - work.meter.waitingSince > settings.answerSeconds {
                    failOrRetry(work, .timeout(exchange.address, "the server does not answer"))
                }
            case .downloading: lookAtDownload(work, exchange, now)
            case .queued, .validating, .paused, .analysing, .done, .failed, .cancelled: break
            }
        }
    }

    private func lookAtDownload(_ work: Work, _ exchange: Exchange, _ now: Double) {
        guard exchange.isPrepared else { return }
        if let fault = work.meter.fault(work.bytes.count, at: now, settings) {
            failOrRetry(work, .timeout(exchange.address, fault))
            return
        }
        if work.meter.isDue(at: now) {
            let progress = work.meter.progress(work.bytes.count, of: work.bytes.total, at: now)
            work.transfer.show(progress)
            if work.meter.tells(progress, at: now) { work.transfer.tell(.progress(progress)) }
        }
        if !work.isNoting, work.bytes.count > work.bytes.notedCount, now - work.lastNoteAt >= core.hooks.noteSeconds,
            let part = work.part
        {
            (work.isNoting, work.lastNoteAt, work.bytes.notedCount) = (true, now, work.bytes.count)
            files.note(work.transfer, part, work.bytes.count)
        }
    }

    /// Returns the time of the next event announced by neither a command nor a byte. The next attempts of waiting
    /// transfers are excluded.
    private func nextTime() -> Double {
        let now = MonotonicTime.seconds()
        var next = now + core.hooks.idleSeconds
        for work in works.values {
            if let ending = work.ending {
                next = min(next, ending.deadline)
            } else if work.exchange != nil {
                if work.isPaused { continue }
                next = min(next, now + ProgressMeter.interval)
            }
        }
        return next
    }
}
