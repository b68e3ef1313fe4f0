public import Explanations
internal import Glibc

/// A change of pitch, at any speed: one factor multiplies all frequencies, and the tempo stays.
///
/// In speech, formants stay in place, so that a voice remains the same person's; in music formants move with the pitch
/// (see ``PracticePlan/formants``). Every value is from −24 to 24 semitones. Another pitch is made by stretching to
/// speed ÷ factor. So raising the pitch of a slow passage costs as much sharpness as playing that much slower: below
/// 25 % attacks blur.
public struct Pitch: Sendable, Hashable {
    /// Semitones down and up: two octaves.
    package static let range: ClosedRange<Double> = -24...24

    /// The recording's own pitch.
    public static let original = Pitch()

    /// Semitones of equal temperament; 12 is an octave up, 0.3 is 30 cents up.
    public let semitones: Double
    /// The factor of all frequencies, 0.25 to 4; exact at whole octaves.
    public let ratio: Double

    /// Checks a number of semitones.
    ///
    /// - Parameter semitones: −24 to 24, fractions included.
    /// - Throws: `ScoreError` of kind `pitchOutOfRange`, also for NaN.
    public init(semitones: Double) throws(ScoreError) {
        guard Pitch.range.contains(semitones) else {
            throw ScoreError(
                .pitchOutOfRange, "a pitch of \(semitones) semitones cannot be played",
                remedy: "Choose a pitch from -24 to 24 semitones.")
        }
        self.semitones = semitones
        ratio = pow(2, semitones / 12)
    }

    private init() {
        semitones = 0
        ratio = 1
    }
}
