internal import Explanations
internal import JSON

/// XSPF, "spiff" (https://www.xspf.org/spec): XML with escaped addresses.
enum XSPFList {
    static func read(_ bytes: [UInt8], name: String, folder: String) throws(PlaylistFileError) -> PlaylistFile {
        let reader = Reader(PlaylistPlace(folder: folder))
        do {
            try XMLReader.read(bytes.drop { $0 == 32 || $0 == 9 || $0 == 10 || $0 == 13 }, into: reader)
        } catch {
            // Other XML is foreign, even if an error occurs before its end.
            if reader.isForeign { throw .unknownFormat(name) }
            throw PlaylistFileError(error, name: name)
        }
        if reader.isForeign { throw .unknownFormat(name) }
        if reader.isTooLong { throw .tooLarge(name) }
        return PlaylistFile(title: reader.title, entries: reader.entries, skippedCount: reader.skippedCount)
    }

    private final class Reader: XMLEvents {
        private(set) var title: String?
        private(set) var entries: [PlaylistFile.Entry] = []
        private(set) var skippedCount = 0
        private(set) var isForeign = false
        private(set) var isTooLong = false

        private let place: PlaylistPlace
        /// Names of the open elements.
        private var path: [String] = []
        private var value = ""
        private var location: PlaylistFile.Entry.Location?
        private var fields: [String: String] = [:]

        init(_ place: PlaylistPlace) { self.place = place }

        func start(_ element: XMLElement) {
            if path.isEmpty, element.name != "playlist" { isForeign = true }
            path.append(element.name)
            value = ""
            if path == ["playlist", "trackList", "track"] { (location, fields) = (nil, [:]) }
        }

        func text(_ text: String) { value += text }

        func end() {
            let ended = path.removeLast()
            if path == ["playlist", "trackList", "track"] {
                // A track may have several locations: the first possible location is used.
                if ended == "location" {
                    location = location ?? place.location(reference: Array(value.utf8)[...])
                } else if fields[ended] == nil {
                    fields[ended] = value
                }
            } else if path == ["playlist"], ended == "title" {
                title = title ?? value
            } else if path == ["playlist", "trackList"], ended == "track" {
                endTrack()
            }
            value = ""
        }

        private func endTrack() {
            guard let location else {
                skippedCount += 1
                return
            }
            if entries.count == PlaylistFile.mostEntries {
                isTooLong = true
                return
            }
            let length = LineText.trimmed(Array((fields["duration"] ?? "").utf8)[...])
            let milliseconds = Double(decimal: String(decoding: length, as: UTF8.self), in: -1...1e12)
            entries.append(
                PlaylistFile.Entry(
                    location, title: fields["title"], artist: fields["creator"], seconds: milliseconds.map { $0 / 1000 }
                ))
        }
    }

    // MARK: Writing

    static func content(_ list: PlaylistFile, folder: String) throws(PlaylistFileError) -> [UInt8] {
        let place = PlaylistPlace(folder: folder)
        var content = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".utf8)
        content += Array("<playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\">\n".utf8)
        func write(_ name: String, _ value: String, _ what: String, indent: String) throws(PlaylistFileError) {
            guard let escaped = escaped(value) else { throw .unwritable(what, value, as: .xspf) }
            content += Array("\(indent)<\(name)>\(escaped)</\(name)>\n".utf8)
        }
        if let title = list.title { try write("title", title, "name", indent: "  ") }
        content += Array("  <trackList>\n".utf8)
        for entry in list.entries {
            guard let reference = place.reference(for: entry.location) else {
                throw .unwritable("location", entry.location.shown, as: .xspf)
            }
            content += Array("    <track>\n".utf8)
            try write("location", reference, "location", indent: "      ")
            if let title = entry.title { try write("title", title, "title", indent: "      ") }
            if let artist = entry.artist { try write("creator", artist, "artist", indent: "      ") }
            if let seconds = entry.seconds {
                try write("duration", String(Int64((seconds * 1000).rounded())), "length", indent: "      ")
            }
            content += Array("    </track>\n".utf8)
        }
        content += Array("  </trackList>\n</playlist>\n".utf8)
        return content
    }

    /// Escapes a text for XML; nil if the text has characters that XML 1.0 cannot express, even escaped.
    private static func escaped(_ text: String) -> String? {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            // Readers turn an unescaped carriage return into a line feed.
            case "\r": escaped.append(contentsOf: "&#13;".unicodeScalars)
            case "\t", "\n": escaped.append(scalar)
            case "\u{00}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": return nil
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
