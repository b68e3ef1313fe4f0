// A merge of playlists. Its result is computed before the store is locked: a list of 100,000 recordings takes seconds, and a program that waits for
// the store fails after five.
internal import AudioFiles
internal import Catalogue
internal import Database
internal import JSON
internal import Store
internal import TextFormats

/// Playlists, and what the catalogue said of them last, as the store has them at one moment.
struct StoredPlaylists: Sendable {
    struct Row: Sendable, Equatable {
        let number: Int
        let identity: ExactText
        let name: ExactText
        /// In ms since 1970. Each change of the entries makes it and the revision greater.
        let changed: Int64
        let revision: Int64
        /// A repair adds entries without a change.
        let entryCount: Int64
    }

    /// Equal as long as nothing of it has changed.
    struct Stamp: Sendable, Equatable {
        private(set) var rows: [Row] = []
        private(set) var merged: [EntryID: MergedRow] = [:]
        /// When playlists were deleted, by their identities, in ms since 1970.
        private(set) var deletions: [ExactText: Int64] = [:]
        /// Whether all rows of playlists can be read.
        private(set) var isWhole = true

        init() {}

        init(_ database: Database) throws(DatabaseError) {
            rows = try database.readableRows(
                """
                SELECT id, identity, name, changed, revision,
                    (SELECT count(*) FROM entry WHERE entry.playlist = playlist.id)
                FROM playlist ORDER BY id
                """, isWhole: &isWhole
            ) { (row) throws(DatabaseError) in
                Row(
                    number: Int(try row.integer(0)), identity: ExactText(try row.text(1)),
                    name: ExactText(try row.text(2)), changed: try row.integer(3), revision: try row.integer(4),
                    entryCount: try row.integer(5))
            }
            merged = try MergedRows(database: database).playlists()
            let deleted = try database.readableRows("SELECT identity, time FROM deleted_playlist") {
                (row) throws(DatabaseError) in (ExactText(try row.text(0)), try row.integer(1))
            }
            for (identity, time) in deleted { deletions[identity] = time }
        }
    }

    private(set) var stamp = Stamp()
    /// The recordings of each playlist, by its number.
    private(set) var keys: [Int: [RecordingKey]] = [:]
    /// The recordings that can be in a playlist. Their rows are never removed.
    private(set) var recordings: Set<RecordingKey> = []
    /// Whether all rows of playlists and their entries can be read.
    private(set) var isWhole = true

    /// Of a store that is not there yet.
    init() {}

    init(_ database: Database) throws(DatabaseError) {
        stamp = try Stamp(database)
        isWhole = stamp.isWhole
        let entries = try database.readableRows(
            "SELECT playlist, key FROM entry JOIN recording ON entry.recording = recording.id ORDER BY playlist, place",
            isWhole: &isWhole
        ) { (row) throws(DatabaseError) in (number: Int(try row.integer(0)), key: RecordingKey(bytes: try row.bytes(1)))
        }
        for entry in entries {
            if let key = entry.key { keys[entry.number, default: []].append(key) }
        }
        let listed = try database.readableRows("SELECT key FROM item JOIN recording ON item.recording = recording.id") {
            (row) throws(DatabaseError) in RecordingKey(bytes: try row.bytes(0))
        }
        recordings = Set(listed.compactMap(\.self))
    }
}

/// How the playlists of a store are made those of a catalogue, by statements that take little time.
struct PlaylistPlan: Sendable {
    private struct Change {
        /// Nil for a new playlist.
        let number: Int?
        let identity: ExactText
        /// Nil if it stays.
        let name: ExactText?
        /// Nil if they stay.
        let keys: [RecordingKey]?
    }

    /// What the store and the catalogue say together.
    let playlists: [ExactText: CatalogueItem]
    private var deleted: [Int] = []
    private var changes: [Change] = []
    private let merged: [(id: EntryID, row: MergedRow)]

