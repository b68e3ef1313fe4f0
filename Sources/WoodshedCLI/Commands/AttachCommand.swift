// `woodshed attach` and `woodshed open`: the documents of a recording.
import ArgumentParser
import Explanations
import JSON
import Terminal
import WoodshedLibrary

struct AttachCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Attach documents to a recording: sheet music, lyrics, pictures.",
        discussion: """
            EXAMPLES
              woodshed attach @1 sheet.pdf cover.jpg     copy both into the library
              woodshed attach "blue bossa" words.lrc     its lines become sections, too
              woodshed attach @1 --link ~/scores/a.pdf   leave the file in place
              woodshed attach @1                         list the documents
              woodshed attach @1 --remove 2              woodshed rm --undo restores it
              woodshed open @1 1                         open the first document

            A text with times also becomes sections with its words, as by sections import. The ending of its name \
            tells the format: srt, vtt, lrc, cue, csv, edl, json, or txt from Audacity. The same content is attached \
            only once, whatever the file's name.
            """)

    @Argument(help: .init("Recording of the library: a file, @1, or words of a title.", valueName: "recording"))
    var recording: String

    @Argument(help: .init("Documents to attach.", valueName: "file"), completion: .file())
    var files: [String] = []

    @Flag(name: .long, help: "Link the files; leave them in place.")
    var link = false

    @Flag(name: .long, help: "List the documents.")
    var list = false

    @Option(
        name: .long, parsing: .unconditional, help: .init("Remove the document with this number.", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...1_000_000) })
    var remove: Int?

    @OptionGroup(visibility: .hidden) var room: QuotaOptions

    @OptionGroup var messages: MessageOptions

    mutating func validate() throws {
        if list, remove != nil { throw ValidationError("Use only one of --list and --remove.") }
        if list || remove != nil, !files.isEmpty || link {
            throw ValidationError("--list and --remove take no documents; leave out the documents and --link.")
        }
        if link, files.isEmpty { throw ValidationError("Name the documents to link.") }
    }

    func perform() throws {
        let library = try room.library()
        defer { library.store.tellRepair() }
        let item = try RecordingWord.item(recording, in: library)
        if let remove { return try take(remove, from: item, in: library) }
        if files.isEmpty { return try show(item, in: library) }
        var (attached, failures): (Int, [any Error]) = (0, [])
        // A signal stops the loop between two files.
        let watch = SignalWatch(Signals.install())
        for file in files where !watch.isOver {
            do {
                try attach(file, to: item, in: library)
                attached += 1
            } catch { failures.append(error) }
        }
        // After a signal, the wait for the store may have failed before the loop noticed the signal.
        let isStopped = watch.isOver && attached < files.count
        if files.count == 1, !isStopped, let failure = failures.first { throw failure }
        for failure in failures { StandardStream.error.note(errorText(failure)) }
        if attached > 0 { note("next: woodshed open \(shellPath(recording))") }
        // A signal after the last file has stopped nothing.
        if isStopped { throw CommandFailure(watch.status, "the operation was stopped") }
        if !failures.isEmpty { throw CommandFailure(.someFailed) }
    }

    private func attach(_ file: String, to item: LibraryItem, in library: RecordingLibrary) throws {
        let words = try TimedWords(inFileAt: file, for: item, in: library)
        // A second signal, or a signal during the copy of a large file, ends the process at once.
        let unfinished = PartialFiles.Claim()
        defer { unfinished.forget() }
        let attached = try library.attach(
            fileAt: file, to: item.number, link: link, copying: { unfinished.add($0) })
        // A document attached earlier already has its sections, unless the program ended between the two steps.
        let count = attached.isNew || item.sectionCount == 0 ? try words?.addSections() ?? 0 : 0
        if messages.json {
            return try write(
                attached.document, item, [.init("new", .bool(attached.isNew)), .init("sections", .integer(count))])
        }
        let verb = attached.isNew ? "attached" : "already there"
        let sections = count > 0 ? ", and \(counted(count, "section")) with its words" : ""
        note(printable("\(verb): \(attached.document.name)\(sections)"))
        if attached.isNew || count > 0 { words?.notes.forEach { note(printable($0)) } }
    }

    private func take(_ index: Int, from item: LibraryItem, in library: RecordingLibrary) throws {
        let document = try library.removeDocument(index, of: item.number)
        if messages.json { return try write(document, item) }
        note(printable("removed: \(document.name)"))
        note("next: woodshed rm --undo")
    }

    private func show(_ item: LibraryItem, in library: RecordingLibrary) throws {
        let documents = try library.documents(of: item.number)
        if messages.json { return try documents.forEach { try write($0, item) } }
        let sizes = documents.map { sizeText(UInt64(max(0, $0.byteCount))) }
        let (width, digits) = (sizes.map(displayWidth).max() ?? 0, String(documents.count).count)
        for (document, size) in zip(documents, sizes) {
            let state = document.isMissing ? "missing" : document.place.rawValue
            let number = String(document.index)
            let cells = [
                String(repeating: " ", count: digits - number.count) + number,
                state + String(repeating: " ", count: "missing".count - state.count),
                String(repeating: " ", count: width - displayWidth(size)) + size, printable(document.name),
            ]
            try StandardStream.output.line(cells.joined(separator: "  "))
        }
        if documents.isEmpty {
            note(printable("\(item.words.title) has no documents."))
            note("next: woodshed attach \(shellPath(recording)) FILE")
        } else {
            note("next: woodshed open \(shellPath(recording))\(documents.count > 1 ? " 1" : "")")
        }
    }

    private func write(_ document: LibraryDocument, _ item: LibraryItem, _ more: [JSONValue.Field] = []) throws {
        let fields: [JSONValue.Field] = [.init("v", .integer(1)), .init("recording", .string("\(item.key)"))]
        try StandardStream.output.line(JSONValue.object(fields + document.fields + more).text)
    }

    private func note(_ words: String) {
        if !messages.quiet, !messages.json { StandardStream.error.note(words) }
    }
}

