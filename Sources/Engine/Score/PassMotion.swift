internal import Stretching

/// Motion of a pass through the clip: along its part's curve from a place on, or, after a change of speed, at the new
/// speed.
///
/// Positions are integrals from the last fixed place, not sums of steps. Real-time safe: yes.
struct PassMotion: Sendable, Equatable, BitwiseCopyable {
    /// The course of the pass from the reference frame on.
    private enum Course: Sendable, Equatable, BitwiseCopyable {
        /// Along the part's curve: the frame of the curve that plays at the reference frame, and the distance covered
        /// by the curve so far.
        case curve(phase: Int64, distance: Double)
        /// Off the curve, after a change of speed.
        case glide(SpeedGlide)
    }

    /// The reference output frame, and the exact position in the clip there.
    let frame: Int64
    let clipPosition: Double
    private let course: Course

    /// Creates a motion along a curve, from its beginning.
    init(at frame: Int64, clipFrame: Int64) {
        self.frame = frame
        clipPosition = Double(clipFrame)
        course = .curve(phase: 0, distance: 0)
    }

    /// Creates a motion along the curve of a part, from its whole frame nearest to a frame of the clip.
    init(entering part: ScorePart, at frame: Int64, clipFrame: Int64) {
        self.frame = frame
        clipPosition = Double(clipFrame)
        let isConstant = part.curve.isConstant
        let phase = isConstant ? 0 : Int64(part.curve.time(toCover: Double(clipFrame - part.clipStart)) + 0.5)
        course = .curve(phase: phase, distance: part.curve.distance(after: phase))
    }

    /// Creates a motion off the curve, from any position.
    init(at frame: Int64, position: Double, glide: SpeedGlide) {
        self.frame = frame
        clipPosition = position
        course = .glide(glide)
    }

    /// The frame of the part's curve that plays at `frame`; 0 off the curve.
    var phase: Int64 {
        if case .curve(let phase, _) = course { phase } else { 0 }
    }

    /// Set if a change of speed has taken the pass off the curve.
    var glide: SpeedGlide? {
        if case .glide(let glide) = course { glide } else { nil }
    }

    func position(at frame: Int64, in curve: SpeedCurve) -> Double {
        switch course {
        case .curve(let phase, let distance):
            clipPosition + (curve.distance(after: phase + frame - self.frame) - distance)
        case .glide(let glide):
            clipPosition + glide.distance(after: Double(frame - self.frame))
        }
    }

    func speed(at frame: Int64, in curve: SpeedCurve) -> Double {
        switch course {
        case .curve(let phase, _): curve.speed(after: phase + frame - self.frame)
        case .glide(let glide): glide.speed(after: Double(frame - self.frame))
        }
    }

    /// Returns the output frames, not rounded, until a frame of the clip.
    func time(toClipFrame clipFrame: Int64, in curve: SpeedCurve) -> Double {
        let missing = Double(clipFrame) - clipPosition
        return switch course {
        case .curve(let phase, let distance): curve.time(toCover: distance + missing) - Double(phase)
        case .glide(let glide): glide.time(toCover: missing)
        }
    }
}
