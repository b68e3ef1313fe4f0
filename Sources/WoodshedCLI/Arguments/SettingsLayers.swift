// Options from the environment and the configuration file, for options absent from the command line. Precedence: a
// flag, then the environment, a section's own value, the recording's value, the file's value, the default.
import Explanations
import Settings
import Terminal
import UserState
import WoodshedLibrary

/// Source of a value.
enum SettingSource: Equatable {
    case environment(String)
    case file(String, line: Int)
    case standard

    /// Description for people and programs.
    var words: String {
        switch self {
        case .environment(let variable): variable
        case .file(let path, let line): "\(path), line \(line)"
        case .standard: "default"
        }
    }

    /// Returns the remedy for an impossible value of an option, or of another line of the file.
    func remedy(for name: String) -> String {
        if case .environment(let variable) = self { return "Change or unset the variable \(variable)." }
        return "Change the value, or run: woodshed config unset \(shellWord(name))"
    }
}

/// The environment and the configuration file, read once.
struct SettingsLayers {
    private let environment: (String) -> String?
    private let file: SettingsFile?
    private let text: SettingsText

    /// - Throws: A `CommandFailure` if the file exists but cannot be read.
    init(
        environment: @escaping (String) -> String? = environmentVariable, file: SettingsFile? = SettingsFile()
    ) throws(CommandFailure) {
        (self.environment, self.file) = (environment, file)
        do throws(SettingsFile.Fault) {
            text = try file?.read() ?? SettingsText("")
        } catch {
            throw Self.failure(error, path: file?.path ?? "")
        }
    }

    static func failure(_ fault: SettingsFile.Fault, path: String) -> CommandFailure {
        switch fault {
        case .file(let fault):
            SystemLimit(errno: fault.code).map { CommandFailure($0, at: "\(path): ") }
                ?? CommandFailure(
                    .configuration, "\(path): \(fault.text)",
                    remedy: fault.isPermission
                        ? "Allow reading with: chmod u+r \(shellPath(path))" : "Replace or remove the file.")
        case .noText:
            CommandFailure(
                .configuration, "\(path): this is not a text file", remedy: "Replace or remove the file.")
        }
    }

    /// Returns the value of an option, and its source.
    ///
    /// - Throws: A `CommandFailure` for a value refused by the option.
    func value(of option: SettingOption) throws(CommandFailure) -> (value: String, source: SettingSource) {
        let (value, source) = set(option)
        if source != .standard { try check(value, of: option, source) }
        return (value, source)
    }

    /// Returns the value of an option as written, also a value that the option refuses, and its source.
    func set(_ option: SettingOption) -> (value: String, source: SettingSource) {
        if let value = environment(option.variable), !value.isEmpty { return (value, .environment(option.variable)) }
        guard let entry = text[option.name], let file else { return (option.standard, .standard) }
        return (entry.value, .file(file.path, line: entry.line))
    }

    private func check(
        _ value: String, of option: SettingOption, _ source: SettingSource
    ) throws(CommandFailure) {
        do throws(ArgumentError) { try option.validate(value) } catch {
            // The name of a variable includes the name of its option.
            let place =
                source == .environment(option.variable) ? option.variable : "\(source.words): \(option.name)"
            throw CommandFailure(
                .configuration, "\(place): \(error.message)",
                remedy: "\(error.remedy) \(source.remedy(for: option.name))")
        }
    }

    // MARK: Keys

    /// Prefix of a line for a key: `key.playing.ctrl+l = none`.
    static let keyPrefix = "key."
    /// Prefix of a line for a controller: `midi.cc64 = pause`.
    static let controllerPrefix = "midi."

    /// Calls `take` for each of the file's lines for keys or for controllers, in their order.
    ///
    /// - Parameters:
    ///   - prefix: Prefix of the lines' options.
    ///   - refused: Gets the error of each line that `take` refuses, with the line's place. By default, throws the
    ///     error, which ends the work at this line.
    ///   - take: Gets the rest of the option, such as `playing.ctrl+l`, and its value; throws for an unknown key or
    ///     action.
    /// - Throws: A `CommandFailure` of `refused`.
    func forEachLine(
        _ prefix: String, refused: (CommandFailure) throws(CommandFailure) -> Void = Self.refuse,
        _ take: (_ name: String, _ words: String) throws(ArgumentError) -> Void
    ) throws(CommandFailure) {
        for entry in text.entries where entry.option.hasPrefix(prefix) {
            do throws(ArgumentError) {
                try take(String(entry.option.dropFirst(prefix.count)), entry.value)
            } catch {
                let source = SettingSource.file(file?.path ?? "", line: entry.line)
                try refused(
                    CommandFailure(
                        .configuration, "\(source.words): \(error.message)",
                        remedy: "\(error.remedy) \(source.remedy(for: entry.option))"))
            }
        }
    }

    static func refuse(_ error: CommandFailure) throws(CommandFailure) { throw error }

    // MARK: Recipes

