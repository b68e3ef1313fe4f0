package import Explanations
internal import Store

/// The reason why a take cannot be played beside its model. Playback continues unchanged.
package typealias HearingError = Failure<HearingErrorKind>

/// The kind of error, for programs.
package enum HearingErrorKind: String, FailureKind, CaseIterable {
    /// The take has no model.
    case noModel
    /// The take's model is another recording.
    case otherRecording
    /// The take's file is no longer at its path.
    case gone
    /// The take's file cannot be read.
    case unreadable
    /// The recording lacks the model's frames, or the take does not overlap with the model.
    case nothingInCommon
    /// The caller cancelled the operation.
    case cancelled
}

extension HearingError {
    static func noModel(_ number: Int) -> HearingError {
        HearingError(
            .noModel, "take \(number) was not recorded against a section",
            remedy: "Play the take alone, or compare the take as a file.")
    }

    static func otherRecording(_ number: Int) -> HearingError {
        HearingError(
            .otherRecording, "take \(number) was recorded against another recording",
            remedy: "Open the recording of the take.")
    }

    static func gone(_ take: StoredTake) -> HearingError {
        guard !take.isReplaced else {
            return HearingError(
                .gone, "the file of take \(take.number) is gone: \(take.path) is now another take",
                remedy: "Delete the take from the list.")
        }
        return HearingError(
            .gone, "the file of take \(take.number) is gone: \(take.currentPath)",
            remedy: "Put the file back, or delete the take from the list.")
    }

    static func nothingInCommon(_ number: Int) -> HearingError {
        HearingError(
            .nothingInCommon, "take \(number) and its section do not overlap",
            remedy: "Play the take alone; the recording may have become shorter.")
    }

    static var cancelled: HearingError {
        HearingError(.cancelled, "the operation was cancelled", remedy: "Play or compare the take again.")
    }
}

extension HearingErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .noModel, .otherRecording, .nothingInCommon: .badData
        case .gone: .notFound
        case .unreadable: .inputOutput
        case .cancelled: .interrupted
        }
    }
}
