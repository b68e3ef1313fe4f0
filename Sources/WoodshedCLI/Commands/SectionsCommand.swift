// `woodshed sections`: lists and changes the sections kept with a recording.
import ArgumentParser
import AudioFiles
import Explanations
import JSON
import Terminal
import WoodshedPractice

struct SectionsCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "sections",
        abstract: "List and edit the sections of a recording.",
        discussion: """
            EXAMPLES
              woodshed sections song.mp3
              woodshed sections song.mp3 add 2.0-3.0 --name Intro
              woodshed sections song.mp3 mark 12.5 48.2       split the recording
              woodshed sections song.mp3 move Bridge 48.1-1:02
              woodshed sections song.mp3 split Bridge 55.0    join 2 3 reverses that
              woodshed sections song.mp3 set Bridge speed=70% passes=5
              woodshed sections song.mp3 hard Bridge          easy removes the mark
              woodshed sections song.mp3 rm 4-6
              woodshed sections talk.mp3 auto                 find phrases; --yes saves
              woodshed sections talk.mp3 import talk.srt      or vtt, lrc, cue, csv, edl
              woodshed sections talk.mp3 export talk.vtt      or .apkg, for Anki
              woodshed sections song.mp3 undo                 redo restores the change

            Name a section by its number or its name. Sections belong to the sound: a renamed, moved or tagged file \
            keeps its sections. Marks in the file (cue points, chapters) are its first sections.
            """)

    @Argument(help: "A recording: a file, @1, or words of a title.", completion: .file())
    var file: String

    @Argument(
        help: .init(
            "list, add, mark, rm, split, join, move, rename, text, hard, easy, set, auto, adopt, import, export, undo or redo.",
            valueName: "action"),
        completion: .list(SectionAction.allCases.map(\.rawValue)))
    var action: String?

    @Argument(
        help: .init("Sections, times, names or a file, for the action.", valueName: "word"),
        completion: .custom(SectionNames.complete))
    var words: [String] = []

    @Option(name: .long, help: "Name the new section.")
    var name: String?

    @Option(name: .long, help: "Give the new section a text: lyrics, or notes.")
    var text: String?

    @Flag(name: .long, help: "Mark the new section as hard.")
    var hard = false

    @Flag(name: .long, help: "Snap times to silence or a zero crossing within 20 ms.")
    var snap = false

    @Flag(name: .long, help: "With import and auto --yes: remove all other sections; undo restores them.")
    var replace = false

    @Option(
        name: .long,
        help:
            "Export as json, srt, vtt, lrc, txt (Audacity), cue, csv (Reaper), edl (mpv) or apkg (Anki).",
        transform: { text in
            guard let format = SectionExport(named: try optionValue(text)) else {
                throw ArgumentError.unreadable(text, as: "a format", remedy: "Write \(SectionExport.names).")
            }
            return format
        })
    var format: SectionExport?

    @OptionGroup(title: "Options of auto") var finding: FindingOptions

    @Flag(name: .long, help: "Write a JSON line for each section or change.")
    var json = false

    @Flag(name: [.short, .long], help: "Print no hints.")
    var quiet = false

    @Flag(name: .long, help: "Print the list without a header.")
    var plain = false

    mutating func perform() throws {
        file = try RecordingWord.file(file)
        let action = try action.map { word throws(CommandFailure) in try SectionAction(word: word) } ?? .list
        try check(action)
        let kept = try KeptRecording(file: file)
        switch action {
        case .list: try show(try kept.list(), of: kept)
        case .auto: try find(in: kept)
        case .adopt: try adopt(kept)
        case .import: try importFile(words[0], into: kept)
        case .export: try export(kept, to: words[0])
        case .undo: try tell(try kept.store.undo(kept.recording.key), of: kept, verb: "undid")
        case .redo: try tell(try kept.store.redo(kept.recording.key), of: kept, verb: "did again")
        default:
            let details = SectionDraft(0..<1, name: name ?? "", text: text ?? "", isHard: hard)
            let list = try kept.list()
            let clip = snap ? try Clip(path: file) : nil
            let edit = try action.edit(words, in: list, of: kept, details) { frame in
                // The list refuses a time past the end.
                guard let clip, frame < kept.recording.frameCount else { return frame }
                return clip.fileFrame(
                    forFrame: try SnappedEdge.frame(nearest: clip.frame(forFileFrame: frame), in: clip))
            }
            guard let edit else { return }
            try tell(try kept.store.apply(edit, to: kept.recording), of: kept)
        }
    }

    /// Refuses words and options foreign to the action, before the recording is read.
    private func check(_ action: SectionAction) throws(CommandFailure) {
        guard action.wordCount.contains(words.count) else {
            throw CommandFailure(
                .usage,
                words.count < action.wordCount.lowerBound
                    ? "'\(action.rawValue)' needs more words"
                    : "'\(action.rawValue)' takes no word '\(words.last ?? "")'",
                remedy: "Write: woodshed sections FILE \(action.usage)")
        }
        // Names, texts and files to write; `import` reads a file.
        if action != .import, let word = words.first(where: { !FileName.isUTF8($0) }) {
            throw CommandLineTool.notUTF8(word)
        }
        let given =
            [
                ("--name", name != nil), ("--text", text != nil), ("--hard", hard), ("--replace", replace),
                ("--format", format != nil), ("--snap", snap),
            ].filter(\.1).map(\.0) + finding.given
        if let option = given.first(where: { !action.options.contains($0) }) {
            throw CommandFailure(
                .usage, "'\(action.rawValue)' does not take \(option)",
                remedy: "Write: woodshed sections FILE \(action.usage)")
        }
    }

    /// Writes a list to standard output.
    private func write(_ list: SectionList, of kept: KeptRecording) throws {
        let table = SectionTable(
            kept: kept, list: list,
            columns: StandardStream.output.isTerminal ? terminalSize().columns : nil)
        if json {
            for line in table.json { try StandardStream.output.line(line.text) }
            return
        }
        for line in table.lines(header: StandardStream.output.isTerminal && !plain) {
            try StandardStream.output.line(line)
        }
    }

    private func show(_ list: SectionList, of kept: KeptRecording) throws {
        try write(list, of: kept)
        if list.sections.isEmpty {
            // Only people hear about a copy: the search may have to decode the recording.
            if !json, !quiet, let copy = try kept.copy() {
                return hint(copy.offer, "sections \(shellPath(file)) adopt")
            }
            hint("\(printable(file)) has no sections yet.", "sections \(shellPath(file)) add 2.0-3.0 --name Intro")
        } else {
            hint(nil, "practice \(shellPath(file))")
        }
    }

    /// Finds phrases and shows them; keeps them only with `--yes`.
    private func find(in kept: KeptRecording) throws {
        var line = ReadingLine(draws: StandardStream.error.isTerminal && !quiet && !plain)
        let found = try finding.finder.find(inFileAt: file) { share in
            line.show(share)
            return true
        }
        line.clear()
        let level = "below \(fixed(found.thresholdDecibels, decimals: 0)) dB"
        let pause = fixed(finding.finder.minimumPause, decimals: 2)
        guard !found.drafts.isEmpty else {
            throw CommandFailure(
                .notFound, "no pause of \(pause) s or more was found in \(file)",
                remedy:
                    "Give shorter pauses (--min-pause 0.2) or a higher level (--threshold -30), or mark points while the recording plays."
            )
        }
        let count = counted(found.drafts.count, "phrase")
        guard finding.yes else {
            var list = SectionList(sampleRate: kept.recording.sampleRate, frameCount: kept.recording.frameCount)
            try list.apply(.add(found.drafts))
            try write(list, of: kept)
            return hint(
                "Found \(count) between pauses of \(pause) s or more \(level). Nothing is kept yet.",
                "sections \(shellPath(file)) auto --yes")
        }
        let edit: SectionEdit = replace ? .replaceAll(found.drafts) : .add(found.drafts)
        try tell(
            try kept.store.apply(.all([edit], summary: "found \(count) (pauses \(level))"), to: kept.recording),
            of: kept)
    }

    /// Takes over the sections of the same recording in another encoding.
    private func adopt(_ kept: KeptRecording) throws {
        guard let copy = try kept.copy() else {
            throw CommandFailure(
                .notFound, "no other recording with sections sounds like \(file), and none was in this file before",
                remedy: "Only a recording without sections adopts. To copy from any other: woodshed sections OTHER "
                    + "export x.json, then woodshed sections \(shellPath(file)) import x.json")
        }
        try tell(try kept.store.adopt(copy, for: kept.recording), of: kept)
    }

    private func export(_ kept: KeptRecording, to path: String) throws {
        switch format ?? SectionExport(fileName: path) {
        case .cards:
            let draws = StandardStream.error.isTerminal && !quiet && !plain
            let (cards, ending) = try CardFile(kept: kept, draws: draws).write(to: path)
            cards.notes.forEach { StandardStream.error.note(printable($0)) }
            let count = counted(cards.noteCount, "card")
            let takes = cards.takeCount == 0 ? "" : ", \(cards.takeCount) with a take"
            if !quiet, !json {
                StandardStream.error.note("wrote \(printable(path)), \(count)\(takes)")
                StandardStream.error.note(
                    "next: import it into Anki; exported and imported again, it updates the cards")
            }
            if ending != .success { throw CommandFailure(ending) }
        case let other:
            let given: SectionFormat? = if case .list(let format) = other { format } else { nil }
            let (format, notes) = try SectionFiles(kept: kept).write(to: path, given)
            notes.forEach { StandardStream.error.note(printable($0)) }
            if path != "-" { hint("wrote \(printable(path)), \(format.name)", "sections \(shellPath(file))") }
        }
    }

    private func importFile(_ path: String, into kept: KeptRecording) throws {
        let found = try SectionFiles(kept: kept).read(path)
        found.notes.forEach { StandardStream.error.note(printable($0)) }
        let edit: SectionEdit = replace ? .replaceAll(found.drafts) : .add(found.drafts)
        let count = counted(found.drafts.count, "section")
        let summary = "imported \(count) from \(found.format)"
        try tell(try kept.store.apply(.all([edit], summary: summary), to: kept.recording), of: kept)
    }

    /// Reports the change and suggests the next command.
    private func tell(_ change: SectionChange, of kept: KeptRecording, verb: String? = nil) throws {
        let list = try kept.list()
        guard !change.isEmpty else { return hint("Nothing had to change.", "sections \(shellPath(file))") }
        if json { return try StandardStream.output.line(change.json(in: list).text) }
        if !quiet {
            let words = [verb, change.summary].compactMap { $0 }.joined(separator: ": ")
            StandardStream.error.note(printable("\(words); \(count(list)) now"))
        }
        guard let new = change.added.last.flatMap({ list.number(ofID: $0.id) }) else {
            return hint(nil, "sections \(shellPath(file))")
        }
        let areMany = change.added.count > change.removed.count + 1
        hint(nil, "practice \(shellPath(file))" + (areMany ? "" : " --section \(new)"))
    }

    private func count(_ list: SectionList) -> String {
        counted(list.sections.count, "section")
    }

    /// Prints a suggestion for the next command.
    private func hint(_ words: String?, _ command: String) {
        guard !quiet, !json else { return }
        if let words { StandardStream.error.note(words) }
        StandardStream.error.note("next: woodshed \(command)")
    }
}
