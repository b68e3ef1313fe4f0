// Converts a take after the stop. The take is deleted only after the new file is complete and was checked.
import Glibc
import Woodshed

/// Converts a take to the requested format.
struct Conversion {
    let take: String
    let target: String
    let format: ExportFormat
    let marks: [TakeMark]
    let keepsTake: Bool
    let signals: Int32
    let messages: MessageOptions

    /// - Throws: An `AudioFileError`, or a `CommandFailure` if a signal stopped it; only the take is then left.
    func run() throws {
        Signals.beginWatching()
        defer { Signals.endWatching() }
        let draws = TerminalTraits.current(plain: messages.plain).drawsStatus && !messages.quiet
        var (shown, stopped) = (-1, ExitStatus.success)
        do throws(AudioFileError) {
            _ = try TakeConversion.run(
                from: take, to: target, format: format, marks: marks,
                progress: { part in
                    guard draws, Int(part * 100) != shown else { return }
                    shown = Int(part * 100)
                    try? StandardStream.error.write("\rmaking \(printable(target)): \(shown) %\u{1B}[K")
                },
                isCancelled: {
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
            if draws { try? StandardStream.error.write("\r\u{1B}[K") }
            StandardStream.error.note(printable("\(target) was not made; the take is whole: \(take)"))
            guard stopped == .success else { throw CommandFailure(stopped) }
            throw error
        }
        if draws { try? StandardStream.error.write("\r\u{1B}[K") }
        if !keepsTake { _ = unsafe unlink(take) }
    }
}
