public import Explanations

/// An error in a plan, found before the start of playing.
public typealias ScoreError = Failure<ScoreErrorKind>

/// Kind of error, for programs.
public enum ScoreErrorKind: FailureKind {
    /// The plan has no section.
    case noSections
    /// A section ends at or before its start.
    case emptySection
    /// A section reaches outside the clip.
    case sectionOutsideClip
    /// A section is too short for one frame of sound at the requested speed.
    case sectionTooShort
    /// The number of passes is not at least 1.
    case passesOutOfRange
    /// A speed is not a number from 0.25 to 4.
    case speedOutOfRange
    /// A pitch is not a number from −24 to 24 semitones.
    case pitchOutOfRange
    /// A plan whose pitch follows the speed also sets a pitch.
    case pitchWithVarispeed
    /// A ramp's step is zero or not a number.
    case rampStepOutOfRange
    /// A curve of speeds does not begin at 0, its points are not in order or too close, or there are too many.
    case curveOutOfRange
    /// A gap is negative or not a number.
    case gapOutOfRange
    /// A strip's balance or one of its gains is not a number in its range.
    case stripOutOfRange
    /// A strip chooses a channel that the clip does not have, or needs two channels and there are not two.
    case channelOutsideClip
    /// The score would be longer than positions can count.
    case tooLong
    /// The requested place is in no section of the score.
    case placeOutsideScore
}

extension ScoreErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .emptySection, .sectionOutsideClip, .sectionTooShort, .placeOutsideScore, .channelOutsideClip: .badData
        case .noSections, .passesOutOfRange, .speedOutOfRange, .pitchOutOfRange, .pitchWithVarispeed,
            .rampStepOutOfRange, .curveOutOfRange,
            .gapOutOfRange, .stripOutOfRange, .tooLong:
            .usage
        }
    }
}
