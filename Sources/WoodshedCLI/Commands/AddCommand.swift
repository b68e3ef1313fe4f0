// `woodshed add`: takes files into the library.
import ArgumentParser
import JSON
import Terminal
import WoodshedLibrary

struct AddCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add recordings to the library.",
        discussion: """
            EXAMPLES
              woodshed add song.mp3               copy the file into the library
              woodshed add --link ~/Music         link every recording below a folder
              woodshed add --move download.flac   move the file into the library
              woodshed add song.mp3 --title "Blue Bossa" --artist "Ana" --tag slow

            Titles and artists are read from the files. A recording in the library is not added again, even from a \
            file with another name. In folders, files other than recordings are skipped.
            """)

    @Argument(help: .init("Recordings, or folders with recordings.", valueName: "file"), completion: .file())
    var files: [String]

    @Flag(name: .long, help: "Link the files; leave them in place.")
    var link = false

    @Flag(name: .long, help: "Move the files into the library.")
    var move = false

    @OptionGroup var words: SourcedWordOptions

    @OptionGroup(visibility: .hidden) var room: QuotaOptions

    @OptionGroup var messages: MessageOptions

    mutating func validate() throws {
        if link, move { throw ValidationError("Use only one of --link and --move.") }
        if files.count > 1, words.common.title != nil {
            throw ValidationError("--title is for one recording; name one, or leave out --title.")
        }
    }

    func perform() throws {
        let watch = SignalWatch(Signals.install())
        let library = try room.library()
        let way: AddingWay = link ? .link : move ? .move : .copy
        var (added, known, failures): ([LibraryItem], Int, [(file: String, error: any Error)]) = ([], 0, [])
        let (named, found) = try FolderSearch.files(in: files, besides: library.folderPath)
        let areFew = named.count + found.count < Self.fewFiles
        var isStopped = false
        // Added and known files so far, for a run that ends at once.
        var counts = (added: 0, known: 0)
        defer { LastWords.forget() }
        for group in [(files: named, isNamed: true), (files: found, isNamed: false)] {
            // A long list shows the progress of adding; Ctrl-C keeps the recordings added so far.
            var refusal: (any Error)?
            let results = library.add(
                group.files, way, change: words.change, isCancelled: { watch.isOver || refusal != nil }
            ) { _, result in
                guard case .success(let added) = result, refusal == nil else { return }
                if added.isNew { counts.added += 1 } else { counts.known += 1 }
                let lines = sumLines(counts.added, counts.known, failures.count, areFew)
                LastWords.keep(output: "", error: lines.map { $0 + "\n" }.joined())
                do { try tell(added, areFew) } catch { refusal = error }
            }
            if let refusal { throw refusal }
            for (file, result) in zip(group.files, results) {
                switch result {
                case .success(let result):
                    if result.isNew { added.append(result.item) } else { known += 1 }
                case .failure(let error as RecordingLibraryError) where error.kind == .cancelled: isStopped = true
                case .failure(let error):
                    // A folder's files that are no recordings are skipped. A named file is an error.
                    if !group.isNamed, error is AudioFileError { continue }
                    failures.append((file, error))
                }
            }
        }
        library.store.tellRepair()
        // After a signal, the wait for the store may have failed before the work noticed the signal.
        isStopped = isStopped || !failures.isEmpty && watch.isOver
        if !isStopped, added.count + known == 0, failures.count == 1 { throw failures[0].error }
        for failure in failures { StandardStream.error.note(errorText(failure.error)) }
        sum(added, known, failures.count, areFew)
        if isStopped { throw CommandFailure(watch.status) }
        if !failures.isEmpty { throw CommandFailure(.someFailed) }
    }

    /// Below this number of files, each added file is reported.
    private static let fewFiles = 20

    private func tell(_ result: AddedItem, _ areFew: Bool) throws {
        if messages.json {
            let fields = result.item.fields
            let event = result.isNew ? JSONValue.event("library.added", fields) : .event("library.known", fields)
            return try StandardStream.output.line(event.text)
        }
        guard !messages.quiet, areFew else { return }
        StandardStream.error.note(
            printable(result.isNew ? "added: \(result.item.shortWords)" : "already there: \(result.item.shortWords)"))
    }

    private func sum(_ added: [LibraryItem], _ known: Int, _ failed: Int, _ areFew: Bool) {
        LastWords.forget()
        for line in sumLines(added.count, known, failed, areFew) { StandardStream.error.note(line) }
    }

    /// Returns the numbers of files, and the next step. A single file has been reported by itself, unless the folder
    /// has many other files.
    private func sumLines(_ added: Int, _ known: Int, _ failed: Int, _ areFew: Bool) -> [String] {
        if messages.json || messages.quiet { return [] }
        var parts = ["\(added) added"]
        if known > 0 { parts.append("\(known) already there") }
        if failed > 0 { parts.append("\(failed) could not be added") }
        return (added + known + failed != 1 || !areFew ? [parts.joined(separator: ", ")] : [])
            + (added + known > 0 ? ["next: woodshed practice @1"] : [])
    }
}

/// Metadata of a recording, with its source.
struct SourcedWordOptions: ParsableArguments {
    @OptionGroup var common: WordOptions

    @Option(name: .long, help: .init("Set the source, such as an address.", valueName: "words"))
    var source: String?

    /// True if no metadata is given.
    var isEmpty: Bool { common.isEmpty && source == nil }

    /// Applies the given metadata; tags are added to existing tags.
    var change: @Sendable (inout LibraryItem.Words) -> Void {
        { [change = common.change, source] words in
            change(&words)
            if let source { words.source = source }
        }
    }
}

/// Metadata of a recording. The source of a fetched recording is its address.
struct WordOptions: ParsableArguments {
    @Option(name: .long, help: .init("Set the title.", valueName: "words"))
    var title: String?

    @Option(name: .long, help: .init("Set the performers.", valueName: "words"))
    var artist: String?

    @Option(name: .long, help: .init("Set the language, such as de or pt-BR.", valueName: "tag"))
    var language: String?

    @Option(name: .long, parsing: .singleValue, help: .init("Add a tag; may be repeated.", valueName: "tag"))
    var tag: [String] = []

    @Option(name: .long, help: .init("Set the licence, such as CC BY 4.0.", valueName: "words"))
    var licence: String?

    /// True if no metadata is given.
    var isEmpty: Bool { [title, artist, language, licence].allSatisfy { $0 == nil } && tag.isEmpty }

    /// Applies the given metadata; tags are added to existing tags.
    var change: @Sendable (inout LibraryItem.Words) -> Void {
        { [title, artist, language, tag, licence] words in
            if let title { words.title = title }
            if let artist { words.artist = artist }
            if let language { words.language = language }
            words.tags += tag
            if let licence { words.licence = licence }
        }
    }
}
