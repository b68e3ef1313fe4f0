// The catalogue of a store: what it said last, with what was changed since.
internal import AudioFiles
internal import Catalogue
internal import Database
internal import Store
internal import TextFormats

/// The part of a library that one transaction reads and writes. ``PlaylistPlan`` does it for playlists.
struct CatalogueScope {
    /// The identities of recordings, which are read with their sections.
    let recordings: [ExactText]
    /// Whether takes are read.
    let hasTakes: Bool

    static func recordings(_ identities: some Sequence<ExactText>) -> CatalogueScope {
        CatalogueScope(recordings: identities.sorted(), hasTakes: false)
    }

    /// Takes, with the recordings whose sections they belong to.
    static func takes(_ rows: StoreRows) throws(DatabaseError) -> CatalogueScope {
        let keys = Set(try CatalogueTakes(rows: rows).all().compactMap(\.take.model?.key))
        return CatalogueScope(recordings: keys.map { ExactText("\($0)") }.sorted(), hasTakes: true)
    }
}

/// The catalogue as it is kept, with what was changed since.
struct CatalogueState {
    private(set) var entries: [EntryID: MergedEntry]
    private(set) var local: LocalEntries
    private let stored: [EntryID: MergedEntry]

    /// Reads the store, on a connection whose transaction the caller has begun.
    init(_ items: ItemRows, _ scope: CatalogueScope, now: Int64) throws(DatabaseError) {
        let stored = try MergedRows(database: items.rows.database).all(in: scope)
        self.init(stored: stored, local: try LocalEntries(items.rows, scope, known: stored), now: now)
    }

    /// Takes over what was changed since the catalogue was written last.
    init(stored: [EntryID: MergedEntry], local: LocalEntries, now: Int64) {
        (self.stored, self.local, entries) = (stored, local, stored)
        // Those of earlier versions have lists alone.
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
                // It may have been here for a moment.
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
            // A list of an earlier version becomes entries before it meets others.
            var playlist = playlist
            playlist.settleEntries()
            add(id, playlist)
            entries[id]?.content.settleEntries()
        }
        for (key, take) in catalogue.takes { add(EntryID(.take, key), take) }
    }

    /// Gives a section that is new here its number.
    mutating func setSection(_ number: Int, of id: EntryID) { entries[id]?.section = number }

    /// Notes what is shown of an entry; nil for nothing.
    mutating func setShown(_ text: String?, of id: EntryID) { entries[id]?.shown = text }

    /// Notes what is shown now that the store was changed.
    mutating func noteShown(_ items: ItemRows, _ scope: CatalogueScope) throws(DatabaseError) {
        local = try LocalEntries(items.rows, scope, known: entries)
        for id in entries.keys { entries[id]?.shown = local.entries[id]?.text }
        for (id, entry) in local.entries where entries[id] == nil {
            entries[id] = MergedEntry(content: CatalogueItem(), shown: entry.text, section: local.sectionNumbers[id])
        }
    }

    /// What differs from the catalogue as it is kept.
    var changes: [(id: EntryID, entry: MergedEntry)] {
        entries.filter { stored[$0.key] != $0.value }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Keeps the catalogue for the next time.
    func write(_ items: ItemRows) throws(DatabaseError) {
        let rows = MergedRows(database: items.rows.database)
        for (id, entry) in changes { try rows.write(id, entry.row) }
    }
}
