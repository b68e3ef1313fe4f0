// A slowly written file: progress on a terminal, and cancellation by signals.
import Explanations
import Terminal
import Woodshed

/// Writes a file while watching signals.
enum WatchedWriting {
    /// Runs `body`. The body must often ask its second argument for cancellation, and leave no file after a
    /// cancellation.
    ///
    /// - Parameters:
    ///   - path: The file, as named by the user.
    ///   - signals: The file descriptor from `Signals.install`.
    ///   - draws: True to show the progress.
    /// - Returns: The result of `body`, and the exit status for the command: success, or the status of a signal that
    ///   came too late to cancel the file.
    /// - Throws: The error of `body`; after a signal, a failure with the signal's status.
    static func run<Value>(
        _ path: String, _ signals: Int32, draws: Bool,
        _ body: (_ progress: @escaping (Double) -> Void, _ isCancelled: @escaping () -> Bool) throws -> Value
    ) throws -> (value: Value, ending: ExitStatus) {
        let watch = SignalWatch(signals)
        var shown = -1
        defer { if draws { try? StandardStream.error.write("\r\u{1B}[K") } }
        do {
            let value = try body(
                { part in
                    guard draws, Int(part * 100) != shown else { return }
                    shown = Int(part * 100)
                    try? StandardStream.error.write("\rmaking \(printable(path)): \(shown) %\u{1B}[K")
                },
                { watch.isOver })
            return (value, watch.isOver ? watch.status : .success)
        } catch {
            guard !watch.isOver else { throw CommandFailure(watch.status, "\(path) was not written") }
            throw error
        }
    }
}
