// Opens a document with a program of the user's desktop.
import Explanations
import Files
import Glibc
import Terminal
import TextFormats
import WoodshedLibrary

/// The document-opening program and its arguments.
struct DocumentOpener: Equatable {
    /// The desktop's own opener.
    static let standard = "xdg-open"
    private static let mark = "{file}"
    private static let example = "Write a program and its arguments, as in evince {file}."
    /// Time limit for a program to refuse a file, in milliseconds. A program still running afterwards has opened the
    /// file.
    private static let patience: Int32 = 2000

    let words: [String]

    /// Parses a line such as `evince --page-index=2 {file}`, divided like an extractor's command line. Without
    /// `{file}`, the file becomes the last argument.
    init(parsing line: String) throws(ArgumentError) {
        let words: [String]
        do throws(ProgramWords.Fault) { words = try ProgramWords.divided(line) } catch {
            throw ArgumentError.unreadable(
                line, as: "a program with its arguments: \(error.cause)", remedy: Self.example)
        }
        guard let program = words.first, !program.isEmpty, !program.contains(Self.mark) else {
            throw ArgumentError("'\(line)' names no program", remedy: Self.example)
        }
        self.words = words
    }

    /// Returns the program's arguments for a file. The path begins with a slash, so no program takes it for an option.
    func arguments(for path: String) -> [String] {
        if words.contains(where: { $0.contains(Self.mark) }) {
            return words.map { $0.replacing(Self.mark, with: path) }
        }
        return words + [path]
    }

    /// Returns the command for a file, ready to be typed.
    func command(for path: String) -> String { arguments(for: path).map(shellWord).joined(separator: " ") }

    /// Starts the program, which keeps running after this process ends, without a terminal.
    func open(_ path: String) throws(CommandFailure) {
        guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { !(environmentVariable($0) ?? "").isEmpty }) else {
            throw CommandFailure(
                .unavailable, "there is no desktop to open the document",
                remedy: "Run the command on the computer with your screen, or set DISPLAY or WAYLAND_DISPLAY.")
        }
        let program = words[0]
        let end: ChildEnd?
        do throws(ChildFailure) {
            let process = try DetachedProcess(
                program, arguments(for: path).map { FileName.systemName($0) }, variables: [], output: nil)
            end = process.end(within: Self.patience)
        } catch {
            var cause = "cannot be started"
            if case .cannotStart(let code) = error {
                if let limit = SystemLimit(startErrno: code) {
                    throw CommandFailure(limit, at: printable("\(program): "))
                }
                cause = code == ENOENT ? "is not installed" : "cannot be started: \(systemText(code))"
            }
            throw CommandFailure(.unavailable, printable("\(program) \(cause)"), remedy: Self.remedy)
        }
        switch end {
        case nil, .exited(0), .unknown: return
        case .exited(let code):
            throw CommandFailure(
                .unavailable, printable("\(program) could not open the document (exit code \(code))"),
                remedy: Self.remedy)
        case .killed(let signal):
            throw CommandFailure(
                .unavailable, printable("\(program) could not open the document (ended by signal \(signal))"),
                remedy: Self.remedy)
        }
    }

    private static let remedy =
        "Install xdg-utils, or name a program of yours: woodshed config set opener \"evince {file}\""
}
