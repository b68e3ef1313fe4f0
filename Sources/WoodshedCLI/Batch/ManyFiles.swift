// Work on a single recording or on many recordings, for verbs that accept several. A file's data is dropped as soon as
// its result is written.
import Realtime
import Terminal

/// The recordings given to a verb.
///
/// The failure of a single recording ends the run. With several recordings, results appear in the order of the names. A
/// failure is reported and the remaining recordings are processed; the run then ends with `someFailed`.
struct ManyFiles {
    /// True for a single recording without `--jobs` and without a list, so output takes the form for a single file.
    let isAlone: Bool
    /// Names as typed by the user.
    private let words: [String]
    /// The recordings' files, or the error of each failed lookup.
    private let files: [Result<String, any Error>]
    private let jobs: Int
    private let json: Bool

    /// - Parameters:
    ///   - recordings: The typed arguments.
    ///   - json: True to report a failure as an event, too.
    /// - Throws: The reason why a single recording has no file, or why the list of names is unreadable.
    init(_ recordings: RecordingArguments, json: Bool) throws {
        let words = try recordings.allFiles()
        let isAlone = recordings.isAlone
        (self.words, self.json, self.isAlone, jobs) = (words, json, isAlone, recordings.jobs ?? 1)
        files = words.map { word in Result { try RecordingWord.file(word, asks: isAlone) } }
        if isAlone { _ = try files[0].get() }
    }

    /// Returns names of files to write, in the recordings' order; see `OutputNames`.
    ///
    /// - Throws: The reason why an output file must not be written.
    func outputs(_ pattern: String) throws(CommandFailure) -> [String] {
        let names = try OutputNames.names(pattern, for: files.map { try? $0.get() })
        // Checking early reports a missing folder once instead of once for each file.
        if !isAlone, let first = names.first { try OutputFile.check(first) }
        return names
    }

    /// Works on each recording.
    ///
    /// - Parameter work: Gets a recording's number, its file and its report; called on any thread.
    /// - Throws: The error of a single recording; `someFailed`; the reason why writing to standard output failed.
    func run(_ work: @escaping @Sendable (Int, String, inout FileReport) throws -> Void) throws {
        guard !isAlone else {
            var report = FileReport(isAlone: true)
            return try work(0, files[0].get(), &report)
        }
        // Results shown as they arrive on a terminal serve as progress.
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
                // A blank line separates the reports of two recordings.
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
