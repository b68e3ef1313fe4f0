// Explanations: the protocol of every error and warning of this project (cause and remedy), and its printed form; and
// the system's text for its error numbers.
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

/// An error with its cause, its remedy, and the exit status of a command that ends with this error. Every public error
/// of these modules conforms to this protocol.
public protocol ExplainedError: Error, Explained {
    /// The exit status of a command that ends with this error.
    var exitStatus: ExitStatus { get }
}
