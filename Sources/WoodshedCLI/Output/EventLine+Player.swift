// The engine's events in the words of the JSON contract.
import Woodshed

extension EventLine {
    init(_ event: PlayerEvent, sampleRate: Int) {
        self.init(
            name: event.kind.name, frame: event.frame, sampleRate: sampleRate, section: event.section, pass: event.pass,
            passes: event.passes, speed: event.speed, clipFrame: event.clipFrame, details: event.kind.details)
    }
}

extension PlayerEvent.Kind {
    /// The event's name in JSON.
    var name: String {
        switch self {
        case .playbackStarted: "playback.started"
        case .sectionStarted: "section.started"
        case .sectionEnded: "section.ended"
        case .passStarted: "pass.started"
        case .passEnded: "pass.ended"
        case .moved: "moved"
        case .xrun: "xrun"
        case .starved: "starved"
        case .paused: "paused"
        case .resumed: "resumed"
        case .finished: "playback.finished"
        }
    }

    fileprivate var details: [JSONValue.Field] {
        switch self {
        case .xrun(let lostFrames): [.init("lost_frames", .integer(lostFrames))]
        case .starved(let frames): [.init("frames", .integer(frames))]
        case .paused(let reason): [.init("reason", .string(reason.name))]
        case .finished(let reason): [.init("reason", .string(reason.name))]
        case .playbackStarted, .sectionStarted, .sectionEnded, .passStarted, .passEnded, .moved, .resumed: []
        }
    }
}

extension PauseReason {
    /// The reason's name in JSON.
    var name: String {
        switch self {
        case .user: "user"
        case .suspended: "suspended"
        case .deviceLost: "device_lost"
        }
    }
}

extension FinishReason {
    /// The reason's name in JSON.
    var name: String {
        switch self {
        case .completed: "completed"
        case .stopped: "stopped"
        case .failed: "failed"
        }
    }
}
