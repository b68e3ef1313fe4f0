// `woodshed config`: shows and changes permanent settings, and shows the source of each value.
import ArgumentParser
import AudioFiles
import Explanations
import JSON
import RemoteControl
import Settings
import Terminal
import UserState

struct ConfigCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Save your usual options, and show where each value comes from.",
        discussion: """
            EXAMPLES
              woodshed config                        list each option, value and source
              woodshed config set speed 80%
              woodshed config get speed
              woodshed config unset speed
              woodshed config path                   print the path of the file
              woodshed config keys                   list the keys and their actions
              woodshed config set key.playing.z "loop start"
              woodshed config set midi.cc64 "pause"  set a pedal; config midi lists all
              woodshed config recipes                list the steps of practice --recipe
              woodshed config set recipe.slow "passes=3 speed=60%; passes=2"

            The file has lines of option = value, with the names of the long options, and comments after #. The \
            order of precedence is: the command line, the environment (WOODSHED_SPEED=80%), the section's own value, \
            the recording's stored value, the file.
            """)

    @Argument(
        help: .init("Action: list, get, set, unset, path, keys, midi or recipes.", valueName: "action"),
        completion: .list(["list", "get", "set", "unset", "path", "keys", "midi", "recipes"]))
    var action = "list"

    @Argument(help: .init("Name of an option; for set, also its value.", valueName: "word"))
    var words: [String] = []

    @Flag(name: .long, help: "Write a JSON line for each option to standard output.")
    var json = false

    @Flag(name: [.short, .long], help: "Print no hints.")
    var quiet = false

    func perform() throws {
        let counts = ["list": 0, "get": 1, "set": 2, "unset": 1, "path": 0, "keys": 0, "midi": 0, "recipes": 0]
        guard let count = counts[action] else {
            let known = suggestion(for: action, among: counts.keys.sorted()).map { "Did you mean: \($0)" }
            throw CommandFailure(
                .usage, "there is no action '\(action)'",
                remedy: known ?? "Choose one of: list, get, set, unset, path, keys, midi, recipes.")
        }
        guard words.count == count else {
            let usage = ["list": "", "get": " OPTION", "set": " OPTION VALUE", "unset": " OPTION", "path": ""]
            throw CommandFailure(
                .usage, "'\(action)' takes \(count == 0 ? "no words" : counted(count, "word"))",
                remedy: "Write: woodshed config \(action)\(usage[action] ?? "")")
        }
        switch action {
        case "get": try StandardStream.output.line(try value(of: words[0]))
        case "set" where words[0].hasPrefix(SettingsLayers.keyPrefix):
            try setLine(words[0], words[1]) { name, words throws(ArgumentError) in
                var map = KeyMap.standard
                try map.bind(String(name.dropFirst(SettingsLayers.keyPrefix.count)), to: words)
            }
        case "set" where words[0].hasPrefix(SettingsLayers.controllerPrefix):
            try setLine(words[0], words[1]) { name, words throws(ArgumentError) in
                var map = ControllerMap()
                try map.bind(String(name.dropFirst(SettingsLayers.controllerPrefix.count)), to: words)
            }
        case "set" where words[0].hasPrefix(RecipeText.prefix):
            try setLine(words[0], words[1]) { name, words throws(ArgumentError) in
                let name = name.dropFirst(RecipeText.prefix.count)
                guard !name.isEmpty, !name.contains(where: { $0 == " " || $0 == "=" }) else {
                    throw ArgumentError(
                        "the name of a recipe is empty, or has a space or an equals sign",
                        remedy: "Write a name as in recipe.morning.")
                }
                _ = try RecipeText(parsing: words)
            }
        case "set": try set(try option(words[0]), words[1])
        case "keys": try listKeys()
        case "midi": try listControllers()
        case "recipes": try listRecipes()
        case "unset": try unset(words[0])
        case "path": try StandardStream.output.line(try file().path)
        default: try list()
        }
    }

    private func option(_ name: String) throws(CommandFailure) -> SettingOption {
        if let option = SettingOption.named(name) { return option }
        let names = SettingOption.all.map(\.name)
        let remedy = suggestion(for: name, among: names).map { "Did you mean: \($0)" }
        throw CommandFailure(
            .usage, "there is no option '\(name)'",
            remedy: remedy ?? "Choose one of: \(names.joined(separator: ", ")).")
    }

    private func file() throws(CommandFailure) -> SettingsFile {
        if let file = SettingsFile() { return file }
        throw CommandFailure(
            .configuration, "there is no home folder to keep a configuration in",
            remedy: "Set HOME or XDG_CONFIG_HOME to a folder of yours.")
    }

    private func list() throws {
        let layers = try SettingsLayers()
        let rows = SettingOption.all.map { option in (option, layers.set(option)) }
        let names = rows.map { $0.0.name.count }.max() ?? 0
        let values = rows.map { displayWidth(printable($0.1.value)) }.max() ?? 0
        var refused: [CommandFailure] = []
        for (option, (value, source)) in rows {
            var refusal: CommandFailure?
            do throws(CommandFailure) { _ = try layers.value(of: option) } catch { refusal = error }
            if let refusal { refused.append(refusal) }
            if json {
                var fields: [JSONValue.Field] = [
                    .init("v", .integer(1)), .init("option", .string(option.name)), .init("value", .string(value)),
                    .init("source", .string(source.words)),
                ]
                if let refusal { fields.append(.init("message", .string(refusal.message))) }
                try StandardStream.output.line(JSONValue.object(fields).text)
                continue
            }
            let name = option.name + String(repeating: " ", count: names - option.name.count)
            let padding = String(repeating: " ", count: values - displayWidth(printable(value)))
            try StandardStream.output.line("\(name)  \(printable(value))\(padding)  \(printable(source.words))")
        }
        layers.warnings.forEach { StandardStream.error.note(printable($0)) }
        try report(refused)
    }

    private func set(_ option: SettingOption, _ value: String) throws {
        do throws(ArgumentError) {
            try option.validate(value)
        } catch {
            throw CommandFailure(.usage, error.message, remedy: error.remedy)
        }
        try change { text in
            text.set(option.name, to: value)
            return true
        }
        hint("\(option.name) = \(printable(value))", option)
    }

    /// Sets a line outside the options: a key, a controller or a recipe.
    private func setLine(
        _ name: String, _ words: String, check: (String, String) throws(ArgumentError) -> Void
    ) throws {
        do throws(ArgumentError) {
            try check(name, words)
        } catch {
            throw CommandFailure(.usage, error.message, remedy: error.remedy)
        }
        try change { text in
            text.set(name, to: words)
            return true
        }
        if !quiet, !json { StandardStream.error.note("\(printable(name)) = \(printable(words))") }
    }

    /// Returns the value of an option, or the steps of a recipe.
    private func value(of name: String) throws -> String {
        let layers = try SettingsLayers()
        if name.hasPrefix(RecipeText.prefix) {
            return try layers.recipe(named: String(name.dropFirst(RecipeText.prefix.count))).text
        }
        return try layers.value(of: option(name)).value
    }

    private func listRecipes() throws {
        let layers = try SettingsLayers()
        var (lines, refused): ([Line], [CommandFailure]) = ([], [])
        for (name, words, isOwn) in layers.recipes {
            do throws(CommandFailure) {
                lines.append((RecipeText.prefix, name, try layers.recipe(name, words).text, isOwn))
            } catch { refused.append(error) }
        }
        try listLines(lines)
        try report(refused)
    }

    private func listControllers() throws {
        var (lines, refused): ([Line], [CommandFailure]) = ([], [])
        let layers = try SettingsLayers()
        try layers.forEachLine(SettingsLayers.controllerPrefix, refused: { refused.append($0) }) {
            (name, words) throws(ArgumentError) in
            var map = ControllerMap()
            try map.bind(name, to: words)
            lines.append((SettingsLayers.controllerPrefix, name, words, true))
        }
        try listLines(lines)
        if lines.isEmpty, !quiet, !json {
            StandardStream.error.note("no pedal has an action yet: woodshed config set midi.cc64 pause")
        }
        try report(refused)
    }

    private func listKeys() throws {
        var refused: [CommandFailure] = []
        let rows = try KeyMap(SettingsLayers(), refused: { refused.append($0) }).rows
        let standard = KeyMap.standard.rows
        try listLines(
            rows.map { row in
                (SettingsLayers.keyPrefix, row.key, row.words, !standard.contains { $0 == row })
            })
        try report(refused)
    }

    /// Reports lines that set nothing possible, after the possible lines.
    ///
    /// - Throws: A `CommandFailure` without a text, if there are such lines.
    private func report(_ refused: [CommandFailure]) throws(CommandFailure) {
        for refusal in refused { StandardStream.error.note(errorText(refusal)) }
        if !refused.isEmpty { throw CommandFailure(.configuration) }
    }

    /// A key, a controller or a recipe.
    private typealias Line = (prefix: String, name: String, words: String, isOwn: Bool)

    private func listLines(_ lines: [Line]) throws {
        let width = lines.map { displayWidth(printable($0.name)) }.max() ?? 0
        for line in lines {
            if json {
                let fields: [JSONValue.Field] = [
                    .init("v", .integer(1)), .init("option", .string(line.prefix + line.name)),
                    .init("value", .string(line.words)), .init("source", .string(line.isOwn ? "file" : "default")),
                ]
                try StandardStream.output.line(JSONValue.object(fields).text)
            } else {
                let name = printable(line.name)
                let padding = String(repeating: " ", count: width - displayWidth(name))
                try StandardStream.output.line("\(name)\(padding)  \(printable(line.words))")
            }
        }
    }

    private func unset(_ name: String) throws {
        // `unset` also removes lines unknown to this version.
        var wasSet = false
        try change { text in
            wasSet = text.unset(name)
            return wasSet
        }
        guard wasSet else {
            let isLine = [SettingsLayers.keyPrefix, RecipeText.prefix, SettingsLayers.controllerPrefix].contains {
                name.hasPrefix($0)
            }
            if !isLine { _ = try option(name) }
            if !quiet { StandardStream.error.note("\(name) was not set") }
            return
        }
        if let option = SettingOption.named(name) { hint("\(name) is \(option.standard) again", option) }
    }

    private func change(_ body: (inout SettingsText) -> Bool) throws {
        let file = try file()
        do throws(SettingsFile.Fault) {
            try file.change(body)
        } catch {
            guard case .file(let fault) = error, SystemLimit(errno: fault.code) == nil else {
                throw SettingsLayers.failure(error, path: file.path)
            }
            let status: ExitStatus = fault.isPermission ? .noPermission : .cannotCreate
            throw CommandFailure(
                status, "\(file.path): \(fault.text)",
                remedy: "Check the file, its folder and their permissions. Nothing was changed.")
        }
    }

    private func hint(_ words: String, _ option: SettingOption) {
        guard !quiet, !json else { return }
        StandardStream.error.note(words)
        if let value = environmentVariable(option.variable), !value.isEmpty {
            StandardStream.error.note("\(option.variable)=\(printable(value)) takes precedence here.")
        }
    }
}
