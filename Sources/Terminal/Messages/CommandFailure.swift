import AudioFiles
package import Explanations

extension ExplainedError {
    /// The error in its printed form: one or two lines, without a final line feed.
    package var text: String {
        let lines = [message, remedy].filter { !$0.isEmpty }.map(printable)
        return (["woodshed: " + (lines.first ?? "")] + lines.dropFirst()).joined(separator: "\n")
    }
}

/// Returns the printed form of any error.
package func errorText(_ error: any Error) -> String { (error as? any ExplainedError)?.text ?? "woodshed: \(error)" }

/// An error of the command itself, which ends the run.
package struct CommandFailure: ExplainedError, CategorisedError, Equatable {
    package let exitStatus: ExitStatus
    /// Message in one sentence, without a label such as "error". Empty for an error that is already printed or needs no
    /// message (Ctrl-C).
    package let message: String
    /// Remedy in one sentence; empty if the user can do nothing.
    package let remedy: String

    package init(_ exitStatus: ExitStatus, _ message: String = "", remedy: String = "") {
        self.exitStatus = exitStatus
        self.message = message
        self.remedy = remedy
    }

    /// Makes the error of a command that needs more than the system gives.
    ///
    /// - Parameter place: The file or the purpose with a colon and a blank, as in "song.wav: "; may be empty.
    package init(_ limit: SystemLimit, at place: String = "") {
        self.init(limit.exitStatus, place + limit.cause, remedy: limit.remedy)
    }
}
