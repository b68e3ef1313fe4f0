// `woodshed edit` and `woodshed rm`: changing and removing recordings of the library.
import ArgumentParser
import Explanations
import JSON
import Terminal
import WoodshedLibrary

struct EditCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change title, artist, tags and other metadata of recordings.",
        discussion: """
            EXAMPLES
              woodshed edit @1 --title "Blue Bossa" --artist "Ana"
              woodshed edit @1 @2 --tag slow --untag todo
              woodshed edit "blue bossa" --language pt-BR
              woodshed edit @1 --licence "CC BY 4.0" --source https://example.org/song

            An empty text clears a field: --artist "". Only the library changes, not the files.
            """)

    @Argument(help: .init("Recordings: @1, @2-5, or words of a title in quotes.", valueName: "recording"))
    var recordings: [String]

    @OptionGroup var words: SourcedWordOptions

    @Option(name: .long, parsing: .singleValue, help: .init("Remove a tag; may be repeated.", valueName: "tag"))
    var untag: [String] = []

    @OptionGroup var messages: MessageOptions

    mutating func validate() throws {
        if words.isEmpty, untag.isEmpty {
            throw ValidationError(
                "Say what to change: --title, --artist, --language, --tag, --untag, --source or --licence.")
        }
    }

    func perform() throws {
        let library = try RecordingLibrary(PracticeStore(.user))
        let items = try RecordingWord.items(recordings, in: library)
        if items.count > 1, words.common.title != nil {
            throw CommandFailure(.usage, "--title is for one recording", remedy: "Name one recording.")
        }
        let (change, away) = (words.change, Set(untag.map { $0.lowercased() }))
        let reports = PieceReports<LibraryItem>(
            messages: messages, json: \.json,
            notes: { $0.map { printable("changed: \($0.shortWords)") } })
        // Many recordings are edited in pieces.
        let edited = try PartialWork.run(
            "the change", reports,
            { pieces in
                try library.edit(items.map(\.number), told: pieces.finish, pieceDone: pieces.proceed) { words in
                    change(&words)
                    words.tags.removeAll { away.contains($0.lowercased()) }
                }
            },
            part: { _ in
                items.compactMap { item in
                    (try? library.item(item.number)).flatMap { $0.words == item.words ? nil : $0 }
                }
            },
            done: { "changed already: \($0) of \(counted(items.count, "recording"))" },
            next: "Repeat the command to change the rest.")
        try reports.write(edited)
        if !messages.quiet, !messages.json { StandardStream.error.note("next: woodshed list") }
    }
}

extension LibraryItem {
    /// The line of a changed recording for programs.
    fileprivate var json: JSONValue { .object([.init("v", .integer(1))] + fields) }
}

