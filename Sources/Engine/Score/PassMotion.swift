internal import Stretching

/// How a pass moves through the clip: along its part's curve from a place on, or, after a change of speed, at the new speed.
///
/// Positions are integrals from the last fixed place, not sums of steps. Real-time safe: yes.
struct PassMotion: Sendable, Equatable, BitwiseCopyable {
    /// The reference output frame, and the exact position in the clip there.
    let frame: Int64
    let clipPosition: Double
    /// The frame of the part's curve that plays at `frame`, and the distance that the curve has covered by then.
    let phase: Int64
    private let phaseDistance: Double
    /// Set if a change of speed has taken the pass off the curve.
    let glide: SpeedGlide?

    /// Along a curve, from its beginning.
    init(at frame: Int64, clipFrame: Int64, curve: SpeedCurve) {
        self.frame = frame
        clipPosition = Double(clipFrame)
        phase = 0
        phaseDistance = 0
        glide = nil
    }

    /// Along the curve of a part, from its whole frame nearest to a frame of the clip.
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

    /// Off the curve, from any position.
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

    /// Output frames, not rounded, until a frame of the clip is reached.
    func time(toClipFrame clipFrame: Int64, in curve: SpeedCurve) -> Double {
        let distance = Double(clipFrame) - clipPosition
        if let glide { return glide.time(toCover: distance) }
        return curve.time(toCover: phaseDistance + distance) - Double(phase)
    }
}
