// `woodshed next`: lists sections due for practice, and rates a section.
import ArgumentParser
import Glibc
import JSON
import Terminal
import WoodshedLibrary

struct NextCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "next",
        abstract: "List the sections that are due for practice.",
        discussion: """
            EXAMPLES
              woodshed next                                        the most overdue first
              woodshed next song.mp3 --all                         all rated sections
              woodshed next song.mp3 --section Solo --rate good    again, hard, good, easy
              woodshed practice --due                              play the due sections

            The first rating schedules a section: here, or by the key e in `woodshed practice`. A better rating \
            gives a longer interval, computed by FSRS-6. All data stays on this computer.
            """)

    @Argument(help: "List only sections of this recording.", completion: .file())
    var file: String?

    @Option(
        name: [.customShort("n"), .customLong("most")], parsing: .unconditional,
        help: .init("List at most n sections. (default: all)", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...1_000_000) })
    var most: Int?

    @Flag(name: .long, help: "List sections that are not due yet, too.")
    var all = false

    @Option(
        name: .long, help: "List or rate this saved section of the recording.",
        completion: .custom(SectionNames.complete))
    var section: String?

    @Option(
        name: .long, help: .init("Rate the section: again, hard, good or easy.", valueName: "rating"),
        completion: .list(ReviewRating.allCases.map(\.name)),
        transform: { text in
            guard let rating = ReviewRating(named: try optionValue(text)) else {
                throw ArgumentError.unreadable(text, as: "a rating", remedy: "Write again, hard, good or easy.")
            }
            return rating
        })
    var rate: ReviewRating?

    @OptionGroup var messages: MessageOptions

    mutating func validate() throws {
        if rate != nil, file == nil || section == nil {
            throw ValidationError(
                "--rate needs the recording and its section: next song.mp3 --section Solo --rate good")
        }
        if section != nil, file == nil { throw ValidationError("--section needs the recording of the section.") }
        if rate != nil, all || most != nil { throw ValidationError("Use --rate without --all and -n.") }
    }

    func perform() throws {
        let now = Int64(time(nil))
        let kept = try file.map { try KeptRecording(file: RecordingWord.file($0)) }
        let store = try kept?.store ?? PracticeStore(.user)
        let id = try section.flatMap { try kept?.list().meant(by: $0).id }
        var scheduled: [ScheduledSection]
        if let rate, let kept, let id {
            let review = try store.review(section: id, of: kept.recording, rate, at: now)
            scheduled = try store.schedule(at: now, of: kept.recording.key).filter { $0.section.id == id }
            if !messages.json, !messages.quiet, let section = scheduled.first {
                StandardStream.error.note(printable("\(section.title): \(review.words)"))
            }
            if !messages.json { return store.tellRepair() }
        } else {
            scheduled = try store.schedule(at: now, of: kept?.recording.key)
            if let id { scheduled = scheduled.filter { $0.section.id == id } }
        }
        store.tellRepair()
        // A named file determines the key by its present sound, so none of its sections is replaced.
        let replaced = kept == nil && !all && !messages.json ? scheduled.filter { $0.isReplaced && $0.isDue } : []
        if !replaced.isEmpty { scheduled.removeAll(where: \.isReplaced) }
        let listed = rate != nil || all ? scheduled : scheduled.filter(\.isDue)
        let shown = Array(listed.prefix(most ?? listed.count))
        if messages.json {
            for section in shown { try StandardStream.output.line(section.json.text) }
            return
        }
        let isTerminal = StandardStream.output.isTerminal
        let table = DueTable(
            sections: shown, names: RecordingNames(store), columns: isTerminal ? terminalSize().columns : nil)
        for line in table.lines(header: isTerminal && !messages.plain) { try StandardStream.output.line(line) }
        if messages.quiet { return }
        let byPath = Dictionary(grouping: replaced) { $0.recording.path ?? "" }.sorted { $0.key < $1.key }
        for (path, sections) in byPath {
            // Sections were already made for the new sound, so no offer to adopt is needed.
            guard try store.recordings(inFileAt: path).first?.sectionCount == 0 else { continue }
            StandardStream.error.note(printable(DueSections.adopting(path, sections.count)))
        }
        // With replaced sections only, the notes above are complete.
        if !scheduled.isEmpty || replaced.isEmpty { tell(shown, scheduled) }
    }

    /// Suggests the next command.
    private func tell(_ shown: [ScheduledSection], _ scheduled: [ScheduledSection]) {
        func note(_ words: String) { StandardStream.error.note(printable(words)) }
        if shown.contains(where: \.isDue) {
            note("next: woodshed practice --due" + (file.map { " " + $0 } ?? ""))
        } else if let next = scheduled.first(where: { !$0.isDue }) {
            note("Nothing is due. \(next.title) is due on \(PracticeCalendar.text(ofDay: next.dueDay)).")
        } else {
            note("Nothing is due: no section was rated yet.")
            note("next: press e in woodshed practice, or: woodshed next FILE --section SECTION --rate good")
        }
    }
}
