import ArgumentParser
import Explanations
import Terminal

/// One recording or many, for the verbs that work on each by itself.
struct RecordingArguments: ParsableArguments {
    /// More files at the same time are of no use, and each needs memory and open files of its own.
    static let mostJobs = PartialFiles.mostOutputs

    @Argument(
        help: .init("Recordings.", valueName: "file"), completion: .file(),
        transform: { $0.split(separator: separator, omittingEmptySubsequences: false).map(String.init) })
    var names: [[String]] = []

    @Option(
        name: .customLong("files-from"), parsing: .unconditional,
        help: .init("A list of more names, or - for standard input.", valueName: "list"),
        completion: .file())
    var list: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Files worked on at a time; see nproc. (default: 1)", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...mostJobs) })
    var jobs: Int?

    /// As the user named them on the command line.
    var files: [String] { names.flatMap { $0 } }

    /// Whether there is one recording, and neither `--jobs` nor a list asks for the form of several.
    var isAlone: Bool { isOne && jobs == nil }

    /// Whether there can be only one recording.
    var isOne: Bool { list == nil && files.count == 1 }

    func validate() throws {
        if list == nil, files.isEmpty { throw ValidationError("Missing expected argument '<file> ...'") }
        if list?.isEmpty == true { throw ValidationError("--files-from needs the name of a list, or -.") }
    }

    /// As the user named them: those of the command line, and then those of the list, which is read here.
    ///
    /// - Throws: The reason why it cannot be read, or that it has no names either.
    func allFiles() throws(CommandFailure) -> [String] {
        guard let list else { return files }
        let all = files + (try NameList.read(list))
        if all.isEmpty {
            throw CommandFailure(.usage, "\(list): there is no name in this list", remedy: "Put a name in each line.")
        }
        return all
    }

    // MARK: Thousands of names

    /// A character that no argument of a program contains.
    private static let separator: Character = "\0"
    private static let verbs: Set = ["measure", "info", "waveform", "render"]
    /// So few names cost the parser nothing.
    private static let few = 64

    /// The same arguments with names in a row merged into one: the parser's work grows with the square of the number of arguments, and
    /// 10,000 names took it seconds.
    static func merged(_ arguments: [String]) -> [String] {
        guard let verb = arguments.first, verbs.contains(verb), arguments.count > few else { return arguments }
        var (result, names): ([String], ArraySlice<String>) = ([], [])
        for index in arguments.indices {
            let isOption = arguments[index].hasPrefix("-")
            if !isOption { names = arguments[index - names.count...index] }
            guard isOption || index == arguments.count - 1 else { continue }
            // The first of them is the verb, or may be the value of the option before them.
            result += names.count > few ? [names.first ?? "", joined(names.dropFirst())] : Array(names)
            if isOption { result.append(arguments[index]) }
            names = []
        }
        return result
    }

    private static func joined(_ names: ArraySlice<String>) -> String { names.joined(separator: String(separator)) }
}
