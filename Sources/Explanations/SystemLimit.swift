internal import Glibc

/// A resource of which the system gives no more, with the words for an error. A later attempt may succeed.
package enum SystemLimit: Sendable, CaseIterable {
    /// Open files of this process.
    case files
    /// Open files of all processes.
    case filesOfSystem
    /// Threads.
    case threads

    /// Returns the limit that an error number of opening a file stands for; nil for another error.
    package init?(errno code: Int32) {
        switch code {
        case EMFILE: self = .files
        case ENFILE: self = .filesOfSystem
        default: return nil
        }
    }

    /// The cause, for the end of a sentence.
    package var cause: String {
        switch self {
        case .files: "the process may open no more files"
        case .filesOfSystem: "the system may open no more files"
        case .threads: "the system has no thread left"
        }
    }

    /// The remedy, in one plain sentence.
    package var remedy: String {
        switch self {
        case .files: "Close some files, or raise the limit (ulimit -n)."
        case .filesOfSystem: "End other programs, or raise the limit (sysctl fs.file-max)."
        case .threads: "End other programs, or raise the limit (ulimit -u)."
        }
    }

    /// The exit status of a command ending with this error.
    package var exitStatus: ExitStatus { .tryAgain }
}
