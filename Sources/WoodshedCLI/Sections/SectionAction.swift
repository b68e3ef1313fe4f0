// Actions of `woodshed sections FILE ACTION WORDS`, and their edits.
import Terminal
import WoodshedPractice

/// An action on a recording's sections.
enum SectionAction: String, CaseIterable {
    case list
    case add
    case mark
    case rm
    case split
    case join
    case move
    case rename
    case text
    case hard
    case easy
    case set
    case auto
    case adopt
    case `import`
    case export
    case undo
    case redo

    /// The action and its words, for errors.
    var usage: String {
        switch self {
        case .list: "list"
        case .add: "add START-END... [--name NAME] [--text TEXT] [--hard] [--snap]"
        case .mark: "mark TIME... [--name NAME] [--snap]"
        case .rm: "rm SECTION..."
        case .split: "split SECTION TIME [--snap]"
        case .join: "join SECTION SECTION..."
        case .move: "move SECTION START-END [--snap]"
        case .rename: "rename SECTION NAME"
        case .text: "text SECTION TEXT"
        case .hard: "hard SECTION..."
        case .easy: "easy SECTION..."
        case .set: "set SECTION OPTION=VALUE..."
        case .auto: "auto [--yes] [--min-pause S] [--min-length S] [--max-length S] [--threshold DB] [--replace]"
        case .adopt: "adopt"
        case .import: "import FILE [--replace]"
        case .export: "export FILE [--format FORMAT]"
        case .undo: "undo"
        case .redo: "redo"
        }
    }

    /// Permitted number of words.
    var wordCount: ClosedRange<Int> {
        switch self {
        case .list, .auto, .adopt, .undo, .redo: 0...0
        case .import, .export: 1...1
        case .add, .mark, .rm, .hard, .easy: 1...Int.max
        case .join, .set: 2...Int.max
        case .split, .move, .rename, .text: 2...2
        }
    }

    /// Permitted options, besides the output options.
    var options: [String] {
        switch self {
        case .add: ["--name", "--text", "--hard", "--snap"]
        case .mark: ["--name", "--snap"]
        case .split, .move: ["--snap"]
        case .auto: ["--yes", "--min-pause", "--min-length", "--max-length", "--threshold", "--replace"]
        case .import: ["--replace"]
        case .export: ["--format"]
        default: []
        }
    }

    /// Parses the action of a word.
    ///
    /// - Throws: A `CommandFailure` with the nearest action.
    init(word: String) throws(CommandFailure) {
        let synonyms = ["ls": Self.list, "remove": .rm, "delete": .rm, "name": .rename, "describe": .text]
        if let action = Self(rawValue: word) ?? synonyms[word] {
            self = action
            return
        }
        let words = Self.allCases.map(\.rawValue)
        guard let known = suggestion(for: word, among: words) else {
            throw CommandFailure(
                .usage, "'\(word)' is not an action of sections",
                remedy: "Choose one of: \(words.joined(separator: ", ")).")
        }
        throw CommandFailure(.usage, "there is no action '\(word)'", remedy: "Did you mean: \(known)")
    }

    /// Returns the edit for the words; nil for actions without an edit.
    ///
    /// - Parameters:
    ///   - list: The current sections.
    ///   - kept: The recording.
    ///   - details: The name, the text and the mark for new sections.
    ///   - snap: Moves a typed frame of the file to the best-sounding frame nearby.
    func edit(
        _ words: [String], in list: SectionList, of kept: KeptRecording, _ details: SectionDraft,
        snap: (Int64) throws -> Int64 = { $0 }
    ) throws -> SectionEdit? {
        func frame(_ word: String) throws -> Int64 { try snap(try Self.frame(word, in: kept.timeline)) }
        func range(_ word: String) throws -> Range<Int64> {
            let typed = try Self.range(word, in: kept.timeline)
            let (start, end) = (try snap(typed.lowerBound), try snap(typed.upperBound))
            // A range that would become empty stays as typed.
            return start < end ? start..<end : typed
        }
        switch self {
        case .list, .undo, .redo, .auto, .adopt, .import, .export: return nil
        case .add:
            let drafts = try words.map { word in
                var draft = details
                draft.frames = try range(word)
                return draft
            }
            return .add(drafts)
        case .mark:
            let marks = try words.map { word -> SectionEdit in
                .mark(frame: try frame(word), name: details.name)
            }
            return .all(marks, summary: marks.count == 1 ? "marked a point" : "marked \(marks.count) points")
        case .rm: return .remove(ids: try list.meant(by: words).map(\.id))
        case .split:
            return .split(id: try list.meant(by: words[0]).id, frame: try frame(words[1]))
        case .join: return .join(ids: try list.meant(by: words).map(\.id))
        case .move:
            return .move(id: try list.meant(by: words[0]).id, frames: try range(words[1]))
        case .rename: return .rename(id: try list.meant(by: words[0]).id, name: words[1])
        case .text: return .describe(id: try list.meant(by: words[0]).id, text: words[1])
        case .hard, .easy:
            let sections = try list.meant(by: words)
            let edits = sections.map { SectionEdit.setHard(id: $0.id, self == .hard) }
            return edits.count == 1 ? edits[0] : .all(edits, summary: "marked \(edits.count) sections as \(rawValue)")
        case .set:
            let section = try list.meant(by: words[0])
            let settings = try words.dropFirst().map { try SectionSetting(parsing: $0) }
            let edits = settings.map { SectionEdit.set(id: section.id, option: $0.option, value: $0.value) }
            let names = settings.map(\.option).joined(separator: " and ")
            return .all(edits, summary: "set \(names) of section \(list.number(ofID: section.id) ?? section.id)")
        }
    }

    private static func frame(_ word: String, in timeline: Timeline) throws -> Int64 {
        do throws(ArgumentError) {
            return try TimePoint(parsing: word).frame(in: timeline)
        } catch {
            throw CommandFailure(.usage, error.message, remedy: error.remedy)
        }
    }

    private static func range(_ word: String, in timeline: Timeline) throws -> Range<Int64> {
        do throws(ArgumentError) {
            let (start, end) = try TimeRange(parsing: word).bounds(in: timeline)
            // A range cannot be reversed. The list refuses the resulting empty range.
            return start..<max(start, end)
        } catch {
            throw CommandFailure(.usage, error.message, remedy: error.remedy)
        }
    }
}

/// A section's setting as typed: `speed=70%`; an empty value removes the setting.
struct SectionSetting: Equatable {
    let option: String
    let value: String?

    /// Options with values of their own in sections.
    static let options = ["speed", "passes", "gap"]

    init(parsing text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            throw CommandFailure(
                .usage, "'\(text)' sets nothing",
                remedy: "Write OPTION=VALUE, as in speed=70%; speed= removes the setting.")
        }
        guard Self.options.contains(parts[0]) else {
            throw CommandFailure(
                .usage, "a section has no setting '\(parts[0])'",
                remedy: "Choose one of: \(Self.options.joined(separator: ", ")).")
        }
        (option, value) = (parts[0], parts[1].isEmpty ? nil : parts[1])
        if let value { try KeptSettings([option: value]).check() }
    }
}
