public import Explanations
internal import Store

/// A take that cannot be heard beside what it was recorded against. What plays goes on as it was.
public struct HearingError: ExplainedError, Hashable {
    /// What is wrong, for programs.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The take was not recorded against anything.
        case noModel
        /// It was recorded against another recording.
        case otherRecording
        /// Its file is not where it was.
        case gone
        /// Its file cannot be read.
        case unreadable
        /// The recording has no such frames, or the take does not sound together with them.
        case nothingInCommon
        /// The caller gave it up.
        case cancelled
    }

    /// What is wrong, for programs.
    public let kind: Kind
    /// What is wrong, in words.
    public let message: String
    /// What to do about it, in words.
    public let remedy: String

    package init(_ kind: Kind, _ message: String, remedy: String) {
        (self.kind, self.message, self.remedy) = (kind, message, remedy)
    }
}

extension HearingError {
    static func noModel(_ number: Int) -> HearingError {
        HearingError(
            .noModel, "take \(number) was not recorded against a section",
            remedy: "Play it alone, or compare it as a file.")
    }

    static func otherRecording(_ number: Int) -> HearingError {
        HearingError(
            .otherRecording, "take \(number) was recorded against another recording",
            remedy: "Open the recording that it belongs to.")
    }

    static func gone(_ take: StoredTake) -> HearingError {
        guard !take.isReplaced else {
            return HearingError(
                .gone, "the file of take \(take.number) is gone: \(take.path) is another take by now",
                remedy: "Delete the take from the list.")
        }
        return HearingError(
            .gone, "the file of take \(take.number) is gone: \(take.currentPath)",
            remedy: "Put it back there, or delete the take from the list.")
    }

    static func nothingInCommon(_ number: Int) -> HearingError {
        HearingError(
            .nothingInCommon, "take \(number) and its section have no moment in common",
            remedy: "Play it alone; the recording may have become shorter since.")
    }

    static let cancelled = HearingError(.cancelled, "given up", remedy: "Ask for it again.")
}

extension HearingError {
    /// The exit status of a command that ends with this error.
    ///
    /// Real-time safe: no.
    public var exitStatus: ExitStatus {
        switch kind {
        case .noModel, .otherRecording, .nothingInCommon: .badData
        case .gone: .notFound
        case .unreadable: .inputOutput
        case .cancelled: .interrupted
        }
    }
}
