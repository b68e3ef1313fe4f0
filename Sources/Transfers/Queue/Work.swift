internal import Explanations
internal import Files

/// A transfer as seen by the network thread: its attempts, and their order among other transfers. `transfer` has the
/// facts for other threads, `bytes` the facts about the received bytes, and `exchange` the present request.
final class Work {
    let transfer: Transfer
    /// The server of the requested address.
    let host: String
    var priority: Int
    /// The part; open from `validating` on.
    var part: PartFile?
    var bytes = ReceivedBytes()
    var exchange: Exchange?
    var meter = ProgressMeter()

    /// Number of consecutive failures without bytes between.
    var failures = 0
    /// Number of bytes at which the count of failures restarts.
    private var nextMark = Work.markBytes
    private static let markBytes: Int64 = 1 << 16
    /// Number of times the part was unusable.
    var restarts = 0
    /// Time of the next attempt; nil if none is waiting.
    var retryAt: Double?
    /// The user's last word: pause or resume. A paused transfer not wanted paused waits for its turn.
    var isPauseWanted = false
    var lastNoteAt = 0.0
    /// True while received bytes are being put on the disk.
    var isNoting = false
    /// The end of the transfer, once decided. The end is reported when the part is closed, or at the deadline.
    var ending: (error: TransferError?, isDiscarding: Bool, deadline: Double)?

    init(_ transfer: Transfer) {
        self.transfer = transfer
        (host, priority) = (transfer.request.address.host, transfer.request.priority)
    }

    var request: TransferRequest { transfer.request }
    var state: TransferState { transfer.state }
    /// True if a pause holds back the bytes of the body.
    var isPaused: Bool { state == .paused }
    /// True if the content can prove its completeness where the server does not state the end.
    var judgesEnd: Bool { bytes.record?.isEndStated == false && request.check != nil }

    /// Writes bytes of a body. Returns a verdict if no further bytes are wanted, otherwise nil.
    func receive(_ body: UnsafeRawBufferPointer, from address: WebAddress) -> ReceivedBytes.Verdict? {
        let end = bytes.count + Int64(body.count)
        if let total = bytes.total, end > total { return .again(.otherLength) }
        if end > request.sizeLimit {
            // The part is just the beginning of a file over the size limit.
            return .fail(.tooLarge(address, limit: request.sizeLimit), isUseless: !bytes.areEarlier)
        }
        guard let part else { return .fail(.cancelled) }
        do throws(TransferError) { try unsafe part.write(body, at: bytes.count) } catch { return .fail(error) }
        bytes.add(body.count)
        meter.received(at: MonotonicTime.seconds())
        if end >= nextMark {
            nextMark = end + Self.markBytes
            failures = 0
        }
        return nil
    }

    /// Restarts the measurement when bytes begin to arrive.
    func startMeasuring() {
        lastNoteAt = MonotonicTime.seconds()
        meter.start(bytes.count, at: lastNoteAt)
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
            TransferError(
                Kind(of: error.exitStatus), error.message, remedy: error.remedy,
                exitStatus: error.exitStatus.ifTemporary)
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
