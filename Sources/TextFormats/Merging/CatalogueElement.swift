internal import JSON

/// An element of a list in a catalogue, parsed value by value: a tree of the element would take fifteen times the
/// memory of its text.
///
/// The limits are far beyond a real library of this program. Without limits, a text of 50 MB could take gigabytes.
struct CatalogueElement {
    enum List: String {
        case recordings, playlists, takes

        fileprivate var one: String { String(rawValue.dropLast()) }
    }

    /// Maximum number of elements of a list.
    static let mostElements = 1_000_000
    /// Maximum number of sections of a recording, including removed sections.
    private static let mostSections = 1_000_000
    /// Maximum number of fields and tags of a recording or take.
    private static let mostFields = 50_000
    /// Maximum number of fields of a playlist. Each entry, even a removed entry, has a field.
    private static let mostEntries = 1_000_000
    /// Longest value of a field, and longest section, in bytes.
    private static let longestValue = 1 << 22
    /// Longest list of a playlist, in bytes.
    private static let longestEntries = 1 << 26
    /// Maximum number of values in a value of a field or in a section.
    private static let mostValues = 100_000

    private(set) var id: ExactText?
    private(set) var recording = LibraryCatalogue.Recording()
    /// First fault of the element.
    private(set) var fault: CatalogueError?

    private let list: List
    private let number: Int
    private let keepsAll: Bool
    private var fieldCount = 0
    /// Number of sections, including sections that are only checked.
    private(set) var sectionCount = 0

    /// Fields and tags.
    var item: CatalogueItem { recording.item }

    /// Parses an element. A faulty element is still parsed to its end.
    ///
    /// - Parameters:
    ///   - number: Number of the element in the list, from 1, for errors.
    ///   - keepsAll: False to only check the sections of a recording, and the fields of a playlist.
    /// - Throws: The fault of a text that is not JSON, or of a value that is too long.
    init(
        from stream: inout JSONStream<CatalogueError>, _ list: List, number: Int, keepsAll: Bool
    ) throws(CatalogueError) {
        (self.list, self.number, self.keepsAll) = (list, number, keepsAll)
        guard try stream.shape() == .object else {
            note(.broken("an entry that cannot be read"))
            try stream.skip()
            return
        }
        try stream.object { (stream, key) throws(CatalogueError) in try read(key, from: &stream) }
        if id == nil { note(.broken("an entry without an id")) }
    }

    private mutating func note(_ fault: CatalogueError) { self.fault = self.fault ?? fault }

    private mutating func read(_ key: String, from stream: inout JSONStream<CatalogueError>) throws(CatalogueError) {
        switch key {
        case "id" where id == nil:
            guard let text = try value(&stream).stringValue, !text.isEmpty else {
                return note(.broken("an entry without an id"))
            }
            id = ExactText(text)
        case "fields", "tags": try readFields(of: key, from: &stream)
        case "deleted":
            let value = try value(&stream)
            noting { (recording) throws(CatalogueError) in try recording.item.read(deletion: value, isOwn: false) }
        case "sections" where list == .recordings && sectionCount == 0: try readSections(from: &stream)
        default: try stream.skip()
        }
    }

    private mutating func readFields(
        of part: String, from stream: inout JSONStream<CatalogueError>
    ) throws(CatalogueError) {
        guard try stream.shape() == .object else {
            note(.broken("\(part) that cannot be read"))
            return try stream.skip()
        }
        let most = list == .playlists ? Self.mostEntries : Self.mostFields
        try stream.object { (stream, name) throws(CatalogueError) in
            fieldCount += 1
            guard fieldCount <= most else {
                note(tooLarge(most, "fields and tags"))
                return try stream.skip()
            }
            let value = try value(&stream)
            noting { (recording) throws(CatalogueError) in
                try recording.item.read(name, of: part, value, isOwn: false)
            }
            // The fields of a long playlist take twice the memory of their text.
            if list == .playlists, !keepsAll { recording.item = CatalogueItem() }
        }
    }

    private mutating func readSections(from stream: inout JSONStream<CatalogueError>) throws(CatalogueError) {
        guard try stream.shape() == .array else {
            note(.unreadableList)
            return try stream.skip()
        }
        try stream.array { (stream) throws(CatalogueError) in
            sectionCount += 1
            guard sectionCount <= Self.mostSections else {
                note(tooLarge(Self.mostSections, "sections"))
                return try stream.skip()
            }
            let value = try value(&stream)
            let keeps = keepsAll
            noting { (recording) throws(CatalogueError) in
                let item = try CatalogueItem(json: value)
                let id = try LibraryCatalogue.id(of: value)
                if keeps { recording.sections[id, default: CatalogueItem()].merge(item) }
            }
        }
    }

    /// Executes a change, and records its fault.
    private mutating func noting(
        _ change: (inout LibraryCatalogue.Recording) throws(CatalogueError) -> Void
    ) {
        do throws(CatalogueError) { try change(&recording) } catch { note(error) }
    }

    private func value(_ stream: inout JSONStream<CatalogueError>) throws(CatalogueError) -> JSONValue {
        let isPlaylist = list == .playlists
        let (bytes, values) =
            isPlaylist ? (Self.longestEntries, Self.mostEntries) : (Self.longestValue, Self.mostValues)
        guard let value = try stream.value(within: bytes, values) else {
            throw tooLarge(bytes, "bytes or \(values) values in one place")
        }
        return value
    }

    private func tooLarge(_ most: Int, _ things: String) -> CatalogueError {
        .tooLarge("a \(list.one), number \(number), with", most, things)
    }
}