    /// All recipes by name, each marked if the file defines it. The file's recipes replace built-in recipes of the same
    /// name.
    var recipes: [(name: String, text: String, isOwn: Bool)] {
        var recipes = RecipeText.standard.map { (name: $0.name, text: $0.text, isOwn: false) }
        for entry in text.entries where entry.option.hasPrefix(RecipeText.prefix) {
            let name = String(entry.option.dropFirst(RecipeText.prefix.count))
            recipes.removeAll { $0.name == name }
            recipes.append((name, entry.value, true))
        }
        return recipes.sorted { $0.name < $1.name }
    }

    /// Returns the recipe with a name.
    ///
    /// - Throws: A `CommandFailure` for an unknown name, or for an unreadable line in the file.
    func recipe(named name: String) throws(CommandFailure) -> RecipeText {
        guard let found = recipes.first(where: { $0.name == name }) else {
            let names = recipes.map(\.name)
            let known = suggestion(for: name, among: names).map { "Did you mean '\($0)'?" }
            throw CommandFailure(
                .usage, "there is no recipe '\(name)'",
                remedy: known ?? "Choose one of: \(names.joined(separator: ", ")); or make one: woodshed config set "
                    + "\(shellWord(RecipeText.prefix + name)) \"passes=2 speed=70%; passes=3\"")
        }
        return try recipe(name, found.text)
    }

    /// Parses a recipe.
    ///
    /// - Throws: A `CommandFailure` for an unreadable line in the file.
    func recipe(_ name: String, _ words: String) throws(CommandFailure) -> RecipeText {
        do throws(ArgumentError) {
            return try RecipeText(parsing: words)
        } catch {
            let option = RecipeText.prefix + name
            let source = SettingSource.file(file?.path ?? "", line: text[option]?.line ?? 0)
            throw CommandFailure(
                .configuration, "\(source.words): \(option): \(error.message)",
                remedy: "\(error.remedy) \(source.remedy(for: option))")
        }
    }

    /// Warnings about meaningless lines, one sentence for each line.
    var warnings: [String] {
        guard let file else { return [] }
        let isUnknown = { (entry: SettingsText.Entry) in
            SettingOption.named(entry.option) == nil
                && ![Self.keyPrefix, RecipeText.prefix, Self.controllerPrefix].contains { entry.option.hasPrefix($0) }
        }
        let unknown = text.entries.filter(isUnknown).map { entry in
            let known = suggestion(for: entry.option, among: SettingOption.all.map(\.name))
            return "\(file.path), line \(entry.line): there is no option '\(entry.option)'"
                + (known.map { "; did you mean \($0)?" } ?? "")
        }
        return unknown + text.unreadable.map { "\(file.path), line \($0): this sets nothing; write option = value" }
    }

    // MARK: On the command line

    /// Returns the arguments with the values of the environment and the file added at the end.
    ///
    /// Options with values of their own in recordings are skipped if only the file sets them: see `kept`.
    func applied(to arguments: [String]) throws(CommandFailure) -> [String] {
        guard let verb = arguments.first else { return arguments }
        // Arguments after "--" are names.
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        var added: [Addition] = []
        for option in SettingOption.all where option.verbs.contains(verb) && !option.isGiven(in: arguments[..<end]) {
            let (value, source) = try value(of: option)
            if source == .standard { continue }
            if option.isKept, verb == "practice", case .file = source { continue }
            // Only `passes` has a value that the command line does not take.
            if option.name == "passes", value == KeptSettings.endless { continue }
            var argument = "--\(option.name)=\(value)"
            if let isOn = option.isFlag ? try? SettingOption.isOn(value) : nil {
                guard isOn || option.hasOpposite else { continue }
                argument = (isOn ? "--" : "--no-") + option.name
            }
            try Self.add(Addition(option: option, source: source, argument: argument), to: &added)
        }
        return arguments[..<end] + added.map(\.argument) + arguments[end...]
    }

    /// An option added to a command line.
    private struct Addition {
        let option: SettingOption
        let source: SettingSource
        let argument: String
    }

    /// Adds an option, unless a rival from the environment precedes the option from the file.
    ///
    /// - Throws: A `CommandFailure` if the option and a rival have the same precedence.
    private static func add(_ new: Addition, to added: inout [Addition]) throws(CommandFailure) {
        guard let index = added.firstIndex(where: { new.option.rivals.contains($0.option.name) }) else {
            return added.append(new)
        }
        let rival = added[index]
        switch (rival.source, new.source) {
        case (.environment, .file): break
        case (.file, .environment): added[index] = new
        default:
            throw CommandFailure(
                .configuration,
                "\(rival.option.name) (\(rival.source.words)) and \(new.option.name) (\(new.source.words)) exclude each other",
                remedy: new.source.remedy(for: new.option.name))
        }
    }

    /// The file's values of options that recordings and sections keep values for.
    var kept: KeptSettings {
        var texts: [String: String] = [:]
        for option in SettingOption.all where option.isKept { texts[option.name] = text[option.name]?.value }
        return KeptSettings(texts)
    }
}
