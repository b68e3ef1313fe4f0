// What the store has of a thing of a catalogue, and how a change to it becomes a change with a time.
internal import JSON
internal import Store
internal import TextFormats

/// Which thing of a catalogue.
struct EntryID: Hashable, Comparable {
    enum Kind: String { case recording, section, playlist, take }

    let kind: Kind
    /// The key of a section's recording; empty for the others.
    let owner: ExactText
    let identity: ExactText

    init(_ kind: Kind, _ identity: ExactText, owner: ExactText = "") {
        (self.kind, self.identity, self.owner) = (kind, identity, owner)
    }

    static func < (left: EntryID, right: EntryID) -> Bool {
        (left.kind.rawValue, left.owner, left.identity) < (right.kind.rawValue, right.owner, right.identity)
    }
}

/// A thing of a catalogue as the store has it.
struct LocalEntry: Equatable {
    /// The values, as texts in JSON.
    private(set) var fields: [ExactText: ExactText] = [:]
    /// In the order of their bytes.
    private(set) var tags: [ExactText] = []
    /// When it was removed, in ms since 1970; nil if it was not.
    var removedAt: Int64?
    /// When something in it was changed last, in ms since 1970.
    var changedAt: Int64 = 0
    /// The times of fields that are known better.
    var times: [String: Int64] = [:]

    mutating func set(_ name: String, _ value: JSONValue) { fields[ExactText(name)] = ExactText(value.text) }
    mutating func set(tags names: [String]) { tags = Set(names.map { ExactText($0) }).sorted() }

    /// A recording of which only sections are kept is not in the library.
    func isPresent(_ kind: EntryID.Kind) -> Bool {
        removedAt == nil && (kind != .recording || fields[ExactText(CatalogueField.added)] != nil)
    }

    /// The recordings of a playlist.
    var playlistKeys: Set<ExactText> {
        let list = fields[ExactText(CatalogueField.entries)].map(Self.value)
        return Set((list?.elements ?? []).compactMap(\.stringValue).map { ExactText($0) })
    }

    func time(_ name: String) -> Int64 { times[name] ?? changedAt }

    // MARK: As a text

    /// What it shows, without times.
    var text: String {
        if removedAt != nil { return #"{"removed":true}"# }
        var parts = [
            JSONValue.Field(
                "fields",
                .object(
                    fields.sorted { $0.key < $1.key }.map { .init($0.key.text, Self.value($0.value)) }))
        ]
        if !tags.isEmpty { parts.append(.init("tags", .array(tags.map { .string($0.text) }))) }
        return JSONValue.object(parts).text
    }

    init() {}

    /// Nil for a text that is not one of `text`.
    init?(text: String) {
        guard let value = JSONValue(reading: Array(text.utf8)), case .object = value else { return nil }
        if value["removed"]?.boolValue == true { removedAt = 0 }
        if case .object(let list)? = value["fields"] {
            for field in list { set(field.key, field.value) }
        }
        set(tags: value["tags"]?.elements?.compactMap(\.stringValue) ?? [])
    }

    static func value(_ text: ExactText) -> JSONValue { JSONValue(reading: Array(text.text.utf8)) ?? .null }
}

extension CatalogueItem {
    /// Takes over what was changed here since the last time.
    ///
    /// - Parameters:
    ///   - entry: What there is now; nil for nothing.
    ///   - shown: What there was then; nil for nothing.
    ///   - now: The time of what has none of its own, in ms since 1970.
    mutating func note(_ entry: LocalEntry?, since shown: LocalEntry?, _ kind: EntryID.Kind, now: Int64) {
        guard let entry, entry.removedAt == nil else {
            noteRemoval(entry, since: shown, kind, now: now)
            return
        }
        let before = shown?.removedAt == nil ? shown : nil
        for (name, value) in entry.fields.sorted(by: { $0.key < $1.key }) {
            let old = before?.fields[name]
            let known = fields[name]
            if old == value || known.map({ ExactText($0.value.text) }) == value { continue }
            if name.text == CatalogueField.source, let known, Self.completes(LocalEntry.value(value), known.value) {
                // A later time would replace the key on other computers when the address is exported without it.
                set(name.text, LocalEntry.value(value), at: known.time)
                continue
            }
            let time = entry.time(name.text)
            set(name.text, LocalEntry.value(value), at: old == nil ? time : max(time, (known?.time ?? -1) + 1))
        }
        noteTags(entry, since: before)
        // What comes back is there whatever the clocks say.
        guard !isVisible, entry.isPresent(kind), !(shown?.isPresent(kind) ?? false) else { return }
        let name = kind == .recording ? ExactText(CatalogueField.added) : entry.fields.keys.min() ?? ""
        if let value = entry.fields[name] {
            set(name.text, LocalEntry.value(value), at: max(entry.time(name.text), (deletion ?? 0) + 1))
        }
    }

    /// Whether an address is another one with the private keys that an export has removed.
    private static func completes(_ address: JSONValue, _ known: JSONValue) -> Bool {
        guard let address = address.stringValue, let known = known.stringValue else { return false }
        return ExactText(AddressKeys.removed(from: address)) == ExactText(known)
    }

    private mutating func noteTags(_ entry: LocalEntry, since before: LocalEntry?) {
        let (new, old) = (Set(entry.tags), Set(before?.tags ?? []))
        let time = entry.time("tags")
        for tag in new.subtracting(old).sorted() where members[tag]?.value != .bool(true) {
            setMember(tag.text, true, at: max(time, before == nil ? time : (members[tag]?.time ?? -1) + 1))
        }
        for tag in old.subtracting(new).sorted() {
            setMember(tag.text, false, at: max(time, (members[tag]?.time ?? -1) + 1))
        }
    }

    /// Takes over the fields of a removed thing that nothing is said of yet: what its sections need to be known by, and documents, which come
    /// back with it wherever it comes back.
    mutating func noteUnknown(_ entry: LocalEntry) {
        for (name, value) in entry.fields where fields[name] == nil {
            set(name.text, LocalEntry.value(value), at: 0)
        }
    }

    private mutating func noteRemoval(
        _ entry: LocalEntry?, since shown: LocalEntry?, _ kind: EntryID.Kind, now: Int64
    ) {
        // A take that is not there says nothing about the same take elsewhere.
        if kind == .take { return }
        let wasShown = shown?.isPresent(kind) ?? false
        if let entry { noteUnknown(entry) }
        if let time = entry?.removedAt, shown == nil { delete(at: time) }
        if wasShown { delete(at: max(entry?.removedAt ?? now, lastChange ?? 0)) }
    }
}
