// Actions of `woodshed playlist ACTION WORDS`.

/// An action on playlists.
enum PlaylistAction: String, CaseIterable {
    case list
    case create
    case add
    case remove
    case move
    case rename
    case delete
    case `import`
    case export

    /// The action and its words, for errors.
    var usage: String {
        switch self {
        case .list: "[list] [NAME]"
        case .create: "create NAME"
        case .add: "add NAME RECORDING..."
        case .remove: "remove NAME PLACE..."
        case .move: "move NAME PLACE PLACE"
        case .rename: "rename NAME NAME"
        case .delete: "delete NAME"
        case .import: "import FILE [NAME]"
        case .export: "export NAME FILE"
        }
    }

    /// Permitted number of words.
    var wordCount: ClosedRange<Int> {
        switch self {
        case .list: 0...1
        case .create, .delete: 1...1
        case .rename, .export: 2...2
        case .move: 3...3
        case .import: 1...2
        case .add, .remove: 2...Int.max
        }
    }

    /// Returns the action of the first word, and the following words. Any other first word names a playlist to list.
    static func parsed(_ words: [String]) -> (action: PlaylistAction, words: [String]) {
        let synonyms = ["ls": Self.list, "show": .list, "new": .create, "rm": .remove]
        guard let first = words.first, let action = Self(rawValue: first) ?? synonyms[first] else {
            return (.list, words)
        }
        return (action, Array(words.dropFirst()))
    }
}
