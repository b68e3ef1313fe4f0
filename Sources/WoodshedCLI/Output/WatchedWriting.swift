// A file that takes a while to make: its progress on a terminal, and the signals that give it up.
import Glibc
import Woodshed

/// Makes a file while signals are watched.
enum WatchedWriting {
    /// Runs `body`, which asks its second argument often whether to give up, and leaves no file then.
    ///
    /// - Parameters:
    ///   - path: The file, as the user named it.
    ///   - signals: What `Signals.install` returned.
    ///   - draws: Whether the progress is shown.
    /// - Throws: The error of `body`; a failure with the signal's status if there was one.
    static func run<Value>(
        _ path: String, _ signals: Int32, draws: Bool,
        _ body: (_ progress: @escaping (Double) -> Void, _ isCancelled: @escaping () -> Bool) throws -> Value
    ) throws -> Value {
        Signals.beginWatching()
        defer { Signals.endWatching() }
        var (shown, stopped) = (-1, ExitStatus.success)
        defer { if draws { try? StandardStream.error.write("\r\u{1B}[K") } }
        do {
            return try body(
                { part in
                    guard draws, Int(part * 100) != shown else { return }
                    shown = Int(part * 100)
                    try? StandardStream.error.write("\rmaking \(printable(path)): \(shown) %\u{1B}[K")
                },
                {
                    for number in Signals.drain(signals) {
                        switch number {
                        case SIGINT: stopped = .interrupted
                        case SIGTERM: stopped = .terminated
                        case SIGHUP: stopped = .hangup
                        default: break
                        }
                    }
                    return stopped != .success
                })
        } catch {
            guard stopped == .success else { throw CommandFailure(stopped, "\(path) was not written") }
            throw error
        }
    }
}
