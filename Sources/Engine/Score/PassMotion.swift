internal import Stretching

/// Motion of a pass through the clip: along its part's curve from a place on, or, after a change of speed, at the new
/// speed.
///
/// Positions are integrals from the last fixed place, not sums of steps. Real-time safe: yes.
struct PassMotion: Sendable, Equatable, BitwiseCopyable {
    /// The reference output frame, and the exact position in the clip there.
    let frame: Int64
    let clipPosition: Double
    /// The frame of the part's curve that plays at `frame`, and the distance covered by the curve so far.
    let phase: Int64
    private let phaseDistance: Double
    /// Set if a change of speed has taken the pass off the curve.
    let glide: SpeedGlide?

    /// Creates a motion along a curve, from its beginning.
    init(at frame: Int64, clipFrame: Int64, curve: SpeedCurve) {
        self.frame = frame
        clipPosition = Double(clipFrame)
        phase = 0
        phaseDistance = 0
        glide = nil
    }

    /// Creates a motion along the curve of a part, from its whole frame nearest to a frame of the clip.
    init(entering part: ScorePart, at frame: Int64, clipFrame: Int64) {
        self.frame = frame
        clipPosition = Double(clipFrame)
        if part.curve.isConstant {
            phase = 0
        } else {
            phase = Int64(part.curve.time(toCover: Double(clipFrame - part.clipStart)) + 0.5)
        }
        phaseDistance = part.curve.distance(after: phase)
        glide = nil
    }

    /// Creates a motion off the curve, from any position.
    init(at frame: Int64, position: Double, glide: SpeedGlide) {
        self.frame = frame
        clipPosition = position
        phase = 0
        phaseDistance = 0
        self.glide = glide
    }

    func position(at frame: Int64, in curve: SpeedCurve) -> Double {
        if let glide { return clipPosition + glide.distance(after: Double(frame - self.frame)) }
        return clipPosition + (curve.distance(after: phase + frame - self.frame) - phaseDistance)
    }

    func speed(at frame: Int64, in curve: SpeedCurve) -> Double {
        if let glide { return glide.speed(after: Double(frame - self.frame)) }
        return curve.speed(after: phase + frame - self.frame)
    }

    /// Returns the output frames, not rounded, until a frame of the clip.
    func time(toClipFrame clipFrame: Int64, in curve: SpeedCurve) -> Double {
        let distance = Double(clipFrame) - clipPosition
        if let glide { return glide.time(toCover: distance) }
        return curve.time(toCover: phaseDistance + distance) - Double(phase)
    }
}
