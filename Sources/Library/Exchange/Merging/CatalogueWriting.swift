// Makes the store show what a catalogue says.
internal import AudioFiles
internal import Catalogue
internal import Database
internal import Files
internal import Glibc
internal import JSON
internal import Sections
internal import Store
internal import TextFormats

/// Changes that a merge has made in the library.
public struct MergeSummary: Sendable, Hashable {
    /// Recordings that the library did not have.
    public internal(set) var added = 0
    /// Recordings removed in the other library, and now in the trash of this library.
    public internal(set) var removed = 0
    /// Recordings whose description has changed.
    public internal(set) var changed = 0
    /// Sections that are new, changed or removed.
    package internal(set) var sections = 0
    /// Playlists that are new, changed or removed.
    package internal(set) var playlists = 0
    /// Takes whose description has changed.
    package internal(set) var takes = 0
    /// Documents that are new, renamed or removed.
    package internal(set) var documents = 0
    /// Titles of recordings whose sections were skipped.
    private(set) var skipped = ListStart<String>()

    /// Titles of the first recordings whose sections were skipped, because the catalogue has another rate or length.
    package var otherSound: [String] { skipped.first }
    /// Number of further recordings whose sections were skipped.
    package var otherSounds: Int { skipped.others }

    /// Limit on `otherSound`.
    private static let mostTitles = 20

    /// True if the merge changed nothing.
    public var isEmpty: Bool {
        var changes = self
        changes.skipped = ListStart()
        return changes == MergeSummary()
    }

    mutating func skipSections(of titles: [String]) {
        skipped.add(titles, atMost: Self.mostTitles)
    }

    static func += (left: inout MergeSummary, right: MergeSummary) {
        left.added += right.added
        left.removed += right.removed
        left.changed += right.changed
        left.sections += right.sections
        left.playlists += right.playlists
        left.takes += right.takes
        left.documents += right.documents
        left.skipped.add(right.skipped, atMost: mostTitles)
    }
}

struct CatalogueWriter {
    let items: ItemRows
    let folder: LibraryFolder
    /// Moves a file of the library's own.
    let move: (String, String) -> Void
    var summary = MergeSummary()
    /// Files to move into the trash after the store is written.
    private(set) var trashed: [String] = []
    /// Names of document files to check after the store is written.
    var documents: [String] = []

    private var rows: StoreRows { items.rows }

    /// Returns the undo step for a removal of this merge.
    ///
    /// - Parameter former: Number of the row's last removal.
    func step(_ trashing: inout Int64?, after former: Int64?) throws(DatabaseError) -> Int64 {
        let number = try items.undoStep(trashing, after: former)
        trashing = number
        return number
    }

    init(_ items: ItemRows, _ folder: LibraryFolder, move: @escaping (String, String) -> Void) {
        (self.items, self.folder, self.move) = (items, folder, move)
    }

    /// Makes recordings, their documents and their sections equal to the catalogue, in this order.
    ///
    /// - Parameter trashing: Undo step for the removals of the merge so far; nil if there are none.
    mutating func writeRecordings(
        _ identities: [ExactText], _ state: inout CatalogueState, trashing: inout Int64?, now: Int64
    ) throws(DatabaseError) {
        var sections: [ExactText: [(id: EntryID, entry: MergedEntry)]] = [:]
        for (id, entry) in state.entries where id.kind == .section {
            sections[id.owner, default: []].append((id, entry))
        }
        for identity in identities {
            let id = EntryID(.recording, identity)
            // Unreadable rows stay unchanged: the merge cannot tell their present values.
            guard let entry = state.entries[id], !state.local.isDoubtful(id) else { continue }
            let own = (sections[identity] ?? []).sorted { $0.id.identity < $1.id.identity }
            guard
                let row = try writeRecording(
                    id, entry.content, state.local.entries[id],
                    hasSections: own.contains { $0.entry.content.isVisible },
                    trashing: &trashing, now: now)
            else { continue }
            if !own.isEmpty { try writeSections(own, of: row, into: &state) }
        }
    }

    // MARK: Recordings

