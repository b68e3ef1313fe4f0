public import Explanations

/// The reason why a practice session refused a request. Playback continues unchanged.
public typealias SessionError = Failure<SessionErrorKind>

/// The kind of error, for programs.
public enum SessionErrorKind: String, FailureKind, CaseIterable {
    /// The end of a loop is not after its start.
    case endBeforeStart
    /// The loop, or the requested mark of the loop, is not set.
    case noLoop
    /// Nothing has been heard yet.
    case nothingHeard
    /// There is no section to play, or none of the requested kind.
    case noSections
}

extension SessionError {
    static var noSections: SessionError {
        SessionError(.noSections, "there is nothing to play", remedy: "Give at least one section.")
    }

    package static var noLoop: SessionError {
        SessionError(
            .noLoop, "there is no loop yet",
            remedy: "Set the start and then the end of a loop while the recording plays.")
    }

    static var nothingHeard: SessionError {
        SessionError(.nothingHeard, "nothing has been heard yet", remedy: "Wait until the recording plays.")
    }
}

extension SessionErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .endBeforeStart, .noLoop, .nothingHeard: .usage
        case .noSections: .notFound
        }
    }
}
