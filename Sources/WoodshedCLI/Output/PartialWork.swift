// The report of a command that failed after a part of its work.
import Explanations
import Terminal

enum PartialWork {
    /// Runs work on many things. If the work fails after a part of the things, reports the part, and adds the part to
    /// the error.
    ///
    /// - Parameters:
    ///   - work: Throws after a part of the work.
    ///   - part: Returns the finished things; called after an error.
    ///   - report: Reports the finished things, like the things of a complete run.
    ///   - done: Returns the words for a number of finished things, such as "in the trash already: 400 of 500 takes".
    ///   - next: Returns how to undo or complete the work.
    /// - Returns: The result of the work.
    static func run<Part, Value>(
        _ work: () throws -> Value, part: () -> [Part], report: ([Part]) throws -> Void, done: (Int) -> String,
        next: () -> String
    ) throws -> Value {
        do { return try work() } catch {
            let part = part()
            if part.isEmpty { throw error }
            // An error of the output must not replace the cause.
            try? report(part)
            throw failure(error, done(part.count), next: next())
        }
    }

    /// Returns the error of a command that failed after a part of its work: the cause, the part, and both remedies.
    static func failure(_ error: any Error, _ done: String, next: String) -> CommandFailure {
        let cause = error as? any ExplainedError
        return CommandFailure(
            cause?.exitStatus ?? .software, "\(cause?.message ?? "\(error)"); \(done)",
            remedy: [cause?.remedy ?? "", next].filter { !$0.isEmpty }.joined(separator: " "))
    }
}
