import ArgumentParser
import Explanations
import Terminal

/// Recordings, for verbs that work on each recording separately.
struct RecordingArguments: ParsableArguments {
    /// Limit on parallel jobs: more files at a time bring no gain, and each file needs its own memory and open files.
    static let mostJobs = PartialFiles.mostOutputs

    @Argument(
        help: .init("Recordings: files, @1, or titles in quotes.", valueName: "file"), completion: .file(),
        transform: { $0.split(separator: separator, omittingEmptySubsequences: false).map(String.init) })
    var names: [[String]] = []

    @Option(
        name: .customLong("files-from"), parsing: .unconditional,
        help: .init("File with more names, one a line; - is standard input.", valueName: "list"),
        completion: .file())
    var list: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Files processed at a time, 1 to 256. (default: 1)", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...mostJobs) })
    var jobs: Int?

    /// Names from the command line, as typed.
    var files: [String] { names.flatMap { $0 } }

    /// True for a single recording without a list and without `--jobs`, so output takes the form for a single file.
    var isAlone: Bool { isOne && jobs == nil }

    /// True if the arguments can name only a single recording.
    var isOne: Bool { list == nil && files.count == 1 }

    func validate() throws {
        if list == nil, files.isEmpty { throw ValidationError("Missing expected argument '<file> ...'") }
        if list?.isEmpty == true { throw ValidationError("--files-from needs the name of a list, or -.") }
    }

    /// Returns all names as typed: first those of the command line, then those of the list. Reads the list.
    ///
    /// - Throws: A `CommandFailure` for an unreadable list, or for a list without any name.
    func allFiles() throws(CommandFailure) -> [String] {
        guard let list else { return files }
        let all = files + (try NameList.read(list))
        if all.isEmpty {
            throw CommandFailure(.usage, "\(list): there is no name in this list", remedy: "Put a name in each line.")
        }
        return all
    }

    // MARK: Thousands of names

    /// Separator of merged names: no program argument contains this character.
    private static let separator: Character = "\0"
    private static let verbs: Set = ["measure", "info", "waveform", "render"]
    /// Up to this number, names cost the parser nothing noticeable.
    private static let few = 64

    /// Returns the arguments with adjacent names merged into a single argument. The parser's work grows with the square
    /// of the number of arguments: 10,000 names took seconds.
    static func merged(_ arguments: [String]) -> [String] {
        guard let verb = arguments.first, verbs.contains(verb), arguments.count > few else { return arguments }
        var (result, names): ([String], ArraySlice<String>) = ([], [])
        for index in arguments.indices {
            let isOption = arguments[index].hasPrefix("-")
            if !isOption { names = arguments[index - names.count...index] }
            guard isOption || index == arguments.count - 1 else { continue }
            // The first name is the verb, or possibly the value of the option before it, so it stays separate.
            result += names.count > few ? [names.first ?? "", joined(names.dropFirst())] : Array(names)
            if isOption { result.append(arguments[index]) }
            names = []
        }
        return result
    }

    private static func joined(_ names: ArraySlice<String>) -> String { names.joined(separator: String(separator)) }
}
