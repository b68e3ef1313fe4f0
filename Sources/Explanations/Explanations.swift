// Explanations: what every error and warning of this project tells, cause and remedy, and how it prints; and the system's words
// for its error numbers.
//
// It knows no error itself, and nothing lies below it. A program that uses any of the modules catches all their errors at once:
//
//     catch let error as any ExplainedError { show(error.message, error.remedy) }

/// Something that is wrong, in words that can be shown to a user as they are.
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

/// An error with its cause and its remedy: every public error of these modules is one.
public protocol ExplainedError: Error, Explained {}
