// A list of takes, for people and for programs.
import Files
import Glibc
import JSON
import Terminal
import WoodshedPractice

/// Takes as lines.
struct TakeTable {
    let takes: [StoredTake]
    let store: PracticeStore
    /// The columns of the terminal; nil where lines are not cut.
    let columns: Int?

    /// Returns a line for each take: number, date, length, rating, and description.
    func lines(header: Bool) -> [String] {
        var titles: [RecordingKey: String] = [:]
        let names = RecordingNames(store)
        var rows = takes.map { take in
            let title = take.model.map { model in
                if let title = titles[model.key] { return title }
                let recording = ((try? store.recording(model.key)) ?? nil)?.recording
                let title = recording.map(names.name) ?? ""
                titles[model.key] = title
                return title
            }
            return [
                String(take.number), dateText(take.sound.time), clockText(take.seconds),
                take.rating.map { String(repeating: "*", count: $0) } ?? "", words(take, title),
            ]
        }
        if header, !rows.isEmpty { rows.insert(["#", "recorded", "length", "", "take"], at: 0) }
        // Numbers and times are aligned right, ratings left.
        return tableLines(rows, leftAligned: 3, columns: columns)
    }

    /// Returns the take's name or else the file's name, the model, the note, and a mark for a missing file.
    private func words(_ take: StoredTake, _ title: String?) -> String {
        var words = [printable(take.name.isEmpty ? fileName(take.path) : take.name)]
        if let model = take.model, let title {
            let section = model.sectionName.isEmpty ? "" : ", " + model.sectionName
            words.append(printable("(\(title)\(section), pass \(model.pass), \(percentText(model.speed)))"))
        }
        if let first = take.note.split(separator: "\n").first { words.append(printable("\"\(first)\"")) }
        if take.isMissing { words.append("[the file is missing]") }
        return words.joined(separator: "  ")
    }

    /// A JSON object for each take.
    var json: [JSONValue] { takes.map { .object([.init("v", .integer(1))] + $0.fields) } }
}

extension StoredTake {
    /// True if the take's file is missing or belongs to another take.
    var isMissing: Bool { isReplaced || !isFile(currentPath) }

    /// Number of frames. During recording and after a crash, only the file knows the length.
    var frameCount: Int64 {
        guard sound.frameCount == 0, !isReplaced, let info = try? AudioFileInfo(path: currentPath) else {
            return sound.frameCount
        }
        return info.frameCount
    }

    var seconds: Double { Double(frameCount) / Double(sound.sampleRate) }

    /// The take's fields for programs. `model_start_frame` is the take's frame at which the section's first frame was
    /// heard.
    var fields: [JSONValue.Field] {
        var fields: [JSONValue.Field] = [
            .init("number", .integer(number)), .init("path", .string(currentPath)), .init("missing", .bool(isMissing)),
            .init("time", .integer(sound.time)), .init("sample_rate", .integer(sound.sampleRate)),
            .init("channels", .integer(sound.channelCount)), .init("frames", .integer(frameCount)),
            .init("seconds", .number(seconds)), .init("device", .string(sound.device)),
            .init("name", .string(name)), .init("note", .string(note)),
            .init("rating", rating.map { .integer($0) } ?? .null), .init("trashed", .bool(isTrashed)),
        ]
        guard let model else { return fields + [.init("model", .null)] }
        fields.append(
            .init(
                "model",
                .object([
                    .init("recording", .string("\(model.key)")),
                    .init("section_id", model.sectionID.map { .integer($0) } ?? .null),
                    .init("section", .string(model.sectionName)),
                    .init("start_frame", .integer(model.frames.lowerBound)),
                    .init("end_frame", .integer(model.frames.upperBound)), .init("pass", .integer(model.pass)),
                    .init("speed", .number(model.speed)), .init("pitch", .number(model.semitones)),
                    .init("model_start_frame", .number(model.start)),
                    .init("alignment", .string(model.alignment.rawValue)),
                ])))
        return fields
    }
}

/// Returns true if a regular file of this name exists.
func isFile(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(FileName.systemName(path), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
}

/// Returns a time as local date and clock: `2026-11-25 14:03`.
func dateText(_ time: Int64) -> String {
    guard let time = LocalTime(time) else { return "-" }
    return "\(time.date) \(time.clock)"
}
