// How a run ends: the codes a script can rely on, after sysexits(3), and the errors that carry one.
import Woodshed

/// The codes this command ends with.
enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0
    /// The command line was not understood.
    case usage = 64
    /// Not audio, a broken file, a range of time that is not in the file.
    case badData = 65
    case notFound = 66
    /// No sound device, or one that cannot do what was asked; a program or library that is needed and is not installed.
    case unavailable = 69
    /// A fault of this program.
    case software = 70
    case cannotCreate = 73
    case inputOutput = 74
    case noPermission = 77
    case hangup = 129
    case interrupted = 130
    /// The reader of standard output has gone.
    case closedPipe = 141
    case terminated = 143
}

/// An error that a run can end with. `CommandLineTool` prints it and ends with its code; whatever is met on the way lets it pass.
protocol CommandError: ExplainedError {
    /// The code that the run ends with.
    var exitStatus: ExitStatus { get }
}

extension CommandError {
    /// The error as printed: one or two lines, without a final line feed.
    var text: String {
        let lines = [message, remedy].filter { !$0.isEmpty }.map(printable)
        return (["woodshed: " + (lines.first ?? "")] + lines.dropFirst()).joined(separator: "\n")
    }
}

/// A run that cannot go on for a reason of the command's own.
struct CommandFailure: CommandError, Equatable {
    let exitStatus: ExitStatus
    /// One sentence, never a label such as "error"; empty when it was told already, or is no news (Ctrl-C).
    let message: String
    /// One sentence; empty when there is nothing to do.
    let remedy: String

    init(_ exitStatus: ExitStatus, _ message: String = "", remedy: String = "") {
        self.exitStatus = exitStatus
        self.message = message
        self.remedy = remedy
    }
}
