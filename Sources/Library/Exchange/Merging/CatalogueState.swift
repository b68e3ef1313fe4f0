// The catalogue of a store: the last written catalogue, with the changes since.
internal import AudioFiles
internal import Catalogue
internal import Database
internal import Store
internal import TextFormats

/// The part of a library that one transaction reads and writes. ``PlaylistPlan`` does the same for playlists.
struct CatalogueScope {
    /// Identities of the recordings, read together with their sections.
    let recordings: [ExactText]
    /// True if takes are read.
    let hasTakes: Bool
    /// Keys of the sounds of the takes; nil for all takes.
    var takeKeys: Set<ExactText>?

    static func recordings(_ identities: some Sequence<ExactText>) -> CatalogueScope {
        CatalogueScope(recordings: identities.sorted(), hasTakes: false)
    }

    /// Returns the scope of all takes, with the recordings whose sections the takes belong to.
    static func takes(_ rows: StoreRows) throws(DatabaseError) -> CatalogueScope {
        try scope(ofTakes: nil, rows)
    }

    /// Returns the scope of the takes with some sounds, by the keys of the sounds; nil for all takes.
    static func scope(ofTakes chosen: Set<ExactText>?, _ rows: StoreRows) throws(DatabaseError) -> CatalogueScope {
        let keys = Set(try CatalogueTakes(rows: rows).all(among: chosen).compactMap(\.take.model?.key))
        return CatalogueScope(recordings: keys.map { ExactText("\($0)") }.sorted(), hasTakes: true, takeKeys: chosen)
    }
}

/// The catalogue as stored, with the changes since.
struct CatalogueState {
    private(set) var entries: [EntryID: MergedEntry]
    private(set) var local: LocalEntries
    private let stored: [EntryID: MergedEntry]

    /// Reads the store, on a connection on which the caller has begun a transaction.
    init(_ items: ItemRows, _ scope: CatalogueScope, now: Int64) throws(DatabaseError) {
        let stored = try MergedRows(database: items.rows.database).all(in: scope)
        self.init(stored: stored, local: try LocalEntries(items.rows, scope, known: stored), now: now)
    }

    /// Takes over the changes since the catalogue was last written.
    init(stored: [EntryID: MergedEntry], local: LocalEntries, now: Int64) {
        (self.stored, self.local, entries) = (stored, local, stored)
        // Playlists of earlier versions have lists without separate entries.
        for id in stored.keys where id.kind == .playlist { entries[id]?.content.settleEntries() }
        for (id, entry) in local.entries {
            var known = entries[id] ?? MergedEntry()
            let text = entry.text
            // Most of a library has not changed.
            if known.shown != text {
                let before = known.shown.flatMap { LocalEntry(text: $0) }
                known.content.note(entry, since: before, id.kind, now: now)
                if id.kind == .playlist { known.content.settleEntries(removing: before?.playlistKeys ?? []) }
            } else if entry.removedAt != nil {
                // The removed thing may have been here for a moment.
                known.content.noteUnknown(entry)
            }
            if id.kind == .recording, entry.removedAt == nil { known.content.correctSound(entry) }
            (known.shown, known.section) = (text, local.sectionNumbers[id] ?? known.section)
            entries[id] = known
        }
        for (id, known) in stored
        where local.entries[id] == nil && known.shown != nil && !local.isDoubtful(id) {
            var known = known
            known.content.note(
                nil, since: known.shown.flatMap { LocalEntry(text: $0) }, id.kind, now: local.deletions[id] ?? now)
            known.shown = nil
            entries[id] = known
        }
    }

    var catalogue: LibraryCatalogue {
        var catalogue = LibraryCatalogue()
        for (id, entry) in entries {
            switch id.kind {
            case .recording: catalogue.recordings[id.identity, default: .init()].item = entry.content
            case .section: catalogue.recordings[id.owner, default: .init()].sections[id.identity] = entry.content
            case .playlist: catalogue.playlists[id.identity] = entry.content
            case .take: catalogue.takes[id.identity] = entry.content
            }
        }
        return catalogue
    }

    mutating func merge(_ catalogue: LibraryCatalogue) {
        func add(_ id: EntryID, _ item: CatalogueItem) {
            entries[id, default: MergedEntry()].content.merge(item)
        }
        for (key, recording) in catalogue.recordings {
            add(EntryID(.recording, key), recording.item)
            for (identity, section) in recording.sections { add(EntryID(.section, identity, owner: key), section) }
        }
        for (identity, playlist) in catalogue.playlists {
            let id = EntryID(.playlist, identity)
            // Turns the list of an earlier version into entries before merging.
            var playlist = playlist
            playlist.settleEntries()
            add(id, playlist)
            entries[id]?.content.settleEntries()
        }
        for (key, take) in catalogue.takes { add(EntryID(.take, key), take) }
    }

    /// Numbers a section that is new here.
    mutating func setSection(_ number: Int, of id: EntryID) { entries[id]?.section = number }

    /// Stores the shown text of an entry; nil if the store shows nothing.
    mutating func setShown(_ text: String?, of id: EntryID) { entries[id]?.shown = text }

    /// Stores the shown texts after the store was changed.
    mutating func noteShown(_ items: ItemRows, _ scope: CatalogueScope) throws(DatabaseError) {
        local = try LocalEntries(items.rows, scope, known: entries)
        for id in entries.keys { entries[id]?.shown = local.entries[id]?.text }
        for (id, entry) in local.entries where entries[id] == nil {
            entries[id] = MergedEntry(content: CatalogueItem(), shown: entry.text, section: local.sectionNumbers[id])
        }
    }

    /// Entries that differ from the stored catalogue.
    var changes: [(id: EntryID, entry: MergedEntry)] {
        entries.filter { stored[$0.key] != $0.value }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Stores the catalogue for the next merge.
    func write(_ items: ItemRows) throws(DatabaseError) {
        let rows = MergedRows(database: items.rows.database)
        for (id, entry) in changes { try rows.write(id, entry.row) }
    }
}
