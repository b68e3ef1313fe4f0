/// An error of a certain kind, in words. Each module gives this type a name for the module's own kinds: `ScoreError` is
/// `Failure<ScoreErrorKind>`.
public struct Failure<SomeKind: FailureKind>: ExplainedError, Hashable {
    /// The kinds of this error.
    public typealias Kind = SomeKind

    /// The kind of failure, for decisions by programs.
    public let kind: Kind
    /// The cause, in one plain sentence.
    public let message: String
    /// The remedy, in one plain sentence.
    public let remedy: String
    package let exitStatus: ExitStatus

    /// - Parameter status: The exit status; nil for the status of the kind.
    package init(
        _ kind: Kind, _ message: String, remedy: String, status: ExitStatus? = nil
    ) where SomeKind: CategorisedKind {
        (self.kind, self.message, self.remedy, exitStatus) = (kind, message, remedy, status ?? kind.exitStatus)
    }
}

extension Failure: CategorisedError {}

/// The kinds of an error: a closed list, as an enumeration.
public protocol FailureKind: Hashable, Sendable {}

/// Kinds with exit statuses. Only an error of such kinds can be made.
package protocol CategorisedKind: FailureKind {
    /// The exit status of a command ending with an error of this kind.
    var exitStatus: ExitStatus { get }
}
