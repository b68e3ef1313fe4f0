// `woodshed storage` and `woodshed clean`: the room on the disk, and how to free some.
import ArgumentParser
import JSON
import Terminal
import WoodshedLibrary

struct StorageCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "storage",
        abstract: "Show the disk space used by recordings, takes and other files.",
        discussion: """
            EXAMPLES
              woodshed storage
              woodshed storage --json
              woodshed clean --dry-run      show how much could be freed
            """)

    @OptionGroup var messages: MessageOptions

    func perform() throws {
        let library = try RecordingLibrary(PracticeStore(.user))
        let storage = try library.storage()
        library.store.tellRepair()
        let kinds = LibraryStorage.Kind.allCases
        if messages.json {
            var fields: [JSONValue.Field] = [.init("v", .integer(1))]
            fields += kinds.map { .init($0.rawValue, .integer(storage.bytes[$0] ?? 0)) }
            fields += [.init("total", .integer(storage.total)), .init("linked", .integer(storage.linkedBytes))]
            return try StandardStream.output.line(JSONValue.object(fields).text)
        }
        var rows = kinds.map { ($0.rawValue, storage.bytes[$0] ?? 0) } + [("together", storage.total)]
        if storage.linkedBytes > 0 { rows.append(("linked, yours", storage.linkedBytes)) }
        let width = rows.map { displayWidth($0.0) }.max() ?? 0
        for (name, bytes) in rows {
            let padding = String(repeating: " ", count: width - displayWidth(name))
            try StandardStream.output.line("\(name)\(padding)  \(sizeText(UInt64(max(0, bytes))))")
        }
        if !messages.quiet, storage.total > 0 { StandardStream.error.note("next: woodshed clean --dry-run") }
    }
}

struct CleanCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "clean",
        abstract: "Free disk space: the trash, unfinished parts and caches.",
        discussion: """
            EXAMPLES
              woodshed clean --dry-run         show what would be removed
              woodshed clean --yes             empty the trash, remove unfinished parts
              woodshed clean --cache --yes     remove cached waveforms, too

            Recordings in the library, takes outside the trash, sections and ratings are never removed.
            """)

    @Flag(name: .long, help: "Show the sizes to be freed; remove nothing.")
    var dryRun = false

    @Flag(name: .long, help: "Remove caches as well; they are rebuilt when needed.")
    var cache = false

    @Flag(name: .long, help: "Remove the files for good.")
    var yes = false

    @OptionGroup var messages: MessageOptions

    func perform() throws {
        let library = try RecordingLibrary(PracticeStore(.user))
        defer { library.store.tellRepair() }
        let parts = try library.check().parts
        let files = parts + (cache ? library.cacheFiles() : [])
        let trash = try library.trashByteCount()
        let takes = try library.store.takeStorage().trash
        let rows: [(name: String, bytes: Int64)] = [
            ("the trash of recordings and documents", trash), ("the trash of takes", takes),
            ("unfinished parts", parts.reduce(0) { $0 + $1.byteCount }),
            ("files that can be made again", cache ? library.cacheFiles().reduce(0) { $0 + $1.byteCount } : 0),
        ]
        let total = rows.reduce(0) { $0 + $1.bytes }
        if dryRun || !yes {
            for row in rows where row.bytes > 0 { note("would remove \(row.name): \(sizeText(UInt64(row.bytes)))") }
            try write(total, isDone: false)
            if total == 0 { return note("There is nothing to remove.") }
            guard dryRun else {
                throw CommandFailure(
                    .usage, "this would remove \(sizeText(UInt64(total))) for good",
                    remedy: "Remove these files with: woodshed clean \(cache ? "--cache " : "")--yes")
            }
            return note("next: woodshed clean \(cache ? "--cache " : "")--yes")
        }
        let freed = try remove(files, from: library)
        for words in try TakeWord.leftInTrash(of: library.store) { note(printable(words)) }
        try write(freed, isDone: true)
        note(total == 0 ? "There is nothing to remove." : "\(sizeText(UInt64(freed))) are free")
    }

    /// Empties the trash, and removes files. Reports the freed bytes if an error or a signal ends the work.
    ///
    /// - Returns: Freed bytes.
    private func remove(_ files: [LibraryReport.File], from library: RecordingLibrary) throws -> Int64 {
        let name = "the cleaning"
        var (freed, hasBegun): (Int64, Bool) = (0, false)
        func report() -> PieceReport {
            PieceReport(output: messages.json ? line(freed, isDone: true, isUnfinished: true) + "\n" : "")
        }
        func explained(_ error: any Error) -> CommandFailure {
            PartialWork.failure(
                error, "freed already: \(sizeText(UInt64(freed)))",
                next: "Remove the rest with: woodshed clean \(cache ? "--cache " : "")--yes")
        }
        return try PartialWork.watched { watch in
            func told(_ bytes: Int64) {
                (freed, hasBegun) = (freed + bytes, true)
                PartialWork.keep(report(), explained(PartialWork.stopped(name, .interrupted)))
            }
            func proceed() throws { if watch.isOver { throw PartialWork.stopped(name, watch.status) } }
            let bytes = try library.emptyTrash(told: { told($1) }, proceed: proceed).bytes
            // The documents.
            if bytes > freed { told(bytes - freed) }
            try proceed()
            _ = try library.store.emptyTrash(told: { told($1) }, proceed: proceed)
            _ = try library.clean(files, isCancelled: { watch.isOver }, told: told)
            return freed
        } failed: { error in
            if !hasBegun { return error }
            try? report().write()
            return explained(error)
        }
    }

    private func write(_ bytes: Int64, isDone: Bool) throws {
        if messages.json { try StandardStream.output.line(line(bytes, isDone: isDone)) }
    }

    private func line(_ bytes: Int64, isDone: Bool, isUnfinished: Bool = false) -> String {
        let unfinished: [JSONValue.Field] = isUnfinished ? [.init("unfinished", .bool(true))] : []
        return JSONValue.object(
            [.init("v", .integer(1)), .init("bytes", .integer(bytes)), .init("removed", .bool(isDone))] + unfinished
        ).text
    }

    private func note(_ words: String) {
        if !messages.quiet, !messages.json { StandardStream.error.note(words) }
    }
}
