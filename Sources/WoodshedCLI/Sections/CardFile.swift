// `woodshed sections FILE export CARDS.apkg`: the sections as flash cards.
import Explanations
import Glibc
import Terminal
import WoodshedPractice

/// Export form of sections: a list of sections, or cards.
enum SectionExport: Equatable {
    case list(SectionFormat)
    case cards

    /// Name and file extension of cards.
    private static let cardsName = "apkg"

    /// Names of all forms.
    static var names: String { "\(SectionFiles.formats), \(cardsName)" }

    init?(named name: String) {
        guard name != Self.cardsName else {
            self = .cards
            return
        }
        guard let format = SectionFormat(rawValue: name) else { return nil }
        self = .list(format)
    }

    /// Returns the form for a file's extension; nil for another extension.
    init?(fileName: String) {
        if let format = SectionFormat(fileName: fileName) {
            self = .list(format)
        } else if fileName.lowercased().hasSuffix(".\(Self.cardsName)") {
            self = .cards
        } else {
            return nil
        }
    }
}

/// A file of cards.
struct CardFile {
    let kept: KeptRecording
    /// True to show the progress.
    let draws: Bool

    /// Writes a card for each section.
    ///
    /// - Returns: The cards, and success or the status of a signal that came too late to cancel the file.
    /// - Throws: An error that names the missing part; no file is left then.
    func write(to path: String) throws -> (value: CardExport.Summary, ending: ExitStatus) {
        guard path != "-" else {
            throw CommandFailure(
                .usage, "cards cannot be written to standard output", remedy: "Name a file that ends in .apkg.")
        }
        // An empty list is refused before any audio is read.
        guard !(try kept.list().sections.isEmpty) else { throw SectionFiles.noSections(kept.file) }
        let signals = Signals.install()
        try OutputFile.refuseInputs([kept.file], outputs: [path])
        try OutputFile.check(path)
        return try WatchedWriting.run(path, signals, draws: draws) { progress, isCancelled in
            try CardExport.write(
                kept.recording, kept.store, fileAt: kept.file, to: path, progress: progress, isCancelled: isCancelled)
        }
    }
}
