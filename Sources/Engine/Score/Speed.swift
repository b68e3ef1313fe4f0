/// How fast a section is played, as a factor of the recording's own speed; the pitch stays.
///
/// A speed that exists lies in `Speed.range`; at exactly 1 the recording is copied bit for bit.
public struct Speed: Sendable, Hashable {
    /// The speeds the stretcher can make: 25 % to 400 %.
    public static let range: ClosedRange<Double> = 0.25...4

    /// The recording's own speed.
    public static let normal = Speed(unchecked: 1)

    /// 1 is the recording's own speed, 0.5 is half as fast, so twice as long.
    public let factor: Double

    /// Checks a factor.
    ///
    /// - Parameter factor: 0.25 to 4; 0.7 is 70 %.
    /// - Throws: `ScoreError` of kind `speedOutOfRange`, also for NaN.
    public init(factor: Double) throws(ScoreError) {
        guard Speed.range.contains(factor) else {
            throw ScoreError(
                .speedOutOfRange, "a speed of \(factor * 100) % cannot be played",
                remedy: "Choose a speed from 25 % to 400 %.")
        }
        self.factor = factor
    }

    private init(unchecked factor: Double) {
        self.factor = factor
    }
}

/// The speed of each pass of a section.
public enum SpeedSchedule: Sendable, Hashable {
    /// Every pass has the same speed.
    case constant(Speed)
    /// The first pass has the speed `from`; each further pass is one `step` nearer to `to`, which the passes then keep.
    ///
    /// The sign of `step` does not matter: it always leads from `from` to `to`. A step is a factor: 0.05 is 5 %.
    case ramp(from: Speed, to: Speed, step: Double)

    /// How many passes it takes until the last speed is reached: 1 for a constant speed.
    public var passesToReachLast: Int {
        switch self {
        case .constant:
            return 1
        case .ramp(let from, let to, let step):
            guard step != 0, step.isFinite else { return 1 }
            // The small allowance keeps 0.6 to 1.0 by 0.1 at five passes, although 0.1 has no exact binary form.
            let steps = (abs(to.factor - from.factor) / abs(step) - 1e-9).rounded(.up)
            return steps < 1_000_000 ? Int(max(0, steps)) + 1 : 1_000_000
        }
    }

    /// The speed of a pass, counted from 0.
    func factor(ofPass pass: Int) -> Double {
        switch self {
        case .constant(let speed):
            return speed.factor
        case .ramp(let from, let to, let step):
            guard pass + 1 < passesToReachLast else { return to.factor }
            let direction: Double = to.factor >= from.factor ? 1 : -1
            // Rounded to a millionth of the recording's speed, so that 0.6 + 0.1 + 0.1 is the 0.8 a user typed.
            return ((from.factor + direction * abs(step) * Double(pass)) * 1e6).rounded() / 1e6
        }
    }
}
