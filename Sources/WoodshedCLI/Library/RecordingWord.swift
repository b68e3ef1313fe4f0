// Resolves the user's word for a recording: a file, a place in the library such as `@3`, or words of a title.
import Explanations
import Files
import Glibc
import Terminal
import WoodshedLibrary

enum RecordingWord {
    /// Returns the file for the given words.
    ///
    /// A file name takes precedence over the library, so a command on files works the same with any library.
    ///
    /// - Parameter asks: True if the user may be asked to choose among several matches.
    /// - Returns: The path of the recording's file. Words unknown to the library that look like a file's name are
    ///   returned unchanged, so the error is about the file.
    static func file(_ words: [String], asks: Bool = true) throws -> String {
        let text = words.joined(separator: " ")
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw CommandFailure(
                .notFound, "the name of the recording is empty",
                remedy: "Name a file or the words of a title. List the recordings with: woodshed list")
        }
        if text.hasPrefix("http://") || text.hasPrefix("https://"), !isThere(text) {
            // An address stands for the recording fetched from there. Nothing is played from the network.
            let library = try RecordingLibrary(PracticeStore(.user))
            let found = try library.items(fromAddress: text)
            if found.count == 1 { return found[0].path }
            if !found.isEmpty { return try chosen(found, text, in: library, asks: asks).path }
            throw CommandFailure(
                .badData, "'\(text)': this is an address, not a file",
                remedy: "Download it with: woodshed get \(shellWord(text))")
        }
        if words.count == 1 || isThere(text), !isLibraryWord(text), isThere(text) || looksLikeFile(text) { return text }
        if words.count > 1, let file = words.first(where: isThere) {
            throw CommandFailure(
                .usage, "only one recording is practised at a time, and '\(file)' is a recording by itself",
                remedy: "Name one recording, or write the words of one title.")
        }
        let library = try RecordingLibrary(PracticeStore(.user))
        guard let item = try item(text, in: library, asks: asks) else { return text }
        if item.isMissing {
            throw CommandFailure(
                .notFound, "the file of \(item.words.title) is missing: \(item.path)",
                remedy: "Look for the file with: woodshed library check FOLDER")
        }
        return item.path
    }

    /// Returns the file's name, or the recording's title for a file in the library's folder, where names say nothing.
    static func title(ofFile path: String) -> String {
        let name = fileName(path)
        guard let key = RecordingLibrary.key(ofFileNamed: name), let store = try? PracticeStore(.user),
            let item = (try? RecordingLibrary(store).item(key)) ?? nil
        else { return name }
        return item.words.title
    }

    /// Returns the file for a single word.
    static func file(_ word: String, asks: Bool = true) throws -> String { try file([word], asks: asks) }

    /// Returns the library's recording for the given words; nil if no recording matches and the words look like a
    /// file's name.
    static func item(_ text: String, in library: RecordingLibrary, asks: Bool) throws -> LibraryItem? {
        if let index = TakeWord.newest(text) {
            let items = try library.items { $0.limit = index }
            guard items.count == index, let item = items.last else {
                throw CommandFailure(
                    .notFound,
                    items.isEmpty
                        ? "the library is empty, so there is no \(text)"
                        : "there is no \(text): the library has \(counted(items.count, "recording"))",
                    remedy: items.isEmpty
                        ? "Add a recording with: woodshed add FILE. A take is played with: woodshed takes play \(text)"
                        : "List the recordings with: woodshed list")
            }
            return item
        }
        if let key = RecordingKey(text), let item = try library.item(key), !item.isTrashed { return item }
        let found = try library.items { $0.text = text }
        // A complete title takes precedence over titles with the same beginning.
        let exact = found.filter { $0.words.title.lowercased() == text.lowercased() }
        if let item = exact.count == 1 ? exact[0] : found.count == 1 ? found[0] : nil { return item }
        if found.isEmpty {
            if looksLikeFile(text) { return nil }
            throw nothing(text, try library.items())
        }
        return try chosen(exact.isEmpty ? found : exact, text, in: library, asks: asks)
    }

    /// Returns the library's recordings for the given words, each word on its own: `@3`, `@2-5`, titles.
    static func items(_ words: [String], in library: RecordingLibrary) throws -> [LibraryItem] {
        var items: [LibraryItem] = []
        for word in words {
            let ends = word.dropFirst().split(separator: "-", omittingEmptySubsequences: false).map { wholeNumber($0) }
            if word.hasPrefix("@"), ends.count == 2, let first = ends[0], let last = ends[1], first >= 1, first <= last,
                last - first < 100_000
            {
                let found = try library.items { $0.limit = Int(last) }.dropFirst(Int(first) - 1)
                if found.isEmpty {
                    throw CommandFailure(
                        .notFound, "there are no recordings \(word)", remedy: "List the recordings with: woodshed list")
                }
                items += found
                continue
            }
            if let item = try fileItem(word, in: library) {
                items.append(item)
            } else if let item = try item(word, in: library, asks: true) {
                items.append(item)
            } else {
                throw nothing(word, try library.items())
            }
        }
        var seen: Set<Int> = []
        return items.filter { seen.insert($0.number).inserted }
    }

    /// Returns the single recording for a word, resolved as in `items`.
    static func item(_ word: String, in library: RecordingLibrary) throws -> LibraryItem {
        let items = try items([word], in: library)
        guard items.count == 1 else {
            throw CommandFailure(
                .usage, "'\(word)' means \(items.count) recordings", remedy: "Name one recording, such as @1.")
        }
        return items[0]
    }

    /// Returns the library's recording in a file; nil if the word names no file. Throws if the file is not in the
    /// library.
    private static func fileItem(_ word: String, in library: RecordingLibrary) throws -> LibraryItem? {
        guard !isLibraryWord(word), isThere(word) else { return nil }
        guard let item = try library.item(RecordingKey(ofFileAt: word)), !item.isTrashed else {
            throw CommandFailure(
                .notFound, "\(word) is not in the library", remedy: "Add the file with: woodshed add \(shellPath(word))"
            )
        }
        return item
    }

    // MARK: Several

    private static func chosen(
        _ items: [LibraryItem], _ text: String, in library: RecordingLibrary, asks: Bool
    ) throws -> LibraryItem {
        if asks, Question.canBeAsked {
            return try RecordingPicker(library: library).choose(from: items, "'\(text)' may be:")
        }
        let names = items.prefix(5).map { "@\($0.index) \($0.words.title)" }.joined(separator: ", ")
        throw CommandFailure(
            .notFound, "'\(text)' may be \(items.count) recordings: \(names)\(items.count > 5 ? ", …" : "")",
            remedy: "Write more words of the title, or the number with @.")
    }

    private static func nothing(_ text: String, _ items: [LibraryItem]) -> CommandFailure {
        let name = suggestion(for: text, among: items.map(\.words.title))
        return CommandFailure(
            .notFound, "there is no file and no title '\(text)'",
            remedy: name.map { "Did you mean '\($0)'?" } ?? "List the recordings with: woodshed list")
    }

    private static func isLibraryWord(_ word: String) -> Bool { TakeWord.newest(word) != nil && !isThere(word) }

    /// Returns true if the path exists, even for a file that is no recording: opening it reports the error.
    private static func isThere(_ path: String) -> Bool { unsafe access(FileName.systemName(path), F_OK) == 0 }

    /// Returns true if an unknown word rather looks like a missing file.
    private static func looksLikeFile(_ word: String) -> Bool {
        word.isEmpty || word == "-" || word.contains("/") || word.hasPrefix(".") || !FileName.isUTF8(word)
            || word.split(separator: ".").last.map {
                word.contains(".") && (1...5).contains($0.count) && !$0.contains(" ")
            } ?? false
    }
}

extension LibraryItem {
    /// Title, artist and length.
    var shortWords: String {
        let artist = words.artist.isEmpty ? "" : ", \(words.artist)"
        return "\(words.title)\(artist) (\(clockText(seconds)))"
    }
}
