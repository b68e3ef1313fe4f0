// A merge of playlists. The result is computed before the store is locked: a list of 100,000 recordings takes seconds,
// and a program that waits for the store fails after five.
internal import AudioFiles
internal import Catalogue
internal import Database
internal import JSON
internal import Store
internal import TextFormats

/// Playlists and the playlists' last catalogue entries, as stored at a single moment.
struct StoredPlaylists: Sendable {
    struct Row: Sendable, Equatable {
        let number: Int
        let identity: ExactText
        let name: ExactText
        /// Time of the last change, in ms since 1970. Each change of the entries increases this time and the revision.
        let changed: Int64
        let revision: Int64
        /// Number of entries. A repair adds entries without a change of time or revision.
        let entryCount: Int64
    }

    /// Stamp of all playlists: equal as long as nothing has changed.
    struct Stamp: Sendable, Equatable {
        private(set) var rows: [Row] = []
        private(set) var merged: [EntryID: MergedRow] = [:]
        /// Times of deletion of playlists, by identity, in ms since 1970.
        private(set) var deletions: [ExactText: Int64] = [:]
        /// True if all rows of playlists can be read.
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
    /// Recordings of each playlist, by the playlist's number.
    private(set) var keys: [Int: [RecordingKey]] = [:]
    /// Recordings allowed in a playlist. The rows of the recordings are never removed.
    private(set) var recordings: Set<RecordingKey> = []
    /// True if all rows of playlists and their entries can be read.
    private(set) var isWhole = true

    /// For a store that does not exist yet.
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

/// Statements that make the playlists of a store equal to a catalogue. Running these statements takes little time.
struct PlaylistPlan: Sendable {
    private struct Change {
        /// Nil for a new playlist.
        let number: Int?
        let identity: ExactText
        /// Nil if the name stays.
        let name: ExactText?
        /// Nil if the entries stay.
        let keys: [RecordingKey]?
    }

    /// Playlists of the store for a catalogue to be written; none if a catalogue is merged.
    let playlists: [ExactText: CatalogueItem]
    private var deleted: [Int] = []
    private var changes: [Change] = []
    private let merged: [(id: EntryID, row: MergedRow)]

    /// - Parameter catalogue: Nil to take over only the changes since the catalogue was last written.
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
        // Unreadable rows stay unchanged: the plan cannot tell their present values.
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
        playlists = catalogue == nil ? state.catalogue.playlists : [:]
        merged = state.changes.map { ($0.id, $0.entry.row) }
    }

    /// Carries out the plan. The store's stamp must equal the stamp of the planned playlists.
    ///
    /// - Returns: The number of playlists that have changed.
    func write(_ items: ItemRows) throws(DatabaseError) -> Int {
        let lists = PlaylistRows(items: items)
        for number in deleted { try lists.delete(number) }
        // Temporary names first: playlists may swap names, and names must be unique at all times.
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

    /// Returns valid names: single lines, all different. The names depend on the wishes alone, so all computers get the
    /// same names.
    private static func names(_ wishes: [String]) -> [ExactText] {
        var taken: Set<ExactText> = []
        // Last number used for each base name; the next duplicate continues from there.
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
    /// Merges the playlists of the library and a catalogue in one transaction. The plan is made before the transaction,
    /// and again if the playlists have changed meanwhile.
    ///
    /// - Parameters:
    ///   - catalogue: Returns the playlists of the catalogue, nil to take over only the changes since the catalogue was
    ///     last written. Called for each plan: a long list would need its memory beside that of its row and of SQLite.
    ///   - planned: Called between the plan and the transaction.
    /// - Returns: Without a catalogue, the playlists for one; and the number of changed playlists in the library. Or
    ///   the fault of `catalogue`; then nothing has changed.
    func merge<Fault: Error>(
        playlists catalogue: () throws(Fault) -> [ExactText: CatalogueItem]?, now: Int64, planned: () -> Void = {}
    ) throws(StoreError) -> Result<(playlists: [ExactText: CatalogueItem], changed: Int), Fault> {
        var attempts = 0
        while true {
            attempts += 1
            let isLast = attempts > Self.mostPlans
            let (plan, stamp, lists): (PlaylistPlan, StoredPlaylists.Stamp, [ExactText: CatalogueItem]?)
            do {
                let known = try read { (items) throws(DatabaseError) in try StoredPlaylists(items.rows.database) }
                let stored = known ?? StoredPlaylists()
                let given: [ExactText: CatalogueItem]?
                do throws(Fault) { given = try catalogue() } catch { return .failure(error) }
                plan = PlaylistPlan(stored, merging: given, now: now)
                (stamp, lists) = (stored.stamp, isLast ? given : nil)
            }
            planned()
            let done = try change { (items) throws(DatabaseError) -> (PlaylistPlan, Int)? in
                if try StoredPlaylists.Stamp(items.rows.database) == stamp { return (plan, try plan.write(items)) }
                guard isLast else { return nil }
                // Another program keeps changing playlists. Plan inside the transaction, so that the other program has
                // to wait once.
                let plan = try PlaylistPlan(StoredPlaylists(items.rows.database), merging: lists, now: now)
                return (plan, try plan.write(items))
            }
            if let (plan, changed) = done { return .success((plan.playlists, changed)) }
        }
    }

    /// Maximum number of plans made before the store is locked.
    private static let mostPlans = 3
}
