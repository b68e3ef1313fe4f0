internal import AudioDevices
internal import AudioFiles
internal import DSP
internal import Realtime

/// Result of a take.
struct TakeEnd: Sendable {
    let frameCount: Int64
    let lostFrames: Int64
    let reason: RecorderEvent.StopReason
    let failure: AudioFileError?
    let loudness: TakeLoudness?
}

/// The writer's results, for other threads to read or wait for.
final class RecorderProgress: @unchecked Sendable {
    // Unchecked because of the values guarded by the lock.
    private let lock = ConditionLock()
    private var status = RecorderStatus(
        state: .armed, recordedFrames: 0, lostFrames: 0, secondsLeft: nil, loudness: nil)
    private var takeEnd: TakeEnd?
    private var work: Int64 = 0
    private var waveform: Waveform?
    private var isWaveformWanted = false

    var current: RecorderStatus { lock.withLock { status } }

    /// Result of the take; nil before the end of the take.
    var result: TakeEnd? { lock.withLock { takeEnd } }

    /// A number that grows as long as the writer processes frames.
    var workCount: Int64 { lock.withLock { work } }

    /// Records that the writer has processed some frames.
    func noteWork() { lock.withLock { work += 1 } }

    /// - Parameter loudness: Loudness of the take; nil leaves the last value.
    func publish(_ state: RecorderStatus.State, recordedFrames: Int64, lostFrames: Int64, loudness: TakeLoudness?) {
        lock.withLock {
            (status.state, status.recordedFrames, status.lostFrames) = (state, recordedFrames, lostFrames)
            if let loudness { status.loudness = loudness }
        }
    }

    /// True if the waveform was requested after its last publication.
    var wantsWaveform: Bool { lock.withLock { isWaveformWanted } }

    func publish(_ waveform: Waveform) {
        lock.withLock {
            self.waveform = waveform
            isWaveformWanted = false
        }
    }

    /// Returns the last published waveform; requests the next waveform.
    func takeWaveform() -> Waveform? {
        lock.withLock {
            isWaveformWanted = true
            return waveform
        }
    }

    func publish(secondsLeft: Double?) { lock.withLock { status.secondsLeft = secondsLeft } }

    func end(_ end: TakeEnd) {
        lock.withLock {
            takeEnd = end
            lock.wakeAll()
        }
    }

    /// Waits until the take has ended.
    func waitForEnd() -> TakeEnd {
        lock.withLock {
            while true {
                if let takeEnd { return takeEnd }
                lock.wait()
            }
        }
    }
}
