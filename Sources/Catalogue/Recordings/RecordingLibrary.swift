public import AudioFiles
internal import Database
public import Explanations
package import Files
internal import Glibc
public import Store
internal import UserState

/// The recordings that a user keeps, with titles, artists and tags.
///
/// Descriptions are in a `PracticeStore`, beside the sections. Files are in the library's own folder, or stay in the
/// user's folders. Several programs may use one library at the same time.
///
///     let library = try RecordingLibrary(PracticeStore(.user))
///     let added = try library.add(fileAt: "song.mp3")
///     let found = try library.items { $0.text = "blue bossa" }
///
/// Threads: any. Calls block for as long as the disk needs. Real-time safe: no.
public final class RecordingLibrary: Sendable {
    /// The store that contains the descriptions.
    public let store: PracticeStore
    package let folder: LibraryFolder
    package let calls: any FileCalls
    /// Maximum number of bytes in the library's folder; nil for no limit. A file beyond the limit is refused.
    package let quota: Int64?

    /// Creates a library. Opens and creates no files yet.
    ///
    /// - Parameters:
    ///   - store: Contains the descriptions.
    ///   - folder: Folder for files; nil for `library` beside the user's store.
    ///   - quota: Maximum number of bytes in the folder; nil for no limit.
    /// - Throws: `RecordingLibraryError` of kind `noHome` if this user has no folder.
    public convenience init(
        _ store: PracticeStore, folder: String? = nil, quota: Int64? = nil
    ) throws(RecordingLibraryError) {
        try self.init(store, folder: folder, quota: quota, calls: SystemFileCalls())
    }

    package init(
        _ store: PracticeStore, folder: String?, quota: Int64? = nil, calls: any FileCalls
    ) throws(RecordingLibraryError) {
        guard let path = folder ?? DataFolder.path.map({ $0 + "/library" }) else { throw .noHome }
        (self.store, self.folder, self.calls, self.quota) = (store, LibraryFolder(path: path), calls, quota)
    }

    /// Path of the library's folder.
    public var folderPath: String { folder.path }

    /// Returns the recording's key in the name of a file in the library's folder; nil for any other file.
    package static func key(ofFileNamed name: String) -> RecordingKey? { LibraryFolder.key(name) }

    /// Seconds since 1970.
    package static var now: Int64 { Int64(time(nil)) }

    // MARK: Reading

    /// Returns the recordings that pass a filter.
    public func items(_ filter: ItemFilter = ItemFilter()) throws(StoreError) -> [LibraryItem] {
        try read { (rows) throws(DatabaseError) in try rows.items(filter).map(\.item) } ?? []
    }

    /// Returns the recordings that pass a filter set up by `change`.
    public func items(_ change: (inout ItemFilter) -> Void) throws(StoreError) -> [LibraryItem] {
        var filter = ItemFilter()
        change(&filter)
        return try items(filter)
    }

    /// Returns the recording with a number, even from the trash; nil if there is none.
    public func item(_ number: Int) throws(StoreError) -> LibraryItem? {
        try read { (rows) throws(DatabaseError) in try rows.item(number: number).flatMap(Self.present) } ?? nil
    }

    /// Returns the recording with this sound, even from the trash; nil if not in the library.
    public func item(_ key: RecordingKey) throws(StoreError) -> LibraryItem? {
        try read { (rows) throws(DatabaseError) in try rows.item(key).flatMap(Self.present) } ?? nil
    }

    /// Returns the recordings with these sounds, read at one moment: nil for an unknown sound, and for nil.
    func items(_ keys: [RecordingKey?]) throws(StoreError) -> [LibraryItem?] {
        try read { (rows) throws(DatabaseError) in
            try keys.map { (key) throws(DatabaseError) in
                guard let key else { return nil }
                return try rows.item(key).flatMap(Self.present)
            }
        } ?? keys.map { _ in nil }
    }

    /// Returns the recording of a file, with its index; nil if not in the library. Does not read the file.
    public func item(atPath path: String) throws(StoreError) -> LibraryItem? {
        let name = path.hasPrefix(folder.path + "/") ? String(path.dropFirst(folder.path.count + 1)) : path
        return try read { (rows) throws(DatabaseError) -> LibraryItem? in
            guard let row = try rows.item(path: name), !row.isGone, !row.item.isTrashed else { return nil }
            var item = row.item
            item.index = try rows.indexes()[row.number] ?? 0
            return item
        } ?? nil
    }

