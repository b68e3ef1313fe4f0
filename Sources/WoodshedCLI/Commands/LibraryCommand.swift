// `woodshed library`: the library as a whole.
import ArgumentParser
import JSON
import Woodshed

struct LibraryCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "library",
        abstract: "Check and repair the library, move it to another computer, follow podcasts.",
        discussion: """
            EXAMPLES
              woodshed library check              compare it with the disk; changes nothing
              woodshed library check ~/Music      look there for files that were moved
              woodshed library check --fix        repair what was found
            """)

    @Argument(
        help: .init("check, and the folders to look in.", valueName: "word"),
        completion: .list(LibraryAction.allCases.map(\.rawValue)))
    var words: [String]

    @Flag(name: .long, help: "With check: repair what was found.")
    var fix = false

    @OptionGroup var messages: MessageOptions

    func perform() throws {
        guard let first = words.first, let action = LibraryAction(rawValue: first) else {
            throw CommandFailure(
                .usage, "'\(words.first ?? "")' is nothing to do with a library",
                remedy: "Write one of: \(LibraryAction.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        let library = try RecordingLibrary(PracticeStore(.user))
        defer { library.store.tellRepair() }
        switch action {
        case .check: try check(library, Array(words.dropFirst()))
        }
    }

    private func check(_ library: RecordingLibrary, _ folders: [String]) throws {
        let watch = SignalWatch(Signals.install())
        let report = try library.check(
            lookingIn: folders, partsInUse: library.partsInUse(), isCancelled: { watch.isOver })
        guard watch.status == .success else { throw CommandFailure(watch.status, "the check was stopped") }
        let view = CheckView(report: report)
        if messages.json {
            try StandardStream.output.line(view.json.text)
        } else {
            for line in view.lines { try StandardStream.output.line(line) }
        }
        if report.isClean {
            note("The library and the disk agree.")
            return
        }
        guard fix else {
            note("next: woodshed library check --fix")
            throw CommandFailure(.someFailed)
        }
        let repaired = try library.repair(report)
        note("repaired; \(repaired.count == 1 ? "1 recording is" : "\(repaired.count) recordings are") up to date")
        if !report.missing.isEmpty {
            note("\(report.missing.count) still missing: woodshed library check FOLDER looks for them elsewhere")
            throw CommandFailure(.someFailed)
        }
    }

    private func note(_ words: String) {
        if !messages.quiet, !messages.json { StandardStream.error.note(words) }
    }
}

/// One of the things to do with the library as a whole.
enum LibraryAction: String, CaseIterable {
    case check
}

/// What a check has found, for people and for programs.
struct CheckView {
    let report: LibraryReport

    var lines: [String] {
        var lines: [String] = []
        for item in report.missing { lines.append("missing   \(item.words.title): \(item.path)") }
        for moved in report.moved { lines.append("moved     \(moved.item.words.title): \(moved.path)") }
        for item in report.changed { lines.append("changed   \(item.words.title): \(item.path)") }
        for file in report.orphans { lines.append("orphan    \(file.path)") }
        for file in report.misplaced { lines.append("misplaced \(file.path)") }
        for file in report.parts { lines.append("part      \(file.path)") }
        return lines.map { printable($0) }
    }

    var json: JSONValue {
        func files(_ files: [LibraryReport.File]) -> JSONValue {
            .array(
                files.map { .object([.init("path", .string($0.path)), .init("bytes", .integer($0.byteCount))]) })
        }
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
            .init("orphans", files(report.orphans)), .init("misplaced", files(report.misplaced)),
            .init("parts", files(report.parts)),
        ])
    }
}
