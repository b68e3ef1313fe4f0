// Events of a recording as JSON lines. Field names are a contract: fields may be added, never renamed or removed.
import Glibc
import JSON
import Woodshed

/// Formats a recording's events for programs.
struct RecorderLine {
    let sampleRate: Int
    /// The path of the take; nil for a pipe.
    let path: String?
    /// The path of the take for people, or "standard output".
    var target: String { path ?? "standard output" }
    /// The format of the take.
    let channelCount: Int
    /// Recorded channels of the input, from 0; nil without a choice. Levels and overs of other channels are left out.
    var inputChannels: [Int]?
    let format: WaveSampleFormat
    let deviceName: String

    /// Returns an event without the data of unrecorded channels; nil if no other data remains.
    func recorded(_ event: RecorderEvent) -> RecorderEvent? {
        guard let inputChannels else { return event }
        switch event {
        case .levels(var levels):
            let all = levels.channels
            levels.channels = inputChannels.compactMap { all.indices.contains($0) ? all[$0] : nil }
            return .levels(levels)
        case .over(let channel, _): return inputChannels.contains(channel) ? event : nil
        default: return event
        }
    }

    /// Returns a JSON object without a line feed; nil for events reported elsewhere.
    func json(_ event: RecorderEvent) -> String? {
        switch event {
        case .started(let inputFrame, let preRoll):
            line(
                "recording.started", frame: 0,
                [
                    .init("path", path.map { .string($0) } ?? .null), .init("device", .string(deviceName)),
                    .init("sample_rate", .integer(sampleRate)), .init("channels", .integer(channelCount)),
                    .init("bits", .integer(format.bytesPerSample * 8)), .init("format", .string(format.rawValue)),
                    .init("input_frame", .integer(inputFrame)), .init("pre_roll_frames", .integer(preRoll)),
                ]
                    + (inputChannels.map { channels in
                        [.init("input_channels", .array(channels.map { .integer($0 + 1) }))]
                    } ?? []))
        case .levels(let levels): level(levels)
        case .over(let channel, let frame):
            line("over", inputFrame: frame, [.init("channel", .integer(channel + 1))])
        case .overrun(let frame, let lost): line("overrun", frame: frame, [.init("lost_frames", .integer(lost))])
        case .disturbed(let incident):
            line(EngineEvent.disturbed(incident).name, inputFrame: incident.frame, incident.details)
        case .paused(let frame): line("paused", frame: frame, [])
        case .resumed(let frame): line("resumed", frame: frame, [])
        case .marked(let name, let frame): line("mark", frame: frame, [.init("name", .string(name))])
        case .diskLow(let seconds):
            JSONValue.event("disk.low", [.init("seconds_left", .number(seconds))]).text
        case .failed(let error, let frame):
            line("recording.failed", frame: frame, [.init("reason", .string(error.kind.rawValue))] + error.fields)
        case .inputEnded(let error):
            error.map { error in
                JSONValue.event("input.lost", [.init("reason", .string(error.kind.rawValue))] + error.fields).text
            }
        case .stopped: nil
        }
    }

    /// Returns the line about a conversion: the take is complete, and another file is being made from it.
    func converting(_ take: String, frames: Int64, to path: String, _ format: ExportFormat) -> String {
        line(
            "recording.converting", frame: frames,
            [.init("take", .string(take)), .init("path", .string(path)), .init("format", .string(format.rawValue))])
    }

    /// Returns the last line, about the final result of the take.
    ///
    /// - Parameter summary: The result; nil for a take whose device or disk does not answer.
    func stopped(
        _ summary: TakeSummary?, outcome: String, path: String?, _ monitor: RecorderMonitor, silentOverruns: Int64
    ) -> String {
        let (status, statistics) = (monitor.status, monitor.statistics)
        let frameCount = summary?.frameCount ?? status.recordedFrames
        let reason = summary?.reason ?? .failed
        let loudness = summary == nil ? status.loudness : summary?.loudness
        return line(
            "recording.stopped", frame: frameCount,
            [
                .init("frames", .integer(frameCount)),
                .init("lost_frames", .integer(summary?.lostFrames ?? status.lostFrames)),
                .init("reason", .string(reason.rawValue)), .init("outcome", .string(outcome)),
                .init("path", path.map { .string($0) } ?? .null),
                .init("integrated", finite(loudness?.integrated)), .init("lra", finite(loudness?.range)),
                .init("true_peak", finite(loudness?.truePeak)),
                .init("overruns", .integer(statistics.overruns - silentOverruns)),
                .init("dropped_frames", .integer(monitor.droppedFrames)),
                .init("capture_p50_us", .number(statistics.renderTime.medianMicroseconds)),
                .init("capture_p999_us", .number(statistics.renderTime.p999Microseconds)),
                .init("capture_max_us", .number(statistics.renderTime.maximumMicroseconds)),
                .init("scheduling", .string(statistics.schedulingClass)),
            ])
    }

    private func level(_ levels: RecorderLevels) -> String {
        let channels = levels.channels.map { channel in
            JSONValue.object([
                .init("peak", decibels(Double(channel.peak))), .init("rms", decibels(Double(channel.rms))),
                .init("overs", .integer(channel.overs)),
            ])
        }
        return line("level", inputFrame: levels.inputFrame, [.init("channels", .array(channels))])
    }

    /// Returns a level in dB of full scale; null for silence, a level of minus infinity.
    private func decibels(_ value: Double) -> JSONValue { value > 0 ? .number(20 * log10(value)) : .null }

    /// Returns a number; null for an unknown value or minus infinity.
    private func finite(_ value: Double?) -> JSONValue {
        value.flatMap { $0.isFinite ? .number($0) : nil } ?? .null
    }

    private func line(_ name: String, frame: Int64, _ details: [JSONValue.Field]) -> String {
        JSONValue.event(
            name, [.init("frame", .integer(frame)), .init("seconds", .number(seconds(frame)))] + details
        ).text
    }

    /// Returns a line with frames of the input, which advance during a pause of the take.
    private func line(_ name: String, inputFrame frame: Int64, _ details: [JSONValue.Field]) -> String {
        JSONValue.event(
            name, [.init("input_frame", .integer(frame)), .init("input_seconds", .number(seconds(frame)))] + details
        ).text
    }

    private func seconds(_ frame: Int64) -> Double { Double(frame) / Double(sampleRate) }
}
