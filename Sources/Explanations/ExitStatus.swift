/// The exit status of a command, after sysexits(3), and the result of a function of the C interface: a number for
/// scripts and programs.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    /// Done.
    case success = 0
    /// Some items failed; each failure was reported.
    case someFailed = 2
    /// The command line is not valid.
    case usage = 64
    /// The file is not audio, the file is damaged, or the time range lies outside of the file.
    case badData = 65
    /// A file or a name does not exist.
    case notFound = 66
    /// There is no sound device, or the device lacks a requested capability; a required program or library is missing.
    case unavailable = 69
    /// A bug in this program.
    case software = 70
    /// An output could not be created.
    case cannotCreate = 73
    /// Reading or writing failed; the disk is full.
    case inputOutput = 74
    /// A later attempt may succeed: a server is busy, another program writes the file, or the system gives no more
    /// threads or open files.
    case tryAgain = 75
    /// The permission is missing.
    case noPermission = 77
    /// The configuration file, or a variable for an option, has an impossible value.
    case configuration = 78
    /// The terminal was closed.
    case hangup = 129
    /// Interrupted by the user, or cancelled by the program.
    case interrupted = 130
    /// The reader of standard output has gone.
    case closedPipe = 141
    /// Ended by SIGTERM.
    case terminated = 143

    /// The status if a later attempt may succeed; nil for another status. For an error about the cause of another
    /// error: nil leaves the status to the kind of the error.
    package var ifTemporary: ExitStatus? { self == .tryAgain ? self : nil }
}
