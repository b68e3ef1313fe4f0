// Questions to a person at a terminal, one line each, for screen readers.
import Explanations
import Glibc
import Terminal
import WoodshedLibrary

/// Asks a person at a terminal. Never asks a program, and never writes to standard output.
enum Question {
    /// True if standard input and standard error are terminals.
    static var canBeAsked: Bool { isatty(STDIN_FILENO) == 1 && StandardStream.error.isTerminal }

    /// Returns the answer without surrounding spaces; nil for Enter alone or the end of the input.
    static func answer(to question: String) -> String? {
        StandardStream.error.note(question)
        guard let line = readLine() else { return nil }
        let answer = line.trimmed()
        return answer.isEmpty ? nil : answer
    }
}

/// Lets a person choose among several recordings of the library, by a number in the printed list or by words of a
/// title. Words shorten the list.
struct RecordingPicker {
    private static let mostRows = 20
    let library: RecordingLibrary

    /// Returns the chosen recording.
    ///
    /// - Parameters:
    ///   - items: Recordings to choose from.
    ///   - heading: Line above the list.
    /// - Throws: `CommandFailure` if the user chooses none; `StoreError`.
    func choose(from items: [LibraryItem], _ heading: String) throws -> LibraryItem {
        var (items, heading) = (items, heading)
        while true {
            StandardStream.error.note(printable(heading))
            for (place, item) in items.prefix(Self.mostRows).enumerated() {
                StandardStream.error.note("  \(place + 1)  \(printable(item.shortWords))")
            }
            if items.count > Self.mostRows { StandardStream.error.note("  and \(items.count - Self.mostRows) more") }
            let question = "Which one? A number, words of a title, or Enter for none:"
            guard let answer = Question.answer(to: question) else {
                throw CommandFailure(
                    .notFound, "no recording was chosen", remedy: "List the recordings with: woodshed list")
            }
            if let number = wholeNumber(answer) {
                if (1...Int64(items.count)).contains(number) { return items[Int(number) - 1] }
                heading = "There is no number \(number):"
                continue
            }
            let found = try library.items { $0.text = answer }
            if found.count == 1 { return found[0] }
            heading = found.isEmpty ? "No title has '\(answer)':" : "'\(answer)' may be:"
            if !found.isEmpty { items = found }
        }
    }

    /// Asks for a recording, for a verb without a recording.
    ///
    /// - Returns: The path of the recording's file.
    /// - Throws: `CommandFailure` for an empty library, or if the user chooses none.
    static func file() throws -> String {
        let library = try RecordingLibrary(PracticeStore(.user))
        let items = try library.items().filter { !$0.isMissing }
        if items.isEmpty {
            throw CommandFailure(
                .usage, "no recording is named, and the library is empty",
                remedy: "Name a file, or add recordings with: woodshed add FILE")
        }
        return try RecordingPicker(library: library).choose(
            from: items, "The recordings of the library, the newest first:"
        )
        .path
    }
}
