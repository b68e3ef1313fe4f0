// A file that takes a while to make: its progress on a terminal, and the signals that give it up.
import Terminal
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
        let watch = SignalWatch(signals)
        var shown = -1
        defer { if draws { try? StandardStream.error.write("\r\u{1B}[K") } }
        do {
            return try body(
                { part in
                    guard draws, Int(part * 100) != shown else { return }
                    shown = Int(part * 100)
                    try? StandardStream.error.write("\rmaking \(printable(path)): \(shown) %\u{1B}[K")
                },
                { watch.isOver })
        } catch {
            guard watch.status == .success else { throw CommandFailure(watch.status, "\(path) was not written") }
            throw error
        }
    }
}
