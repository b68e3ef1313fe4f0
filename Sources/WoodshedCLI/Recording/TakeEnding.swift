// The end of a take. Neither the disk nor the device may respond. So a separate thread stops the take, and the wait for
// the thread has a limit.
import Files
import Woodshed

/// Stops a take, and watches its end. Used on the thread of the loop.
final class TakeEnding {
    /// A part of the recording that does not respond.
    enum Obstacle {
        case device
        /// The disk, or the reader of a pipe.
        case file
    }

    private let monitor: RecorderMonitor
    /// True if the take goes to standard output.
    private let isPipe: Bool
    /// The stopped take on its way from the stopping thread.
    private let stopped = StoppedTakeBox()
    /// Watches the writer until the take's end, and then the device; nil before the ending.
    private var watch: StandstillWatch?
    /// True if there is a take to end, false before the ending and for an armed recorder.
    private(set) var hasTake = false
    private var isTakeOver = false

    /// Timeouts in ns for a standstill before the take's end. A slow but working disk is waited for. A pipe with a
    /// stalled reader gets less time.
    private static let filePatience: Int64 = 32_000_000_000
    private static let pipePatience: Int64 = 3_000_000_000
    /// Timeout in ns for the device after the take's end: twice the time for which the kernel waits for a silent USB
    /// card, because other programs may keep the closing thread from the processor.
    private static let devicePatience: Int64 = 10_000_000_000

    init(_ monitor: RecorderMonitor, isPipe: Bool) { (self.monitor, self.isPipe) = (monitor, isPipe) }

    /// True once the take is complete, or the recorder has stopped without a take. The device may still be closing.
    var isStopped: Bool { stopped.isThere }

    /// Hands the stopped take on; nil if none began.
    func take() -> StoppedTake? { stopped.take() }

    /// Stops the recorder on a separate thread.
    ///
    /// - Parameters:
    ///   - stage: The recorder; nil if it was stopped before.
    ///   - inbox: The inbox with the reader to wake afterwards.
    func begin(_ stage: consuming RecorderStage?, thenWake inbox: Inbox<RecordingReport>) {
        guard let current = stage.take() else { return stopped.put(nil) }
        (hasTake, isTakeOver) = (!current.isArmed, current.isArmed)
        watchEnd(isTakeOver ? Self.devicePatience : isPipe ? Self.pipePatience : Self.filePatience)
        current.end(into: stopped, thenWake: inbox)
    }

    /// Returns the part that does not let the ending proceed; nil before the ending and within its timeouts.
    func obstacle(now: Int64) -> Obstacle? {
        guard watch != nil else { return nil }
        if !isTakeOver, stopped.isThere {
            isTakeOver = true
            watchEnd(Self.devicePatience)
        }
        // The device has no countable work.
        guard watch?.isOver(workCount: isTakeOver ? 0 : monitor.workCount, now: now) == true else { return nil }
        return isTakeOver ? .device : .file
    }

    private func watchEnd(_ patience: Int64) {
        watch = StandstillWatch(
            patience: patience, workCount: isTakeOver ? 0 : monitor.workCount, now: MonotonicTime.now())
    }
}
