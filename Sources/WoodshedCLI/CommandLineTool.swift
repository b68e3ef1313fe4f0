// WoodshedCLI is the command `woodshed`: it parses arguments, drives the engine, draws the terminal and ends with a
// documented exit code. The engine makes all decisions about sound.
import ArgumentParser
package import Explanations
import Files
import Glibc
import Realtime
import RunLog
import Terminal
import Woodshed

/// The command as a function of its arguments.
public enum CommandLineTool {
    /// The version printed by `--version`.
    ///
    /// Real-time safe: no.
    public static let version = woodshedVersion

    /// Runs the command and ends the process with its exit code.
    ///
    /// Call this function from the main thread before any other thread exists: signal handlers are installed first.
    ///
    /// - Parameter arguments: The arguments after the program's name.
    ///
    /// Real-time safe: no.
    public static func run(_ arguments: [String]) -> Never {
        ProcessOwner.declareCommand()
        exit(status(arguments).rawValue)
    }

    /// Runs the command.
    static func status(_ arguments: [String]) -> ExitStatus { report { try runCommand(arguments) } }

    /// Runs a part of the program, and prints a final error.
    ///
    /// - Returns: The exit status.
    package static func report(_ body: () throws -> Void) -> ExitStatus {
        do {
            try body()
            RunLog.note(.session, .info, "ends")
            return .success
        } catch let error as any ExplainedError {
            // The log omits the message, which may quote private arguments.
            RunLog.note(.session, .error, "ends with exit code \(error.exitStatus.rawValue)")
            if !error.message.isEmpty { StandardStream.error.note(error.text) }
            return error.exitStatus
        } catch {
            StandardStream.error.note("woodshed: \(error)\nThis is a fault of woodshed; please report it.")
            return .software
        }
    }

    private static func runCommand(_ arguments: [String]) throws {
        var arguments = arguments
        var log = LogOptions()
        try log.take(from: &arguments)
        if arguments.isEmpty { return try StandardStream.output.write(Introduction.text) }
        if let first = arguments.first, !first.hasPrefix("-"), !Woodshed.verbs.contains(first), first != "help" {
            throw unknownVerb(first)
        }
        if arguments.first == "help" { try checkHelp(arguments.dropFirst()) }
        try refuseNamesLikeOptions(arguments)
        try refuseNamesToWrite(arguments)
        try log.start()
        // The log holds only the verb: the other arguments may be private.
        let verb = Woodshed.verbs.contains(arguments[0]) ? arguments[0] : "no verb"
        RunLog.note(.session, .info, "begins: woodshed \(version), \(verb)")
        arguments = try configured(arguments)
        var command: any ParsableCommand
        do {
            command = try Woodshed.parseAsRoot(RecordingArguments.merged(SectionArguments.merged(arguments)))
            // `help` and the root throw their text from `run()`.
            if !(command is any Verb) { try command.run() }
        } catch {
            return try answer(error, verb: arguments.first.flatMap { Woodshed.verbs.contains($0) ? $0 : nil })
        }
        if var verb = command as? any Verb { try verb.perform() }
    }

    /// Returns the arguments, with values from the environment and the configuration file for verbs that have such
    /// options.
    private static func configured(_ arguments: [String]) throws(CommandFailure) -> [String] {
        let verbs = SettingOption.all.reduce(into: Set<String>()) { $0.formUnion($1.verbs) }
        let asksForHelp = arguments.contains { ["-h", "--help", "--help-hidden"].contains($0) }
        guard let verb = arguments.first, verbs.contains(verb), !asksForHelp else { return arguments }
        let layers = try SettingsLayers()
        layers.warnings.forEach { StandardStream.error.note("woodshed: " + printable($0)) }
        return try layers.applied(to: arguments)
    }

