// Reads the store's side of a catalogue.
internal import AudioFiles
internal import Catalogue
internal import Database
internal import JSON
internal import Sections
internal import Store
internal import TextFormats

/// The whole knowledge of a catalogue in the store, read at a single moment.
struct LocalEntries {
    private(set) var entries: [EntryID: LocalEntry] = [:]
    /// Numbers of sections within their recordings.
    private(set) var sectionNumbers: [EntryID: Int] = [:]
    /// Time of deletion of each deleted section with a known identity, in ms since 1970.
    private(set) var deletions: [EntryID: Int64] = [:]

    /// Recordings with an unreadable row.
    private var doubtful: Set<ExactText> = []
    private var arePlaylistsDoubtful = false

    /// Identities of sections, by recording and number.
    private var identities: [ExactText: [Int: ExactText]] = [:]

    /// - Parameter known: Entries of the last written catalogue.
    init(
        _ rows: StoreRows, _ scope: CatalogueScope, known: [EntryID: MergedEntry]
    ) throws(DatabaseError) {
        for (id, entry) in known {
            if id.kind == .section, let number = entry.section {
                identities[id.owner, default: [:]][number] = id.identity
                sectionNumbers[id] = number
            }
        }
        let keys = try readRecordings(rows.database, scope, known)
        let recordings = keys.keys.sorted()
        try readDocuments(rows, keys, of: recordings)
        try readSections(rows.database, keys, of: recordings, known)
        if scope.hasTakes { try readTakes(rows, among: scope.takeKeys) }
    }

    /// True if a thing without an entry may still exist: its row cannot be read.
    func isDoubtful(_ id: EntryID) -> Bool {
        switch id.kind {
        case .recording: doubtful.contains(id.identity)
        case .section: doubtful.contains(id.owner)
        case .playlist: arePlaylistsDoubtful
        case .take: false
        }
    }

