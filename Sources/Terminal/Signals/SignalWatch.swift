package import Explanations
import Glibc

/// Signals that cancel the work of the main thread. While the object lives, the first signal does not end the process:
/// the work often asks `isOver`, and ends itself. Ctrl-Z stops the process the next time the work asks. Main thread
/// only.
package final class SignalWatch {
    /// Exit status of the run: success until a signal arrives.
    package private(set) var status = ExitStatus.success
    private let signals: Int32
    /// False within an earlier watch.
    private let isOwner: Bool

    /// - Parameter signals: The file descriptor from `Signals.install`.
    package init(_ signals: Int32) {
        self.signals = signals
        isOwner = Signals.beginWatching()
    }

    deinit { if isOwner { Signals.endWatching() } }

    /// True if a signal requested the end.
    package var isOver: Bool {
        for number in Signals.drain(signals) {
            switch number {
            case SIGINT: status = .interrupted
            case SIGTERM: status = .terminated
            case SIGHUP: status = .hangup
            // The same key also stops programs started for the work.
            case SIGTSTP: Signals.stopUntilContinued()
            default: break
            }
        }
        return status != .success
    }
}
