// `woodshed list` and `woodshed recent`: the recordings in the library.
import ArgumentParser
import Explanations
import JSON
import Terminal
import WoodshedLibrary

struct ListCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List and find recordings in the library.",
        discussion: """
            EXAMPLES
              woodshed list                all recordings, the last added first
              woodshed list cafe mar       words of titles, artists, tags and sections
              woodshed list --tag bossa --artist "Ana" --sort title
              woodshed list --missing      recordings whose files are gone
              woodshed list --trash        removed recordings

            @1 is the recording added last. Every verb that takes a recording accepts @1, or words of the title:
              woodshed practice blue bossa
            """)

    @Argument(help: .init("List only recordings with words that begin like these.", valueName: "word"))
    var words: [String] = []

    @Option(name: .long, help: .init("Find these words, as the argument does.", valueName: "words"))
    var search: String?

    @Option(
        name: .long, parsing: .singleValue,
        help: .init("List only recordings with this tag; may be repeated.", valueName: "tag"))
    var tag: [String] = []

    @Option(name: .long, help: .init("List only this artist.", valueName: "name"))
    var artist: String?

    @Option(name: .long, help: .init("List only this language, such as de or pt.", valueName: "tag"))
    var language: String?

    @Option(name: .long, help: .init("List only audio, or only video.", valueName: "kind"))
    var kind: KindText?

    @Flag(name: .long, help: "List only files inside the library.")
    var kept = false

    @Flag(name: .long, help: "List only linked files outside the library.")
    var linked = false

    @Flag(name: .long, help: "List only recordings whose file is gone.")
    var missing = false

    @Flag(name: .long, inversion: .prefixedNo, help: "List only recordings with, or without, saved sections.")
    var sections: Bool?

    @Option(name: .long, help: .init("Sort by this order.", valueName: "order"))
    var sort: OrderText = .added

    @Option(
        name: .long, parsing: .unconditional, help: .init("List only the first n recordings.", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...1_000_000) })
    var newest: Int?

    @Flag(name: .long, help: "List the trash.")
    var trash = false

    @OptionGroup var messages: MessageOptions

    func perform() throws {
        var filter = ItemFilter()
        filter.text = (words + (search.map { [$0] } ?? [])).joined(separator: " ")
        (filter.tags, filter.artist, filter.language) = (tag, artist, language)
        filter.kind = kind.flatMap { LibraryItem.Kind(rawValue: $0.rawValue) }
        if kept != linked { filter.place = kept ? .kept : .linked }
        (filter.hasSections, filter.isTrash) = (sections, trash)
        filter.order = ItemFilter.Order(rawValue: sort.rawValue) ?? .added
        if !missing { filter.limit = newest }
        let library = try RecordingLibrary(PracticeStore(.user))
        var rows = try library.items(filter).map(LibraryTable.Row.init)
        if missing { rows = Array(rows.filter(\.isMissing).prefix(newest ?? .max)) }
        library.store.tellRepair()
        try Self.write(rows, messages)
        if messages.json || messages.quiet { return }
        if rows.isEmpty {
            let isEmpty = try !trash && library.items { $0.limit = 1 }.isEmpty
            StandardStream.error.note(
                trash ? "The trash is empty." : isEmpty ? "The library is empty." : "No recording was found.")
            if isEmpty { StandardStream.error.note(Self.firstStep(library)) }
            return
        }
        let missing = rows.count(where: \.isMissing)
        if missing > 0 {
            StandardStream.error.note(
                "\(counted(missing, "file is", "files are")) missing; look for the files with: woodshed library check FOLDER"
            )
        }
        if trash { return StandardStream.error.note("next: woodshed rm --undo") }
        guard let present = rows.first(where: { !$0.isMissing }) else { return }
        StandardStream.error.note("next: woodshed practice @\(present.item.index)")
    }

    /// Returns the command that brings recordings into an empty library.
    static func firstStep(_ library: RecordingLibrary) -> String {
        library.hasFiles
            ? "The library's folder still has recordings; to bring them back: woodshed library check --fix"
            : "next: woodshed add FILE, or woodshed get URL"
    }

    /// Writes recordings, for people or for programs.
    static func write(_ rows: [LibraryTable.Row], _ messages: MessageOptions) throws {
        let isTerminal = StandardStream.output.isTerminal
        let table = LibraryTable(
            rows: rows, columns: isTerminal ? terminalSize().columns : nil,
            isPlain: !isTerminal || TerminalTraits.current(plain: messages.plain).glyphs != .unicode)
        if messages.json {
            for line in table.json { try StandardStream.output.line(line.text) }
            return
        }
        for line in table.lines(header: isTerminal && !messages.plain) { try StandardStream.output.line(line) }
        if isTerminal, !messages.quiet, let legend = table.legend { StandardStream.error.note(legend) }
    }
}

/// A kind of recording, as typed.
enum KindText: String, CaseIterable, ExpressibleByArgument {
    case audio
    case video
}

/// An order, as typed.
enum OrderText: String, CaseIterable, ExpressibleByArgument {
    case added
    case seen
    case title
    case artist
    case length
}

struct RecentCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "recent",
        abstract: "List the recordings added last.",
        discussion: """
            EXAMPLES
              woodshed recent              the last five
              woodshed recent -n 20        the last twenty
              woodshed recent --all        all recordings
              woodshed play @1             play the newest
            """)

    @Option(
        name: .short, parsing: .unconditional, help: .init("List n recordings. (default: 5)", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...1_000_000) })
    var number = 5

    @Flag(name: .long, help: "List all recordings.")
    var all = false

    @OptionGroup var messages: MessageOptions

    func perform() throws {
        let library = try RecordingLibrary(PracticeStore(.user))
        let items = try library.items { $0.limit = all ? nil : number }
        library.store.tellRepair()
        try ListCommand.write(items.map(LibraryTable.Row.init), messages)
        if messages.json || messages.quiet { return }
        if items.isEmpty { StandardStream.error.note("There are no recent recordings.") }
        StandardStream.error.note(items.isEmpty ? ListCommand.firstStep(library) : "next: woodshed play @1")
    }
}
