// Which key does what while one thing goes on: a table for the keys themselves, the help and the configuration.
import Terminal

/// What a key can do, named by words: in the configuration, and for everything else that controls a program.
protocol NamedAction: Equatable, Sendable {
    /// The action that words name.
    init(words: some StringProtocol) throws(ArgumentError)
    /// The words that name the action.
    var words: String { get }
}

extension NamedAction {
    /// The actions of a text such as `loop start; speed 80%`; none for `none`.
    static func list(_ text: String) throws(ArgumentError) -> [Self] {
        if text == "none" { return [] }
        var actions: [Self] = []
        for part in text.split(separator: ";" as Character) { actions.append(try Self(words: part)) }
        if actions.isEmpty { throw ArgumentError("'\(text)' is no action; write none for a key without one") }
        return actions
    }

    /// The error for words that name no action.
    static func unknown(_ text: some StringProtocol) -> ArgumentError {
        ArgumentError("'\(text)' is no action; woodshed config keys lists all of them")
    }
}

/// Actions that are a few words each, without a number.
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

/// The keys of one layer.
struct KeyTable<Action: NamedAction>: Equatable, Sendable {
    private var actions: [KeyName: [Action]] = [:]
    /// Names in the order in which they were bound, for the help.
    private var order: [KeyName] = []

    /// A table that is part of the program; a test reads all of it.
    init(_ table: [(keys: [String], words: String)]) {
        for (keys, words) in table {
            for key in keys { try? bind(key, to: words) }
        }
    }

    /// Gives a key other actions, or none.
    mutating func bind(_ key: String, to words: String) throws(ArgumentError) {
        let (name, list) = (try KeyName(parsing: key), try Action.list(words))
        if actions.updateValue(list, forKey: name) != nil { order.removeAll { $0 == name } }
        if !list.isEmpty { order.append(name) }
    }

    /// What a key does.
    func actions(of key: KeyBytes.Key) -> [Action] { KeyName(key).flatMap { actions[$0] } ?? [] }

    /// The keys that have an action together with Alt, by the byte that follows Escape.
    var altKeys: Set<UInt8> { Set(order.compactMap(\.altByte)) }

    /// All keys with their actions, as words.
    var rows: [(key: String, words: String)] {
        order.map { name in (name.description, (actions[name] ?? []).map(\.words).joined(separator: "; ")) }
    }

    /// The first key that does only this; nil if none does.
    func key(for action: Action) -> String? { rows.first { $0.words == action.words }?.key }

    /// One screen of help: for each entry the first key of each of its words. What has no key is left out.
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
