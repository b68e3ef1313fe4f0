// One recording, or many: the verbs that take several work on them here. Nothing of a file is kept once its result is written.
import Realtime
import Terminal

/// The recordings that a verb was given.
///
/// A single one is worked on as ever: its failure ends the run. Of several, each result appears in the order of their names, a failure is
/// told and the others go on; the run ends with `someFailed` then.
struct ManyFiles {
    /// Whether there is one recording, and the user did not ask for the form of several by `--jobs` or by a list.
    let isAlone: Bool
    /// As the user named them.
    private let words: [String]
    /// Their files, or why there is none.
    private let files: [Result<String, any Error>]
    private let jobs: Int
    private let json: Bool

    /// - Parameters:
    ///   - recordings: What the user typed.
    ///   - json: Whether a failure is also told as an event.
    /// - Throws: The reason why a single recording has no file, or why the list of names cannot be read.
    init(_ recordings: RecordingArguments, json: Bool) throws {
        let words = try recordings.allFiles()
        let isAlone = recordings.isAlone
        (self.words, self.json, self.isAlone, jobs) = (words, json, isAlone, recordings.jobs ?? 1)
        files = words.map { word in Result { try RecordingWord.file(word, asks: isAlone) } }
        if isAlone { _ = try files[0].get() }
    }

    /// Names of files to write, one for each recording; see `OutputNames`.
    ///
    /// - Throws: The reason why none of them may be written.
    func outputs(_ pattern: String) throws(CommandFailure) -> [String] {
        let names = try OutputNames.names(pattern, for: files.map { try? $0.get() })
        // A folder that is not there would be told as often as there are files.
        if !isAlone, let first = names.first { try OutputFile.check(first) }
        return names
    }

    /// Works on each recording.
    ///
    /// - Parameter work: Gets the number of a recording, its file and what it writes to; on any thread.
    /// - Throws: The error of a single recording; `someFailed`; the reason why standard output cannot be written.
    func run(_ work: @escaping @Sendable (Int, String, inout FileReport) throws -> Void) throws {
        guard !isAlone else {
            var report = FileReport(isAlone: true)
            return try work(0, files[0].get(), &report)
        }
        // Where results are shown as they come, they are the progress.
        let draws = TerminalTraits.current(plain: false).drawsStatus && !StandardStream.output.isTerminal
        var line = ReadingLine(draws: draws)
        defer { line.clear() }
        var (hasWritten, hasFailed) = (false, false)
        try SharedWork.inOrder(words.count, threads: jobs) { [self] number in
            report(number, work)
        } take: { (number, report) throws(OutputError) in
            line.clear()
            report.notes.forEach(StandardStream.error.note)
            if !report.output.isEmpty {
                // A blank line between what is said of one and of the next.
                try StandardStream.output.write((hasWritten && !json ? "\n" : "") + report.output)
                hasWritten = true
            }
            if report.hasFailed { hasFailed = true }
            line.show(Double(number + 1) / Double(words.count))
            return true
        }
        if hasFailed { throw CommandFailure(.someFailed) }
    }

    private func report(
        _ number: Int, _ work: (Int, String, inout FileReport) throws -> Void
    ) -> FileReport {
        var report = FileReport(isAlone: false)
        do {
            try work(number, files[number].get(), &report)
        } catch {
            report.fail(error, file: words[number], json: json)
        }
        return report
    }
}
