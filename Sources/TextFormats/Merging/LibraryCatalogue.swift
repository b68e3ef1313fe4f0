internal import JSON

/// The contents of a library, without the sound: for exports, and for merging the libraries of several computers.
///
/// Catalogues merge field by field: the later change wins, and at equal times the greater value. A deleted thing stays
/// deleted, unless a later change follows. Merging is commutative, associative and idempotent: computers that exchange
/// their catalogues in any order, and any number of times, reach the same result.
///
/// The JSON has the version `"v": 1`. Unknown fields of things are kept and merged like known fields; unknown keys
/// elsewhere are ignored. New versions only add fields, and never change the meaning of a field; an incompatible format
/// gets another version.
///
/// Times are in milliseconds since 1970, by the clock of the computer that made the change.
///
/// Real-time safe: no. Threads: any.
package struct LibraryCatalogue: Sendable, Hashable {
    /// A recording with its sections.
    package struct Recording: Sendable, Hashable {
        /// Title, artist and other fields: see ``CatalogueField``. Tags are members.
        package var item = CatalogueItem()
        /// Sections, by an id that is the same on all computers.
        package var sections: [ExactText: CatalogueItem] = [:]

        package init() {}

        package mutating func merge(_ other: Recording) {
            item.merge(other.item)
            sections.merge(other.sections) { $0.merged(with: $1) }
        }
    }

    /// Recordings, by their content's key, as hexadecimal digits in lower case.
    package var recordings: [ExactText: Recording] = [:]
    /// Playlists, by an id that is the same on all computers.
    package var playlists: [ExactText: CatalogueItem] = [:]
    /// Takes, by the key of the take's content.
    package var takes: [ExactText: CatalogueItem] = [:]

    package init() {}

    /// Returns the contents of both catalogues, merged.
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
        // Turns the list of an earlier version into entries before merging.
        all.playlists = settled(settled(playlists).merging(settled(other.playlists)) { $0.merged(with: $1) })
        all.takes.merge(other.takes) { $0.merged(with: $1) }
        return all
    }

    /// Removes the private keys of addresses, for other people. Times stay, so merging the result back into its origin
    /// changes nothing.
    ///
    /// - Returns: Number of recordings with shortened addresses.
    package mutating func removeKeys() -> Int {
        var count = 0
        for key in recordings.keys where recordings[key]?.item.removeKeys() == true { count += 1 }
        return count
    }

    /// Recordings that are not deleted, sorted by their keys.
    package var visibleRecordings: [(key: String, recording: Recording)] {
        recordings.filter(\.value.item.isVisible).sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
    }
}

/// Names of the fields known to this version.
package enum CatalogueField {
    // Of a recording.
    package static let title = "title"
    package static let artist = "artist"
    package static let language = "language"
    /// Origin, for example an address.
    package static let source = "source"
    /// Permissions of the owner, in the user's words.
    package static let licence = "licence"
    /// Time of addition, in milliseconds since 1970.
    package static let added = "added"
    package static let sampleRate = "rate"
    package static let frameCount = "frames"
    /// Description of the file: name, length in bytes, container, codec, channels, and whether it is a video.
    package static let file = "file"
    /// Prefix of the fields of documents; the hash of the content follows. The value has the name and the length in
    /// bytes, or is false for a removed document. The files are in bundles and backups.
    package static let document = "document "

    // Of a section.
    /// First frame, and the frame after the last, as one value: halves of different changes would not form a range.
    package static let range = "range"
    package static let kind = "kind"
    package static let name = "name"
    package static let text = "text"
    package static let isHard = "hard"
    package static let settings = "settings"

    // Of a playlist, which also has a name: the keys of its recordings in order, as one value. This value is derived
    // from the fields of the entries.
    package static let entries = "entries"
    /// Prefix of the fields of entries; the key of the recording and a number follow. The value is the position, or
    /// false for a removed entry.
    package static let entry = "entry "
    /// Time up to which the fields of entries contain all changes of the whole list.
    package static let settledEntries = "entries settled"

    // Of a take, which also has a name: the recording's key and the id of the section.
    package static let recording = "recording"
    package static let section = "section"
    /// From 1 to 5.
    package static let rating = "rating"
    package static let note = "note"
    /// Description of the sound: rate, channels, length, time of recording, and input.
    package static let sound = "sound"
    /// Position of the take on its recording.
    package static let model = "model"
}

extension [ExactText: CatalogueItem] {
    /// Items that are not deleted, sorted by their ids.
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

    /// The catalogue as JSON text, always in the same order, so that equal catalogues have equal texts.
    package var text: String {
        var text = CatalogueText()
        text.add(recordings)
        text.end(playlists: playlists, takes: takes)
        return text.joined
    }

    /// Parses the result of ``text``.
    ///
    /// Duplicate elements are merged.
    package init(reading bytes: [UInt8]) throws(CatalogueError) {
        let pieces = try CataloguePieces(reading: bytes)
        self.init()
        (playlists, takes) = (try pieces.playlists(), pieces.takes)
        for (id, recording) in try pieces.recordings(0..<pieces.count) { recordings[id] = recording }
    }

    /// Returns the id of an element of a list.
    static func id(of element: JSONValue) throws(CatalogueError) -> ExactText {
        guard let id = element["id"]?.stringValue, !id.isEmpty else { throw .broken("an entry without an id") }
        return ExactText(id)
    }
}
