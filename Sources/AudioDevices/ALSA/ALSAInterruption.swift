import Files

/// An interruption of a card, reported once the device runs again.
struct ALSAInterruption {
    let kind: StreamIncident.Kind
    let side: StreamIncident.Side
    /// Time at which the interruption was noticed.
    let time: Int64
    /// Time at which the output became silent.
    let silentSince: Int64
    /// Frames of silence on the output before this time.
    let silentBefore: Int64
    /// The input's position by the clock; nil if the input did not run.
    let inputClock: PositionClock?
    /// Frames delivered by the input since its last start.
    let inputDelivered: Int64

    /// Returns the frames of silence on the output until a time.
    func silentFrames(until end: Int64, sampleRate: Int) -> Int64 {
        silentBefore + MonotonicTime.frames(inNanoseconds: max(0, end - silentSince), sampleRate: sampleRate)
    }

    /// Returns the frames that the input would have recorded until a time, beyond the delivered frames.
    func missingFrames(until end: Int64) -> Int64 {
        guard let inputClock else { return 0 }
        return max(0, inputClock.expectedPosition(at: end) - inputDelivered)
    }
}
