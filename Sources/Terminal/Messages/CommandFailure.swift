package import Explanations

extension ExplainedError {
    /// The error as it is printed: one or two lines, without a final line feed.
    package var text: String {
        let lines = [message, remedy].filter { !$0.isEmpty }.map(printable)
        return (["woodshed: " + (lines.first ?? "")] + lines.dropFirst()).joined(separator: "\n")
    }
}

/// Any error as it is printed.
package func errorText(_ error: any Error) -> String { (error as? any ExplainedError)?.text ?? "woodshed: \(error)" }

/// An error of the command itself that ends the run.
package struct CommandFailure: ExplainedError, Equatable {
    package let exitStatus: ExitStatus
    /// One sentence, without a label such as "error"; empty if it was already printed, or needs no message (Ctrl-C).
    package let message: String
    /// One sentence; empty if the user can do nothing.
    package let remedy: String

    package init(_ exitStatus: ExitStatus, _ message: String = "", remedy: String = "") {
        self.exitStatus = exitStatus
        self.message = message
        self.remedy = remedy
    }
}
