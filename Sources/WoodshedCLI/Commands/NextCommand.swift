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
        var review: SectionReview?
        if let rate, let kept, let id { review = try store.review(section: id, of: kept.recording, rate, at: now) }
        let rated = try RatedSections(store, of: kept?.recording, at: now)
        let present = rated.present.filter { id == nil || $0.section.id == id }
        store.tellRepair()
        if let review, !messages.json {
            if !messages.quiet, let section = present.first {
                StandardStream.error.note(printable("\(section.title): \(review.words)"))
            }
            return
        }
        let scheduled = kept == nil && (all || messages.json) ? rated.all : present
        let listed = review != nil || all ? scheduled : scheduled.filter(\.isDue)
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
        var notes = all ? [] : try rated.offers()
        if present.contains(where: \.isDue) {
            notes.append("next: woodshed practice --due" + (file.map { " " + $0 } ?? ""))
        } else if !present.isEmpty || notes.isEmpty {
            notes += rated.nothingDue(among: present)
        }
        for words in notes { StandardStream.error.note(printable(words)) }
    }
}
