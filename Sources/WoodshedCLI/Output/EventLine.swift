// Events of playing as lines: JSON for programs, short text for people. Field names are a contract: new ones are added, none is
// renamed or removed.
import JSON
import Woodshed

/// One event as it is printed.
struct EventLine: Equatable {
    /// For example `pass.started`.
    let name: String
    /// The output frame it belongs to.
    let frame: Int64
    /// Frames per second of the output.
    let sampleRate: Int
    /// Counted from 1.
    let section: Int
    /// Counted from 1.
    let pass: Int
    /// nil if they go on until the player is moved on.
    let passes: Int?
    /// As a factor.
    let speed: Double
    let clipFrame: Int64
    /// In semitones.
    var pitch = 0.0
    /// Whether the pass is played from its end to its beginning.
    var isReversed = false
    /// Fields that only this kind of event has.
    var details: [JSONValue.Field] = []

    /// One JSON object, without a line feed.
    var json: String {
        let fields: [JSONValue.Field] = [
            .init("v", .integer(1)), .init("event", .string(name)), .init("frame", .integer(frame)),
            .init("seconds", .number(sampleRate > 0 ? Double(frame) / Double(sampleRate) : 0)),
            .init("section", .integer(section)), .init("pass", .integer(pass)),
            .init("passes", passes.map { .integer($0) } ?? .null),
            .init("speed", .number(speed)), .init("pitch", .number(pitch)),
            .init("clip_frame", .integer(clipFrame)),
        ]
        let direction = isReversed ? [JSONValue.Field("reversed", .bool(true))] : []
        return JSONValue.object(fields + direction + details).text
    }
}
