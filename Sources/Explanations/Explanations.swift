// Explanations: the protocol of every error and warning of this project (cause and remedy), and how it prints; and the system's words
// for its error numbers.
//
// It knows no particular error, and depends on nothing. A program that uses any of the modules can catch all their errors at once:
//
//     catch let error as any ExplainedError { show(error.message, error.remedy) }

/// A problem, in words that can be shown to a user unchanged.
public protocol Explained: Sendable, CustomStringConvertible {
    /// The cause, in one plain sentence.
    var message: String { get }
    /// What to do about it, in one plain sentence.
    var remedy: String { get }
}

extension Explained {
    /// Cause and remedy, a line each. Real-time safe: no (allocates).
    public var description: String { "\(message)\n\(remedy)" }
}

/// An error with its cause, its remedy, and the exit status of a command that ends with it. Every public error of these modules conforms to it.
public protocol ExplainedError: Error, Explained {
    /// The exit status of a command that ends with this error.
    var exitStatus: ExitStatus { get }
}
