// Converts a take after the stop. The take itself stays unchanged.
import Terminal
import Woodshed

/// Converts a take to the requested format.
struct Conversion {
    let take: String
    let target: String
    let format: ExportFormat
    let marks: [TakeMark]
    let signals: Int32
    let messages: MessageOptions

    /// - Throws: An `AudioFileError`, or a `CommandFailure` after a signal. In both cases only the take is left.
    func run() throws {
        let draws = TerminalTraits.current(plain: messages.plain).drawsStatus && !messages.quiet
        do {
            try WatchedWriting.run(target, signals, draws: draws) { progress, isCancelled in
                _ = try TakeConversion.run(
                    from: take, to: target, format: format, marks: marks, progress: progress, isCancelled: isCancelled)
            }
        } catch {
            StandardStream.error.note(printable("\(target) was not written; the take is complete: \(take)"))
            guard let failure = error as? CommandFailure else { throw error }
            // A signal needs no further words.
            throw CommandFailure(failure.exitStatus)
        }
    }
}
