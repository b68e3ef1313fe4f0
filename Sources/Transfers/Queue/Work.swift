internal import Explanations
internal import Files

/// A transfer as seen by the network thread.
final class Work {
    let transfer: Transfer
    var phase = Phase.first
    var priority: Int
    /// The part; open from `validating` on.
    var part: PartFile?
    /// Record of the version to which the bytes in the part belong; nil if there are no bytes.
    var record: PartRecord?
    /// Number of bytes of the file in the part.
    var written: Int64 = 0
    /// Content type of the bytes in the part as named by the server, empty if unnamed; nil if there are no bytes.
    var partType: String?
    /// True if bytes in the part come from an earlier transfer.
    var hasEarlierBytes = false
    /// True if the part is just the beginning of a file over the size limit.
    var isPartUseless = false
    var exchange: Exchange?

    // Attempts.
    /// Addresses visited in this attempt, for finding loops.
    var visited: [WebAddress] = []
    /// Number of consecutive failures without bytes between.
    var failures = 0
    /// Number of times the part was unusable.
    var restarts = 0
    /// Time of the next attempt; nil if none is waiting.
    var retryAt: Double?
    /// Number of bytes at which the count of failures restarts.
    private var nextMark = Work.markBytes
    private static let markBytes: Int64 = 1 << 16

    // Pausing.
    /// True if the user wants a pause.
    var isPauseWanted = false
    /// True while a pause holds back the bytes of the body.
    var isHeld = false
    /// True if the transfer was resumed and waits for its turn.
    var wantsToGoOn = false

    // Times.
    var meter = RateMeter()
    var lastByteAt = 0.0
    var slowSince = (time: 0.0, bytes: Int64(0))
    var lastProgressAt = 0.0
    /// The progress last reported.
    var shown = (bytes: Int64(-1), rate: Int64(-1), time: 0.0)
    var lastNoteAt = 0.0
    var isNoting = false
    var notedBytes: Int64 = 0

    /// The end of the transfer, once decided. The end is reported when the part is closed, or at the deadline.
    var ending: (error: TransferError?, isDiscarding: Bool, deadline: Double)?

    init(_ transfer: Transfer) {
        self.transfer = transfer
        priority = transfer.request.priority
    }

    var request: TransferRequest { transfer.request }
    var total: Int64? { record?.byteCount }
    var host: String { request.address.host }
    /// True if the content can prove its completeness where the server does not state the end.
    var judgesEnd: Bool { record?.isEndStated == false && request.check != nil }

    /// The decision after the head of an answer.
    struct Decision {
        var verdict: Exchange.Verdict
        var record: PartRecord?
        var restart: RestartReason?
        var offset: Int64 = 0
    }

    // MARK: Deciding

    /// Largest number of redirections followed.
    static let mostRedirections = 10
    /// Reserve left free on the disk, in bytes.
    private static let spareBytes: Int64 = 1 << 20

    /// Decides by the head of an answer. The call changes nothing.
    func decide(_ exchange: Exchange) -> Decision {
        let (head, address) = (exchange.head, exchange.address)
        if [301, 302, 303, 307, 308].contains(head.status), head.value("location") != nil {
            return Decision(verdict: .redirect)
        }
        if head.status == 416, exchange.rangeStart != nil { return Decision(verdict: .again(.rangeRefused)) }
        if let error = TransferError.answer(head.status, address, retryAfterSeconds: head.retryAfterSeconds()) {
            return Decision(verdict: .fail(error))
        }
        if let encoding = head.foreignEncoding {
            let name = FileNames.printable(encoding).prefix(40)
            return Decision(verdict: .fail(.unexpected(address, "the server sends the file in another form (\(name))")))
        }
        var new = PartRecord(address: request.address.text, effectiveAddress: address.text)
        new.validators = Validators(head)
        new.isEndStated = head.statesEnd
        new.checksums = Checksum.all(in: head)
        new.contentType = head.value("content-type").map { String(FileNames.printable($0).prefix(200)) }
        new.suggestedName =
            head.value("content-disposition").flatMap(FileNames.name(inDisposition:)) ?? FileNames.name(in: address)
            ?? FileNames.name(in: request.address)
        return head.status == 206 ? decideOnRest(exchange, new) : decideOnWhole(exchange, new)
    }

    private func decideOnWhole(_ exchange: Exchange, _ new: PartRecord) -> Decision {
        var new = new
        new.byteCount = exchange.head.contentLength
        // The part is emptied before new bytes are written.
        let missing = new.byteCount.map { $0 - written }
        var answer = Self.answer(new, exchange.address)
        answer.replacedType = partType
        if let error = refusal(answer, missing: missing) { return Decision(verdict: .fail(error)) }
        var reason: RestartReason?
        if exchange.rangeStart != nil, let record {
            reason = record.validators.agree(with: new.validators) ? .noRanges : .changedOnServer
        }
        return Decision(verdict: .take, record: new, restart: reason)
    }

