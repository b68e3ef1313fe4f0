// The output of `woodshed sections`: lists, changes, and hints about the next command.
import ArgumentParser
import JSON
import Terminal
import WoodshedPractice

/// Form and amount of the output of `sections`.
struct SectionOutputOptions: ParsableArguments {
    @Flag(name: .long, help: "Write a JSON line for each section or change.")
    var json = false

    @Flag(name: [.short, .long], help: "Print no hints.")
    var quiet = false

    @Flag(name: .long, help: "Print the list without a header.")
    var plain = false
}

/// Prints the sections of a recording and their changes.
struct SectionReport {
    /// The recording, for suggested commands.
    let file: String
    let options: SectionOutputOptions

    /// True if a progress line is drawn.
    var drawsProgress: Bool { StandardStream.error.isTerminal && !options.quiet && !options.plain }

    /// Writes a list to standard output.
    func write(_ list: SectionList, of kept: KeptRecording) throws {
        let table = SectionTable(
            kept: kept, list: list,
            columns: StandardStream.output.isTerminal ? terminalSize().columns : nil)
        if options.json {
            for line in table.json { try StandardStream.output.line(line.text) }
            return
        }
        for line in table.lines(header: StandardStream.output.isTerminal && !options.plain) {
            try StandardStream.output.line(line)
        }
    }

    /// Writes a list to standard output, and suggests the next command.
    func show(_ list: SectionList, of kept: KeptRecording) throws {
        try write(list, of: kept)
        if list.sections.isEmpty {
            // Only people hear about a copy: the search may have to decode the recording.
            if !options.json, !options.quiet, let copy = try kept.copy() {
                return hint(copy.offer, "sections \(shellPath(file)) adopt")
            }
            hint("\(printable(file)) has no sections yet.", "sections \(shellPath(file)) add 2.0-3.0 --name Intro")
        } else {
            hint(nil, "practice \(shellPath(file))")
        }
    }

    /// Reports the change and suggests the next command.
    func tell(_ change: SectionChange, of kept: KeptRecording, verb: String? = nil) throws {
        let list = try kept.list()
        guard !change.isEmpty else { return hint("Nothing had to change.", "sections \(shellPath(file))") }
        if options.json { return try StandardStream.output.line(change.json(in: list).text) }
        if !options.quiet {
            let words = [verb, change.summary].compactMap { $0 }.joined(separator: ": ")
            StandardStream.error.note(printable("\(words); \(count(list)) now"))
        }
        guard let new = change.added.last.flatMap({ list.number(ofID: $0.id) }) else {
            return hint(nil, "sections \(shellPath(file))")
        }
        let areMany = change.added.count > change.removed.count + 1
        hint(nil, "practice \(shellPath(file))" + (areMany ? "" : " --section \(new)"))
    }

    private func count(_ list: SectionList) -> String {
        counted(list.sections.count, "section")
    }

    /// Prints a suggestion for the next command.
    func hint(_ words: String?, _ command: String) {
        guard !options.quiet, !options.json else { return }
        if let words { StandardStream.error.note(words) }
        StandardStream.error.note("next: woodshed \(command)")
    }
}
