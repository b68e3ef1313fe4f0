package import JSON

/// What a library holds, without the sound: for exports, and for merging the libraries of several computers.
///
/// Two catalogues are merged field by field: the later change wins, and of two at the same time the greater value. What was deleted stays
/// deleted, unless it was changed later. Merging is commutative, associative and idempotent: computers that exchange their catalogues in
/// any order and as often as they like end up with the same.
///
/// The JSON has the version `"v": 1`. Fields of things that this version does not know are kept and merged like the others; unknown keys
/// elsewhere are ignored. Fields are only ever added, never given another meaning; what cannot be read so gets another version.
///
/// Times are in milliseconds since 1970, by the clock of the computer where the change was made.
///
/// Real-time safe: no. Threads: any.
package struct LibraryCatalogue: Sendable, Hashable {
    /// A recording with its sections.
    package struct Recording: Sendable, Hashable {
        /// Title, artist and so on: see ``CatalogueField``; tags are members.
        package var item = CatalogueItem()
        /// By an id that is the same on all computers.
        package var sections: [ExactText: CatalogueItem] = [:]

        package init() {}

        package mutating func merge(_ other: Recording) {
            item.merge(other.item)
            sections.merge(other.sections) { $0.merged(with: $1) }
        }
    }

    /// By their content's key, as hexadecimal digits in lower case.
    package var recordings: [ExactText: Recording] = [:]
    /// By an id that is the same on all computers.
    package var playlists: [ExactText: CatalogueItem] = [:]
    /// By the key of the take's content.
    package var takes: [ExactText: CatalogueItem] = [:]

    package init() {}

    /// What both hold.
    package func merged(with other: LibraryCatalogue) -> LibraryCatalogue {
        var all = self
        all.recordings.merge(other.recordings) { left, right in
            var both = left
            both.merge(right)
            return both
        }
        func settled(_ playlists: [ExactText: CatalogueItem]) -> [ExactText: CatalogueItem] {
            playlists.mapValues { playlist in
                var playlist = playlist
                playlist.settleEntries()
                return playlist
            }
        }
        // A list of an earlier version becomes entries before it meets others.
        all.playlists = settled(settled(playlists).merging(settled(other.playlists)) { $0.merged(with: $1) })
        all.takes.merge(other.takes) { $0.merged(with: $1) }
        return all
    }

    /// Removes the private keys of addresses, for other people. Times stay, so merging the rest where it came from changes nothing.
    ///
    /// - Returns: The recordings whose address is shorter now.
    package mutating func removeKeys() -> Int {
        var count = 0
        for key in recordings.keys where recordings[key]?.item.removeKeys() == true { count += 1 }
        return count
    }

    /// The recordings that are not deleted, in the order of their keys.
    package var visibleRecordings: [(key: String, recording: Recording)] {
        recordings.filter(\.value.item.isVisible).sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
    }
}

/// The names of the fields that this version knows.
package enum CatalogueField {
    // Of a recording.
    package static let title = "title"
    package static let artist = "artist"
    package static let language = "language"
    /// Where it came from, for example an address.
    package static let source = "source"
    /// What its owner permits, in the user's words.
    package static let licence = "licence"
    /// When it was added, in milliseconds since 1970.
    package static let added = "added"
    package static let sampleRate = "rate"
    package static let frameCount = "frames"
    /// What kind of file it is: name, length in bytes, container, codec, channels, and whether it is a video.
    package static let file = "file"
    /// What the fields of documents begin with; the hash of the content follows. The value has its name and its length in bytes, or is false if it was
    /// removed. The files are in bundles and backups.
    package static let document = "document "

    // Of a section.
    /// First frame, and the one past the last, as one value: two halves of different changes would be no range.
    package static let range = "range"
    package static let kind = "kind"
    package static let name = "name"
    package static let text = "text"
    package static let isHard = "hard"
    package static let settings = "settings"

    // Of a playlist, which also has a name: the keys of its recordings in order, as one value. It follows from the fields of its entries.
    package static let entries = "entries"
    /// The beginning of the names of an entry's fields; the key of the recording and a number follow. The value is its position, or false if it was removed.
    package static let entry = "entry "
    /// The time up to which changes of the whole list are known in the fields of entries.
    package static let settledEntries = "entries settled"

    // Of a take, which also has a name: the recording's key and the section's id that it belongs to.
    package static let recording = "recording"
    package static let section = "section"
    /// From 1 to 5.
    package static let rating = "rating"
    package static let note = "note"
    /// What is known of its sound: rate, channels, length, when it was recorded, and by which input.
    package static let sound = "sound"
    /// Where it lies on its recording.
    package static let model = "model"
}

extension [ExactText: CatalogueItem] {
    /// Those that are not deleted, in the order of their ids.
    package var visible: [(id: String, item: CatalogueItem)] {
        filter(\.value.isVisible).sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
    }
}

extension CatalogueItem {
    package func merged(with other: CatalogueItem) -> CatalogueItem {
        var both = self
        both.merge(other)
        return both
    }
}

extension LibraryCatalogue {
    static let version: Int64 = 1
    static let name = "woodshed library"

    /// The catalogue in JSON, always in the same order, so that equal catalogues have equal texts.
    package var json: JSONValue {
        func list(_ items: [ExactText: CatalogueItem]) -> JSONValue {
            .array(
                items.sorted { $0.key < $1.key }.map { .object([.init("id", .string($0.key.text))] + $0.value.json) })
        }
        let recordings = recordings.sorted { $0.key < $1.key }.map { key, recording -> JSONValue in
            var fields = [JSONValue.Field("id", .string(key.text))] + recording.item.json
            if !recording.sections.isEmpty { fields.append(.init("sections", list(recording.sections))) }
            return .object(fields)
        }
        return .object([
            .init("catalogue", .string(Self.name)), .init("v", .integer(Self.version)),
            .init("recordings", .array(recordings)), .init("playlists", list(playlists)), .init("takes", list(takes)),
        ])
    }

    /// Reads what ``json`` gives.
    ///
    /// What is there twice is merged.
    package init(reading bytes: [UInt8]) throws(CatalogueError) {
        let pieces = try CataloguePieces(reading: bytes)
        self = pieces.lists
        for (id, recording) in try pieces.recordings(0..<pieces.count) { recordings[id] = recording }
    }

    /// The id of an element of a list.
    static func id(of element: JSONValue) throws(CatalogueError) -> ExactText {
        guard let id = element["id"]?.stringValue, !id.isEmpty else { throw .broken("an entry without an id") }
        return ExactText(id)
    }
}
