// How a run ends: the codes a script can rely on, after sysexits(3), and the failure that carries one.

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

/// A run that cannot go on: what happened, and what to do about it.
struct CommandFailure: Error, Equatable, Sendable {
    let status: ExitStatus
    /// One sentence; never a label such as "error".
    let cause: String
    /// One sentence; empty when there is nothing to do.
    let remedy: String

    init(_ status: ExitStatus, _ cause: String, remedy: String = "") {
        self.status = status
        self.cause = cause
        self.remedy = remedy
    }

    /// The failure as printed: one or two lines, without a final line feed.
    var text: String {
        let lines = [cause, remedy].filter { !$0.isEmpty }.map(printable)
        return (["woodshed: " + (lines.first ?? "")] + lines.dropFirst()).joined(separator: "\n")
    }
}