    /// Returns the rows of a query whose column has one of some values.
    ///
    /// - Parameter values: Values, with the recordings to which their rows belong.
    private mutating func found<Value>(
        in database: Database, _ query: String, order: String = "", where column: String,
        _ values: [(key: ExactText, value: DatabaseValue)], row: (DatabaseRow) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> [Value] {
        var found: [Value] = []
        for (key, value) in values {
            var isWhole = true
            found += try database.readableRows(
                "\(query) WHERE \(column) = ? \(order)", [value], isWhole: &isWhole, row: row)
            if !isWhole { doubtful.insert(key) }
        }
        return found
    }

    // MARK: Recordings

    private mutating func readRecordings(
        _ database: Database, _ scope: CatalogueScope, _ known: [EntryID: MergedEntry]
    ) throws(DatabaseError) -> [Int64: ExactText] {
        var keys: [Int64: ExactText] = [:]
        let chosen = scope.recordings.compactMap { identity in
            RecordingKey(identity.text).map { (key: identity, value: DatabaseValue.bytes($0.bytes)) }
        }
        let found = try self.found(
            in: database,
            """
            SELECT recording.id, key, recording.sample_rate, recording.frame_count, recording.title, section_count,
                item.id, gone, trashed, original, byte_count, container, codec, channel_count, item.title, artist,
                language, tags, source, licence, added, edited, kind, place
            FROM recording LEFT JOIN item ON item.recording = recording.id
            """, where: "recording.key", chosen
        ) { (row) throws(DatabaseError) -> (Int64, ExactText, LocalEntry, Bool) in
            let (rate, frames) = (try row.integer(2), try row.integer(3))
            // Same limits as for reading a recording to change it.
            guard let key = RecordingKey(bytes: try row.bytes(1)), (1...Int64(Int32.max)).contains(rate), frames >= 0
            else { throw .wrongValue("a recording has an impossible key, rate or length") }
            var entry = LocalEntry()
            entry.set(CatalogueField.sampleRate, .integer(rate))
            entry.set(CatalogueField.frameCount, .integer(frames))
            let isItem = !row.isNull(6)
            if isItem {
                try Self.readItem(row, into: &entry)
            } else {
                entry.set(CatalogueField.title, .string(try row.text(4)))
            }
            let sectionCount = try row.integer(5)
            return (try row.integer(0), ExactText("\(key)"), entry, isItem || sectionCount > 0)
        }
        for (id, key, entry, isKept) in found {
            keys[id] = key
            let entryID = EntryID(.recording, key)
            if isKept || known[entryID] != nil { entries[entryID] = entry }
        }
        return keys
    }

    private static func milliseconds(_ seconds: Int64) -> Int64 {
        min(max(seconds, 0), ClosedRange.seconds.upperBound) * 1000
    }

    private static func readItem(_ row: DatabaseRow, into entry: inout LocalEntry) throws(DatabaseError) {
        guard LibraryItem.Kind(rawValue: try row.text(22)) != nil, LibraryItem.Place(rawValue: try row.text(23)) != nil
        else { throw .wrongValue("a recording of the library has an impossible kind or place") }
        let trashed = try row.integer(orNull: 8)
        entry.set(CatalogueField.title, .string(try row.text(14)))
        if try row.integer(7) != 0 || trashed != nil {
            // End of the second of removal: changes in the same second count as earlier.
            entry.removedAt = Self.milliseconds(trashed ?? 0) + 999
            return
        }
        for (name, column) in [
            (CatalogueField.artist, 15), (CatalogueField.language, 16), (CatalogueField.source, 18),
            (CatalogueField.licence, 19),
        ] { entry.set(name, .string(try row.text(column))) }
        entry.set(tags: try row.text(17).split(separator: "\n").map(String.init))
        entry.times = try StoredText.times(row, 21)
        let added = Self.milliseconds(try row.integer(20))
        entry.set(CatalogueField.added, .integer(added))
        entry.times[CatalogueField.added] = added
        entry.set(
            CatalogueField.file,
            .object([
                .init("name", .string(try row.text(9))), .init("bytes", .integer(try row.integer(10))),
                .init("container", .string(try row.text(11))), .init("codec", .string(try row.text(12))),
                .init("channels", .integer(try row.integer(13))), .init("kind", .string(try row.text(22))),
            ]))
    }

    /// Reads documents as fields of their recordings, so that documents merge like descriptions.
    private mutating func readDocuments(
        _ rows: StoreRows, _ keys: [Int64: ExactText], of recordings: [Int64]
    ) throws(DatabaseError) {
        let documents = DocumentRows(items: ItemRows(rows: rows, folder: ""))
        var found: [DocumentRow] = []
        for recording in recordings {
            var isWhole = true
            found += try documents.all(of: recording, isWhole: &isWhole)
            if !isWhole, let key = keys[recording] { doubtful.insert(key) }
        }
        for row in found {
            guard let key = keys[row.recording], let isTold = row.isTold else { continue }
            let id = EntryID(.recording, key)
            guard var entry = entries[id] else { continue }
            let name = CatalogueField.document + row.hash
            entry.set(
                name,
                isTold
                    ? .object([.init("name", .string(row.name)), .init("bytes", .integer(row.byteCount))])
                    : .bool(false))
            entry.times[name] = row.changedAt
            entries[id] = entry
        }
    }

    // MARK: Sections

    private mutating func readSections(
        _ database: Database, _ keys: [Int64: ExactText], of recordings: [Int64], _ known: [EntryID: MergedEntry]
    ) throws(DatabaseError) {
        let chosen = recordings.compactMap { recording in
            keys[recording].map { (key: $0, value: DatabaseValue.integer(recording)) }
        }
        let found = try self.found(
            in: database,
            """
            SELECT section.id, kind, first, past, name, text, hard, settings, section.recording, coalesce(changed, 0)
            FROM section LEFT JOIN section_time
            ON section_time.recording = section.recording AND section_time.section = section.id
            """, order: "ORDER BY section.recording, section.id", where: "section.recording", chosen
        ) { (row) throws(DatabaseError) in
            (try StoreRows.section(row), recording: try row.integer(8), changed: try row.integer(9))
        }
        for (section, recording, changed) in found {
            guard let key = keys[recording] else { continue }
            var entry = Self.entry(section)
            entry.changedAt = changed
            let id = EntryID(.section, identity(section, of: key, entry, known), owner: key)
            (entries[id], sectionNumbers[id]) = (entry, section.id)
        }
        let times = try self.found(
            in: database, "SELECT recording, section, changed FROM section_time", where: "recording", chosen
        ) { (row) throws(DatabaseError) in (try row.integer(0), Int(try row.integer(1)), try row.integer(2)) }
        for (recording, number, changed) in times {
            guard let key = keys[recording], let identity = identities[key]?[number] else { continue }
            let id = EntryID(.section, identity, owner: key)
            if entries[id] == nil { deletions[id] = changed }
        }
    }

    static func entry(_ section: SavedSection) -> LocalEntry {
        var entry = LocalEntry()
        entry.set(
            CatalogueField.range, .array([.integer(section.frames.lowerBound), .integer(section.frames.upperBound)]))
        entry.set(CatalogueField.kind, .string(section.kind.rawValue))
        entry.set(CatalogueField.name, .string(section.name))
        entry.set(CatalogueField.text, .string(section.text))
        entry.set(CatalogueField.isHard, .bool(section.isHard))
        entry.set(
            CatalogueField.settings,
            .object(section.settings.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) }))
        return entry
    }

    /// Returns the known identity of a section, or derives a new identity from the section's content. Equal sections
    /// made separately on two computers, for example from the chapters of a file, therefore get the same identity.
    private mutating func identity(
        _ section: SavedSection, of key: ExactText, _ entry: LocalEntry, _ known: [EntryID: MergedEntry]
    ) -> ExactText {
        if let identity = identities[key]?[section.id] { return identity }
        for count in 0... {
            var hash = ByteHash()
            hash.update(Array("\(key.text) \(count) \(entry.text)".utf8))
            let digest = hash.digest()
            let identity = ExactText(ByteHash.hexadecimal(digest.high) + ByteHash.hexadecimal(digest.low))
            let id = EntryID(.section, identity, owner: key)
            // A section deleted elsewhere comes back with this section.
            if sectionNumbers[id] == nil {
                (identities[key, default: [:]][section.id], sectionNumbers[id]) = (identity, section.id)
                return identity
            }
        }
        return ""
    }

    // MARK: Playlists and takes

    /// - Parameter playlists: Everything that the store has of playlists. If a row cannot be read, nothing is taken
    ///   over.
    init(_ playlists: StoredPlaylists) {
        arePlaylistsDoubtful = !playlists.isWhole
        if arePlaylistsDoubtful { return }
        for row in playlists.stamp.rows {
            var entry = Self.playlist(row.name, playlists.keys[row.number] ?? [])
            entry.changedAt = row.changed
            entries[EntryID(.playlist, row.identity)] = entry
        }
        for (identity, time) in playlists.stamp.deletions { deletions[EntryID(.playlist, identity)] = time }
    }

    static func playlist(_ name: ExactText, _ keys: [RecordingKey]) -> LocalEntry {
        var entry = LocalEntry()
        entry.set(CatalogueField.name, .string(name.text))
        entry.set(CatalogueField.entries, list: keys.lazy.map { "\($0)" })
        return entry
    }

    private mutating func readTakes(_ rows: StoreRows, among chosen: Set<ExactText>?) throws(DatabaseError) {
        for (take, key, changed) in try CatalogueTakes(rows: rows).all(among: chosen) {
            var entry = LocalEntry()
            entry.changedAt = changed
            entry.set(CatalogueField.name, .string(take.name))
            entry.set(CatalogueField.note, .string(take.note))
            entry.set(CatalogueField.rating, take.rating.map { .integer($0) } ?? .null)
            let sound = take.sound
            entry.set(
                CatalogueField.sound,
                .object([
                    .init("time", .integer(sound.time)), .init("rate", .integer(sound.sampleRate)),
                    .init("channels", .integer(sound.channelCount)), .init("frames", .integer(sound.frameCount)),
                    .init("device", .string(sound.device)),
                ]))
            var names = [CatalogueField.sound]
            if let model = take.model {
                let owner = ExactText("\(model.key)")
                let section = model.sectionID.flatMap { identities[owner]?[$0] }
                entry.set(CatalogueField.recording, .string(owner.text))
                entry.set(CatalogueField.section, section.map { .string($0.text) } ?? .null)
                var whole = model
                whole.sectionID = nil
                let text = TakeAttachment(model: whole, recording: nil, device: "").text
                entry.set(CatalogueField.model, JSONValue(reading: Array(text.utf8)) ?? .null)
                names += [CatalogueField.recording, CatalogueField.section, CatalogueField.model]
            }
            // Values that the user did not enter have time 0.
            for name in names { entry.times[name] = 0 }
            entries[EntryID(.take, ExactText("\(key)"))] = entry
        }
    }
}

