// Events of playing as lines: JSON for programs, short text for people. Field names are a contract: fields may be
// added, never renamed or removed.
import JSON
import Woodshed

/// A printed event.
struct EventLine: Equatable {
    /// Name of the event, for example `pass.started`.
    let name: String
    /// Output frame of the event.
    let frame: Int64
    /// Frames per second of the output.
    let sampleRate: Int
    /// Number of the section, from 1.
    let section: Int
    /// Number of the pass, from 1.
    let pass: Int
    /// Number of passes; nil for endless passes.
    let passes: Int?
    /// Speed as a factor.
    let speed: Double
    let clipFrame: Int64
    /// Pitch in semitones.
    var pitch = 0.0
    /// True if the pass plays from its end to its beginning.
    var isReversed = false
    /// Fields specific to this kind of event.
    var details: [JSONValue.Field] = []

    /// The event as a JSON object, without a line feed.
    var json: String {
        let fields: [JSONValue.Field] = [
            .init("frame", .integer(frame)),
            .init("seconds", .number(sampleRate > 0 ? Double(frame) / Double(sampleRate) : 0)),
            .init("section", .integer(section)), .init("pass", .integer(pass)),
            .init("passes", passes.map { .integer($0) } ?? .null),
            .init("speed", .number(speed)), .init("pitch", .number(pitch)),
            .init("clip_frame", .integer(clipFrame)),
        ]
        let direction = isReversed ? [JSONValue.Field("reversed", .bool(true))] : []
        return JSONValue.event(name, fields + direction + details).text
    }
}
