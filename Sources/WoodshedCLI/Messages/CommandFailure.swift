import ErrorTable
import Woodshed

extension CommandError {
    /// The error as it is printed: one or two lines, without a final line feed.
    var text: String {
        let lines = [message, remedy].filter { !$0.isEmpty }.map(printable)
        return (["woodshed: " + (lines.first ?? "")] + lines.dropFirst()).joined(separator: "\n")
    }
}

/// Any error as it is printed.
func errorText(_ error: any Error) -> String { (error as? any CommandError)?.text ?? "woodshed: \(error)" }

/// An error of the command itself that ends the run.
struct CommandFailure: CommandError, Equatable {
    let exitStatus: ExitStatus
    /// One sentence, without a label such as "error"; empty if it was already printed, or needs no message (Ctrl-C).
    let message: String
    /// One sentence; empty if the user can do nothing.
    let remedy: String

    init(_ exitStatus: ExitStatus, _ message: String = "", remedy: String = "") {
        self.exitStatus = exitStatus
        self.message = message
        self.remedy = remedy
    }
}
