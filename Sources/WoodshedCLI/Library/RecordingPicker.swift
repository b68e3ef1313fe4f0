// Questions to a person at a terminal, a line each, so that a screen reader reads them, too.
import Glibc
import Terminal
import Woodshed

/// Asks a person at a terminal; never a program, and never in the way of what is written to standard output.
enum Question {
    /// Whether there is somebody to ask.
    static var canBeAsked: Bool { isatty(STDIN_FILENO) == 1 && StandardStream.error.isTerminal }

    /// The answer, without spaces around it; nil for Enter alone or the end of the input.
    static func answer(to question: String) -> String? {
        StandardStream.error.note(question)
        guard let line = readLine() else { return nil }
        let answer = line.trimmingPrefix { $0.isWhitespace }.reversed().trimmingPrefix { $0.isWhitespace }.reversed()
        return answer.isEmpty ? nil : String(answer)
    }
}

/// Lets a person choose one of several recordings of the library: by its number in the list that is shown, or by words of its title, which
/// make the list shorter.
struct RecordingPicker {
    private static let mostRows = 20
    let library: RecordingLibrary

    /// The recording that is chosen.
    ///
    /// - Parameters:
    ///   - items: Those to choose from.
    ///   - heading: What is said above the list.
    /// - Throws: `CommandFailure` if none is chosen; `StoreError`.
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
                throw CommandFailure(.notFound, "none was chosen", remedy: "Write words of the title: woodshed list")
            }
            if let number = wholeNumber(answer) {
                if (1...Int64(items.count)).contains(number) { return items[Int(number) - 1] }
                heading = "There is no \(number):"
                continue
            }
            let found = try library.items { $0.text = answer }
            if found.count == 1 { return found[0] }
            heading = found.isEmpty ? "No title has '\(answer)':" : "'\(answer)' may be:"
            if !found.isEmpty { items = found }
        }
    }

    /// Asks for a recording where a verb was given none.
    ///
    /// - Returns: The path of its file.
    /// - Throws: `CommandFailure` if there is none to choose, or none is chosen.
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
