public import Explanations

/// The reason why a practice session refused a request. Playback continues unchanged.
public struct SessionError: ExplainedError, Hashable {
    /// The kind of error, for programs.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The end of a loop is not after its start.
        case endBeforeStart
        /// The loop, or the requested mark of the loop, is not set.
        case noLoop
        /// Nothing has been heard yet.
        case nothingHeard
        /// There is no section to play, or none of the requested kind.
        case noSections
    }

    /// The kind of error, for programs.
    public let kind: Kind
    /// The cause, in words.
    public let message: String
    /// The remedy, in words.
    public let remedy: String

    package init(_ kind: Kind, _ message: String, remedy: String) {
        (self.kind, self.message, self.remedy) = (kind, message, remedy)
    }

    static let noSections = SessionError(
        .noSections, "there is nothing to play", remedy: "Give at least one section.")
    package static let noLoop = SessionError(
        .noLoop, "there is no loop yet", remedy: "Set the start and then the end of a loop while the recording plays.")
    static let nothingHeard = SessionError(
        .nothingHeard, "nothing has been heard yet", remedy: "Wait until the recording plays.")
}

extension SessionError: CategorisedError {
    package var exitStatus: ExitStatus {
        switch kind {
        case .endBeforeStart, .noLoop, .nothingHeard: .usage
        case .noSections: .notFound
        }
    }
}
