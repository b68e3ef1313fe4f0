/// The speed of each pass of a section.
public enum SpeedSchedule: Sendable, Hashable {
    /// Every pass has the same speed.
    case constant(Speed)
    /// The first pass has the speed `from`; each further pass is one `step` closer to `to`, which the remaining passes
    /// keep.
    ///
    /// The sign of `step` does not matter: the ramp always goes from `from` to `to`. A step is a factor: 0.05 is 5 %.
    case ramp(from: Speed, to: Speed, step: Double)
    /// Every pass glides evenly over its length from one speed to another.
    case glide(from: Speed, to: Speed)
    /// Every pass follows a curve in its own output time, through steps and glides.
    ///
    /// The first point lies at frame 0. With `repeatingEvery`, in output frames, the curve begins again after this
    /// number of frames; otherwise the last speed stays. The part of a curve after the end of a pass has no effect.
    case curve([SpeedPoint], repeatingEvery: Int64? = nil)

    /// True for a curve of points.
    var isCurve: Bool { if case .curve = self { true } else { false } }

    /// The number of passes until all further passes are equal: 1 except for a ramp.
    var passesToReachLast: Int {
        guard case .ramp(let from, let to, let step) = self, step != 0, step.isFinite else { return 1 }
        // The small tolerance keeps 0.6 to 1.0 by 0.1 at five passes, although 0.1 has no exact binary form.
        let steps = (abs(to.factor - from.factor) / abs(step) - 1e-9).rounded(.up)
        return steps < 1_000_000 ? Int(max(0, steps)) + 1 : 1_000_000
    }

    /// Returns the speed at the start of a pass, counted from 0.
    func factor(ofPass pass: Int) -> Double {
        switch self {
        case .constant(let speed), .glide(from: let speed, to: _):
            return speed.factor
        case .curve(let points, _):
            return points.first?.speed.factor ?? 1
        case .ramp(let from, let to, let step):
            guard pass + 1 < passesToReachLast else { return to.factor }
            let direction: Double = to.factor >= from.factor ? 1 : -1
            // Rounded to a millionth of the recording's speed, so that 0.6 + 0.1 + 0.1 is the 0.8 a user typed.
            return ((from.factor + direction * abs(step) * Double(pass)) * 1e6).rounded() / 1e6
        }
    }
}

/// A point of a curve of speeds: this speed plays from here on.
public struct SpeedPoint: Sendable, Hashable {
    /// Transition to a point's speed.
    public enum Arrival: Sendable, Hashable {
        /// At once, at the point's frame.
        case step
        /// By an even glide from the previous point.
        case glide
    }

    /// Output frames since the beginning of the pass.
    package let frame: Int64
    /// The speed from here on.
    package let speed: Speed
    /// Transition to the speed.
    package let arrival: Arrival

    /// Creates a point; the initialiser of a score checks the point against its neighbours.
    ///
    /// - Parameters:
    ///   - frame: output frames since the beginning of the pass.
    ///   - speed: the speed from here on.
    ///   - arrival: the transition to the speed.
    public init(at frame: Int64, _ speed: Speed, _ arrival: Arrival = .step) {
        self.frame = frame
        self.speed = speed
        self.arrival = arrival
    }
}
