/// An event of a transfer.
package struct TransferEvent: Sendable {
    /// Number of the transfer in its queue, from 1.
    package let id: Int
    /// The kind of the event.
    package let kind: Kind

    /// The kinds of events, in the usual order.
    package enum Kind: Sendable {
        /// The transfer waits for its turn.
        case queued
        /// The transfer asks the server. The text is the address without secrets.
        case connecting(String)
        /// The server has answered, and bytes follow. `from` bytes are present from an earlier attempt.
        case downloading(TransferAnswer, from: Int64)
        /// Progress: at most ten times a second, and once at the end.
        case progress(TransferProgress)
        /// The transfer restarts with the first byte, for this reason.
        case restarted(RestartReason)
        /// The next attempt follows after `afterSeconds` seconds, because of this error.
        case retrying(afterSeconds: Double, TransferError)
        /// The transfer pauses.
        case paused
        /// The transfer resumes.
        case resumed
        /// The file is complete, and its check begins.
        case analysing
        /// The file is complete, and has its final name.
        case finished(FetchedFile)
        /// The transfer ended with an error. `keptBytes` bytes remain, from which another transfer can continue.
        case failed(TransferError, keptBytes: Int64)
        /// The transfer was cancelled. `keptBytes` bytes remain, from which another transfer can continue.
        case cancelled(keptBytes: Int64)
    }

    /// True for an event that comes many times a second.
    var isProgress: Bool {
        if case .progress = kind { true } else { false }
    }

    /// True if no further event of this transfer follows.
    package var isLast: Bool {
        switch kind {
        case .finished, .failed, .cancelled: true
        default: false
        }
    }
}

/// Number of received bytes of a transfer, and their rate.
public struct TransferProgress: Sendable, Equatable {
    /// Number of bytes present, including bytes of earlier attempts.
    public var doneBytes: Int64 = 0
    /// Number of bytes of the whole file; nil if the server does not say.
    public var totalBytes: Int64?
    /// The rate over the last three seconds; 0 if nothing arrives.
    public var bytesPerSecond: Int64 = 0
    /// Remaining time for the missing bytes, in seconds, rounded up; nil if unknown.
    public var secondsLeft: Int64?

    /// Creates progress with nothing known.
    package init() {}

    init(doneBytes: Int64, totalBytes: Int64?, bytesPerSecond: Int64, secondsLeft: Int64? = nil) {
        (self.doneBytes, self.totalBytes) = (doneBytes, totalBytes)
        (self.bytesPerSecond, self.secondsLeft) = (bytesPerSecond, secondsLeft)
    }

    /// Fraction of the file present, from 0 to 1; nil if the length is unknown. The value is 1 only if all bytes are
    /// present.
    public var fraction: Double? {
        guard let totalBytes else { return nil }
        if doneBytes >= totalBytes { return 1 }
        return min(Double(doneBytes) / Double(totalBytes), 1.0.nextDown)
    }
}
