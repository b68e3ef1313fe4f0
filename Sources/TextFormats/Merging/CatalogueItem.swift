package import JSON

/// A text compared byte for byte.
///
/// Swift treats composed and decomposed letters as equal. A merge that kept either of two such texts would depend on
/// the order.
package struct ExactText: Sendable, Hashable, Comparable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) { self.text = text }
    package init(stringLiteral text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
    package static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

/// A value with its time.
package struct Stamped: Sendable, Hashable {
    /// The value as JSON text.
    private let text: ExactText
    /// Time of the value, in milliseconds since 1970.
    package let time: Int64

    /// - Parameter time: An impossible time, from a wrong clock, becomes the nearest possible time: other computers
    ///   refuse a catalogue with an impossible time.
    package init(_ value: JSONValue, at time: Int64) {
        var written = value.text
        // The list of a long playlist would keep up to twice the memory of its bytes.
        if written.utf8.count >= 1 << 16 {
            written = written.withUTF8 { bytes in unsafe String(decoding: bytes, as: UTF8.self) }
        }
        text = ExactText(written)
        self.time = Self.possible(time)
    }

    /// Creates a list of texts with its time, as above.
    init(list texts: some Collection<String>, at time: Int64) {
        text = ExactText(JSONValue.list(of: texts))
        self.time = Self.possible(time)
    }

    fileprivate static func possible(_ time: Int64) -> Int64 {
        min(max(time, 0), ClosedRange.milliseconds.upperBound)
    }

    /// Appends `[VALUE, TIME]`.
    fileprivate func write(to line: inout String) { line += "[\(text.text),\(time)]" }

    /// Length of the written form in bytes, or a little more.
    fileprivate var length: Int { text.text.utf8.count + 20 }

    package var value: JSONValue { JSONValue(reading: Array(text.text.utf8)) ?? .null }

    /// Returns the later of two values; at equal times, the greater text, so that the result is the same on both sides.
    package func merged(with other: Stamped) -> Stamped {
        if time != other.time { return time > other.time ? self : other }
        return text < other.text ? other : self
    }

    /// Merges addresses whose private keys exports remove. Like ``merged(with:)``, but at equal times, compares texts
    /// without keys. If these are equal, the value with a key stays. This is a single total order, so the sequence of
    /// merges does not matter.
    func merged(withAddress other: Stamped) -> Stamped {
        if time != other.time || text == other.text { return merged(with: other) }
        let (own, others) = (withoutKeys, other.withoutKeys)
        if own.text != others.text { return own.text < others.text ? other : self }
        if own.text == text { return other }
        return others.text == other.text ? self : merged(with: other)
    }

    /// The value in exports, without the keys of addresses.
    var withoutKeys: Stamped {
        guard let address = value.stringValue else { return self }
        let shortened = AddressKeys.removed(from: address)
        return ExactText(shortened) == ExactText(address) ? self : Stamped(.string(shortened), at: time)
    }
}

/// A thing in a catalogue, as merging sees it: fields, and members of a set, each with the time of its last change.
///
/// A deletion is also a time. The deletion hides the thing as long as no part has a later change. The fields stay, so a
/// later change restores the whole thing. Every part therefore only grows in one order: neither partners, order nor
/// number of merges matter.
package struct CatalogueItem: Sendable, Hashable {
    /// Fields, including fields unknown to this version.
    package private(set) var fields: [ExactText: Stamped] = [:]
    /// All present and former members, with their present membership. Used for tags.
    package private(set) var members: [ExactText: Stamped] = [:]
    /// Time of the last deletion, in milliseconds since 1970.
    package private(set) var deletion: Int64?

    package init() {}

    private static let source = ExactText(CatalogueField.source)

    /// Sets the value of a field. Replaces an earlier value; a later value stays.
    package mutating func set(_ name: String, _ value: JSONValue, at time: Int64) {
        // No time is later than the last possible time, so the old value has to go first.
        if time > ClosedRange.milliseconds.upperBound {
            fields[ExactText(name)] = nil
            // A deletion at the last possible time counts as earlier than this change, also for other readers.
            deletion = deletion.map { min($0, Self.latest - 1) }
        }
        take(field: ExactText(name), Stamped(value, at: time))
    }

    /// Removes a field, as if it never had a value.
    package mutating func forget(_ name: String) { fields[ExactText(name)] = nil }

    /// Sets the value of a field, whatever its time: for values derived from other fields. An equal value stays,
    /// because a change would copy the fields that several items share.
    mutating func replace(_ name: ExactText, _ value: Stamped) {
        if fields[name] != value { fields[name] = value }
    }

    /// Sets membership.
    package mutating func setMember(_ name: String, _ isMember: Bool, at time: Int64) {
        if time > ClosedRange.milliseconds.upperBound { members[ExactText(name)] = nil }
        take(member: ExactText(name), Stamped(.bool(isMember), at: time))
    }

    /// Deletes the thing at a time.
    package mutating func delete(at time: Int64) {
        let time = Stamped.possible(time)
        deletion = max(deletion ?? time, time)
    }

    /// Returns the value of a field; nil if missing or null.
    package subscript(_ name: String) -> JSONValue? {
        fields[ExactText(name)].map(\.value).flatMap { $0 == .null ? nil : $0 }
    }

    /// Present members, sorted by their bytes.
    package var currentMembers: [String] {
        members.filter { $0.value.value == .bool(true) }.keys.sorted().map(\.text)
    }

    /// True if a change is later than the last deletion. A change at the same time is not later.
    package var isVisible: Bool { deletion.map { (lastChange ?? .min) > $0 } ?? true }

    /// Time of the last change, in milliseconds since 1970; nil if empty.
    package var lastChange: Int64? {
        [fields.values.lazy.map(\.time).max(), members.values.lazy.map(\.time).max()].compactMap(\.self).max()
    }

    package mutating func merge(_ other: CatalogueItem) {
        // A playlist of 100,000 recordings takes 20 MB, which a new item shares with the merged one.
        if fields.isEmpty {
            fields = other.fields
        } else {
            for (name, value) in other.fields { take(field: name, value) }
        }
        members.merge(other.members) { $0.merged(with: $1) }
        if let time = other.deletion { delete(at: time) }
    }

    /// Removes the keys from the source address.
    ///
    /// - Returns: False if the address has no keys.
    package mutating func removeKeys() -> Bool {
        guard let known = fields[Self.source] else { return false }
        let shortened = known.withoutKeys
        fields[Self.source] = shortened
        return shortened != known
    }

    private mutating func take(field name: ExactText, _ value: Stamped) {
        guard let known = fields[name] else {
            fields[name] = value
            return
        }
        fields[name] =
            name == Self.source ? known.merged(withAddress: value) : known.merged(with: value)
    }

    private mutating func take(member name: ExactText, _ value: Stamped) {
        members[name] = members[name].map { $0.merged(with: value) } ?? value
    }
}

extension CatalogueItem {
    /// Appends the JSON form to an open object: `"fields": {NAME: [VALUE, TIME]}, "tags": {NAME: [true, TIME]},
    /// "deleted": TIME`, names sorted by their bytes, without empty parts. A tree of a playlist of 100,000 recordings
    /// would take 20 MB.
    func write(to line: inout String) {
        func write(_ values: [ExactText: Stamped], as part: String) {
            if values.isEmpty { return }
            // All memory at once: doubling would take up to three times the length.
            let names = values.keys.reduce(0) { $0 + $1.text.utf8.count + 4 }
            line.reserveCapacity(line.utf8.count + part.utf8.count + 8 + values.values.reduce(names) { $0 + $1.length })
            JSONValue.writeKey(part, to: &line)
            line += "{"
            for name in values.keys.sorted() {
                JSONValue.writeKey(name.text, to: &line)
                values[name]?.write(to: &line)
            }
            line += "}"
        }
        write(fields, as: "fields")
        write(members, as: "tags")
        guard let deletion else { return }
        JSONValue.writeKey("deleted", to: &line)
        line += String(deletion)
    }

    /// Parses an object of a catalogue with the result of ``write(to:)``. Ignores unknown keys.
    init(json value: JSONValue) throws(CatalogueError) {
        self.init()
        for part in try value.catalogueFields("an entry") {
            switch part.key {
            case "fields", "tags":
                for field in try part.value.catalogueFields(part.key) {
                    try read(field.key, of: part.key, field.value, isOwn: false)
                }
            case "deleted": try read(deletion: part.value, isOwn: false)
            default: break
            }
        }
    }

    /// Parses a value of `fields` or `tags`.
    ///
    /// - Parameter isOwn: True if this program wrote the value into its store.
    mutating func read(
        _ name: String, of part: String, _ value: JSONValue, isOwn: Bool
    ) throws(CatalogueError) {
        let (value, time) = try Self.stamped(value, isOwn)
        guard part == "tags" else { return take(field: ExactText(name), Stamped(value, at: time)) }
        guard case .bool = value else { throw .broken("a tag without a state") }
        take(member: ExactText(name), Stamped(value, at: time))
    }

    mutating func read(deletion value: JSONValue, isOwn: Bool) throws(CatalogueError) {
        delete(at: try Self.time(value, isOwn))
    }

    /// JSON text for the store.
    package var storedText: String {
        var line = "{"
        write(to: &line)
        line += "}"
        return line
    }

    /// Parses the result of ``storedText``; nil for any other text.
    package init?(stored text: String) {
        self.init()
        do throws(CatalogueError) { try read(stored: text) } catch { return nil }
    }

    /// Reads field by field: a tree of a playlist of 100,000 recordings would take 40 MB.
    private mutating func read(stored text: String) throws(CatalogueError) {
        var rest = text.utf8[...]
        var stream = JSONStream<CatalogueError>(notJSON: .foreign) { () throws(CatalogueError) in
            let piece = rest.prefix(1 << 18)
            rest = rest[piece.endIndex...]
            return Array(piece)
        }
        func value(_ stream: inout JSONStream<CatalogueError>) throws(CatalogueError) -> JSONValue {
            guard let value = try stream.value(within: .max, .max) else { throw .foreign }
            return value
        }
        try stream.object { (stream, part) throws(CatalogueError) in
            switch part {
            case "fields", "tags":
                try stream.object { (stream, name) throws(CatalogueError) in
                    try read(name, of: part, try value(&stream), isOwn: true)
                }
            case "deleted": try read(deletion: try value(&stream), isOwn: true)
            default: _ = try value(&stream)
            }
        }
        try stream.end()
    }

    private static func stamped(
        _ value: JSONValue, _ isOwn: Bool
    ) throws(CatalogueError) -> (value: JSONValue, time: Int64) {
        guard let parts = value.elements, parts.count == 2 else { throw .broken("a value without its time") }
        return (parts[0], try time(parts[1], isOwn))
    }

    private static func time(_ value: JSONValue, _ isOwn: Bool) throws(CatalogueError) -> Int64 {
        // Values written by this program are never refused.
        if isOwn { return Stamped.possible(value.integer(in: .identities) ?? 0) }
        guard let time = value.integer(in: .milliseconds) else { throw .broken("an impossible time") }
        return min(time, latest)
    }

    /// Latest accepted time of another computer, thirty years before the last possible time, to leave room for later
    /// changes. The limit does not depend on the present time, so a catalogue means the same whenever it is read.
    private static let latest = ClosedRange<Int64>.milliseconds.upperBound - 1 << 40
}

extension JSONValue {
    /// Returns the fields of an object.
    func catalogueFields(_ what: String) throws(CatalogueError) -> [Field] {
        guard case .object(let fields) = self else { throw .broken("\(what) that cannot be read") }
        return fields
    }
}
