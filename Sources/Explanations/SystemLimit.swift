internal import Glibc

/// A resource of which the system gives no more, with the words for an error. A later attempt may succeed.
package enum SystemLimit: Sendable, CaseIterable {
    /// Open files of this process.
    case files
    /// Open files of all processes.
    case filesOfSystem
    /// Threads.
    case threads
    /// Processes.
    case processes
    /// Memory.
    case memory

    /// Returns the limit that an error number of opening a file stands for; nil for another error.
    package init?(errno code: Int32) {
        switch code {
        case EMFILE: self = .files
        case ENFILE: self = .filesOfSystem
        default: return nil
        }
    }

    /// Returns the limit that an error number of starting a program stands for; nil for another error. Other calls
    /// return EAGAIN for other reasons.
    package init?(startErrno code: Int32) {
        switch code {
        case EAGAIN: self = .processes
        case ENOMEM: self = .memory
        default: self.init(errno: code)
        }
    }

    /// The cause, for the end of a sentence.
    package var cause: String {
        switch self {
        case .files: "the process may open no more files"
        case .filesOfSystem: "the system may open no more files"
        case .threads: "the system has no thread left"
        case .processes: "the system has no process left"
        case .memory: "the system has no memory left"
        }
    }

    /// The remedy, in one plain sentence.
    package var remedy: String {
        switch self {
        case .files: "Close some files, or raise the limit (ulimit -n)."
        case .filesOfSystem: "End other programs, or raise the limit (sysctl fs.file-max)."
        case .threads, .processes: "End other programs, or raise the limit (ulimit -u)."
        case .memory: "End other programs."
        }
    }

    /// The exit status of a command ending with this error.
    package var exitStatus: ExitStatus { .tryAgain }
}
