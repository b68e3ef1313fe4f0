// Events of the device, as JSON and as text.
import JSON
import Terminal
import Woodshed

extension EngineEvent {
    /// Returns a JSON object, without a line feed.
    func json(sampleRate: Int) -> String {
        JSONValue.event(name, details(sampleRate)).text
    }

    /// The event's name, also used by a recorder for the same event.
    var name: String {
        switch self {
        case .interrupted: "interrupted"
        case .resumed: "device.resumed"
        case .fellBack: "fellback"
        case .deviceMissing: "device.missing"
        case .disturbed(let incident): incident.kind == .suspended ? "device.suspended" : "device.stalled"
        }
    }

    private func details(_ sampleRate: Int) -> [JSONValue.Field] {
        switch self {
        case .interrupted(let interruption):
            Self.place(interruption.frame, sampleRate) + [
                .init("device", .string("\(interruption.device)")),
                .init("reason", .string(interruption.reason.name)),
                .init("unheard_frames", .integer(interruption.unheardFrames)),
                .init("message", .string(interruption.error.message)),
            ]
        case .resumed(let configuration, let frame), .fellBack(let configuration, let frame):
            Self.place(frame, sampleRate) + [
                .init("device", .string(configuration.deviceName)),
                .init("period", .integer(configuration.periodFrames)),
            ]
        case .deviceMissing(let error):
            [.init("reason", .string(error.kind.rawValue))] + error.fields
        case .disturbed(let incident):
            Self.place(incident.frame, sampleRate) + incident.details
        }
    }

    private static func place(_ frame: Int64, _ sampleRate: Int) -> [JSONValue.Field] {
        [.init("frame", .integer(frame)), .init("seconds", .number(Double(frame) / Double(sampleRate)))]
    }

    /// Returns lines for people, depending on the reaction to a loss.
    ///
    /// - Parameters:
    ///   - first: Configuration at the start of playing.
    ///   - takesKeys: True if the user can press keys.
    func words(_ onLoss: LossText, first: StreamConfiguration, takesKeys: Bool) -> [String] {
        switch self {
        case .interrupted(let interruption):
            let next =
                switch onLoss {
                case .wait: "waiting for the device; playing continues when the device is back"
                case .pause: "paused; \(takesKeys ? "the space bar" : "woodshed ctl pause") looks for the device again"
                case .fallback: "trying the default device"
                }
            return ["\(interruption.error.message); \(next)"]
        case .resumed(let configuration, _):
            return ["the device \(configuration.deviceName) is back\(Self.period(configuration, first))"]
        case .fellBack(let configuration, _):
            return ["now on the device \(configuration.deviceName)\(Self.period(configuration, first))"]
        case .deviceMissing(let error): return [error.message, error.remedy]
        case .disturbed(let incident): return [incident.words(sampleRate: first.sampleRate, "were silent")]
        }
    }

    /// Returns a note about a longer period, chosen after the device failed with a shorter period.
    private static func period(_ now: StreamConfiguration, _ first: StreamConfiguration) -> String {
        now.periodFrames > first.periodFrames ? ", with periods of \(now.periodFrames) frames" : ""
    }
}

extension StreamIncident {
    /// Fields of the event, apart from its place.
    var details: [JSONValue.Field] {
        [.init("lost_frames", .integer(lostFrames))]
            + (secondsAsleep > 0 ? [.init("asleep_seconds", .number(secondsAsleep))] : [])
    }

    /// Returns a line for people.
    ///
    /// - Parameter loss: Fate of the lost frames, as in "were silent".
    func words(sampleRate: Int, _ loss: String) -> String {
        let seconds = fixed(Double(lostFrames) / Double(sampleRate), decimals: 2)
        let what = kind == .suspended ? "was suspended" : "stood still"
        let sleep = secondsAsleep > 0 ? ", the computer slept for \(durationText(secondsAsleep))," : ""
        return "the device \(what)\(sleep) and goes on; \(seconds) s \(loss)"
    }
}