    /// Returns the recording from an address, even from the trash; nil if there is none.
    package func item(from source: String) throws(StoreError) -> LibraryItem? {
        try read { (rows) throws(DatabaseError) in try rows.item(source: source).flatMap(Self.present) } ?? nil
    }

    /// Returns the recordings from an address that are not in the trash, with their indexes, newest first.
    package func items(from source: String) throws(StoreError) -> [LibraryItem] {
        try read { (rows) throws(DatabaseError) in try rows.items(source: source).map(\.item) } ?? []
    }

    private static func present(_ row: ItemRow) -> LibraryItem? { row.isGone ? nil : row.item }

    // MARK: Editing

    /// Changes the description of a recording.
    ///
    /// - Parameters:
    ///   - number: Number of the recording.
    ///   - change: Changes the description.
    /// - Returns: The recording after the change.
    /// - Throws: `RecordingLibraryError` if the recording is unknown or a text is refused; `StoreError`.
    @discardableResult
    public func edit(_ number: Int, _ change: @Sendable (inout LibraryItem.Words) -> Void) throws -> LibraryItem {
        try edit([number], withIndexes: false, change)[0]
    }

    /// Changes the descriptions of several recordings. If a description is refused, nothing has changed. Large changes
    /// run in pieces, each in one transaction, so that other programs can use the store between two pieces. After an
    /// interruption, repeating the call completes the change.
    ///
    /// - Returns: The recordings after the change, in the same order, with their indexes.
    package func edit(
        _ numbers: [Int], _ change: @Sendable (inout LibraryItem.Words) -> Void
    ) throws -> [LibraryItem] { try edit(numbers, pieceDone: {}, change) }

    /// Recordings of a piece of a change. Each edit takes some tenths of a millisecond, mostly for the search index.
    package static let changedAtOnce = 400

    /// - Parameters:
    ///   - told: Called with the recordings of each piece of several, without their indexes.
    ///   - pieceDone: Called between two pieces; an error ends the change there.
    package func edit(
        _ numbers: [Int], atOnce: Int = changedAtOnce, told: ([LibraryItem]) -> Void = { _ in },
        pieceDone: () throws -> Void, _ change: @Sendable (inout LibraryItem.Words) -> Void
    ) throws -> [LibraryItem] {
        guard numbers.count > atOnce else { return try edit(numbers, withIndexes: true, change) }
        try read { (rows) throws(DatabaseError) in
            try rows.edited(numbers, change).map { _ in }
        }?.get()
        var edited: [LibraryItem] = []
        try PracticeStore.inPieces(numbers, atOnce: atOnce) { (piece, isLast) in
            // All indexes are computed once, at the end.
            let items = try edit(piece, withIndexes: false, change)
            edited += items
            told(items)
            if !isLast { try pieceDone() }
        }
        let indexes = try read { (rows) throws(DatabaseError) in try rows.indexes() } ?? [:]
        for place in edited.indices { edited[place].index = indexes[edited[place].number] ?? 0 }
        return edited
    }

    private func edit(
        _ numbers: [Int], withIndexes: Bool, _ change: @Sendable (inout LibraryItem.Words) -> Void
    ) throws -> [LibraryItem] {
        let now = StoreRows.milliseconds
        return try self.change { (rows) throws(DatabaseError) -> Result<[LibraryItem], RecordingLibraryError> in
            let edits: [(row: ItemRow, words: LibraryItem.Words)]
            switch try rows.edited(numbers, change) {
            case .success(let found): edits = found
            case .failure(let error): return .failure(error)
            }
            let indexes = withIndexes ? try rows.indexes() : [:]
            var edited: [LibraryItem] = []
            for (row, words) in edits {
                let changed = row.item.words.fields(otherThan: words)
                var item = row.item
                if !changed.isEmpty {
                    let times = changed.reduce(into: row.edited) { $0[$1] = max(now, ($0[$1] ?? 0) + 1) }
                    try rows.edit(row, words, edited: times)
                    item = try rows.item(number: row.number)?.item ?? item
                }
                item.index = indexes[row.number] ?? 0
                edited.append(item)
            }
            return .success(edited)
        }.get()
    }

