// A run's reports about its device: losses, returns, and the final figures. Also determines the end of the run.
import Explanations
import JSON
import Terminal
import Woodshed

extension Session {
    /// Prints news about takes; returns the line for standard output.
    func tell(_ news: (words: [String], line: JSONValue?)?) -> String {
        guard let news else { return "" }
        if !loop.messages.json { loop.say(news.words) }
        return run.programLine { news.line?.text }
    }

    // MARK: At the end

    /// Stores all pending changes, ratings, the practice log and the player's position. The wait has a limit, because a
    /// disk may not answer.
    ///
    /// - Parameter isAbandoned: True if the player's events never end, because its device does not answer.
    func keep(isAbandoned: Bool) {
        var words = keeping?.progress.end(isAbandoned: isAbandoned) ?? []
        take(loop.inbox.take())
        if remembers {
            keeping?.remember(practice, isCompleted: isCompleted) { [inbox = loop.inbox] in inbox.put(.kept($0)) }
        }
        words += keeping?.finish() ?? []
        // These reports contain the results of the last changes.
        take(loop.inbox.take())
        loop.say(words, evenQuiet: true)
    }

    /// Ends the process without waiting for the unresponsive part; everything else is stored.
    func abandon(_ words: String) -> Never { loop.abandon(words) { keep(isAbandoned: true) } }

    /// Returns the last line for programs, with the figures of the whole run.
    func lastLine(failed: Bool) -> EventLine {
        let statistics = device.engine.statistics
        let status = player.status
        let sampleRate = device.engine.configuration.sampleRate
        var line =
            heldFinish.map { EventLine($0, sampleRate: sampleRate) }
            ?? EventLine(
                name: "playback.finished", frame: status.outputFrame, sampleRate: sampleRate,
                section: status.section, pass: status.pass, passes: status.passes, speed: status.speed,
                clipFrame: status.clipFrame, pitch: status.semitones, isReversed: status.isReversed,
                details: [.init("reason", .string(failed ? "failed" : "stopped"))])
        line.details.append(.init("frames", .integer(line.frame)))
        guard tellsFigures else { return line }
        line.details += [
            .init("xruns", .integer(dropouts.count)),
            .init("lost_frames", .integer(dropouts.frames)),
            .init("starved_frames", .integer(status.starvedFrames)),
            .init("interruptions", .integer(statistics.interruptions)),
            .init("unheard_frames", .integer(statistics.unheardFrames)),
            .init("load_p50", number(statistics.load?.median)), .init("load_p999", number(statistics.load?.p999)),
            .init("load_max", number(statistics.load?.maximum)),
            .init("scheduling", .string(statistics.schedulingClass)),
        ]
        return line
    }

    /// Returns a number; null for an unknown value.
    private func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }

    /// Audible dropouts, and their lost frames.
    private var dropouts: (count: Int64, frames: Int64) {
        let statistics = device.engine.statistics
        return (
            max(0, statistics.xruns - silentLosses.xruns), max(0, statistics.lostFrames - silentLosses.frames)
        )
    }

    /// The closing lines for people.
    var closingWords: [String] {
        let statistics = device.engine.statistics
        let seconds = Double(player.status.outputFrame) / Double(device.engine.configuration.sampleRate)
        let isWhole = (loop.ending ?? .success) == .success && heldFinish?.kind == .finished(.completed)
        let parts = ["\(isWhole ? "finished" : "stopped") after \(clockText(seconds))"] + figures(statistics)
        var lines = [parts.joined(separator: "; ")]
        if dropouts.count > 0 {
            lines.append("use a longer --period against dropouts, and find their causes with: woodshed doctor")
        }
        guard loop.messages.verbose else { return lines }
        let time = statistics.renderTime
        lines.append(
            "\(statistics.blocks) blocks, render time \(fixed(time.medianMicroseconds, decimals: 1)) us median, "
                + "\(fixed(time.p999Microseconds, decimals: 1)) us at 99.9 %, "
                + "\(fixed(time.maximumMicroseconds, decimals: 1)) us at most")
        return lines
    }

    /// Returns the figures of the device's clock, as one part of the line; empty without such a clock.
    private func figures(_ statistics: EngineStatistics) -> [String] {
        guard let load = statistics.load else { return [] }
        var parts = [counted(dropouts.count, "dropout")]
        if dropouts.frames > 0 { parts.append("\(dropouts.frames) frames lost") }
        if statistics.interruptions > 0 {
            parts.append(
                "device lost \(statistics.interruptions == 1 ? "once" : "\(statistics.interruptions) times")")
            parts.append("\(statistics.unheardFrames) frames unheard")
        }
        let loads = [load.median, load.p999, load.maximum].map { fixed($0 * 100, decimals: 1) }
        parts.append("load \(loads.joined(separator: " / ")) % (median, 99.9 %, worst)")
        parts.append("scheduling \(statistics.schedulingClass)")
        return [parts.joined(separator: ", ")]
    }

    /// True if a run with a finished player waits for work requested by the user.
    var awaitsOrders: Bool { isSilent && keeping?.keeper.hasOrders == true }

    /// True once nothing is left to wait for. After a signal, no questions are asked. A line being typed can still be
    /// finished after the last pass, and its result is reported.
    var isOver: Bool {
        guard isSilent else { return false }
        if loop.ending ?? .success != .success { return true }
        if keeping?.progress.isAsking == true { return false }
        if loop.ending != nil || !loop.takesKeys { return true }
        return desk?.line == nil && !awaitsOrders
    }
}