/// Takes with a known key of their sound.
struct CatalogueTakes {
    let rows: StoreRows

    /// Returns one take for each sound, with the time of the last change of the description, in ms since 1970.
    ///
    /// - Parameter chosen: Keys of sounds; nil for all sounds.
    func all(
        among chosen: Set<ExactText>? = nil
    ) throws(DatabaseError) -> [(take: StoredTake, key: RecordingKey, changed: Int64)] {
        let marks = try rows.takeMarks()
        var takes: [StoredTake] = []
        if let chosen {
            var numbers: [Int] = []
            for (number, mark) in marks {
                if let key = mark.key, chosen.contains(ExactText("\(key)")) { numbers.append(number) }
            }
            takes = try rows.takes(numbered: numbers.sorted())
        } else {
            takes = try rows.takes(TakeFilter()).reversed()
        }
        var seen: Set<RecordingKey> = []
        var found: [(take: StoredTake, key: RecordingKey, changed: Int64)] = []
        for take in takes {
            guard let mark = marks[take.number], let key = mark.key, seen.insert(key).inserted else { continue }
            found.append((take, key, mark.changed))
        }
        return found
    }

    /// Returns the takes in the trash, which no catalogue has. Takes with the same sound have separate files.
    func trashed() throws(DatabaseError) -> [(take: StoredTake, key: RecordingKey)] {
        let marks = try rows.takeMarks()
        return try rows.takes(TakeFilter(isTrash: true)).reversed().compactMap { take in
            marks[take.number]?.key.map { (take, $0) }
        }
    }
}