struct OpenCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Open a document of a recording in a program of the desktop.",
        discussion: """
            EXAMPLES
              woodshed open @1                 the only document
              woodshed open "blue bossa" 2     the second; attach "blue bossa" lists them
              woodshed open @1 --print         print the command; run nothing
              woodshed config set opener "evince {file}"

            The command is printed before it runs. Without a desktop, it is printed and not run. The program of the \
            option opener runs without a shell. Blanks and quotes divide its words. {file} stands for the document; \
            without {file}, the document is the last argument.
            """)

    @Argument(help: .init("Recording of the library: a file, @1, or words of a title.", valueName: "recording"))
    var recording: String

    @Argument(
        help: .init("Number of the document; optional for a single document.", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...1_000_000) })
    var number: Int?

    @Flag(name: .long, help: "Print the command; run nothing.")
    var print = false

    @Option(
        name: .long, help: .init("Program that opens documents. (default: xdg-open)", valueName: "words"),
        transform: { try DocumentOpener(parsing: optionValue($0)) })
    var opener: DocumentOpener?

    @OptionGroup var messages: MessageOptions

    func perform() throws {
        let library = try RecordingLibrary(PracticeStore(.user))
        defer { library.store.tellRepair() }
        let document = try chosen(in: library)
        if document.isMissing {
            throw CommandFailure(
                .notFound, printable("the file of \(document.name) is missing: \(document.path)"),
                remedy: "Attach a copy again with: woodshed attach \(shellPath(recording)) FILE")
        }
        let opener = try opener ?? DocumentOpener(parsing: DocumentOpener.standard)
        if !messages.json { try StandardStream.output.line(opener.command(for: document.path)) }
        var failure: CommandFailure?
        if !print {
            do throws(CommandFailure) { try opener.open(document.path) } catch { failure = error }
        }
        if messages.json {
            let fields: [JSONValue.Field] = [
                .init("v", .integer(1)),
                .init("command", .array(opener.arguments(for: document.path).map { .string($0) })),
                .init("started", .bool(!print && failure == nil)),
            ]
            try StandardStream.output.line(JSONValue.object(fields + document.fields).text)
        }
        if let failure { throw failure }
    }

    private func chosen(in library: RecordingLibrary) throws -> LibraryDocument {
        let item = try RecordingWord.item(recording, in: library)
        let documents = try library.documents(of: item.number)
        let word = shellPath(recording)
        guard let number else {
            if documents.count == 1 { return documents[0] }
            if documents.isEmpty {
                throw CommandFailure(
                    .notFound, printable("\(item.words.title) has no documents"),
                    remedy: "Attach a document with: woodshed attach \(word) FILE")
            }
            throw CommandFailure(
                .usage, printable("\(item.words.title) has \(documents.count) documents"),
                remedy:
                    "Choose a document by its number: woodshed open \(word) 1. List the documents with: woodshed attach \(word)"
            )
        }
        guard documents.indices.contains(number - 1) else {
            throw CommandFailure(
                .notFound,
                printable(
                    "there is no document \(number): \(item.words.title) has \(counted(documents.count, "document"))"),
                remedy: "List the documents with: woodshed attach \(word)")
        }
        return documents[number - 1]
    }
}

extension LibraryDocument {
    /// The document for programs.
    var fields: [JSONValue.Field] {
        [
            .init("document", .integer(index)), .init("name", .string(name)), .init("place", .string(place.rawValue)),
            .init("path", .string(path)), .init("missing", .bool(isMissing)), .init("bytes", .integer(byteCount)),
            .init("hash", .string(hash)), .init("attached", .integer(addedAt)),
        ]
    }
}
