// `woodshed library`: the library as a whole.
import ArgumentParser
import Explanations
import JSON
import Library
import Practice
import Terminal
import WoodshedLibrary
import WoodshedPractice

struct LibraryCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "library",
        abstract: "Check, repair, back up and move the library; follow podcasts.",
        discussion: """
            EXAMPLES
              woodshed library check                  compare with the disk only
              woodshed library check ~/Music          look there for moved files
              woodshed library check --fix            repair the findings
              woodshed library repair --from practice.db.damaged    from a damaged store
              woodshed library export list.json       all data except the sound
              woodshed library bundle all.tar         the same with sound and takes
              woodshed library bundle set.tar @1-5 --without-takes
              woodshed library bundle mine.tar --with-keys    with passwords in addresses
              woodshed library import all.tar         merge a bundle or an export
              woodshed library backup /media/disk/wood    copy only new data
              woodshed library backup /media/disk/wood --verify    compare all files
              woodshed library restore /media/disk/wood    only if empty, or with --merge
              woodshed library subscribe https://example.org/show.rss
              woodshed library refresh                check the feeds for new episodes
              woodshed library episodes --new
              woodshed library fetch 12 13            put episodes on the list of get

            Merging is safe in any order, and any number of times. Of two changes to the same item, the later change \
            wins. Recordings removed elsewhere go to the trash.
            """)

    @Argument(
        help: .init(
            "check, repair, export, import, bundle, backup, restore, subscribe, unsubscribe, feeds, refresh, episodes or fetch, with arguments.",
            valueName: "word"),
        completion: .list(LibraryAction.allCases.map(\.rawValue)))
    var words: [String]

    @Flag(name: .long, help: "With check: repair the findings.")
    var fix = false

    @Option(
        name: .long, help: .init("With repair: the file of a damaged or earlier store.", valueName: "file"),
        completion: .file())
    var from: String?

    @Flag(name: .long, help: "With bundle: leave out the takes.")
    var withoutTakes = false

    @Flag(
        name: .long,
        help: "With export and bundle: keep passwords and keys in the recordings' addresses.")
    var withKeys = false

    @Flag(name: .long, help: "With backup: compare all files of the backup, not only a tenth.")
    var verify = false

    @Flag(name: .long, help: "With restore: merge into a library that is not empty.")
    var merge = false

    @Flag(name: .long, help: "With episodes: list only new episodes.")
    var new = false

    @Flag(name: .long, help: "With episodes: list new ones and mark them as seen.")
    var seen = false

    @OptionGroup var messages: MessageOptions

    func perform() throws {
        guard let first = words.first, let action = LibraryAction(rawValue: first) else {
            throw CommandFailure(
                .usage, "'\(words.first ?? "")' is not an action of library",
                remedy: "Choose one of: \(LibraryAction.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        let words = Array(words.dropFirst())
        guard action.wordCount.contains(words.count) else {
            throw CommandFailure(
                .usage,
                "'\(action.rawValue)' takes \(words.count < action.wordCount.lowerBound ? "more" : "fewer") words",
                remedy: "Write: woodshed library \(action.usage)")
        }
        let options: [(isSet: Bool, name: String, owners: [LibraryAction])] = [
            (fix, "--fix", [.check]), (from != nil, "--from", [.repair]), (withoutTakes, "--without-takes", [.bundle]),
            (withKeys, "--with-keys", [.export, .bundle]), (verify, "--verify", [.backup]),
            (merge, "--merge", [.restore]), (new, "--new", [.episodes]),
            (seen, "--seen", [.episodes]),
        ]
        for option in options where option.isSet && !option.owners.contains(action) {
            throw CommandFailure(
                .usage, "\(option.name) does not belong to '\(action.rawValue)'",
                remedy: "Use it with: woodshed library \(option.owners.map(\.rawValue).joined(separator: " or "))")
        }
        if action == .repair, from == nil {
            throw CommandFailure(
                .usage, "'repair' needs the file of a damaged store",
                remedy:
                    "Write: woodshed library \(action.usage). The files on the disk are checked with: woodshed library check"
            )
        }
        let library = try RecordingLibrary(PracticeStore(.user))
        defer { library.store.tellRepair() }
        let exchange = LibraryExchange(library: library, messages: messages)
        let feeds = LibraryFeeds(library: library, messages: messages)
        switch action {
        case .check: try check(library, words)
        case .repair: try exchange.salvage(from ?? "")
        case .export: try exchange.export(to: words[0], withKeys: withKeys)
        case .import: try exchange.merge(words[0])
        case .bundle:
            try exchange.bundle(
                to: words[0], Array(words.dropFirst()), withTakes: !withoutTakes, withKeys: withKeys)
        case .backup: try exchange.backUp(to: words[0], isVerifying: verify)
        case .restore: try exchange.restore(from: words[0], merging: merge)
        case .subscribe: try feeds.subscribe(to: words[0])
        case .unsubscribe: try feeds.unsubscribe(words[0])
        case .feeds: try feeds.list()
        case .refresh: try feeds.refresh(words.first)
        case .episodes: try feeds.episodes(words.first, onlyNew: new, markingSeen: seen)
        case .fetch: try feeds.fetch(words)
        }
    }

    private func check(_ library: RecordingLibrary, _ folders: [String]) throws {
        if let missing = folders.first(where: { !FolderSearch.isFolder($0) }) {
            throw CommandFailure(
                .notFound, "\(missing): there is no such folder", remedy: "Name the folder to search for moved files.")
        }
        let watch = SignalWatch(Signals.install())
        // First lists takes about which more is known than their files tell: see `TakeAdoption`.
        if fix { TakeAdoption.run(quiet: messages.quiet || messages.json) }
        // Before the check, which may take minutes: a folder that cannot be read ends the command.
        func strayTakes() throws -> [StrayTake] {
            try library.store.strayTakes(in: library.takesFolder, withDeleted: library.isUnused)
        }
        let takes = try strayTakes()
        let report = try library.check(lookingIn: folders, isCancelled: { watch.isOver })
        guard watch.status == .success else { throw CommandFailure(watch.status, "the check was stopped") }
        let isClean = report.isClean && takes.isEmpty
        let view = CheckView(report: report, takes: takes)
        let isRepairing = fix && !isClean
        if !messages.json {
            for line in view.lines { try StandardStream.output.line(line) }
        } else if !isRepairing {
            try StandardStream.output.line(view.json(left: nil).text)
        }
        if isClean {
            note("The library and the disk agree.")
            return
        }
        guard fix else {
            // A missing file cannot be repaired: it has to be found again.
            var rest = report
            (rest.missing, rest.missingDocuments) = ([], [])
            let places = folders.map { shellPath($0) + " " }.joined()
            note("next: woodshed library check \(rest.isClean && takes.isEmpty ? "FOLDER" : places + "--fix")")
            throw CommandFailure(.someFailed)
        }
        let repaired: [LibraryItem]
        do {
            for take in takes { try library.store.list(take) }
            repaired = try library.repair(report)
        } catch {
            // Part of the library may be repaired already.
            let left = (try? library.check(isCancelled: { watch.isOver })) ?? report
            let takesLeft = (try? strayTakes()) ?? takes
            if messages.json { try StandardStream.output.line(view.json(left: left, takesLeft).text) }
            throw error
        }
        let left = try library.check(isCancelled: { watch.isOver })
        if messages.json { try StandardStream.output.line(view.json(left: left).text) }
        if left != report {
            note("repaired; \(counted(repaired.count, "recording is", "recordings are")) up to date")
        }
        if !takes.isEmpty { note("\(counted(takes.count, "take is", "takes are")) in the list again: woodshed takes") }
        guard watch.status == .success else { throw CommandFailure(watch.status, "the check was stopped") }
        for item in left.changed { noteChanged(item) }
        for file in left.orphans {
            note(printable("not repaired: the file belongs to no recording: \(file.path)"))
            note("remove the file if you do not need it: rm \(shellPath(file.path))")
        }
        if !report.missing.isEmpty {
            note("\(report.missing.count) still missing; look for the files with: woodshed library check FOLDER")
        }
        for document in report.missingDocuments.prefix(1) {
            let count = counted(report.missingDocuments.count, "document")
            note(
                "\(count) still missing; attach a copy again, or remove the document: woodshed attach RECORDING --remove \(document.index)"
            )
        }
        // A repair keeps unneeded documents and files that are no recordings in place, so neither counts as left over.
        var rest = left
        rest.orphans.removeAll { library.isDocument($0.path) || !Self.canBeRecording($0.path) }
        if !report.missing.isEmpty || !report.missingDocuments.isEmpty || !rest.isClean {
            throw CommandFailure(.someFailed)
        }
    }

    private static func canBeRecording(_ path: String) -> Bool {
        do throws(AudioFileError) { _ = try RecordingKey(ofFileAt: path) } catch {
            return error.kind != .notAudio && error.kind != .empty
        }
        return true
    }

    /// Reports why a changed file was not repaired.
    private func noteChanged(_ item: LibraryItem) {
        do throws(AudioFileError) {
            let isOther = try RecordingKey(ofFileAt: item.path) != item.key
            if isOther {
                note(printable("not repaired: \(item.words.title) has another sound now: \(item.path)"))
                note("put the earlier file back, or add the new file: woodshed add \(shellPath(item.path))")
            } else {
                note(printable("not repaired: \(item.words.title): \(item.path)"))
                note("next: woodshed library check --fix")
            }
        } catch {
            note(printable("not repaired, because it cannot be compared: \(item.words.title): \(error.message)"))
            if !error.remedy.isEmpty { note(error.remedy) }
        }
    }

    private func note(_ words: String) {
        if !messages.quiet, !messages.json { StandardStream.error.note(words) }
    }
}

/// The findings of a check, for people and for programs.
struct CheckView {
    let report: LibraryReport
    /// Takes without a row in the database.
    let takes: [StrayTake]

    var lines: [String] {
        var lines: [String] = []
        for item in report.missing { lines.append("missing   \(item.words.title): \(item.path)") }
        for document in report.missingDocuments {
            lines.append("missing   document \(document.name): \(document.path)")
        }
        for moved in report.moved { lines.append("moved     \(moved.item.words.title): \(moved.path)") }
        for item in report.changed { lines.append("changed   \(item.words.title): \(item.path)") }
        for path in report.orphans.map(\.path) + takes.map(\.path) { lines.append("orphan    \(path)") }
        for file in report.misplaced { lines.append("misplaced \(file.path)") }
        for file in report.parts { lines.append("part      \(file.path)") }
        return lines.map { printable($0) }
    }

    /// - Parameters:
    ///   - left: Findings of a check after the repair; nil without a repair.
    ///   - takesLeft: Takes still unlisted after the repair.
    func json(left: LibraryReport?, _ takesLeft: [StrayTake] = []) -> JSONValue {
        func file(_ path: String, _ byteCount: Int64) -> JSONValue {
            .object([.init("path", .string(path)), .init("bytes", .integer(byteCount))])
        }
        func files(_ files: [LibraryReport.File]) -> JSONValue { .array(files.map { file($0.path, $0.byteCount) }) }
        let orphans =
            report.orphans.map { file($0.path, $0.byteCount) } + takes.map { file($0.path, $0.byteCount) }
        let notRepaired =
            (left?.changed.map(\.path) ?? []) + (left?.orphans.map(\.path) ?? []) + takesLeft.map(\.path)
        return .object([
            .init("v", .integer(1)),
            .init("missing", .array(report.missing.map { .string("\($0.key)") })),
            .init(
                "moved",
                .array(
                    report.moved.map {
                        .object([.init("key", .string("\($0.item.key)")), .init("path", .string($0.path))])
                    })),
            .init("changed", .array(report.changed.map { .string("\($0.key)") })),
            .init("orphans", .array(orphans)), .init("misplaced", files(report.misplaced)),
            .init("parts", files(report.parts)),
            .init(
                "missing_documents",
                .array(
                    report.missingDocuments.map {
                        .object([.init("hash", .string($0.hash)), .init("path", .string($0.path))])
                    })),
            .init("not_repaired", .array(notRepaired.map { .string($0) })),
        ])
    }
}
