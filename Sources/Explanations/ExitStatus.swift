/// What a command ends with, after sysexits(3), and what a function of the interface for C returns: a number that scripts and programs rely on.
public enum ExitStatus: Int32, CaseIterable, Sendable {
    /// Done.
    case success = 0
    /// Some items failed; each failure was reported.
    case someFailed = 2
    /// The command line is not valid.
    case usage = 64
    /// Not audio, a damaged file, or a time range that is not in the file.
    case badData = 65
    /// A file or a name that does not exist.
    case notFound = 66
    /// No sound device, or one that cannot do what was requested; a required program or library is not installed.
    case unavailable = 69
    /// A bug in this program.
    case software = 70
    /// An output that cannot be created.
    case cannotCreate = 73
    /// Reading or writing failed; the disk is full.
    case inputOutput = 74
    /// The same may succeed a little later: a server that is busy, a file that another program writes.
    case tryAgain = 75
    /// The permission is missing.
    case noPermission = 77
    /// The configuration file, or a variable for an option, has a value that cannot be.
    case configuration = 78
    /// The terminal was closed.
    case hangup = 129
    /// Interrupted by the user, or cancelled by the program.
    case interrupted = 130
    /// The reader of standard output has gone.
    case closedPipe = 141
    /// Ended by SIGTERM.
    case terminated = 143
}
