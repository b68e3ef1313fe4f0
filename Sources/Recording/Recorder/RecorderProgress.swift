internal import AudioDevices
internal import AudioFiles
internal import DSP
internal import Realtime

/// How a take has ended.
struct TakeEnd: Sendable {
    let frameCount: Int64
    let lostFrames: Int64
    let reason: RecorderEvent.StopReason
    let failure: AudioFileError?
    let loudness: TakeLoudness?
}

/// Where the writer leaves what others may look at or wait for.
final class RecorderProgress: @unchecked Sendable {
    // Unchecked because of what the lock guards.
    private let lock = ConditionLock()
    private var status = RecorderStatus(
        state: .armed, recordedFrames: 0, lostFrames: 0, secondsLeft: nil, loudness: nil)
    private var takeEnd: TakeEnd?
    private var waveform: Waveform?
    private var isWaveformWanted = false

    var current: RecorderStatus { lock.withLock { status } }

    /// - Parameter loudness: nil leaves what was told last.
    func publish(_ state: RecorderStatus.State, recordedFrames: Int64, lostFrames: Int64, loudness: TakeLoudness?) {
        lock.withLock {
            (status.state, status.recordedFrames, status.lostFrames) = (state, recordedFrames, lostFrames)
            if let loudness { status.loudness = loudness }
        }
    }

    /// Whether somebody has asked for the waveform since it was published last.
    var wantsWaveform: Bool { lock.withLock { isWaveformWanted } }

    func publish(_ waveform: Waveform) {
        lock.withLock {
            self.waveform = waveform
            isWaveformWanted = false
        }
    }

    /// The waveform published last; asks for the next one.
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

    /// Blocks until the take has ended, or for so many seconds: then nil.
    func waitForEnd(seconds: Int) -> TakeEnd? {
        let deadline = MonotonicTime.now() + Int64(seconds) * MonotonicTime.nanosecondsPerSecond
        return lock.withLock {
            while takeEnd == nil, MonotonicTime.now() < deadline { lock.wait(milliseconds: 1000) }
            return takeEnd
        }
    }
}