    /// Refuses file names that look like options to the parser. For example, `-dash.wav` asks for help, because it
    /// contains an `h`.
    private static func refuseNamesLikeOptions(_ arguments: [String]) throws(CommandFailure) {
        let typed = arguments.prefix { $0 != "--" }
        for (index, argument) in typed.enumerated() {
            // The argument may be the value of an option.
            if index > 0, typed[index - 1].hasPrefix("--") { continue }
            guard argument.hasPrefix("-"), !argument.hasPrefix("--"), argument.utf8.count > 2, Double(argument) == nil,
                unsafe FileState(FileName.systemName(argument)) != nil
            else { continue }
            throw CommandFailure(
                .usage, "'\(argument)' is a file, and its name would be taken for options",
                remedy: "Write: \(shellPath(argument))")
        }
    }

    /// Refuses names that are not UTF-8, except for recordings and documents to read. The user chooses the name of a
    /// file to write, and a recording's metadata is text.
    private static func refuseNamesToWrite(_ arguments: [String]) throws(CommandFailure) {
        let reading = [
            "play", "practice", "sections", "render", "info", "measure", "waveform", "bench", "attach", "open",
            "add", "edit", "rm",
        ]
        let values = [
            "-o", "--out", "--output", "--title", "--artist", "--language", "--tag", "--untag", "--source", "--licence",
            "--name", "--text",
        ]
        let isCheck =
            arguments.first == "library" && arguments.dropFirst().first(where: { !$0.hasPrefix("-") }) == "check"
        for (index, argument) in arguments.enumerated() where !FileName.isUTF8(argument) {
            let isOption = argument.hasPrefix("-") || values.contains(arguments[max(0, index - 1)])
            if isOption || !reading.contains(arguments[0]) && !isCheck {
                throw notUTF8(argument)
            }
        }
    }

    /// Returns the refusal of a name or a text that is not UTF-8.
    static func notUTF8(_ argument: String) -> CommandFailure {
        CommandFailure(
            .usage, "'\(argument)' is not UTF-8, and only recordings and documents that are read may have such a name",
            remedy: "Write UTF-8 text, or choose another name.")
    }

    /// Prints a result thrown by the parser: help and completion scripts to standard output. Throws parser errors
    /// again, with a hint to the help.
    private static func answer(_ error: any Error, verb: String?) throws {
        if Woodshed.exitCode(for: error) == .success {
            let text = Woodshed.fullMessage(for: error)
            return try StandardStream.output.write(text.hasSuffix("\n") ? text : text + "\n")
        }
        let help = verb.map { "woodshed help \($0)" } ?? "woodshed --help"
        throw CommandFailure(.usage, Woodshed.message(for: error), remedy: "See: \(help)")
    }

    /// Refuses an unknown verb, for which the parser would print its general help.
    private static func checkHelp(_ words: ArraySlice<String>) throws(CommandFailure) {
        var verbs = Woodshed.configuration.subcommands
        var path = ""
        for word in words where !word.hasPrefix("-") {
            let names = verbs.map { $0.configuration.commandName ?? "" }
            guard let index = names.firstIndex(of: word) else { throw unknownVerb(word, of: path, among: names) }
            verbs = verbs[index].configuration.subcommands
            path += word + " "
        }
    }

    private static func unknownVerb(_ word: String) -> CommandFailure {
        let cause = "there is no verb '\(word)'"
        guard let known = suggestion(for: word, among: Woodshed.verbs) else {
            return CommandFailure(.usage, cause, remedy: "The verbs are: \(Woodshed.verbs.joined(separator: ", ")).")
        }
        return CommandFailure(.usage, cause, remedy: "Did you mean: woodshed \(known)")
    }

    /// - Parameters:
    ///   - path: Verb of the requested help, followed by a blank; empty for the root.
    ///   - verbs: The permitted words at this place.
    private static func unknownVerb(_ word: String, of path: String, among verbs: [String]) -> CommandFailure {
        let cause = "there is no help for '\(path)\(word)'"
        if let known = suggestion(for: word, among: verbs) {
            return CommandFailure(.usage, cause, remedy: "Did you mean: woodshed help \(path)\(known)")
        }
        let remedy =
            verbs.isEmpty
            ? "See: woodshed help \(path.dropLast())" : "There is help for: \(verbs.joined(separator: ", "))."
        return CommandFailure(.usage, cause, remedy: remedy)
    }
}