    /// Stores the loudness of a recording, used to level recordings during playback.
    package func setLoudness(_ loudness: LibraryItem.Loudness, of number: Int) throws(StoreError) {
        try change { (rows) throws(DatabaseError) in try rows.setLoudness(loudness, of: number) }
    }

    // MARK: Parts

    /// Refuses files that exceed the limit.
    ///
    /// - Parameter bytes: Bytes to add, including earlier additions in the same step.
    package func checkQuota(adding bytes: Int64) throws {
        guard let quota else { return }
        let kept = try read { (rows) throws(DatabaseError) in try rows.keptBytes() } ?? 0
        guard kept + bytes > quota else { return }
        throw RecordingLibraryError(
            .overQuota, "the library would take \(kept + bytes) bytes, and its limit is \(quota)",
            remedy:
                "Remove recordings (woodshed rm), add the file with --link, or lift the limit: woodshed config set quota none"
        )
    }
}

extension ItemRows {
    /// Returns recordings with their changed descriptions, or why a description is refused.
    fileprivate func edited(
        _ numbers: [Int], _ change: (inout LibraryItem.Words) -> Void
    ) throws(DatabaseError) -> Result<[(row: ItemRow, words: LibraryItem.Words)], RecordingLibraryError> {
        var edits: [(row: ItemRow, words: LibraryItem.Words)] = []
        for number in numbers {
            guard let row = try item(number: number), !row.isGone else { return .failure(.unknown(number)) }
            var words = row.item.words
            change(&words)
            do throws(RecordingLibraryError) { edits.append((row, try words.checked())) } catch {
                return .failure(error)
            }
        }
        return .success(edits)
    }
}

extension LibraryItem.Words {
    /// Maximum length of a text, in characters.
    package static let mostCharacters = 1000
    private static let mostTags = 100

    /// Returns the words with each text as one line, without duplicate tags.
    ///
    /// - Throws: `RecordingLibraryError` of kind `textRefused`.
    package func checked() throws(RecordingLibraryError) -> LibraryItem.Words {
        func checked(_ text: String, _ name: String) throws(RecordingLibraryError) -> String {
            let text = line(text)
            guard text.isWithin(Self.mostCharacters) else {
                throw RecordingLibraryError(
                    .textRefused, "the \(name) has more than \(Self.mostCharacters) characters",
                    remedy: "Shorten the \(name).")
            }
            return text
        }
        var words = self
        words.title = try checked(title, "title")
        if words.title.isEmpty {
            throw RecordingLibraryError(
                .textRefused, "a recording needs a title", remedy: "Give the recording a title.")
        }
        words.artist = try checked(artist, "artist")
        words.language = try checked(language, "language")
        let isTag = words.language.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.isASCIILetter || $0.isASCIIDigit }
        guard isTag, words.language.utf8.count <= 35 else {
            throw RecordingLibraryError(
                .textRefused, "'\(words.language)' is not a language tag",
                remedy: "Write a language tag such as de or pt-BR.")
        }
        (words.source, words.licence) = (try checked(source, "source"), try checked(licence, "licence"))
        var seen: Set<String> = []
        words.tags = []
        for tag in tags {
            let tag = try checked(tag, "tag")
            if !tag.isEmpty, seen.insert(tag.lowercased()).inserted { words.tags.append(tag) }
        }
        guard words.tags.count <= Self.mostTags else {
            throw RecordingLibraryError(
                .textRefused, "a recording has at most \(Self.mostTags) tags", remedy: "Remove tags.")
        }
        return words
    }

    /// Returns the names of the fields that differ.
    package func fields(otherThan other: LibraryItem.Words) -> [String] {
        [
            ("title", title == other.title), ("artist", artist == other.artist),
            ("language", language == other.language), ("tags", tags == other.tags), ("source", source == other.source),
            ("licence", licence == other.licence),
        ].filter { !$0.1 }.map(\.0)
    }
}
