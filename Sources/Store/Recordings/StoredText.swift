// Stores sections and settings as JSON texts in columns: one text for all sections of a change.
package import AudioFiles
package import Database
internal import JSON
internal import Sections

/// The section of another recording from which a section was adopted.
package struct SectionOrigin: Sendable, Equatable {
    package let key: RecordingKey
    package let sectionID: Int

    package init(key: RecordingKey, sectionID: Int) {
        (self.key, self.sectionID) = (key, sectionID)
    }
}

package enum StoredText {
    static func text(_ settings: [String: String]) -> String { value(settings).text }

    /// Returns the settings in a column; none if the column is unreadable, which is noted.
    static func settings(_ row: DatabaseRow, _ column: Int) throws(DatabaseError) -> [String: String] {
        let text = try row.text(column)
        return try row.readable(or: [:]) { () throws(DatabaseError) in try settings(text) }
    }

    private static func settings(_ text: String) throws(DatabaseError) -> [String: String] {
        if text == "{}" { return [:] }
        return try settings(JSONValue(reading: Array(text.utf8)))
    }

    /// Returns the time of the last change of each metadata field (`item.edited`), by the field's name; none if the
    /// column is unreadable, which is noted.
    package static func times(_ row: DatabaseRow, _ column: Int) throws(DatabaseError) -> [String: Int64] {
        let text = try row.text(column)
        if text == "{}" { return [:] }
        return try row.readable(or: [:]) { () throws(DatabaseError) in
            guard case .object(let fields)? = JSONValue(reading: Array(text.utf8)) else {
                throw .wrongValue("the times of changes to a recording cannot be read")
            }
            return fields.reduce(into: [:]) { times, field in
                times[field.key] = field.value.integer(in: .identities).map {
                    min(max(0, $0), ClosedRange.milliseconds.upperBound)
                }
            }
        }
    }

    /// - Parameter origins: The origins of the sections, by the identities of the sections.
    static func text(_ sections: [SavedSection], origins: [Int: SectionOrigin] = [:]) -> String {
        let values: [JSONValue] = sections.map { section in
            let origin = origins[section.id].map { origin in
                [JSONValue.Field("origin", .string("\(origin.key) \(origin.sectionID)"))]
            }
            return .object(
                [
                    .init("id", .integer(section.id)), .init("kind", .string(section.kind.rawValue)),
                    .init("first", .integer(section.frames.lowerBound)),
                    .init("past", .integer(section.frames.upperBound)),
                    .init("name", .string(section.name)), .init("text", .string(section.text)),
                    .init("hard", .bool(section.isHard)), .init("settings", value(section.settings)),
                ] + (origin ?? []))
        }
        return JSONValue.array(values).text
    }

    static func sections(_ text: String) throws(DatabaseError) -> [SavedSection] {
        guard case .array(let values)? = JSONValue(reading: Array(text.utf8)) else { throw unreadable }
        var sections: [SavedSection] = []
        for value in values { sections.append(try section(value)) }
        return sections
    }

    /// Returns the origins of a change's sections, by the identities of the sections.
    static func origins(_ text: String) throws(DatabaseError) -> [Int: SectionOrigin] {
        guard case .array(let values)? = JSONValue(reading: Array(text.utf8)) else { throw unreadable }
        var origins: [Int: SectionOrigin] = [:]
        for value in values {
            guard let words = value["origin"]?.stringValue?.split(separator: " "), words.count == 2,
                let id = value["id"]?.integer(in: .counts), let key = RecordingKey(String(words[0])),
                let from = Int(digits: words[1], in: .min ... .max)
            else { continue }
            origins[Int(id)] = SectionOrigin(key: key, sectionID: from)
        }
        return origins
    }

    /// Sorts the settings, so that equal settings have equal texts.
    private static func value(_ settings: [String: String]) -> JSONValue {
        .object(settings.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })
    }

    private static func settings(_ value: JSONValue?) throws(DatabaseError) -> [String: String] {
        guard case .object(let fields)? = value else { throw unreadable }
        var settings: [String: String] = [:]
        for field in fields {
            guard case .string(let text) = field.value else { throw unreadable }
            settings[field.key] = text
        }
        return settings
    }

    private static func section(_ value: JSONValue) throws(DatabaseError) -> SavedSection {
        guard case .object(let fields) = value, (8...9).contains(fields.count),
            let id = fields[0].value.integer(in: 1...Int64(Int32.max)), case .string(let kindName) = fields[1].value,
            let kind = SavedSection.Kind(rawValue: kindName), let first = fields[2].value.integer(in: .counts),
            let past = fields[3].value.integer(in: .counts), first < past,
            case .string(let name) = fields[4].value, case .string(let text) = fields[5].value,
            case .bool(let isHard) = fields[6].value
        else { throw unreadable }
        return SavedSection(
            id: Int(id), kind: kind, frames: first..<past, name: name, text: text, isHard: isHard,
            settings: try settings(fields[7].value))
    }

    private static var unreadable: DatabaseError { .wrongValue("a change or its settings cannot be read") }
}

extension String {
    /// True if the text is within a number of characters, and within ten times as many Unicode scalars, because a
    /// character can have any number of scalars.
    package func isWithin(_ characters: Int) -> Bool {
        unicodeScalars.count <= 10 * characters && count <= characters
    }

    /// Returns the longest beginning of the text within these limits.
    package func prefix(within characters: Int) -> String {
        if isWithin(characters) { return self }
        var (short, scalars) = ("", 0)
        for character in self.prefix(characters) {
            scalars += character.unicodeScalars.count
            if scalars > 10 * characters { break }
            short.append(character)
        }
        return short
    }
}
