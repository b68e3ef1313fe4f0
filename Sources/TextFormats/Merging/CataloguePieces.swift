internal import JSON

/// A catalogue that is read recording by recording. The tree of a whole text takes fifteen times its length in memory; this takes the text and some
/// hundred bytes for each recording.
///
/// The text is checked as a whole before any of it is used. Real-time safe: no. Threads: any.
package struct CataloguePieces: Sendable {
    /// Playlists and takes.
    package private(set) var lists = LibraryCatalogue()

    private enum Source: Sendable {
        case text([UInt8])
        case catalogue([ExactText: LibraryCatalogue.Recording])
    }

    /// A recording in the text.
    private struct Place: Sendable {
        let id: ExactText
        var order: Order
        /// Where it is said; more than one range if there is more than one element of its id.
        var ranges: [Range<Int>]
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
        places = catalogue.recordings.map { Place(id: $0.key, order: Order($0.value.item), ranges: []) }
        sort()
    }

    /// Reads what ``LibraryCatalogue/json`` gives, its keys in any order.
    package init(reading bytes: [UInt8]) throws(CatalogueError) {
        source = .text(bytes)
        var (name, version): (JSONValue?, JSONValue?)
        var fault: CatalogueError?
        var (lists, places) = (LibraryCatalogue(), [Place]())
        let isObject = JSONValue.readParts(of: bytes) { part in
            do throws(CatalogueError) {
                switch part {
                case .field("catalogue", let value): name = name ?? value
                case .field("v", let value): version = version ?? value
                case .field("recordings", _), .field("playlists", _), .field("takes", _): throw .unreadableList
                case .element(of: "recordings", let value, at: let range):
                    let item = try LibraryCatalogue.Recording(json: value).item
                    places.append(Place(id: try LibraryCatalogue.id(of: value), order: Order(item), ranges: [range]))
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
                places[count - 1].ranges += places[index].ranges
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
            case .text(let bytes):
                for range in place.ranges {
                    guard let value = JSONValue(reading: Array(bytes[range])) else { throw .foreign }
                    recording.merge(try LibraryCatalogue.Recording(json: value))
                }
            }
            found.append((place.id, recording))
        }
        return found
    }
}
