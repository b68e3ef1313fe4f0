// Explanations: the protocol of every error and warning of this project (cause and remedy), and the printed form; the
// type of most errors; exit statuses; the system's text for error numbers; and the helpers for texts that most modules
// need.
//
// Knows no particular error, and has no dependencies. A program that uses any of the modules can catch all their errors
// at once:
//
//     catch let error as any ExplainedError { show(error.message, error.remedy) }

/// A problem, in words for the user.
public protocol Explained: Sendable, CustomStringConvertible {
    /// The cause, in one plain sentence.
    var message: String { get }
    /// The remedy, in one plain sentence.
    var remedy: String { get }
}

extension Explained {
    /// Cause and remedy, a line each. Real-time safe: no (allocates).
    public var description: String { "\(message)\n\(remedy)" }
}

/// An error with a cause and a remedy. Every public error of this project conforms to this protocol.
public protocol ExplainedError: Error, Explained {}

/// An error with the exit status of a command ending with this error. Every error of this project conforms to this
/// protocol; an embedder's own errors do not.
package protocol CategorisedError: ExplainedError {
    /// The exit status of a command ending with this error.
    var exitStatus: ExitStatus { get }
}

extension ExplainedError {
    /// The exit status of a command ending with this error; `software` for an error without an own status.
    package var exitStatus: ExitStatus { (self as? any CategorisedError)?.exitStatus ?? .software }
}

extension CategorisedError {
    /// Makes the compiler refuse a type without an own status. The property above would call itself for ever.
    @available(*, unavailable, message: "an error needs an exit status")
    package var exitStatus: ExitStatus { .software }
}
