// Actions of `woodshed library ACTION WORDS`.

/// An action on the library as a whole.
enum LibraryAction: String, CaseIterable {
    case check
    case repair
    case export
    case `import`
    case bundle
    case backup
    case restore
    case subscribe
    case unsubscribe
    case feeds
    case refresh
    case episodes
    case fetch

    /// The action and its words, for errors.
    var usage: String {
        switch self {
        case .check: "check [FOLDER...]"
        case .repair: "repair --from FILE"
        case .export: "export FILE.json"
        case .import: "import FILE"
        case .bundle: "bundle FILE.tar [RECORDING...]"
        case .backup: "backup FOLDER"
        case .restore: "restore FOLDER"
        case .subscribe: "subscribe ADDRESS"
        case .unsubscribe: "unsubscribe FEED"
        case .feeds: "feeds"
        case .refresh: "refresh [FEED]"
        case .episodes: "episodes [FEED]"
        case .fetch: "fetch EPISODE..."
        }
    }

    /// Permitted number of words.
    var wordCount: ClosedRange<Int> {
        switch self {
        case .check: 0...Int.max
        case .export, .import, .backup, .restore, .subscribe, .unsubscribe: 1...1
        case .bundle, .fetch: 1...Int.max
        case .repair, .feeds: 0...0
        case .refresh, .episodes: 0...1
        }
    }
}
