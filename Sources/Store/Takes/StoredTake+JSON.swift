internal import AudioFiles
internal import JSON

/// The text beside a take during its recording, from which a later start lists the take.
package struct TakeAttachment {
    package let model: StoredTake.Model?
    /// The recording of the model.
    package let recording: PracticeRecording?
    /// The input, by its stable name.
    package let device: String

    private static let version: Int64 = 1

    /// The attachment as one line of text.
    package var text: String {
        var fields: [JSONValue.Field] = [.init("v", .integer(Self.version)), .init("device", .string(device))]
        if let model { fields.append(.init("model", Self.value(model))) }
        if let recording { fields.append(.init("recording", Self.value(recording))) }
        return JSONValue.object(fields).text
    }

    package init(model: StoredTake.Model?, recording: PracticeRecording?, device: String) {
        (self.model, self.recording, self.device) = (model, recording, device)
    }

    /// Reads an attachment; nil for any other text, or for a later version.
    package init?(_ text: String) {
        guard let value = JSONValue(reading: Array(text.utf8)), value["v"]?.integer(in: .counts) == Self.version else {
            return nil
        }
        device = value["device"]?.stringValue ?? ""
        model = value["model"].flatMap(Self.model)
        recording = value["recording"].flatMap(Self.recording)
    }

    private static func value(_ model: StoredTake.Model) -> JSONValue {
        .object([
            .init("key", .string(model.key.description)),
            .init("section", model.sectionID.map { .integer($0) } ?? .null),
            .init("name", .string(model.sectionName)), .init("start_frame", .integer(model.frames.lowerBound)),
            .init("end_frame", .integer(model.frames.upperBound)), .init("pass", .integer(model.pass)),
            .init("speed", .number(model.speed)), .init("semitones", .number(model.semitones)),
            .init("start", .number(model.start)), .init("alignment", .string(model.alignment.rawValue)),
        ])
    }

    private static func model(_ value: JSONValue) -> StoredTake.Model? {
        guard let key = value["key"]?.stringValue.flatMap(RecordingKey.init),
            let first = value["start_frame"]?.integer(in: .counts), let end = value["end_frame"]?.integer(in: .counts),
            first <= end, let pass = value["pass"]?.integer(in: .counts).map(Int.init),
            let speed = value["speed"]?.number(in: .speeds),
            let semitones = value["semitones"]?.number(in: .semitones),
            let start = value["start"]?.number(in: .measures),
            let alignment = value["alignment"]?.stringValue.flatMap(StoredTake.Alignment.init)
        else { return nil }
        return StoredTake.Model(
            key: key, sectionID: value["section"]?.integer(in: .counts).map(Int.init),
            sectionName: value["name"]?.stringValue ?? "", frames: first..<end, pass: pass, speed: speed,
            semitones: semitones, start: start, alignment: alignment)
    }

    private static func value(_ recording: PracticeRecording) -> JSONValue {
        .object([
            .init("key", .string(recording.key.description)), .init("rate", .integer(recording.sampleRate)),
            .init("frames", .integer(recording.frameCount)), .init("title", .string(recording.title)),
            .init("path", recording.path.map { .string($0) } ?? .null),
        ])
    }

    private static func recording(_ value: JSONValue) -> PracticeRecording? {
        guard let key = value["key"]?.stringValue.flatMap(RecordingKey.init),
            let rate = value["rate"]?.integer(in: .sampleRates).map(Int.init),
            let frames = value["frames"]?.integer(in: .counts)
        else { return nil }
        return PracticeRecording(
            key: key, sampleRate: rate, frameCount: frames, title: value["title"]?.stringValue ?? "",
            path: value["path"]?.stringValue)
    }
}
