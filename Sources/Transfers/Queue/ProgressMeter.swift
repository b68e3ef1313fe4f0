/// Measures the progress of a transfer: its rate over the last three seconds, and a server that sends nothing or too
/// slowly.
struct ProgressMeter {
    private static let span = 3.0
    /// Interval between two progress events, in seconds.
    static let interval = 0.1

    private var samples: [(time: Double, bytes: Int64)] = []
    /// Time of the last byte, or of the request or the answer if later.
    private(set) var waitingSince = 0.0
    private var slowSince = (time: 0.0, bytes: Int64(0))
    private var measuredAt = 0.0
    /// The progress last reported.
    private var told = (bytes: Int64(-1), rate: Int64(-1), time: 0.0)

    init() {}

    /// Restarts the measurement. The given bytes do not count towards the rate.
    mutating func start(_ bytes: Int64, at time: Double) {
        (samples, waitingSince, slowSince) = ([(time, bytes)], time, (time, bytes))
    }

    /// Notes the arrival of bytes.
    mutating func received(at time: Double) { waitingSince = time }

    /// Adds a sample: the number of bytes present at a time.
    mutating func note(_ bytes: Int64, at time: Double) {
        samples.append((time, bytes))
        // Keep the sample before the span, because the rate is measured from there.
        while samples.count > 2, time - samples[1].time >= Self.span { samples.removeFirst() }
    }

    /// Rate in bytes per second; 0 before time has passed.
    var bytesPerSecond: Int64 {
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return 0 }
        return Int64((Double(last.bytes - first.bytes) / (last.time - first.time)).rounded())
    }

    /// Returns the time for this many further bytes at the present rate, in seconds, rounded up; nil if the rate is 0.
    func seconds(for bytes: Int64) -> Int64? {
        let rate = bytesPerSecond
        return rate > 0 ? (bytes + rate - 1) / rate : nil
    }

    mutating func progress(_ done: Int64, of total: Int64?, at time: Double) -> TransferProgress {
        measuredAt = time
        note(done, at: time)
        var progress = TransferProgress(doneBytes: done, totalBytes: total, bytesPerSecond: bytesPerSecond)
        if let total { progress.secondsLeft = done >= total ? 0 : seconds(for: total - done) }
        return progress
    }

    func isDue(at time: Double) -> Bool { time - measuredAt >= Self.interval }

    /// Returns true if progress is worth an event, and counts this event. While no bytes arrive, the falling rate is
    /// worth an event once a second until the rate reaches 0.
    mutating func tells(_ progress: TransferProgress, at time: Double) -> Bool {
        if progress.doneBytes == told.bytes, told.rate == 0 || time - told.time < 1 { return false }
        told = (progress.doneBytes, progress.bytesPerSecond, time)
        return true
    }

    /// Returns the reason for giving up the connection; nil for a connection that is fast enough.
    mutating func fault(_ bytes: Int64, at time: Double, _ settings: TransferSettings) -> String? {
        if time - waitingSince > settings.stallSeconds { return "the server sends nothing more" }
        if time - slowSince.time >= settings.slowSeconds {
            let rate = Double(bytes - slowSince.bytes) / (time - slowSince.time)
            if rate < Double(settings.slowestBytesPerSecond) { return "the server sends too slowly" }
            slowSince = (time, bytes)
        }
        return nil
    }
}
