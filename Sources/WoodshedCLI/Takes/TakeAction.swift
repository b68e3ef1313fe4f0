// Actions of `woodshed takes ACTION WORDS`, and the selection of takes by words.
import Terminal
import WoodshedPractice

/// An action on takes.
enum TakeAction: String, CaseIterable {
    case list
    case play
    case rename
    case note
    case rate
    case export
    case add
    case rm
    case restore
    case undo
    case empty

    /// The action and its words, for errors.
    var usage: String {
        switch self {
        case .list: "[list] [FILE] [--section SECTION]"
        case .play: "play TAKE"
        case .rename: "rename TAKE NAME"
        case .note: "note TAKE TEXT"
        case .rate: "rate TAKE 1-5|none"
        case .export: "export TAKE FILE [--pair [--match] [--model RECORDING]]"
        case .add: "add FILE..."
        case .rm: "rm TAKE..."
        case .restore: "restore TAKE..."
        case .undo: "undo"
        case .empty: "empty --yes"
        }
    }

    /// Permitted number of words.
    var wordCount: ClosedRange<Int> {
        switch self {
        case .list: 0...1
        case .undo, .empty: 0...0
        case .play: 1...1
        case .rename, .note, .rate, .export: 2...2
        case .add, .rm, .restore: 1...Int.max
        }
    }

    /// Permitted options, besides the output options.
    var options: [String] {
        switch self {
        case .list: ["--section", "--trash", "--newest", "--follow"]
        case .empty: ["--yes"]
        case .export: ["--pair", "--match", "--model"]
        default: []
        }
    }

    /// Returns the action of the first word, and the following words. Any other first word names a recording, to list
    /// its takes.
    static func parsed(_ words: [String]) -> (action: TakeAction, words: [String]) {
        let synonyms = ["ls": Self.list, "remove": .rm, "delete": .rm, "name": .rename]
        guard let first = words.first, let action = Self(rawValue: first) ?? synonyms[first] else {
            return (.list, words)
        }
        return (action, Array(words.dropFirst()))
    }
}

/// A take as typed: its number, or `@1` for the newest take, `@2` for the take before.
enum TakeWord {
    /// Returns the take for a word.
    ///
    /// - Throws: A `CommandFailure` if there is no such take.
    static func take(_ word: String, in store: PracticeStore) throws -> StoredTake {
        if let place = newest(word) {
            let takes = try store.takes(TakeFilter(limit: place))
            guard takes.count == place, let take = takes.last else {
                throw CommandFailure(
                    .notFound,
                    takes.isEmpty
                        ? "there are no takes yet" : "there is no take \(word): the list has only \(takes.count)",
                    remedy: "Record a take with: woodshed record")
            }
            return take
        }
        guard let number = wholeNumber(word).flatMap({ Int(exactly: $0) }) else {
            throw CommandFailure(
                .usage, "'\(word)' is not a take",
                remedy: "Give the number of a take, or @1 for the newest take. List the takes with: woodshed takes")
        }
        guard let take = try store.take(number) else {
            throw CommandFailure(.notFound, "there is no take \(number)", remedy: "List the takes with: woodshed takes")
        }
        return take
    }

    /// Returns the take for a word, if the take still has its own file.
    ///
    /// - Throws: A `CommandFailure` if there is no such take, or if another take now has its file's name.
    static func heard(_ word: String, in store: PracticeStore) throws -> StoredTake {
        let take = try take(word, in: store)
        guard !take.isReplaced else {
            throw CommandFailure(
                .notFound, "the file of take \(take.number) is gone: \(take.path) is now another take",
                remedy: "Remove the take from the list with: woodshed takes rm \(take.number)")
        }
        return take
    }

    /// Returns a message about each take left in the trash after emptying.
    static func leftInTrash(of store: PracticeStore) throws(StoreError) -> [String] {
        try store.takes(TakeFilter(isTrash: true)).map { take in
            let path = isFile(take.currentPath) ? take.currentPath : take.path
            return "take \(take.number) stays in the trash, because its file may be another recording, or has its name "
                + "again after an interruption: \(path); bring it back with: woodshed takes restore \(take.number)"
        }
    }

    /// Returns the takes for words: numbers, ranges of numbers such as `3-5`, and `@1`.
    static func takes(_ words: [String], in store: PracticeStore) throws -> [StoredTake] {
        var takes: [StoredTake] = []
        for word in words {
            let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { wholeNumber($0) }
            if ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last - first < 100_000 {
                // A range may have holes, but not be empty.
                let found = try (Int(first)...Int(last)).compactMap { try store.take($0) }
                if found.isEmpty {
                    throw CommandFailure(
                        .notFound, "there are no takes \(word)", remedy: "List the takes with: woodshed takes")
                }
                takes += found
            } else {
                takes.append(try take(word, in: store))
            }
        }
        var seen: Set<Int> = []
        return takes.filter { seen.insert($0.number).inserted }
    }

    /// Returns the place in the list for a word such as `@1`, from 1; nil for another word.
    static func newest(_ word: String) -> Int? {
        guard word.hasPrefix("@"), let place = wholeNumber(word.dropFirst()), (1...1_000_000).contains(place) else {
            return nil
        }
        return Int(place)
    }
}
