// Converts a take after the stop. The take itself stays unchanged.
import Explanations
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

    /// - Returns: Success, or the status of a signal that came too late to cancel the conversion.
    /// - Throws: An `AudioFileError`, or a `CommandFailure` after a signal. In both cases only the take is left.
    func run() throws -> ExitStatus {
        let draws = TerminalTraits.current(plain: messages.plain).drawsStatus && !messages.quiet
        do {
            return try WatchedWriting.run(target, signals, draws: draws) { progress, isCancelled in
                _ = try TakeConversion.run(
                    from: take, to: target, format: format, marks: marks, progress: progress, isCancelled: isCancelled)
            }.ending
        } catch {
            StandardStream.error.note(printable("\(target) was not written; the take is complete: \(take)"))
            guard let failure = error as? CommandFailure else { throw error }
            // A signal needs no further words.
            throw CommandFailure(failure.exitStatus)
        }
    }
}
