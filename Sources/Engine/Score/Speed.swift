public import Explanations

/// Speed of a section, as a factor of the recording's own speed; the pitch stays.
///
/// Every value is from 0.25 to 4; at exactly 1 the recording is copied bit for bit.
public struct Speed: Sendable, Hashable {
    /// Speeds within reach of the stretcher: 25 % to 400 %.
    package static let range: ClosedRange<Double> = 0.25...4

    /// The recording's own speed.
    public static let normal = Speed(unchecked: 1)

    /// 1 is the recording's own speed; 0.5 is half as fast and so twice as long.
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
