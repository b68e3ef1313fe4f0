// A list of saved sections, for people and for programs.
import JSON
import Terminal
import WoodshedPractice

/// The sections of a recording as lines.
struct SectionTable {
    let kept: KeptRecording
    let list: SectionList
    /// The columns of the terminal; nil where lines are not cut.
    let columns: Int?

    /// Returns a line for each section: number, start, end, length, name, marks, settings, and the first line of the
    /// text.
    func lines(header: Bool) -> [String] {
        var rows = list.sections.enumerated().map { index, section in
            [
                String(index + 1), kept.clock(section.frames.lowerBound), kept.clock(section.frames.upperBound),
                fixed(seconds(section), decimals: 3) + " s", words(section),
            ]
        }
        if header, !rows.isEmpty { rows.insert(["#", "start", "end", "length", "name"], at: 0) }
        return tableLines(rows, columns: columns)
    }

    /// Returns the name, the marks, the settings and the first line of the text, as far as present.
    private func words(_ section: SavedSection) -> String {
        var words: [String] = []
        if !section.name.isEmpty { words.append(printable(section.name)) }
        if section.isHard { words.append("(hard)") }
        words += section.settings.sorted { $0.key < $1.key }.map { printable("\($0.key) \($0.value)") }
        if let first = section.text.split(separator: "\n").first { words.append(printable("\"\(first)\"")) }
        return words.joined(separator: "  ")
    }

    private func seconds(_ section: SavedSection) -> Double {
        Double(section.frames.count) / Double(list.sampleRate)
    }

    /// A JSON object for each section.
    var json: [JSONValue] {
        list.sections.enumerated().map { .object([.init("v", .integer(1))] + $1.fields(number: $0 + 1)) }
    }
}

extension SavedSection {
    /// Returns the section's fields for programs. Frames count in the recording's file.
    func fields(number: Int?) -> [JSONValue.Field] {
        [
            .init("number", number.map { .integer($0) } ?? .null), .init("id", .integer(id)),
            .init("kind", .string(kind.rawValue)), .init("name", .string(name)), .init("text", .string(text)),
            .init("start_frame", .integer(frames.lowerBound)), .init("end_frame", .integer(frames.upperBound)),
            .init("hard", .bool(isHard)),
            .init(
                "settings",
                .object(settings.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })),
        ]
    }
}

extension SectionChange {
    /// Returns the change for programs; removed sections have no number.
    func json(in list: SectionList) -> JSONValue {
        let numbers = Dictionary(list.sections.enumerated().map { ($1.id, $0 + 1) }) { first, _ in first }
        func objects(_ sections: [SavedSection], isGone: Bool) -> JSONValue {
            .array(sections.map { .object($0.fields(number: isGone ? nil : numbers[$0.id])) })
        }
        return .event(
            "sections.changed",
            [
                .init("summary", .string(summary)),
                .init("removed", objects(removed, isGone: true)), .init("added", objects(added, isGone: false)),
            ])
    }
}
