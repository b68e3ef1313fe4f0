// Events of the device, as JSON and as text.
import JSON
import Woodshed

extension EngineEvent {
    /// One JSON object, without a line feed.
    func json(sampleRate: Int) -> String {
        JSONValue.object([.init("v", .integer(1)), .init("event", .string(name))] + details(sampleRate)).text
    }

    private var name: String {
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
            Self.place(frame, sampleRate) + [.init("device", .string(configuration.deviceName))]
        case .deviceMissing(let error):
            [
                .init("reason", .string(error.kind.rawValue)), .init("message", .string(error.message)),
                .init("remedy", .string(error.remedy)),
            ]
        case .disturbed(let incident):
            Self.place(incident.frame, sampleRate) + [.init("lost_frames", .integer(incident.lostFrames))]
        }
    }

    private static func place(_ frame: Int64, _ sampleRate: Int) -> [JSONValue.Field] {
        [.init("frame", .integer(frame)), .init("seconds", .number(Double(frame) / Double(sampleRate)))]
    }

    /// Lines for people, depending on the reaction to a loss.
    func words(_ onLoss: LossText, sampleRate: Int) -> [String] {
        switch self {
        case .interrupted(let interruption):
            let next =
                switch onLoss {
                case .wait: "waiting for it; what was playing goes on when it is back"
                case .pause: "paused; the space bar looks for it again"
                case .fallback: "trying the default device"
                }
            return ["\(interruption.error.message); \(next)"]
        case .resumed(let configuration, _): return ["the device \(configuration.deviceName) is back"]
        case .fellBack(let configuration, _): return ["now on the device \(configuration.deviceName)"]
        case .deviceMissing(let error): return [error.message, error.remedy]
        case .disturbed(let incident):
            let seconds = fixed(Double(incident.lostFrames) / Double(sampleRate), decimals: 2)
            let what = incident.kind == .suspended ? "was suspended" : "stood still"
            return ["the device \(what) and goes on; \(seconds) s were silent"]
        }
    }
}
