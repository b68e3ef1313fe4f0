// The exit statuses of the command, which scripts can rely on, after sysexits(3), and the errors that have one.
import Woodshed

/// The exit statuses of this command.
enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0
    /// Some of several things were done; the others were told.
    case someFailed = 2
    /// The command line is not valid.
    case usage = 64
    /// Not audio, a damaged file, or a time range that is not in the file.
    case badData = 65
    case notFound = 66
    /// No sound device, or one that cannot do what was requested; a required program or library is not installed.
    case unavailable = 69
    /// A bug in this program.
    case software = 70
    case cannotCreate = 73
    case inputOutput = 74
    /// The same may succeed a little later: a server that is busy, a file that another program writes.
    case tryAgain = 75
    case noPermission = 77
    /// The configuration file, or a variable for an option, has a value that cannot be.
    case configuration = 78
    case hangup = 129
    case interrupted = 130
    /// The reader of standard output has gone.
    case closedPipe = 141
    case terminated = 143
}

/// An error that can end a run. `CommandLineTool` prints it and exits with its status; the code in between passes it on.
protocol CommandError: ExplainedError {
    /// The exit status of the run.
    var exitStatus: ExitStatus { get }
}

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
