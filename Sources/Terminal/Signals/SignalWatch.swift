package import Explanations
import Glibc

/// Signals that give up what the main thread is doing. While the object lives, the first of them does not end the process: the work asks
/// `isOver` often, and ends by itself. Ctrl-Z stops the process the next time that the work asks. Main thread only.
package final class SignalWatch {
    /// How the run is to end: success as long as no signal came.
    package private(set) var status = ExitStatus.success
    private let signals: Int32

    /// - Parameter signals: What `Signals.install` returned.
    package init(_ signals: Int32) {
        self.signals = signals
        Signals.beginWatching()
    }

    deinit { Signals.endWatching() }

    /// Whether a signal asked for the end.
    package var isOver: Bool {
        for number in Signals.drain(signals) {
            switch number {
            case SIGINT: status = .interrupted
            case SIGTERM: status = .terminated
            case SIGHUP: status = .hangup
            // Programs that were started for the work are stopped by the same key.
            case SIGTSTP: Signals.stopUntilContinued()
            default: break
            }
        }
        return status != .success
    }
}
