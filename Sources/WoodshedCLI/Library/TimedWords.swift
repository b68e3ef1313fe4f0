// The words of a document that has times, such as lyrics, on their way to become sections.
import Explanations
import Terminal
import Woodshed

struct TimedWords {
    private let kept: KeptRecording
    private let drafts: [SectionDraft]
    private let format: String
    /// What was left out or changed, in plain sentences.
    let notes: [String]

    /// Reads a file, if its name says that it may be a text with times. One in which no times are found is a document like any other.
    ///
    /// - Throws: What `sections import` throws for a file that is not there, and a `CommandFailure` if the recording's own file is missing.
    init?(inFileAt path: String, for item: LibraryItem, in library: RecordingLibrary) throws {
        guard SectionFormat(fileName: path) != nil else { return nil }
        if item.isMissing {
            throw CommandFailure(
                .notFound, printable("the file of \(item.words.title) is not there any more: \(item.path)"),
                remedy: "Words with times need it. Look for it with: woodshed library check FOLDER")
        }
        kept = try KeptRecording(file: item.path, store: library.store)
        do {
            (drafts, format, notes) = try SectionFiles(kept: kept).read(path)
        } catch is SectionFormatError { return nil }
    }

    /// Makes sections of the words.
    ///
    /// - Returns: How many there are.
    func addSections() throws -> Int {
        let summary = "imported \(counted(drafts.count, "section")) from \(format)"
        try kept.store.apply(.all([.add(drafts)], summary: summary), to: kept.recording)
        return drafts.count
    }
}
