public import Explanations

/// A request that a practice session cannot carry out. What plays goes on as it was.
public struct SessionError: ExplainedError, Hashable {
    /// What is wrong, for programs.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The end of a loop is not after its start.
        case endBeforeStart
        /// No loop, or no such mark of it, has been set.
        case noLoop
        /// Nothing has been heard yet.
        case nothingHeard
        /// There is no section to play, or none of the kind that was asked for.
        case noSections
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

    static let noSections = SessionError(
        .noSections, "there is nothing to play", remedy: "Give at least one section.")
    package static let noLoop = SessionError(
        .noLoop, "there is no loop yet", remedy: "Set its start, and then its end, while you listen.")
    static let nothingHeard = SessionError(
        .nothingHeard, "nothing has been heard yet", remedy: "Wait until the recording plays.")
}

extension SessionError {
    /// The exit status of a command that ends with this error.
    ///
    /// Real-time safe: no.
    public var exitStatus: ExitStatus {
        switch kind {
        case .endBeforeStart, .noLoop, .nothingHeard: .usage
        case .noSections: .notFound
        }
    }
}
