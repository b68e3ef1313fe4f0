// The end of a run in figures: the last line for programs, and the closing lines for people.
import Explanations
import JSON
import Terminal
import WoodshedPractice

/// Gathers the last event and the inaudible dropouts of a run.
final class PlayingSummary {
    private let engine: Engine
    private let player: Player
    /// False if nobody listens, so dropouts and load mean nothing.
    private let tellsFigures: Bool
    /// The player's last event. Printed last, with the figures of the whole run.
    var finish: PlayerEvent?
    /// True once the session was played to its end.
    var isCompleted = false
    /// Dropouts of the device during a pause of the player, which were inaudible.
    private var silentLosses = (xruns: Int64(0), frames: Int64(0))

    init(_ listening: Listening, tellsFigures: Bool) {
        (engine, player, self.tellsFigures) = (listening.engine, listening.session.player, tellsFigures)
    }

    /// Notes an inaudible dropout.
    func noteSilentLoss(frames: Int64) {
        silentLosses.xruns += 1
        silentLosses.frames += frames
    }

    /// Returns the last line for programs, with the figures of the whole run.
    func lastLine(failed: Bool) -> EventLine {
        let statistics = engine.statistics
        let status = player.status
        let sampleRate = engine.configuration.sampleRate
        var line =
            finish.map { EventLine($0, sampleRate: sampleRate) }
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
        let statistics = engine.statistics
        return (
            max(0, statistics.xruns - silentLosses.xruns), max(0, statistics.lostFrames - silentLosses.frames)
        )
    }

    /// Returns the closing lines for people.
    ///
    /// - Parameter ending: The exit status so far.
    func words(_ ending: ExitStatus, isVerbose: Bool) -> [String] {
        guard tellsFigures else { return [] }
        let statistics = engine.statistics
        let seconds = Double(player.status.outputFrame) / Double(engine.configuration.sampleRate)
        let isWhole = ending == .success && finish?.kind == .finished(.completed)
        let parts = ["\(isWhole ? "finished" : "stopped") after \(clockText(seconds))"] + figures(statistics)
        var lines = [parts.joined(separator: "; ")]
        if dropouts.count > 0 {
            lines.append("use a longer --period against dropouts, and find their causes with: woodshed doctor")
        }
        guard isVerbose else { return lines }
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
}
