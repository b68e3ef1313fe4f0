/// A sound card that is only reckoned: how many frames it would have played by now, had it a buffer of a given length.
///
/// Time comes in as an argument, in monotonic nanoseconds, so that the reckoning can be tested without waiting.
struct PacedClock {
    let sampleRate: Int
    let bufferFrames: Int64
    /// When the frame 0 was heard, or would have been had there been no gap since.
    private var origin: Int64
    private(set) var framesWritten: Int64

    /// The card begins to play its pre-filled buffer at `now`.
    init(sampleRate: Int, bufferFrames: Int, prefilled framesWritten: Int64, now: Int64) {
        self.sampleRate = sampleRate
        self.bufferFrames = Int64(bufferFrames)
        self.framesWritten = framesWritten
        origin = now
    }

    /// When the buffer will have room for `frameCount` more frames.
    func roomTime(for frameCount: Int) -> Int64 {
        time(ofFrame: framesWritten + Int64(frameCount) - bufferFrames)
    }

    /// When everything written so far has been heard.
    var endTime: Int64 { time(ofFrame: framesWritten) }

    /// Frames written but not heard at `now`.
    func delay(at now: Int64) -> Int64 { max(0, framesWritten - framesPast(at: now)) }

    /// Takes `frameCount` frames at `now` and returns for how many frames the card had run dry before.
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
        // One nanosecond later than rounded down: at that time the frame is over, never just short of it.
        origin + MonotonicTime.nanoseconds(ofFrames: frame, sampleRate: sampleRate) + 1
    }
}
