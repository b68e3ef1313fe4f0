// Takes that a dead program has left: told of at each start, and finished when asked.
import Woodshed

enum Recovery {
    /// Says that there are such takes; what cannot be looked at is no reason not to record.
    static func mention() {
        guard let takes = try? UnfinishedTakes().find(), let latest = takes.first else { return }
        let others = takes.count > 1 ? " and \(takes.count - 1) more" : ""
        StandardStream.error.note(
            printable(
                "A take was not finished: \(latest.path) (\(time(latest.frameCount, latest.sampleRate)))\(others). "
                    + "Finish it with: woodshed record --recover"))
    }

    /// Finishes all of them.
    static func run(_ messages: MessageOptions) throws {
        let takes: [UnfinishedTake]
        do throws(AudioFileError) { takes = try UnfinishedTakes().find() } catch { throw CommandFailure(error) }
        if takes.isEmpty, !messages.quiet { StandardStream.error.note("No take is unfinished.") }
        var failure: CommandFailure?
        for take in takes {
            let frames: Int64
            do throws(AudioFileError) { frames = try take.recover() } catch {
                // The others are not to wait for this one.
                if let failure { StandardStream.error.note(failure.text) }
                failure = CommandFailure(error)
                continue
            }
            if messages.json { try StandardStream.output.line(json(take, frames)) }
            if !messages.quiet {
                let marks = take.marks.count == 1 ? "1 mark" : "\(take.marks.count) marks"
                StandardStream.error.note(
                    printable("recovered \(take.path): \(time(frames, take.sampleRate)), \(marks)"))
            }
        }
        if let failure { throw failure }
    }

    private static func time(_ frames: Int64, _ rate: Int) -> String { clockText(Double(frames) / Double(rate)) }

    private static func json(_ take: UnfinishedTake, _ frames: Int64) -> String {
        JSONValue.object([
            .init("v", .integer(1)), .init("event", .string("recording.recovered")), .init("path", .string(take.path)),
            .init("frames", .integer(frames)), .init("seconds", .number(Double(frames) / Double(take.sampleRate))),
            .init("marks", .integer(take.marks.count)),
        ]).text
    }
}
