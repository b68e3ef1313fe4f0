internal import CCurl
internal import Files
internal import Glibc
internal import Libraries
internal import Realtime

/// The network thread: carries out commands, runs libcurl, and checks timeouts. The thread exists while there are
/// transfers.
///
/// The thread waits for the network, and for writes into the system's page cache. `FileWork` does the work that waits
/// for the disk itself.
@safe
final class NetworkLoop: @unchecked Sendable {
    /// The core, which retains this loop until the thread ends.
    let core: QueueCore
    let settings: TransferSettings
    let functions: LibraryFunctions<CurlFunctions>
    let multi: UnsafeMutableRawPointer
    let files: FileWork
    var works: [Int: Work] = [:]
    /// Exchanges in progress, by libcurl's handle.
    var exchanges: [Int: Exchange] = [:]
    /// True if a change since the last scheduling may let a transfer begin.
    var mayBegin = false
    /// Earliest start of the next waiting attempt, as of the last scheduling.
    private var nextRetryAt = Double.infinity
    /// Time of the last check of timeouts, and time of the next check. A command can bring the next check forward.
    private var (lastLook, wakeAt) = (0.0, 0.0)
    var lastSerial = 0
    /// Requests of ended transfers whose server names are still being resolved.
    var abandoned: [Exchange] = []

    var curl: CurlFunctions { unsafe functions.table.pointee }

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
        case .resume(let id): for work in chosen(id) { resume(work) }
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
            if case .analysing = work.phase { break }
            if let error, work.ending == nil { fail(work, error) }
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

    func enter(_ work: Work, _ phase: Phase) {
        mayBegin = true
        work.phase = phase
        work.transfer.show(phase.state)
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
            switch work.phase {
            case .validating, .downloading, .analysing: return true
            case .connecting: return work.exchange != nil
            case .queued, .paused, .done, .failed, .cancelled: return false
            }
        }
        func wantsTurn(_ work: Work) -> Bool {
            if work.ending != nil { return false }
            switch work.phase {
            case .queued: return true
            case .connecting: return work.exchange == nil && (work.retryAt ?? 0) <= now
            case .paused: return work.wantsToGoOn
            case .validating, .downloading, .analysing, .done, .failed, .cancelled: return false
            }
        }
        let waiting = works.values.filter(wantsTurn)
            .sorted { ($1.priority, $0.transfer.id) < ($0.priority, $1.transfer.id) }
        if waiting.isEmpty { return }
        var active = works.values.filter(isActive)
        for work in waiting {
            if active.count >= max(1, settings.limit) { return }
            let sameHost = active.count { other in
                if case .analysing = other.phase { false } else { other.host == work.host }
            }
            if sameHost >= max(1, settings.limitPerHost) { continue }
            begin(work)
            if isActive(work) { active.append(work) }
        }
    }

    private func begin(_ work: Work) {
        switch work.phase {
        case .queued(let queued):
            if work.part != nil {
                enter(work, .connecting(queued.validate().connect()))
                connect(work)
                return
            }
            enter(work, .validating(queued.validate()))
            files.open(work.transfer)
        case .connecting: connect(work)
        case .paused(let paused):
            (work.wantsToGoOn, work.isHeld) = (false, false)
            work.transfer.tell(.resumed)
            if let exchange = work.exchange {
                enter(work, .downloading(paused.download()))
                work.startMeasuring(MonotonicTime.seconds())
                exchange.release()
            } else if work.part == nil {
                enter(work, .queued(paused.queue()))
                begin(work)
            } else {
                enter(work, .connecting(paused.connect()))
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
        guard case .validating(let validating) = work.phase else { return }
        switch beginning {
        case .anew(let reason):
            if let reason { work.transfer.tell(.restarted(reason)) }
        case .goingOn(let bytes):
            (work.written, work.record, work.notedBytes) = (bytes, part.record, bytes)
            (work.partType, work.hasEarlierBytes) = (part.record.contentType ?? "", true)
        case .complete, .named:
            work.record = part.record
            work.written = part.record.durableBytes
            (work.partType, work.hasEarlierBytes) = (part.record.contentType ?? "", true)
            analyse(work, validating.analyse(), isNamed: beginning == .named)
            return
        }
        let connecting = validating.connect()
        if work.isPauseWanted {
            enter(work, .paused(connecting.pause()))
            work.transfer.tell(.paused)
        } else {
            enter(work, .connecting(connecting))
            connect(work)
        }
    }
}
