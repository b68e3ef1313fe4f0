package import JSON

/// A text that equals another one only byte for byte.
///
/// Swift's texts are equal whether letters are composed or not. A merge that kept one of two such texts would depend on the order.
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

/// A value, and when it was given.
package struct Stamped: Sendable, Hashable {
    /// The value, as its text in JSON.
    private let text: ExactText
    /// When it was given, in milliseconds since 1970.
    package let time: Int64

    /// - Parameter time: One that cannot be, by a clock that is wrong, counts as the nearest one: others refuse a catalogue with it.
    package init(_ value: JSONValue, at time: Int64) {
        text = ExactText(value.text)
        self.time = Self.possible(time)
    }

    fileprivate static func possible(_ time: Int64) -> Int64 {
        min(max(time, 0), ClosedRange.milliseconds.upperBound)
    }

    package var value: JSONValue { JSONValue(reading: Array(text.text.utf8)) ?? .null }

    /// The one that was given later; of two at the same time, the greater text, so that it does not matter who asks.
    package func merged(with other: Stamped) -> Stamped {
        if time != other.time { return time > other.time ? self : other }
        return text < other.text ? other : self
    }

    /// As ``merged(with:)``, for addresses from which exports remove private keys: of two at the same time, texts are compared without their keys,
    /// and of two that are equal so, the one with a key stays. This is one order of all values, so the sequence of merges does not matter.
    func merged(withAddress other: Stamped) -> Stamped {
        if time != other.time || text == other.text { return merged(with: other) }
        let (own, others) = (withoutKeys, other.withoutKeys)
        if own.text != others.text { return own.text < others.text ? other : self }
        if own.text == text { return other }
        return others.text == other.text ? self : merged(with: other)
    }

    /// The value as exports show it, without the keys of addresses.
    var withoutKeys: Stamped {
        guard let address = value.stringValue else { return self }
        let shortened = AddressKeys.removed(from: address)
        return ExactText(shortened) == ExactText(address) ? self : Stamped(.string(shortened), at: time)
    }
}

