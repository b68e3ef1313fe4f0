import Files
// Timeouts, progress, and the regular writing of received bytes to the disk.
extension NetworkLoop {
    /// Interval between two progress events, in seconds.
    private static let progressSeconds = 0.1

    func lookAtTimes() {
        let now = MonotonicTime.seconds()
        for work in works.values {
            if let ending = work.ending {
                if now >= ending.deadline { tellEnd(work, keptBytes: ending.isDiscarding ? 0 : work.notedBytes) }
                continue
            }
            guard let exchange = work.exchange else { continue }
            switch work.phase {
            case .connecting:
                if now - exchange.startedAt > settings.answerSeconds {
                    failOrRetry(work, .timeout(exchange.address, "the server does not answer"))
                }
            case .downloading: lookAtDownload(work, exchange, now)
            case .queued, .validating, .paused, .analysing, .done, .failed, .cancelled: break
            }
        }
    }

    private func lookAtDownload(_ work: Work, _ exchange: Exchange, _ now: Double) {
        guard exchange.isPrepared else { return }
        if now - work.lastByteAt > settings.stallSeconds {
            failOrRetry(work, .timeout(exchange.address, "the server sends nothing more"))
            return
        }
        if now - work.slowSince.time >= settings.slowSeconds {
            let rate = Double(work.written - work.slowSince.bytes) / (now - work.slowSince.time)
            if rate < Double(settings.slowestBytesPerSecond) {
                failOrRetry(work, .timeout(exchange.address, "the server sends too slowly"))
                return
            }
            work.slowSince = (now, work.written)
        }
        if now - work.lastProgressAt >= Self.progressSeconds { tellProgress(work, now) }
        if !work.isNoting, work.written > work.notedBytes, now - work.lastNoteAt >= core.hooks.noteSeconds,
            let part = work.part
        {
            (work.isNoting, work.lastNoteAt, work.notedBytes) = (true, now, work.written)
            files.note(work.transfer, part, work.written)
        }
    }

    private func tellProgress(_ work: Work, _ now: Double) {
        work.lastProgressAt = now
        let progress = work.progress(now)
        work.transfer.show(progress)
        // While no bytes arrive, report the falling rate once a second until it reaches 0.
        if work.written == work.shown.bytes, work.shown.rate == 0 || now - work.shown.time < 1 { return }
        work.shown = (work.written, progress.bytesPerSecond, now)
        work.transfer.tell(.progress(progress))
    }

    /// Returns the time of the next event announced by neither a command nor a byte. The next attempts of waiting
    /// transfers are excluded.
    func nextTime() -> Double {
        let now = MonotonicTime.seconds()
        var next = now + core.hooks.idleSeconds
        for work in works.values {
            if let ending = work.ending {
                next = min(next, ending.deadline)
            } else if work.exchange != nil {
                if case .paused = work.phase { continue }
                next = min(next, now + Self.progressSeconds)
            }
        }
        return next
    }
}
