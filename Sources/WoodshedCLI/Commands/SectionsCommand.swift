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

    @OptionGroup var output: SectionOutputOptions

    mutating func perform() throws {
        file = try RecordingWord.file(file)
        let action = try action.map { word throws(CommandFailure) in try SectionAction(word: word) } ?? .list
        try check(action)
        let kept = try KeptRecording(file: file)
        switch action {
        case .list: try report.show(try kept.list(), of: kept)
        case .auto: try SectionFinding(options: finding, replaces: replace, report: report).find(in: kept)
        case .adopt: try adopt(kept)
        case .import: try importFile(words[0], into: kept)
        case .export: try export(kept, to: words[0])
        case .undo: try report.tell(try kept.store.undo(kept.recording.key), of: kept, verb: "undid")
        case .redo: try report.tell(try kept.store.redo(kept.recording.key), of: kept, verb: "did again")
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
            try report.tell(try kept.store.apply(edit, to: kept.recording), of: kept)
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

    /// Takes over the sections of the same recording in another encoding.
    private func adopt(_ kept: KeptRecording) throws {
        guard let copy = try kept.copy() else {
            throw CommandFailure(
                .notFound, "no other recording with sections sounds like \(file), and none was in this file before",
                remedy: "Only a recording without sections adopts. To copy from any other: woodshed sections OTHER "
                    + "export x.json, then woodshed sections \(shellPath(file)) import x.json")
        }
        try report.tell(try kept.store.adopt(copy, for: kept.recording), of: kept)
    }

    private func export(_ kept: KeptRecording, to path: String) throws {
        switch format ?? SectionExport(fileName: path) {
        case .cards:
            let (cards, ending) = try CardFile(kept: kept, draws: report.drawsProgress).write(to: path)
            cards.notes.forEach { StandardStream.error.note(printable($0)) }
            let count = counted(cards.noteCount, "card")
            let takes = cards.takeCount == 0 ? "" : ", \(cards.takeCount) with a take"
            if !output.quiet, !output.json {
                StandardStream.error.note("wrote \(printable(path)), \(count)\(takes)")
                StandardStream.error.note(
                    "next: import it into Anki; exported and imported again, it updates the cards")
            }
            if ending != .success { throw CommandFailure(ending) }
        case let other:
            let given: SectionFormat? = if case .list(let format) = other { format } else { nil }
            let (format, notes) = try SectionFiles(kept: kept).write(to: path, given)
            notes.forEach { StandardStream.error.note(printable($0)) }
            if path != "-" { report.hint("wrote \(printable(path)), \(format.name)", "sections \(shellPath(file))") }
        }
    }

    private func importFile(_ path: String, into kept: KeptRecording) throws {
        let found = try SectionFiles(kept: kept).read(path)
        found.notes.forEach { StandardStream.error.note(printable($0)) }
        let edit: SectionEdit = replace ? .replaceAll(found.drafts) : .add(found.drafts)
        let count = counted(found.drafts.count, "section")
        let summary = "imported \(count) from \(found.format)"
        try report.tell(try kept.store.apply(.all([edit], summary: summary), to: kept.recording), of: kept)
    }

    private var report: SectionReport { SectionReport(file: file, options: output) }
}
