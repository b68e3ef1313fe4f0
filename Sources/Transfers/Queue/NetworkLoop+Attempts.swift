internal import CCurl
internal import Files
internal import Libraries
internal import RunLog

// Requests, and the handling of their answers.
extension NetworkLoop {
    /// Largest number of restarts. A part discarded more often belongs to a constantly changing file.
    private static let mostRestarts = 5

    /// Sends the request of a new attempt.
    func connect(_ work: Work) {
        work.retryAt = nil
        work.visited = [work.request.address]
        work.transfer.tell(.connecting(work.request.address.shown))
        if case .failure(let error) = work.range() { forget(work, error.reason) }
        send(work, to: work.request.address)
    }

    func send(_ work: Work, to address: WebAddress) {
        lastSerial += 1
        let range = work.range().flatMap { try? $0.get() }
        guard
            let exchange = Exchange(
                serial: lastSerial, address, work, range: range, settings: settings, functions: functions,
                now: MonotonicTime.seconds())
        else {
            fail(work, .unexpected(address, "there is not enough memory"))
            return
        }
        work.exchange = exchange
        let wanted = range.map { "from byte \($0.start)" } ?? "from the first byte"
        RunLog.note(.net, .debug, "\(work.transfer.id): request \(lastSerial) to \(address.shown), \(wanted)")
        exchanges[exchange.key] = exchange
        _ = unsafe curl.curl_multi_add_handle(multi, exchange.handle)
    }

    /// Restarts with the first byte.
    private func forget(_ work: Work, _ reason: RestartReason) {
        (work.written, work.record, work.notedBytes) = (0, nil, 0)
        work.transfer.tell(.restarted(reason))
    }

    /// Ends the request of a work in any state.
    func drop(_ work: Work) {
        guard let exchange = work.exchange else { return }
        work.exchange = nil
        exchanges[exchange.key] = nil
        // An old libcurl would wait here for a silent name server.
        if !exchange.leavesAtOnce, exchange.head.status == 0, !exchange.hasName {
            abandoned.append(exchange)
        } else {
            _ = unsafe curl.curl_multi_remove_handle(multi, exchange.handle)
        }
    }

    /// Notifies the work of an answer with bytes.
    func announce(_ work: Work) {
        guard let exchange = work.exchange, !exchange.isAnnounced, case .take = exchange.verdict,
            let record = exchange.record, let part = work.part, case .connecting(let connecting) = work.phase
        else { return }
        exchange.isAnnounced = true
        if exchange.rangeStart == nil || exchange.head.status == 200 {
            if let reason = exchange.restart { forget(work, reason) }
            (work.written, work.notedBytes) = (0, 0)
            (work.partType, work.hasEarlierBytes) = (record.contentType ?? "", false)
            files.prepare(work.transfer.id, exchange.serial) { () throws(TransferError) in try part.begin(record) }
        } else {
            let written = work.written
            files.prepare(work.transfer.id, exchange.serial) { () throws(TransferError) in
                try part.goOn(record, from: written)
            }
        }
        work.record = record
        enter(work, .downloading(connecting.download()))
        work.transfer.tell(.downloading(Work.answer(record, exchange.address), from: work.written))
        work.startMeasuring(MonotonicTime.seconds())
    }

    func prepared(_ work: Work, _ error: TransferError?) {
        guard let exchange = work.exchange else { return }
        if let error {
            fail(work, error)
            return
        }
        exchange.isPrepared = true
        // Exclude the time taken by the disk from the server's time.
        work.startMeasuring(MonotonicTime.seconds())
        if let code = exchange.earlyEnd { finish(exchange, code) } else { exchange.release() }
    }

    /// Handles the end of a request.
    func finish(_ exchange: Exchange, _ code: CURLcode) {
        let work = exchange.work
        if case .take = exchange.verdict, !exchange.isPrepared, code == CURLE_OK {
            exchange.earlyEnd = code
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
            let end = work.total ?? exchange.promisedEnd
            if let end, work.written < end {
                failOrRetry(work, error ?? .truncated(exchange.address, done: work.written, total: end))
            } else if let error, code != CURLE_RECV_ERROR || !exchange.isPrepared || end == nil && !work.judgesEnd {
                failOrRetry(work, error)
            } else {
                complete(work, isEndClean: error == nil || end != nil)
            }
        case .redirect: follow(work, from: exchange.address, to: redirection)
        case .again(let reason): beginAgain(work, reason)
        case .fail(let error): failOrRetry(work, error)
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
        if case .connecting = work.phase, work.ending == nil { connect(work) }
    }

    /// Returns to connecting; a paused transfer stays paused.
    private func reconnect(_ work: Work) {
        if case .downloading(let downloading) = work.phase { enter(work, .connecting(downloading.connect())) }
    }

    private func follow(_ work: Work, from address: WebAddress, to text: String?) {
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
        let isLoop = work.visited.contains(next)
        guard !isLoop, work.visited.count <= Work.mostRedirections else {
            let what = isLoop ? "the redirections form a loop" : "the address redirects too often"
            fail(
                work,
                TransferError(.redirectLoop, "\(work.request.address.shown): \(what)", remedy: "Check the address."))
            return
        }
        work.visited.append(next)
        send(work, to: next)
    }

    func failOrRetry(_ work: Work, _ error: TransferError) {
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
        if case .connecting = work.phase { work.transfer.tell(.retrying(afterSeconds: seconds, error)) }
    }
}
