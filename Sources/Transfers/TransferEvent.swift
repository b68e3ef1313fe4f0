/// Something that happened to a transfer.
public struct TransferEvent: Sendable {
    /// The transfer's number in its queue, from 1 on.
    public let id: Int
    /// What happens.
    public let kind: Kind

    /// The kinds of events, in the usual order.
    public enum Kind: Sendable {
        /// It waits for its turn.
        case queued
        /// The server is asked; the text is the address without its secrets.
        case connecting(String)
        /// The server has answered, and bytes follow. `from` of them are there from an earlier attempt.
        case downloading(TransferAnswer, from: Int64)
        /// How far it is; ten times a second at most, and once at the end.
        case progress(TransferProgress)
        /// The transfer begins again with the first byte, for this reason.
        case restarted(RestartReason)
        /// The next attempt follows in so many seconds, after this error.
        case retrying(afterSeconds: Double, TransferError)
        /// The transfer was paused.
        case paused
        /// The transfer was resumed.
        case resumed
        /// The file is complete, and is being checked.
        case analysing
        /// The file is complete, and has its name.
        case finished(FetchedFile)
        /// The transfer ended with an error. `keptBytes` bytes are kept, from which another transfer can continue.
        case failed(TransferError, keptBytes: Int64)
        /// The transfer was cancelled. `keptBytes` bytes are kept, from which another transfer can continue.
        case cancelled(keptBytes: Int64)
    }

    /// Whether no further event of this transfer follows.
    public var isLast: Bool {
        switch kind {
        case .finished, .failed, .cancelled: true
        default: false
        }
    }
}

/// How many bytes of a transfer are there, and how fast they arrive.
public struct TransferProgress: Sendable, Equatable {
    /// The bytes that are there, including those of earlier attempts.
    public var doneBytes: Int64 = 0
    /// Bytes of the whole file; nil if the server does not say.
    public var totalBytes: Int64?
    /// The rate over the last three seconds; 0 if nothing arrives.
    public var bytesPerSecond: Int64 = 0
    /// The time left for the bytes that are missing, in seconds, rounded up; nil if it is not known.
    public var secondsLeft: Int64?

    /// Nothing is known yet.
    package init() {}

    init(doneBytes: Int64, totalBytes: Int64?, bytesPerSecond: Int64, secondsLeft: Int64? = nil) {
        (self.doneBytes, self.totalBytes) = (doneBytes, totalBytes)
        (self.bytesPerSecond, self.secondsLeft) = (bytesPerSecond, secondsLeft)
    }

    /// From 0 to 1; nil if the length is not known. It is 1 only when all bytes are there.
    public var fraction: Double? {
        guard let totalBytes else { return nil }
        if doneBytes >= totalBytes { return 1 }
        return min(Double(doneBytes) / Double(totalBytes), 1.0.nextDown)
    }
}

/// Measures a rate over the last seconds.
struct RateMeter {
    private static let span = 3.0
    private var samples: [(time: Double, bytes: Int64)] = []

    init() {}

    /// Begins anew, with bytes that count for no rate.
    mutating func start(_ bytes: Int64, at time: Double) { samples = [(time, bytes)] }

    /// Notes how many bytes there are.
    mutating func note(_ bytes: Int64, at time: Double) {
        samples.append((time, bytes))
        // The sample before the span stays, because the rate begins there.
        while samples.count > 2, time - samples[1].time >= Self.span { samples.removeFirst() }
    }

    /// Bytes per second; 0 before time has passed.
    var bytesPerSecond: Int64 {
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return 0 }
        return Int64((Double(last.bytes - first.bytes) / (last.time - first.time)).rounded())
    }

    /// Seconds for as many bytes more, rounded up.
    func seconds(for bytes: Int64) -> Int64? {
        let rate = bytesPerSecond
        return rate > 0 ? (bytes + rate - 1) / rate : nil
    }
}
