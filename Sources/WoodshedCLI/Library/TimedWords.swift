// Text of a document with times, such as lyrics, before its conversion to sections.
import Explanations
import Terminal
import WoodshedLibrary

struct TimedWords {
    private let kept: KeptRecording
    private let drafts: [SectionDraft]
    private let format: String
    /// Notes about omitted or changed parts, in plain sentences.
    let notes: [String]

    /// Reads a file with a name typical of timed text. Returns nil for a file without times, which counts as an
    /// ordinary document.
    ///
    /// - Throws: The errors of `sections import` for a missing file, and a `CommandFailure` if the recording's own file
    ///   is missing.
    init?(inFileAt path: String, for item: LibraryItem, in library: RecordingLibrary) throws {
        guard SectionFormat(fileName: path) != nil else { return nil }
        if item.isMissing {
            throw CommandFailure(
                .notFound, printable("the file of \(item.words.title) is missing: \(item.path)"),
                remedy: "Words with times need the file. Look for the file with: woodshed library check FOLDER")
        }
        kept = try KeptRecording(file: item.path, store: library.store)
        do {
            (drafts, format, notes) = try SectionFiles(kept: kept).read(path)
        } catch is SectionFormatError { return nil }
    }

    /// Adds sections with this text.
    ///
    /// - Returns: Number of added sections.
    func addSections() throws -> Int {
        let summary = "imported \(counted(drafts.count, "section")) from \(format)"
        try kept.store.apply(.all([.add(drafts)], summary: summary), to: kept.recording)
        return drafts.count
    }
}