struct RemoveCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove recordings from the library; --undo restores them.",
        discussion: """
            EXAMPLES
              woodshed rm @1
              woodshed rm @4-9 "blue bossa"
              woodshed rm --undo                   restore the last removal
              woodshed rm --empty --yes            empty the trash for good
              woodshed rm @3 --keep-entry --yes    delete the file, keep the entry

            Files inside the library, and documents of the recording, go to the library's trash. Linked files stay \
            in place. Sections, takes and ratings are kept, and return with the recording. --undo also restores a \
            removed document.
            """)

    @Argument(help: .init("Recordings: @1, @2-5, or words of a title in quotes.", valueName: "recording"))
    var recordings: [String] = []

    @Flag(name: .long, help: "Restore the last removed recordings or document.")
    var undo = false

    @Flag(name: .long, help: "Delete the files in the trash for good.")
    var empty = false

    @Flag(name: .long, help: "Delete only the file, for good; keep the recording listed.")
    var keepEntry = false

    @Flag(name: .long, help: "Confirm a deletion that --undo cannot restore.")
    var yes = false

    @OptionGroup var messages: MessageOptions

    mutating func validate() throws {
        if undo && empty { throw ValidationError("Use only one of --undo and --empty.") }
        if undo || empty, !recordings.isEmpty {
            throw ValidationError("--undo and --empty take no recordings; leave out the recordings.")
        }
        if !undo, !empty, recordings.isEmpty { throw ValidationError("Name the recordings to remove, or use --undo.") }
        if keepEntry, undo || empty { throw ValidationError("Use --keep-entry only with the recordings to remove.") }
    }

    func perform() throws {
        let library = try RecordingLibrary(PracticeStore(.user))
        defer { library.store.tellRepair() }
        if undo { return try bringBack(library) }
        if empty { return try emptyTrash(library) }
        let items = try RecordingWord.items(recordings, in: library)
        if keepEntry { return try removeFiles(items, library) }
        let reports = reports("removed", next: "rm --undo")
        // Many recordings go in pieces.
        let removed = try PartialWork.run(
            "the removal", reports,
            { try library.remove(items.map(\.number), told: $0.finish, pieceDone: $0.proceed) },
            part: { _ in present(items.filter { !$0.isTrashed }, in: library).filter(\.isTrashed) },
            done: { "in the trash already: \($0) of \(counted(items.count, "recording"))" },
            next: "Restore this part with: woodshed rm --undo")
        try reports.write(removed)
        if messages.json || messages.quiet { return }
        let bytes = try library.trashByteCount()
        if bytes > 0 {
            StandardStream.error.note(
                "\(sizeText(UInt64(bytes))) in the trash; woodshed rm --empty --yes frees that room")
        }
    }

    /// Returns the present state of recordings, without those whose state cannot be read.
    private func present(_ items: [LibraryItem], in library: RecordingLibrary) -> [LibraryItem] {
        items.compactMap { try? library.item($0.number) }
    }

    private func bringBack(_ library: RecordingLibrary) throws {
        let trash = try library.items { $0.isTrash = true }
        let undone = try PartialWork.run(
            "the undoing", reports("brought back", next: "list"),
            { try library.undoneRemoval(told: $0.finish, pieceDone: $0.proceed) },
            part: { _ in present(trash, in: library).filter { !$0.isTrashed } },
            done: { "back in the library already: \(counted($0, "recording"))" },
            next: "Restore the rest with: woodshed rm --undo")
        try tell(undone)
    }

    private func removeFiles(_ items: [LibraryItem], _ library: RecordingLibrary) throws {
        guard yes else {
            let count = counted(items.count, "file")
            throw CommandFailure(.usage, "this would remove \(count) for good", remedy: "Add --yes.")
        }
        var bytes: Int64 = 0
        let reports = reports("removed the file of", next: "list --missing")
        try PartialWork.run(
            "the removal", reports,
            { pieces in
                for (place, item) in items.enumerated() {
                    if place > 0 { try pieces.proceed() }
                    bytes += try library.removeFile(of: item.number)
                    pieces.finish([item])
                }
            },
            done: { "removed for good already: \($0) of \(counted(items.count, "file"))" },
            next: "Repeat the command to remove the rest.")
        try reports.write(items)
        note("\(sizeText(UInt64(bytes))) are free")
    }

    private func emptyTrash(_ library: RecordingLibrary) throws {
        let items = try library.items { $0.isTrash = true }
        let documents = try library.trashedDocumentCount
        guard !items.isEmpty || documents > 0 else { return note("The trash is empty.") }
        let size = sizeText(UInt64(try library.trashByteCount()))
        let counts = [(items.count, "recording"), (documents, "document")].filter { $0.0 > 0 }
        let count = counts.map { counted($0.0, $0.1) }.joined(separator: " and ")
        guard yes else {
            throw CommandFailure(
                .usage, "this would remove \(count) (\(size)) for good",
                remedy: "Empty the trash with: woodshed rm --empty --yes")
        }
        let reports = PieceReports<LibraryItem>(
            messages: messages,
            json: { item in
                .event(
                    "library.removed", [.init("number", .integer(item.number)), .init("key", .string("\(item.key)"))])
            }, notes: { _ in [] })
        let (removed, bytes) = try PartialWork.run(
            "the emptying of the trash", reports,
            { pieces in
                try library.emptyTrash(told: { item, _ in pieces.finish([item]) }, proceed: pieces.proceed)
            },
            done: { "removed for good already: \($0) of \(counted(items.count, "recording"))" },
            next: "Remove the rest with: woodshed rm --empty --yes")
        try reports.write(removed)
        note("removed \(count), \(sizeText(UInt64(bytes))) are free")
    }

    private func tell(_ undone: UndoneRemoval) throws {
        if messages.json { return try reports("", next: "").write(undone.items + undone.owners) }
        let documents = undone.documents.map { "\($0.name), a document of \($0.owner.words.title)" }
        Self.notes(of: undone.items.map(\.shortWords) + documents, "brought back", next: "list").forEach(note)
    }

    /// Returns the reports of changed recordings, with the next command.
    private func reports(_ verb: String, next: String) -> PieceReports<LibraryItem> {
        PieceReports(
            messages: messages, json: \.json,
            notes: { Self.notes(of: $0.lazy.map(\.shortWords), verb, next: next) })
    }

    private static func notes(of names: some Collection<String>, _ verb: String, next: String) -> [String] {
        names.prefix(20).map { printable("\(verb): \($0)") }
            + (names.count > 20 ? ["and \(names.count - 20) more"] : []) + ["next: woodshed \(next)"]
    }

    private func note(_ words: String) {
        if !messages.quiet, !messages.json { StandardStream.error.note(words) }
    }
}
