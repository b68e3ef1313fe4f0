// The engine's events with the names of the JSON contract.
import JSON
import Woodshed

extension EventLine {
    init(_ event: PlayerEvent, sampleRate: Int) {
        self.init(
            name: event.kind.name, frame: event.frame, sampleRate: sampleRate, section: event.section, pass: event.pass,
            passes: event.passes, speed: event.speed, clipFrame: event.clipFrame, pitch: event.semitones,
            isReversed: event.isReversed, details: event.details)
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
        case .speedChanged: "speed.changed"
        case .xrun: "xrun"
        case .starved: "starved"
        case .limited: "limited"
        case .materialChosen: "material.chosen"
        case .paused: "paused"
        case .resumed: "resumed"
        case .frozen: "frozen"
        case .unfrozen: "unfrozen"
        case .finished: "playback.finished"
        }
    }

}

extension PlayerEvent {
    fileprivate var details: [JSONValue.Field] {
        switch kind {
        case .xrun(let lostFrames): [.init("lost_frames", .integer(lostFrames))]
        case .starved(let frames): [.init("frames", .integer(frames))]
        case .limited(let decibels): [.init("decibels", .number(decibels))]
        case .paused(let reason), .resumed(let reason): [.init("reason", .string(reason.name))]
        case .finished(let reason): [.init("reason", .string(reason.name))]
        case .passStarted: [.init("sound", .string(sound.name))]
        case .materialChosen(let section):
            [
                .init("material", .string(section.material.rawValue)),
                .init("score", section.score.map { .number($0) } ?? .null), .init("reason", .string(section.reason)),
                .init("passages", .array(section.passages.map(\.json))),
            ]
        case .playbackStarted, .sectionStarted, .sectionEnded, .passEnded, .moved, .speedChanged, .frozen,
            .unfrozen:
            []
        }
    }
}

extension SectionPassage {
    fileprivate var json: JSONValue {
        .object([
            .init("start_frame", .integer(clipFrames.lowerBound)), .init("end_frame", .integer(clipFrames.upperBound)),
            .init("material", .string(material.rawValue)), .init("score", score.map { .number($0) } ?? .null),
            .init("reason", .string(reason)),
        ])
    }
}

extension PassSound {
    /// The rendering method of a pass, as named in JSON.
    var name: String {
        switch self {
        case .copy: "copy"
        case .plain: "plain"
        case .music: "music"
        case .speech: "speech"
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
        case .serverGone: "server_gone"
        case .deviceStopped: "device_stopped"
        case .deviceSuspended: "device_suspended"
        case .deviceTaken: "device_taken"
        case .hearing: "hearing"
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
