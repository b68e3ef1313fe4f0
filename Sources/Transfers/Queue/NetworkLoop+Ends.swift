import Files
// Pausing and ending transfers.
extension NetworkLoop {
    // MARK: Pausing

    func pause(_ work: Work) {
        guard work.ending == nil else { return }
        work.wantsToGoOn = false
        switch work.phase {
        case .validating, .analysing: work.isPauseWanted = true
        default: break
        }
        guard let pausable = work.phase.pausable else { return }
        if case .downloading = work.phase {
            // The connection stays open, but libcurl stops reading from it.
            work.isHeld = true
        } else {
            drop(work)
            work.retryAt = nil
        }
        enter(work, .paused(pausable.pause()))
        work.transfer.tell(.paused)
    }

    func resume(_ work: Work) {
        work.isPauseWanted = false
        if case .paused = work.phase { work.wantsToGoOn = true }
    }

    // MARK: Completing

    /// Starts the check once all bytes are present.
    ///
    /// - Parameter isEndClean: False if the connection ended in an error. Only the content can then prove its
    ///   completeness.
    func complete(_ work: Work, isEndClean: Bool) {
        switch work.phase {
        case .connecting(let phase): analyse(work, phase.analyse(), isEndClean: isEndClean)
        case .downloading(let phase): analyse(work, phase.analyse(), isEndClean: isEndClean)
        // The last byte arrived together with the pause command.
        case .paused(let phase):
            (work.isPauseWanted, work.wantsToGoOn, work.isHeld) = (!work.wantsToGoOn, false, false)
            analyse(work, phase.download().analyse(), isEndClean: isEndClean)
        case .queued, .validating, .analysing, .done, .failed, .cancelled: break
        }
    }

    func analyse(_ work: Work, _ analysing: Analysing, isEndClean: Bool = true, isNamed: Bool = false) {
        guard let part = work.part, var record = work.record else { return }
        record.byteCount = work.written
        work.record = record
        let progress = work.progress(MonotonicTime.seconds())
        work.transfer.show(progress)
        work.transfer.tell(.progress(progress))
        enter(work, .analysing(analysing))
        work.transfer.tell(.analysing)
        files.check(
            work.transfer, part, record, byteCount: work.written, isEndClean: isEndClean, isNamed: isNamed)
    }

    func checked(_ id: Int, _ result: Result<FetchedFile, TransferError>, keptBytes: Int64) {
        guard let work = works[id], case .analysing(let analysing) = work.phase else { return }
        switch result {
        case .success(let file):
            enter(work, .done(analysing.finish()))
            works[id] = nil
            work.transfer.end(result, .finished(file))
        case .failure(let error):
            work.ending = (error.kind == .cancelled ? nil : error, false, 0)
            tellEnd(work, keptBytes: keptBytes)
        }
    }

    /// Retries after the connection ended before the file. The next attempt brings the rest, or the same bytes again.
    func cutOff(_ transfer: Transfer, _ part: PartFile, _ error: TransferError) {
        guard let work = works[transfer.id], work.ending == nil, case .analysing(let analysing) = work.phase else {
            // The end was reported meanwhile.
            files.settle(nil, part, written: 0, isDiscarding: transfer.isDiscarding)
            return
        }
        (work.record, work.notedBytes) = (part.record, part.record.durableBytes)
        enter(work, .connecting(analysing.connect()))
        failOrRetry(work, error)
        if work.isPauseWanted { pause(work) }
    }

    // MARK: Failing and cancelling

    /// Deadline for reporting the end of a cancelled transfer, and of a failed transfer, in seconds. The deadlines hold
    /// however long the disk takes.
    private static let (cancelSeconds, failSeconds) = (0.15, 10.0)

    func fail(_ work: Work, _ error: TransferError) {
        guard work.ending == nil, work.phase.unfinished != nil else { return }
        drop(work)
        // An answer refused by its head says nothing about the bytes of an earlier answer.
        let isUseless = error.kind == .tooLarge && work.isPartUseless
        work.ending = (error.kind == .cancelled ? nil : error, isUseless, MonotonicTime.seconds() + Self.failSeconds)
        settle(work, isDiscarding: isUseless)
    }

    func cancel(_ work: Work, discarding: Bool) {
        guard work.ending == nil, work.transfer.giveUp(discarding: discarding) else { return }
        drop(work)
        work.ending = (nil, discarding, MonotonicTime.seconds() + Self.cancelSeconds)
        if case .analysing = work.phase {
            // The checking thread closes the part.
            tellEnd(work, keptBytes: discarding ? 0 : work.written)
        } else {
            settle(work, isDiscarding: discarding)
        }
    }

    private func settle(_ work: Work, isDiscarding: Bool) {
        if let part = work.part {
            files.settle(work.transfer.id, part, written: work.written, isDiscarding: isDiscarding)
        } else if case .validating = work.phase {
            // The part is being opened.
        } else {
            tellEnd(work, keptBytes: 0)
        }
    }

    /// Reports the decided end.
    func tellEnd(_ work: Work, keptBytes: Int64) {
        guard let ending = work.ending, let phase = work.phase.unfinished else { return }
        works[work.transfer.id] = nil
        if let error = ending.error {
            enter(work, .failed(phase.fail()))
            work.transfer.end(.failure(error), .failed(error, keptBytes: keptBytes))
        } else {
            enter(work, .cancelled(phase.cancel()))
            work.transfer.end(.failure(.cancelled), .cancelled(keptBytes: keptBytes))
        }
    }
}
