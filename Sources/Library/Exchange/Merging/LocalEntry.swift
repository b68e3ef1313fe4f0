// The store's version of a thing in a catalogue. Turns a change of the thing into a change with a time.
internal import JSON
internal import Store
internal import TextFormats

/// Identifies a thing of a catalogue.
struct EntryID: Hashable, Comparable {
    enum Kind: String { case recording, section, playlist, take }

    let kind: Kind
    /// Key of the recording of a section; empty for other kinds.
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
    /// Values as JSON texts.
    private(set) var fields: [ExactText: ExactText] = [:]
    /// Tags, sorted by their bytes.
    private(set) var tags: [ExactText] = []
    /// Time of removal, in ms since 1970; nil if not removed.
    var removedAt: Int64?
    /// Time of the last change of any part, in ms since 1970.
    var changedAt: Int64 = 0
    /// Times of single fields, where known. These take precedence over `changedAt`.
    var times: [String: Int64] = [:]

    mutating func set(_ name: String, _ value: JSONValue) { fields[ExactText(name)] = ExactText(value.text) }
    mutating func set(_ name: String, list texts: some Collection<String>) {
        fields[ExactText(name)] = ExactText(JSONValue.list(of: texts))
    }
    mutating func set(tags names: [String]) { tags = Set(names.map { ExactText($0) }).sorted() }

    /// True if the thing is in the library. A recording with only sections is not in the library.
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

    /// JSON text of the shown values, without times.
    var text: String {
        if removedAt != nil { return #"{"removed":true}"# }
        var line = "{"
        // All memory of a long playlist at once.
        line.reserveCapacity(fields.reduce(64) { $0 + $1.key.text.utf8.count + $1.value.text.utf8.count + 4 })
        JSONValue.writeKey("fields", to: &line)
        line += "{"
        for name in fields.keys.sorted() {
            JSONValue.writeKey(name.text, to: &line)
            line += fields[name]?.text ?? "null"
        }
        line += "}"
        if !tags.isEmpty {
            JSONValue.writeKey("tags", to: &line)
            JSONValue.array(tags.map { .string($0.text) }).write(to: &line)
        }
        line += "}"
        return line
    }

    init() {}

    /// Nil if the text was not written by `text`.
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
    /// Takes over the changes here since the last time.
    ///
    /// - Parameters:
    ///   - entry: The present values; nil if there are none.
    ///   - shown: The values at the last time; nil if there were none.
    ///   - now: Time for changes without a known time, in ms since 1970.
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
                // With a later time, the address without its key, once exported, would replace the address with the key
                // on other computers.
                set(name.text, LocalEntry.value(value), at: known.time)
                continue
            }
            let time = entry.time(name.text)
            set(name.text, LocalEntry.value(value), at: old == nil ? time : max(time, (known?.time ?? -1) + 1))
        }
        noteTags(entry, since: before)
        // A thing that comes back is visible whatever the clocks say.
        guard !isVisible, entry.isPresent(kind), !(shown?.isPresent(kind) ?? false) else { return }
        let name = kind == .recording ? ExactText(CatalogueField.added) : entry.fields.keys.min() ?? ""
        if let value = entry.fields[name] {
            set(name.text, LocalEntry.value(value), at: max(entry.time(name.text), (deletion ?? 0) + 1))
        }
    }

    /// True if an address is another address plus the private keys that an export has removed.
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

    /// Takes over the fields of a removed thing that the catalogue lacks: values that its sections depend on, and
    /// documents, which come back with the thing on any computer.
    mutating func noteUnknown(_ entry: LocalEntry) {
        for (name, value) in entry.fields where fields[name] == nil {
            set(name.text, LocalEntry.value(value), at: 0)
        }
    }

    private mutating func noteRemoval(
        _ entry: LocalEntry?, since shown: LocalEntry?, _ kind: EntryID.Kind, now: Int64
    ) {
        // A take missing here says nothing about the same take elsewhere.
        if kind == .take { return }
        let wasShown = shown?.isPresent(kind) ?? false
        if let entry { noteUnknown(entry) }
        if let time = entry?.removedAt, shown == nil { delete(at: time) }
        if wasShown { delete(at: max(entry?.removedAt ?? now, lastChange ?? 0)) }
    }
}
