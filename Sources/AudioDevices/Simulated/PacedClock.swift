import Files
/// A simulated sound card: computes the number of frames that a card with a buffer of a given length would have played
/// by now.
///
/// The caller passes in the time, in monotonic nanoseconds, so that tests need not wait.
struct PacedClock {
    let sampleRate: Int
    let bufferFrames: Int64
    /// Time at which frame 0 was heard, or would have been heard without the gaps since.
    private var origin: Int64
    private(set) var framesWritten: Int64

    /// Starts the card, which begins to play its filled buffer at `now`.
    init(sampleRate: Int, bufferFrames: Int, prefilled framesWritten: Int64, now: Int64) {
        self.sampleRate = sampleRate
        self.bufferFrames = Int64(bufferFrames)
        self.framesWritten = framesWritten
        origin = now
    }

    /// Returns the time at which the buffer will have room for `frameCount` more frames.
    func roomTime(for frameCount: Int) -> Int64 {
        time(ofFrame: framesWritten + Int64(frameCount) - bufferFrames)
    }

    /// Time at which all frames written so far have been heard.
    var endTime: Int64 { time(ofFrame: framesWritten) }

    /// Returns the number of frames written but not heard at `now`.
    func delay(at now: Int64) -> Int64 { max(0, framesWritten - framesPast(at: now)) }

    /// Writes `frameCount` frames at `now` and returns the number of frames for which the card had run dry before.
    ///
    /// No frame is skipped: after a gap the clock is set back by its length.
    mutating func write(_ frameCount: Int, now: Int64) -> Int64 {
        let lost = max(0, framesPast(at: now) - framesWritten)
        if lost > 0 { origin = now - MonotonicTime.nanoseconds(ofFrames: framesWritten, sampleRate: sampleRate) }
        framesWritten += Int64(frameCount)
        return lost
    }

    private func framesPast(at now: Int64) -> Int64 {
        MonotonicTime.frames(inNanoseconds: now - origin, sampleRate: sampleRate)
    }

    private func time(ofFrame frame: Int64) -> Int64 {
        // Rounded down, plus one nanosecond: at this time the frame is certainly over.
        origin + MonotonicTime.nanoseconds(ofFrames: frame, sampleRate: sampleRate) + 1
    }
}
