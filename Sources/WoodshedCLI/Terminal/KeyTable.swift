// The map of keys to actions in a layer: a table for the keys themselves, the help and the configuration.
import Terminal

/// A named action of a key. The names serve the configuration and every other control of a program.
protocol NamedAction: Equatable, Sendable {
    /// Parses the name of an action.
    init(words: some StringProtocol) throws(ArgumentError)
    /// The action's name.
    var words: String { get }
}

extension NamedAction {
    /// Parses the actions of a text such as `loop start; speed 80%`; empty for `none`.
    static func list(_ text: String) throws(ArgumentError) -> [Self] {
        if text == "none" { return [] }
        var actions: [Self] = []
        for part in text.split(separator: ";" as Character) { actions.append(try Self(words: part)) }
        if actions.isEmpty {
            throw ArgumentError.unreadable(text, as: "an action", remedy: "Write none for a key without an action.")
        }
        return actions
    }

    /// Returns the error for an unknown action.
    static func unknown(_ text: some StringProtocol) -> ArgumentError {
        ArgumentError.unreadable(text, as: "an action", remedy: "List all actions with `woodshed config keys`.")
    }
}

/// Actions with plain names, without a number.
protocol PlainAction: NamedAction, RawRepresentable, CaseIterable where RawValue == String {}

extension PlainAction {
    init(words text: some StringProtocol) throws(ArgumentError) {
        guard
            let action = Self(rawValue: String(text))
                ?? Self(rawValue: text.split(separator: " " as Character).joined(separator: " "))
        else { throw Self.unknown(text) }
        self = action
    }

    var words: String { rawValue }
}

/// The keys of a layer.
struct KeyTable<Action: NamedAction>: Equatable, Sendable {
    private var actions: [KeyName: [Action]] = [:]
    /// Names in the order of binding, for the help.
    private var order: [KeyName] = []

    /// Creates a table built into the program. A test parses every entry.
    init(_ table: [(keys: [String], words: String)]) {
        for (keys, words) in table {
            for key in keys { try? bind(key, to: words) }
        }
    }

    /// Assigns other actions to a key, or none.
    mutating func bind(_ key: String, to words: String) throws(ArgumentError) {
        let (name, list) = (try KeyName(parsing: key), try Action.list(words))
        if actions.updateValue(list, forKey: name) != nil { order.removeAll { $0 == name } }
        if !list.isEmpty { order.append(name) }
    }

    /// Returns the actions of a key.
    func actions(of key: KeyBytes.Key) -> [Action] { KeyName(key).flatMap { actions[$0] } ?? [] }

    /// Keys with an action together with Alt, by the byte after Escape.
    var altKeys: Set<UInt8> { Set(order.compactMap(\.altByte)) }

    /// All keys with their actions' names.
    var rows: [(key: String, words: String)] {
        order.map { name in (name.description, (actions[name] ?? []).map(\.words).joined(separator: "; ")) }
    }

    /// Returns the first key with only this action; nil for none.
    func key(for action: Action) -> String? { rows.first { $0.words == action.words }?.key }

    /// Returns a screen of help: for each entry, the first key of each action. Actions without a key are left out.
    func help(_ texts: [(words: [String], text: String)]) -> KeyHelp {
        let first = rows.reduce(into: [String: String]()) { known, row in
            if known[row.words] == nil { known[row.words] = row.key }
        }
        return KeyHelp(
            entries: texts.compactMap { words, text in
                let keys = words.compactMap { first[$0] }
                return keys.isEmpty ? nil : (keys.joined(separator: " "), text)
            })
    }
}
