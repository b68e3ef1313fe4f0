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
        let edited = try library.edit(items.map(\.number)) { words in
            change(&words)
            words.tags.removeAll { away.contains($0.lowercased()) }
        }
        for edited in edited {
            if messages.json {
                try StandardStream.output.line(JSONValue.object([.init("v", .integer(1))] + edited.fields).text)
            } else if !messages.quiet {
                StandardStream.error.note(printable("changed: \(edited.shortWords)"))
            }
        }
        if !messages.quiet, !messages.json { StandardStream.error.note("next: woodshed list") }
    }
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
        if undo { return try tell(try library.undoneRemoval()) }
        if empty { return try emptyTrash(library) }
        let items = try RecordingWord.items(recordings, in: library)
        if keepEntry { return try removeFiles(items, library) }
        let removed = try library.remove(items.map(\.number))
        try tell(removed, "removed", next: "rm --undo")
        if messages.json || messages.quiet { return }
        let bytes = try library.trashByteCount()
        if bytes > 0 {
            StandardStream.error.note(
                "\(sizeText(UInt64(bytes))) in the trash; woodshed rm --empty --yes frees that room")
        }
    }

    private func removeFiles(_ items: [LibraryItem], _ library: RecordingLibrary) throws {
        guard yes else {
            let count = counted(items.count, "file")
            throw CommandFailure(.usage, "this would remove \(count) for good", remedy: "Add --yes.")
        }
        var bytes: Int64 = 0
        for item in items { bytes += try library.removeFile(of: item.number) }
        try tell(items, "removed the file of", next: "list --missing")
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
        let (removed, bytes) = try library.emptyTrash()
        if messages.json {
            for item in removed {
                let line = JSONValue.object([
                    .init("v", .integer(1)), .init("event", .string("library.removed")),
                    .init("number", .integer(item.number)), .init("key", .string("\(item.key)")),
                ])
                try StandardStream.output.line(line.text)
            }
        }
        note("removed \(count), \(sizeText(UInt64(bytes))) are free")
    }

    private func tell(_ undone: UndoneRemoval) throws {
        if messages.json { return try tell(undone.items + undone.owners, "", next: "") }
        let documents = undone.documents.map { "\($0.name), a document of \($0.owner.words.title)" }
        tell(undone.items.map(\.shortWords) + documents, "brought back", next: "list")
    }

    private func tell(_ items: [LibraryItem], _ verb: String, next: String) throws {
        if messages.json {
            for item in items {
                try StandardStream.output.line(JSONValue.object([.init("v", .integer(1))] + item.fields).text)
            }
            return
        }
        tell(items.map(\.shortWords), verb, next: next)
    }

    private func tell(_ names: [String], _ verb: String, next: String) {
        for name in names.prefix(20) { note(printable("\(verb): \(name)")) }
        if names.count > 20 { note("and \(names.count - 20) more") }
        note("next: woodshed \(next)")
    }

    private func note(_ words: String) {
        if !messages.quiet, !messages.json { StandardStream.error.note(words) }
    }
}
