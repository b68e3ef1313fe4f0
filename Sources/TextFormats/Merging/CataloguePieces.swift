internal import JSON

/// The bytes of a catalogue, which are read twice: from the beginning to the end, and then recording by recording.
package protocol CatalogueSource: Sendable {
    var byteCount: Int { get }

    /// The bytes of a range of `0 ..< byteCount`.
    func bytes(in range: Range<Int>) throws(CatalogueError) -> [UInt8]
}

extension [UInt8]: CatalogueSource {
    package var byteCount: Int { count }
    package func bytes(in range: Range<Int>) -> [UInt8] { Array(self[range]) }
}

/// A catalogue that is read recording by recording. The tree of a whole text takes fifteen times its length in memory; this takes some hundred bytes
/// for each recording, and nothing for the text of a source that is a file.
///
/// The text is checked as a whole before any of it is used. Real-time safe: no. Threads: any.
package struct CataloguePieces: Sendable {
    /// Playlists and takes.
    package private(set) var lists = LibraryCatalogue()

    private enum Source: Sendable {
        case text(any CatalogueSource)
        case catalogue([ExactText: LibraryCatalogue.Recording])
    }

    /// A recording in the text.
    private struct Place: Sendable {
        let id: ExactText
        var order: Order
        /// Where it is said.
        let range: Range<Int>
        /// Where else, if there is more than one element of its id.
        var others: [Range<Int>] = []
    }

    /// Recordings that lose something come first, so that it is removed in one step also if the merge is interrupted. The rest comes as it was added, so that it is
    /// listed so.
    private struct Order: Comparable, Sendable {
        let isRemoval: Bool
        private let added: Int64

        init(_ item: CatalogueItem) {
            isRemoval =
                !item.isVisible
                || item.fields.contains {
                    $0.key.text.hasPrefix(CatalogueField.document) && $0.value.value == .bool(false)
                }
            added = item[CatalogueField.added]?.integer(in: .milliseconds) ?? 0
        }

        static func < (left: Order, right: Order) -> Bool {
            left.isRemoval == right.isRemoval ? left.added < right.added : left.isRemoval
        }
    }

    /// How much of a text is read at once, in bytes.
    private static let pieceSize = 1 << 18

    private let source: Source
    private var places: [Place] = []

    /// The number of recordings.
    package var count: Int { places.count }
    /// How many of them, the first ones, remove something.
    package var removalCount: Int { places.prefix { $0.order.isRemoval }.count }

    /// The pieces of a catalogue that is in memory.
    package init(_ catalogue: LibraryCatalogue) {
        source = .catalogue(catalogue.recordings)
        (lists.playlists, lists.takes) = (catalogue.playlists, catalogue.takes)
        places = catalogue.recordings.map { Place(id: $0.key, order: Order($0.value.item), range: 0..<0) }
        sort()
    }

    /// Reads what ``LibraryCatalogue/json`` gives, its keys in any order.
    package init(reading text: some CatalogueSource) throws(CatalogueError) {
        source = .text(text)
        var (name, version): (JSONValue?, JSONValue?)
        var fault: CatalogueError?
        var (lists, places) = (LibraryCatalogue(), [Place]())
        var readCount = 0
        let isObject = try JSONValue.readParts { () throws(CatalogueError) in
            let range = readCount..<min(text.byteCount, readCount + Self.pieceSize)
            readCount = range.upperBound
            return try text.bytes(in: range)
        } _: { part in
            do throws(CatalogueError) {
                switch part {
                case .field("catalogue", let value): name = name ?? value
                case .field("v", let value): version = version ?? value
                case .field("recordings", _), .field("playlists", _), .field("takes", _): throw .unreadableList
                case .element(of: "recordings", let value, at: let range):
                    let item = try LibraryCatalogue.Recording(json: value).item
                    places.append(Place(id: try LibraryCatalogue.id(of: value), order: Order(item), range: range))
                case .element(of: "playlists", let value, at: _): try Self.merge(value, into: &lists.playlists)
                case .element(of: "takes", let value, at: _): try Self.merge(value, into: &lists.takes)
                case .field, .element: break
                }
            } catch { fault = fault ?? error }
        }
        guard isObject, name == .string(LibraryCatalogue.name), let version = version?.integer(in: .counts) else {
            throw .foreign
        }
        if version > LibraryCatalogue.version { throw .newer }
        if let fault { throw fault }
        (self.lists, self.places) = (lists, places)
        sort()
    }

    private static func merge(
        _ element: JSONValue, into items: inout [ExactText: CatalogueItem]
    ) throws(CatalogueError) {
        items[try LibraryCatalogue.id(of: element), default: CatalogueItem()].merge(
            try CatalogueItem(json: element, isOwn: false))
    }

    private mutating func sort() {
        places.sort { $0.id < $1.id }
        var count = 0
        for index in places.indices {
            if count > 0, places[count - 1].id == places[index].id {
                places[count - 1].others.append(places[index].range)
                places[count - 1].order = min(places[count - 1].order, places[index].order)
            } else {
                places.swapAt(count, index)
                count += 1
            }
        }
        places.removeSubrange(count...)
        places.sort { ($0.order, $0.id) < ($1.order, $1.id) }
    }

    /// The recordings in a range of `0 ..< count`, in the order in which they are merged.
    package func recordings(
        _ range: Range<Int>
    ) throws(CatalogueError) -> [(id: ExactText, recording: LibraryCatalogue.Recording)] {
        var found: [(id: ExactText, recording: LibraryCatalogue.Recording)] = []
        for place in places[range] {
            var recording = LibraryCatalogue.Recording()
            switch source {
            case .catalogue(let recordings): recording = recordings[place.id] ?? recording
            case .text(let text):
                for range in [place.range] + place.others {
                    guard let value = JSONValue(reading: try text.bytes(in: range)) else { throw .changed }
                    recording.merge(try LibraryCatalogue.Recording(json: value))
                }
            }
            found.append((place.id, recording))
        }
        return found
    }
}