    /// - Parameter catalogue: Nil to take over only what was changed since the catalogue was written last.
    init(
        _ stored: StoredPlaylists, merging catalogue: [ExactText: CatalogueItem]?, now: Int64
    ) {
        let known = MergedRows.entries(stored.stamp.merged)
        var state = CatalogueState(stored: known, local: LocalEntries(stored), now: now)
        if let catalogue {
            var lists = LibraryCatalogue()
            lists.playlists = catalogue
            state.merge(lists)
        }
        // Of rows that cannot be read nobody knows what they would be made.
        if catalogue != nil, stored.isWhole {
            let rows = Dictionary(stored.stamp.rows.map { ($0.identity, $0) }) { first, _ in first }
            let wanted = state.entries.sorted { $0.key < $1.key }
            for (id, entry) in wanted where !entry.content.isVisible {
                if let row = rows[id.identity] { deleted.append(row.number) }
                state.setShown(nil, of: id)
            }
            let visible = wanted.filter(\.value.content.isVisible)
            let names = Self.names(visible.map { $0.value.content[CatalogueField.name]?.stringValue ?? "" })
            for ((id, entry), name) in zip(visible, names) {
                let keys = (entry.content[CatalogueField.entries]?.elements ?? []).compactMap {
                    $0.stringValue.flatMap(RecordingKey.init)
                }.filter(stored.recordings.contains)
                let row = rows[id.identity]
                let isRenamed = row.map { $0.name != name } ?? true
                let isOther = keys != row.flatMap { stored.keys[$0.number] } ?? []
                state.setShown(LocalEntries.playlist(name, keys).text, of: id)
                guard isRenamed || isOther else { continue }
                changes.append(
                    Change(
                        number: row?.number, identity: id.identity, name: isRenamed ? name : nil,
                        keys: isOther ? keys : nil))
            }
        }
        playlists = state.catalogue.playlists
        merged = state.changes.map { ($0.id, $0.entry.row) }
    }

    /// Carries out the plan in a store whose stamp is the one that the plan was made for.
    ///
    /// - Returns: The number of playlists that have changed.
    func write(_ items: ItemRows) throws(DatabaseError) -> Int {
        let lists = PlaylistRows(items: items)
        for number in deleted { try lists.delete(number) }
        // Names may be exchanged, and no two playlists have one name at any time.
        for change in changes where change.name != nil {
            if let number = change.number { try lists.rename(number, "\u{1}" + change.identity.text) }
        }
        for change in changes {
            let number: Int
            if let known = change.number {
                number = known
                if let name = change.name { try lists.rename(number, name.text) }
            } else {
                number = try lists.make(
                    change.name?.text ?? "", identity: change.identity.text, at: RecordingLibrary.now)
            }
            if let keys = change.keys {
                try lists.replaceEntries(of: number, by: keys, time: RecordingLibrary.now)
            }
        }
        let rows = MergedRows(database: items.rows.database)
        for (id, row) in merged { try rows.write(id, row) }
        return deleted.count + changes.count
    }

    /// Names that can be kept: lines, no two of them equal. They follow from the wishes alone, so that they are the same everywhere.
    private static func names(_ wishes: [String]) -> [ExactText] {
        var taken: Set<ExactText> = []
        // The number of the last name of each, behind which the next one goes on.
        var counts: [ExactText: Int] = [:]
        return wishes.map { wish in
            let short = line(wish).prefix(within: 190)
            let base = short.isEmpty ? "playlist" : short
            var (name, count) = (ExactText(base), counts[ExactText(base)] ?? 1)
            while !taken.insert(name).inserted {
                count += 1
                name = ExactText("\(base) (\(count))")
            }
            counts[ExactText(base)] = count
            return name
        }
    }
}

extension RecordingLibrary {
    /// Makes playlists what the library and a catalogue say together, in one transaction. The plan is made before it, and anew if the playlists have changed meanwhile.
    ///
    /// - Parameters:
    ///   - catalogue: Nil to take over only what was changed since the catalogue was written last.
    ///   - planned: Called between the plan and the transaction.
    /// - Returns: What they say together, and how many playlists of the library have changed.
    func merge(
        playlists catalogue: [ExactText: CatalogueItem]?, now: Int64, planned: () -> Void = {}
    ) throws(StoreError) -> (playlists: [ExactText: CatalogueItem], changed: Int) {
        var attempts = 0
        while true {
            attempts += 1
            let stored = try read { (items) throws(DatabaseError) in try StoredPlaylists(items.rows.database) }
            let plan = PlaylistPlan(stored ?? StoredPlaylists(), merging: catalogue, now: now)
            planned()
            let done = try change { (items) throws(DatabaseError) -> (PlaylistPlan, Int)? in
                if try StoredPlaylists.Stamp(items.rows.database) == (stored ?? StoredPlaylists()).stamp {
                    return (plan, try plan.write(items))
                }
                guard attempts > Self.mostPlans else { return nil }
                // Another program changes playlists all the time, and has to wait once.
                let plan = try PlaylistPlan(StoredPlaylists(items.rows.database), merging: catalogue, now: now)
                return (plan, try plan.write(items))
            }
            if let (plan, changed) = done { return (plan.playlists, changed) }
        }
    }

    /// Plans that are made before the store is locked, at most.
    private static let mostPlans = 3
}