/// What every kind of thing in a catalogue is for a merge: fields, and members of a set, each with the time of its last change.
///
/// A deletion is a time, too. It hides the thing as long as nothing in it was changed later; the fields stay, so that a later change
/// brings all of it back. So each part only ever grows in one order, and it does not matter who merges what with whom, nor how often.
package struct CatalogueItem: Sendable, Hashable {
    /// The fields, also those that this version does not know.
    package private(set) var fields: [ExactText: Stamped] = [:]
    /// For each member that there ever was, whether it is one now. Used for tags.
    package private(set) var members: [ExactText: Stamped] = [:]
    /// When it was deleted last, in milliseconds since 1970.
    package private(set) var deletion: Int64?

    package init() {}

    private static let source = ExactText(CatalogueField.source)

    /// Gives a field its value. An earlier value is replaced, a later one stays.
    package mutating func set(_ name: String, _ value: JSONValue, at time: Int64) {
        // After the last time that can be there is no later one.
        if time > ClosedRange.milliseconds.upperBound {
            fields[ExactText(name)] = nil
            // A deletion at that time was before this change, also as others read it.
            deletion = deletion.map { min($0, Self.latest - 1) }
        }
        take(field: ExactText(name), Stamped(value, at: time))
    }

    /// Forgets that a field was ever given a value.
    package mutating func forget(_ name: String) { fields[ExactText(name)] = nil }

    /// Gives a field its value, whatever it was: for what follows from other fields.
    mutating func replace(_ name: ExactText, _ value: Stamped) { fields[name] = value }

    /// Says whether something is a member.
    package mutating func setMember(_ name: String, _ isMember: Bool, at time: Int64) {
        if time > ClosedRange.milliseconds.upperBound { members[ExactText(name)] = nil }
        take(member: ExactText(name), Stamped(.bool(isMember), at: time))
    }

    /// Deletes it at a time.
    package mutating func delete(at time: Int64) {
        let time = Stamped.possible(time)
        deletion = max(deletion ?? time, time)
    }

    /// The value of a field; nil if it has none, or null.
    package subscript(_ name: String) -> JSONValue? {
        fields[ExactText(name)].map(\.value).flatMap { $0 == .null ? nil : $0 }
    }

    /// The members, in the order of their bytes.
    package var currentMembers: [String] {
        members.filter { $0.value.value == .bool(true) }.keys.sorted().map(\.text)
    }

    /// Whether it was changed after it was deleted last. A change at the same time is not after it.
    package var isVisible: Bool { deletion.map { (lastChange ?? .min) > $0 } ?? true }

    /// When something in it was changed last, in milliseconds since 1970; nil if there is nothing in it.
    package var lastChange: Int64? {
        [fields.values.lazy.map(\.time).max(), members.values.lazy.map(\.time).max()].compactMap(\.self).max()
    }

    package mutating func merge(_ other: CatalogueItem) {
        for (name, value) in other.fields { take(field: name, value) }
        members.merge(other.members) { $0.merged(with: $1) }
        if let time = other.deletion { delete(at: time) }
    }

    /// Removes the keys of the address that it comes from.
    ///
    /// - Returns: False if there was none.
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
    /// In JSON: `{"fields": {NAME: [VALUE, TIME]}, "tags": {NAME: [true, TIME]}, "deleted": TIME}`, names in the order of their bytes,
    /// without what is empty.
    var json: [JSONValue.Field] {
        func object(_ values: [ExactText: Stamped]) -> JSONValue {
            .object(
                values.sorted { $0.key < $1.key }.map { name, stamped in
                    .init(name.text, .array([stamped.value, .integer(stamped.time)]))
                })
        }
        var parts: [JSONValue.Field] = []
        if !fields.isEmpty { parts.append(.init("fields", object(fields))) }
        if !members.isEmpty { parts.append(.init("tags", object(members))) }
        if let deletion { parts.append(.init("deleted", .integer(deletion))) }
        return parts
    }

    /// Reads what ``json`` gives; keys that it does not give are ignored.
    ///
    /// - Parameter isOwn: Whether this program has written it into its store.
    init(json value: JSONValue, isOwn: Bool) throws(CatalogueError) {
        self.init()
        for part in try value.catalogueFields("an entry") {
            switch part.key {
            case "fields", "tags":
                for field in try part.value.catalogueFields(part.key) {
                    try read(field.key, of: part.key, field.value, isOwn: isOwn)
                }
            case "deleted": try read(deletion: part.value, isOwn: isOwn)
            default: break
            }
        }
    }

    /// Reads a value of `fields` or `tags`.
    mutating func read(
        _ name: String, of part: String, _ value: JSONValue, isOwn: Bool
    ) throws(CatalogueError) {
        let (value, time) = try Self.stamped(value, isOwn)
        guard part == "tags" else { return take(field: ExactText(name), Stamped(value, at: time)) }
        guard case .bool = value else { throw .broken("a tag that is neither there nor not there") }
        take(member: ExactText(name), Stamped(value, at: time))
    }

    mutating func read(deletion value: JSONValue, isOwn: Bool) throws(CatalogueError) {
        delete(at: try Self.time(value, isOwn))
    }

    /// As a text of the store.
    package var storedText: String { JSONValue.object(json).text }

    /// Reads what ``storedText`` gives; nil for anything else.
    package init?(stored text: String) {
        guard let value = JSONValue(reading: Array(text.utf8)),
            let item = try? CatalogueItem(json: value, isOwn: true)
        else {
            return nil
        }
        self = item
    }

    private static func stamped(
        _ value: JSONValue, _ isOwn: Bool
    ) throws(CatalogueError) -> (value: JSONValue, time: Int64) {
        guard let parts = value.elements, parts.count == 2 else { throw .broken("a value without its time") }
        return (parts[0], try time(parts[1], isOwn))
    }

    private static func time(_ value: JSONValue, _ isOwn: Bool) throws(CatalogueError) -> Int64 {
        // What this program has written is never refused.
        if isOwn { return Stamped.possible(value.integer(in: .identities) ?? 0) }
        guard let time = value.integer(in: .milliseconds) else { throw .broken("a time that cannot be") }
        return min(time, latest)
    }

    /// The latest time of another computer, thirty years before the last one that can be: later changes can be dated later. It does not depend on the
    /// time now, so that the same catalogue says the same whenever it is read.
    private static let latest = ClosedRange<Int64>.milliseconds.upperBound - 1 << 40
}

extension JSONValue {
    /// The fields of an object.
    func catalogueFields(_ what: String) throws(CatalogueError) -> [Field] {
        guard case .object(let fields) = self else { throw .broken("\(what) that cannot be read") }
        return fields
    }
}
