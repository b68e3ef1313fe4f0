internal import JSON

/// The bytes of a catalogue. These are read from beginning to end, then recording by recording, then the playlists.
package protocol CatalogueSource: Sendable {
    var byteCount: Int { get }

    /// Returns the bytes of a range of `0 ..< byteCount`.
    func bytes(in range: Range<Int>) throws(CatalogueError) -> [UInt8]
}

extension [UInt8]: CatalogueSource {
    package var byteCount: Int { count }
    package func bytes(in range: Range<Int>) -> [UInt8] { Array(self[range]) }
}

/// A catalogue that is read recording by recording. A tree of the whole text would take fifteen times its length in
/// memory. This type takes some hundred bytes for each recording, and nothing for playlists and for the text of a
/// source in a file.
///
/// The whole text is checked before any part is used. Real-time safe: no. Threads: any.
package struct CataloguePieces: Sendable {
    /// Takes, by the key of the take's content.
    package private(set) var takes: [ExactText: CatalogueItem] = [:]

    private enum Source: Sendable {
        case text(any CatalogueSource)
        case catalogue(LibraryCatalogue)
    }

    /// A recording in the text.
    private struct Place: Sendable {
        let id: ExactText
        var order: Order
        var sectionCount: Int
        /// Range of the recording's element.
        let range: Range<Int>
        /// Ranges of further elements with the same id.
        var others: [Range<Int>] = []
    }

    /// Order of merging. Recordings with removals come first, so that one step removes everything even if the merge is
    /// interrupted. Other recordings follow in the order of their addition, so that lists show this order.
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

    /// Bytes of text read at once.
    private static let pieceSize = 1 << 18

    private let source: Source
    private var places: [Place] = []
    /// Ranges of the elements of playlists in the text.
    private var playlistRanges: [Range<Int>] = []

    /// Number of recordings; 0 after ``freeRecordings()``.
    package var count: Int { places.count }
    /// Frees the memory of the recordings' places. Playlists and takes stay.
    package mutating func freeRecordings() { places = [] }
    /// Returns the number of sections of a recording, by its index in the order of merging.
    package func sectionCount(_ place: Int) -> Int { places[place].sectionCount }
    /// Number of recordings with removals, at the beginning of the order.
    package var removalCount: Int { places.prefix { $0.order.isRemoval }.count }

    /// Creates the pieces of a catalogue in memory.
    package init(_ catalogue: LibraryCatalogue) {
        source = .catalogue(catalogue)
        takes = catalogue.takes
        places = catalogue.recordings.map {
            Place(id: $0.key, order: Order($0.value.item), sectionCount: $0.value.sections.count, range: 0..<0)
        }
        sort()
    }

    /// Parses the result of ``LibraryCatalogue/text``, with its keys in any order.
    package init(reading text: some CatalogueSource) throws(CatalogueError) {
        source = .text(text)
        var (name, version): (JSONValue?, JSONValue?)
        var fault: CatalogueError?
        var takes: [ExactText: CatalogueItem] = [:]
        var (places, playlistRanges): ([Place], [Range<Int>]) = ([], [])
        var stream = Self.stream(text, 0..<text.byteCount, notJSON: .foreign)
        try stream.object { (stream, key) throws(CatalogueError) in
            guard let list = CatalogueElement.List(rawValue: key) else {
                guard ["catalogue", "v"].contains(key) else { return try stream.skip() }
                guard let value = try stream.value(within: 1000, 1) else { throw .foreign }
                if key == "v" { version = version ?? value } else { name = name ?? value }
                return
            }
            // The output of a later version may exceed the limits of this version.
            if let version = version?.integer(in: .counts), version > LibraryCatalogue.version {
                return try stream.skip()
            }
            guard try stream.shape() == .array else {
                fault = fault ?? .unreadableList
                return try stream.skip()
            }
            var count = 0
            try stream.array { (stream) throws(CatalogueError) in
                count += 1
                if count > CatalogueElement.mostElements {
                    fault = fault ?? .tooLarge("a list of", CatalogueElement.mostElements, "\(list.rawValue)")
                    return try stream.skip()
                }
                let first = try stream.place()
                let element = try CatalogueElement(from: &stream, list, number: count, keepsAll: false)
                guard let id = element.id, element.fault == nil else {
                    fault = fault ?? element.fault
                    return
                }
                switch list {
                case .recordings:
                    places.append(
                        Place(
                            id: id, order: Order(element.item), sectionCount: element.sectionCount,
                            range: first..<stream.readCount))
                case .playlists: playlistRanges.append(first..<stream.readCount)
                case .takes: takes[id, default: CatalogueItem()].merge(element.item)
                }
            }
        }
        try stream.end()
        guard name == .string(LibraryCatalogue.name), let version = version?.integer(in: .counts) else {
            throw .foreign
        }
        if version > LibraryCatalogue.version { throw .newer }
        if let fault { throw fault }
        (self.takes, self.places, self.playlistRanges) = (takes, places, playlistRanges)
        sort()
    }

    /// Returns a stream of a part of a text.
    private static func stream(
        _ text: any CatalogueSource, _ range: Range<Int>, notJSON: CatalogueError
    ) -> JSONStream<CatalogueError> {
        var place = range.lowerBound
        return JSONStream(notJSON: notJSON) { () throws(CatalogueError) in
            let piece = place..<min(range.upperBound, place + pieceSize)
            place = piece.upperBound
            return piece.isEmpty ? [] : try text.bytes(in: piece)
        }
    }

    private mutating func sort() {
        places.sort { $0.id < $1.id }
        var count = 0
        for index in places.indices {
            if count > 0, places[count - 1].id == places[index].id {
                places[count - 1].others.append(places[index].range)
                places[count - 1].order = min(places[count - 1].order, places[index].order)
                places[count - 1].sectionCount += places[index].sectionCount
            } else {
                places.swapAt(count, index)
                count += 1
            }
        }
        places.removeSubrange(count...)
        places.sort { ($0.order, $0.id) < ($1.order, $1.id) }
    }

    /// Returns the recordings in a range of `0 ..< count`, in the order of merging.
    package func recordings(
        _ range: Range<Int>
    ) throws(CatalogueError) -> [(id: ExactText, recording: LibraryCatalogue.Recording)] {
        var found: [(id: ExactText, recording: LibraryCatalogue.Recording)] = []
        for place in places[range] {
            var recording = LibraryCatalogue.Recording()
            switch source {
            case .catalogue(let catalogue): recording = catalogue.recordings[place.id] ?? recording
            case .text(let text):
                for range in [place.range] + place.others {
                    recording.merge(try Self.element(.recordings, in: range, of: text).recording)
                }
            }
            found.append((place.id, recording))
        }
        return found
    }

    /// Reads the playlists. A list of 100,000 recordings takes 20 MB.
    package func playlists() throws(CatalogueError) -> [ExactText: CatalogueItem] {
        switch source {
        case .catalogue(let catalogue): return catalogue.playlists
        case .text(let text):
            var found: [ExactText: CatalogueItem] = [:]
            for range in playlistRanges {
                let element = try Self.element(.playlists, in: range, of: text)
                guard let id = element.id else { throw .changed }
                found[id, default: CatalogueItem()].merge(element.item)
            }
            return found
        }
    }

    /// Reads an element again.
    private static func element(
        _ list: CatalogueElement.List, in range: Range<Int>, of text: any CatalogueSource
    ) throws(CatalogueError) -> CatalogueElement {
        var stream = stream(text, range, notJSON: .changed)
        let element = try CatalogueElement(from: &stream, list, number: 0, keepsAll: true)
        try stream.end()
        if let fault = element.fault { throw fault }
        return element
    }
}
