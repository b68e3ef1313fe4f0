internal import JSON

/// The JSON text of a catalogue, written piece by piece. The text of a large library is neither in memory beside its
/// values nor copied as a whole.
package struct CatalogueText {
    /// Pieces of the text, in UTF-8. The text is whole after ``end(playlists:takes:)``.
    package private(set) var pieces: [[UInt8]] = []
    /// The end of the text so far.
    private var line = "{"

    /// Length at which a piece ends, in bytes.
    private static let pieceSize = 1 << 18

    package init() {
        JSONValue.writeKey("catalogue", to: &line)
        JSONValue.string(LibraryCatalogue.name).write(to: &line)
        JSONValue.writeKey("v", to: &line)
        line += String(LibraryCatalogue.version)
        open("recordings")
    }

    /// Appends recordings, sorted by their keys. The keys must follow the keys of all earlier calls.
    package mutating func add(_ recordings: [ExactText: LibraryCatalogue.Recording]) {
        write(recordings) { recording, line in
            recording.item.write(to: &line)
            if recording.sections.isEmpty { return }
            JSONValue.writeKey("sections", to: &line)
            line += "["
            for (id, section) in recording.sections.sorted(by: { $0.key < $1.key }) {
                Self.write(id, section, to: &line) { $0.write(to: &$1) }
            }
            line += "]"
        }
    }

    /// Appends playlists and takes, and ends the text.
    package mutating func end(playlists: [ExactText: CatalogueItem], takes: [ExactText: CatalogueItem]) {
        for (name, items) in [("playlists", playlists), ("takes", takes)] {
            line += "]"
            open(name)
            write(items) { $0.write(to: &$1) }
        }
        line += "]}"
        pieces.append(Array(line.utf8))
        line = ""
    }

    /// All pieces as one text.
    package var joined: String {
        var text = ""
        text.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
        for piece in pieces { text += String(decoding: piece, as: UTF8.self) }
        return text
    }

    private mutating func open(_ list: String) {
        JSONValue.writeKey(list, to: &line)
        line += "["
    }

    private mutating func write<Item>(_ items: [ExactText: Item], _ fields: (Item, inout String) -> Void) {
        for (id, item) in items.sorted(by: { $0.key < $1.key }) {
            Self.write(id, item, to: &line, fields)
            guard line.utf8.count >= Self.pieceSize else { continue }
            // The brace after the element stays: the next comma depends on it.
            pieces.append(Array(line.utf8.dropLast()))
            line = "}"
        }
    }

    private static func write<Item>(
        _ id: ExactText, _ item: Item, to line: inout String, _ fields: (Item, inout String) -> Void
    ) {
        JSONValue.separate(&line)
        line += "{"
        JSONValue.writeKey("id", to: &line)
        JSONValue.string(id.text).write(to: &line)
        fields(item, &line)
        line += "}"
    }
}