    /// Accepts the rest only if every field confirms the rest of the same file.
    private func decideOnRest(_ exchange: Exchange, _ new: PartRecord) -> Decision {
        guard let start = exchange.rangeStart, let record else {
            return Decision(
                verdict: .fail(.unexpected(exchange.address, "the server sends a part of the file unasked")))
        }
        func again(_ reason: RestartReason) -> Decision { Decision(verdict: .again(reason)) }
        guard let range = exchange.head.contentRange, range.first == start, range.last >= written - 1 else {
            return again(.otherRange)
        }
        if let length = exchange.head.contentLength, length != range.last - range.first + 1 {
            return again(.otherRange)
        }
        if let known = record.byteCount {
            guard let total = range.total else { return again(.otherRange) }
            guard total == known else { return again(.otherLength) }
        }
        let (old, now) = (record.validators, new.validators)
        // A server omitting the requested validator does not confirm the same version.
        if old.tag != nil ? now.tag != old.tag : now.lastModified != old.lastModified || now.tag != nil {
            return again(.otherValidator)
        }
        if let date = now.lastModified, let before = old.lastModified, date != before { return again(.otherValidator) }
        guard let place = try? WebAddress(record.effectiveAddress), place.hasSamePlace(as: exchange.address) else {
            return again(.otherPlace)
        }
        var kept = record
        kept.effectiveAddress = new.effectiveAddress
        kept.byteCount = record.byteCount ?? range.total
        // The answer states its own end. This is the end of the file only if the length of the file is known: a server
        // may send less than requested.
        kept.isEndStated = kept.byteCount != nil
        for sum in new.checksums where !kept.checksums.contains(sum) { kept.checksums.append(sum) }
        if let error = refusal(Self.answer(kept, exchange.address), missing: range.total.map { $0 - written }) {
            return Decision(verdict: .fail(error))
        }
        return Decision(verdict: .take, record: kept, offset: start)
    }

    /// Returns the reason for refusing the body: unwanted, or no space. Nil if the body is accepted.
    private func refusal(_ answer: TransferAnswer, missing: Int64?) -> TransferError? {
        if let total = answer.byteCount, total > request.sizeLimit {
            return .tooLarge(answer.address, limit: request.sizeLimit)
        }
        do { try request.acceptsAnswer?(answer) } catch { return .rejected(by: error, answer.address) }
        if let missing, let free = part?.freeBytes, missing > max(0, free - Self.spareBytes) {
            return .diskFull(request.path, needed: missing)
        }
        return nil
    }

    static func answer(_ record: PartRecord, _ address: WebAddress) -> TransferAnswer {
        TransferAnswer(
            address: address, contentType: record.contentType, byteCount: record.byteCount,
            suggestedName: record.suggestedName, tag: record.validators.tag,
            lastModified: record.validators.lastModified)
    }

    // MARK: Bytes

    /// Writes bytes of a body. Returns a verdict if no further bytes are wanted, otherwise nil.
    func receive(_ bytes: UnsafeRawBufferPointer, at offset: Int64, from address: WebAddress) -> Exchange.Verdict? {
        let end = offset + Int64(bytes.count)
        if let total, end > total { return .again(.otherLength) }
        if end > request.sizeLimit {
            isPartUseless = !hasEarlierBytes
            return .fail(.tooLarge(address, limit: request.sizeLimit))
        }
        guard let part else { return .fail(.cancelled) }
        do throws(TransferError) { try unsafe part.write(bytes, at: offset) } catch { return .fail(error) }
        written = end
        lastByteAt = MonotonicTime.seconds()
        if end >= nextMark {
            nextMark = end + Self.markBytes
            failures = 0
        }
        return nil
    }

    /// Largest number of bytes before the resume point fetched again for comparison.
    private static let overlapBytes: Int64 = 1 << 14

    /// Returns the range to request; nil for the whole file.
    func range() -> Result<(start: Int64, overlap: [UInt8], validator: String), RestartError>? {
        guard written > 0, let record, let part else { return nil }
        guard let validator = record.validators.forRange else {
            return .failure(RestartError(record.validators.hindrance))
        }
        if let total = record.byteCount, written > total { return .failure(RestartError(.damagedPart)) }
        let count = min(Self.overlapBytes, (written + 1) / 2)
        guard let overlap = part.bytes(at: written - count, count: Int(count)) else {
            return .failure(RestartError(.damagedPart))
        }
        return .success((written - count, overlap, validator))
    }

    struct RestartError: Error {
        let reason: RestartReason
        init(_ reason: RestartReason) { self.reason = reason }
    }

    // MARK: Progress

    /// Starts the measurement when bytes begin to arrive.
    func startMeasuring(_ now: Double) {
        meter.start(written, at: now)
        (lastByteAt, slowSince, lastNoteAt) = (now, (now, written), now)
    }

    func progress(_ now: Double) -> TransferProgress {
        meter.note(written, at: now)
        var progress = TransferProgress(doneBytes: written, totalBytes: total, bytesPerSecond: meter.bytesPerSecond)
        if let total { progress.secondsLeft = written >= total ? 0 : meter.seconds(for: total - written) }
        return progress
    }
}

extension TransferError {
    /// Converts an error of a caller who refuses a file or cannot check it now. Only a refusal of the file itself makes
    /// the received bytes useless.
    static func rejected(by error: any Error, _ address: WebAddress) -> TransferError {
        switch error {
        case let error as TransferError: error
        case is CancellationError: .cancelled
        case let error as any ExplainedError where error.exitStatus == .interrupted: .cancelled
        case let error as any ExplainedError:
            TransferError(Kind(of: error.exitStatus), error.message, remedy: error.remedy)
        default:
            TransferError(
                .rejected, "\(address.shown): the file is not wanted (\(error))", remedy: "Look for another file.")
        }
    }
}

extension TransferError.Kind {
    /// Chooses the kind for a caller's error by its exit status.
    fileprivate init(of status: ExitStatus) {
        self =
            switch status {
            case .unavailable: .libraryMissing
            case .noPermission: .noPermission
            case .inputOutput, .cannotCreate, .tryAgain: .disk
            default: .rejected
            }
    }
}