    /// - Returns: The row of the recording; nil if there is none, or if the catalogue's recording is a different
    ///   recording.
    private mutating func writeRecording(
        _ id: EntryID, _ content: CatalogueItem, _ local: LocalEntry?, hasSections: Bool, trashing: inout Int64?,
        now: Int64
    ) throws(DatabaseError) -> RecordingRow? {
        guard let key = RecordingKey(id.identity.text) else { return nil }
        let words = Self.words(content)
        let isWanted = content.isVisible && content[CatalogueField.added]?.integer(in: .milliseconds) != nil
        let added = (content[CatalogueField.added]?.integer(in: .milliseconds) ?? now) / 1000
        var known = try rows.recording(key)
        // The rate and the length of a recording with a sound here come from the sound, whatever the catalogue says.
        if known?.stored.recording.isLost ?? true {
            guard let rate = content[CatalogueField.sampleRate]?.integer(in: .sampleRates),
                let frames = content[CatalogueField.frameCount]?.integer(in: .counts)
            else { return known }
            if known != nil || isWanted || hasSections {
                let path = known == nil && isWanted ? folder.file(Self.file(key, content).path) : nil
                let title = known?.stored.recording.title ?? words.title
                known = try rows.see(
                    PracticeRecording(key: key, sampleRate: Int(rate), frameCount: frames, title: title, path: path),
                    at: known?.stored.lastSeen ?? added)
            }
        }
        guard let known else { return nil }
        let row = try items.item(key)
        guard isWanted else {
            if let row, !row.isGone, !row.item.isTrashed, !content.isVisible {
                try items.trash(row.number, at: now / 1000, trashing: try step(&trashing, after: row.trashing))
                if row.item.place == .kept { trashed.append(row.path) }
                documents += try DocumentRows(items: items).documents(of: row.recording).map(\.path)
                summary.removed += 1
            }
            return known
        }
        guard let row else {
            _ = try items.add(Self.file(key, content), recording: known.id, at: added)
            try writeDocuments(content, of: known.id, trashing: &trashing, now: now)
            summary.added += 1
            return known
        }
        if row.isGone || row.item.isTrashed {
            if row.isGone {
                try items.bringBack(row.number)
            } else {
                try items.untrash(row.number)
            }
            if row.item.place == .kept { move(folder.trashed(row.path), folder.file(row.path)) }
            documents += try DocumentRows(items: items).documents(of: row.recording).map(\.path)
            summary.added += 1
        }
        let isOther = ExactWords(row.item.words) != ExactWords(words)
        if isOther { try items.edit(row, words, edited: row.edited) }
        if row.item.addedAt != added { try items.setAdded(row.number, added) }
        if isOther || row.item.addedAt != added, !row.isGone, !row.item.isTrashed { summary.changed += 1 }
        try writeDocuments(content, of: known.id, trashing: &trashing, now: now)
        return known
    }

    /// Returns the description of a recording, within the limits of the store.
    private static func words(_ content: CatalogueItem) -> LibraryItem.Words {
        func text(_ name: String) -> String {
            line(content[name]?.stringValue ?? "").prefix(within: LibraryItem.Words.mostCharacters)
        }
        var words = LibraryItem.Words(title: text(CatalogueField.title))
        if words.title.isEmpty { words.title = "untitled" }
        (words.artist, words.language) = (text(CatalogueField.artist), text(CatalogueField.language))
        (words.source, words.licence) = (text(CatalogueField.source), text(CatalogueField.licence))
        if (try? words.checked()) == nil { words.language = "" }
        words.tags = Array(
            content.currentMembers.lazy.map { line($0) }.filter {
                !$0.isEmpty && $0.isWithin(LibraryItem.Words.mostCharacters)
            }.prefix(100))
        return (try? words.checked()) ?? words
    }

    /// Returns the file of a recording that is not here.
    private static func file(_ key: RecordingKey, _ content: CatalogueItem) -> NewItem {
        let file = content[CatalogueField.file]
        func text(_ name: String) -> String { fileName(line(file?[name]?.stringValue ?? "")) }
        let (name, container) = (text("name"), text("container"))
        return NewItem(
            missing: key,
            path: LibraryFolder.name(key, original: name, container: container),
            originalName: name.isEmpty ? "\(key)" : name,
            kind: LibraryItem.Kind(rawValue: file?["kind"]?.stringValue ?? "") ?? .audio,
            byteCount: file?["bytes"]?.integer(in: .counts) ?? 0, container: container, codec: text("codec"),
            channelCount: Int(min(max(1, file?["channels"]?.integer(in: .counts) ?? 1), 64)), words: words(content),
            sampleRate: content[CatalogueField.sampleRate]?.integer(in: .sampleRates) ?? 1,
            frameCount: content[CatalogueField.frameCount]?.integer(in: .counts) ?? 0)
    }

    // MARK: Takes

    /// Makes the descriptions of takes equal to the catalogue.
    mutating func writeTakes(_ state: CatalogueState, among chosen: Set<ExactText>) throws(DatabaseError) {
        for (take, key, _) in try CatalogueTakes(rows: rows).all(among: chosen) {
            guard let content = state.entries[EntryID(.take, ExactText("\(key)"))]?.content else { continue }
            let name = content[CatalogueField.name]?.stringValue ?? ""
            let note = content[CatalogueField.note]?.stringValue ?? ""
            let rating = content[CatalogueField.rating]?.integer(in: .counts)
            var hasChanged = false
            let isName =
                !name.contains { $0.isNewline } && name.isWithin(PracticeStore.mostNameCharacters)
            if isName, !name.utf8.contains(0), ExactText(name) != ExactText(take.name) {
                try rows.updateTake(take.number, .name, .text(name))
                hasChanged = true
            }
            if note.utf8.count <= 1 << 16, !note.utf8.contains(0), ExactText(note) != ExactText(take.note) {
                try rows.updateTake(take.number, .note, .text(note))
                hasChanged = true
            }
            if rating != take.rating.map(Int64.init), rating.map({ (1...5).contains($0) }) ?? true {
                try rows.updateTake(take.number, .rating, .integer(orNull: rating))
                hasChanged = true
            }
            if hasChanged { summary.takes += 1 }
        }
    }

    /// Words compared byte for byte.
    private struct ExactWords: Equatable {
        let texts: [ExactText]
        let tags: Set<ExactText>

        init(_ words: LibraryItem.Words) {
            texts = [words.title, words.artist, words.language, words.source, words.licence].map { ExactText($0) }
            tags = Set(words.tags.map { ExactText($0) })
        }
    }
}
