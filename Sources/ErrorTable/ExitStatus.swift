// ErrorTable: which exit status each error has, after sysexits(3). Scripts rely on the statuses of the command, and programs in C get the
// same numbers from every function. It knows no terminal and prints nothing.
package import Explanations

/// The statuses.
package enum ExitStatus: Int32, CaseIterable, Sendable {
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

/// An error with a status. The command prints it and exits with the status; the code in between passes it on.
package protocol CommandError: ExplainedError {
    /// The exit status of the run.
    var exitStatus: ExitStatus { get }
}
