internal import JSON

/// PLS: numbered keys, `File1=…`, in one section. The numbers give the order, not the lines.
///
/// `Artist1=…` is an extension of this program; other players ignore the key.
enum PLSList {
    private struct Fields {
        var location: PlaylistFile.Entry.Location?
        var (title, artist, seconds) = (String?.none, String?.none, Double?.none)
    }

    static func read(_ text: LineText, name: String, folder: String) throws(PlaylistFileError) -> PlaylistFile {
        let place = PlaylistPlace(folder: folder)
        var fields: [Int: Fields] = [:]
        for line in text.lines {
            let (key, rest) = (
                line.prefix { $0 != UInt8(ascii: "=") }, line.drop { $0 != UInt8(ascii: "=") }.dropFirst()
            )
            guard key.endIndex < line.endIndex else { continue }
            let (word, value) = (LineText.trimmed(key).lowercased, LineText.trimmed(rest))
            let letters = word.prefix { $0.isLetter }
            guard ["file", "title", "artist", "length"].contains(letters),
                let number = Int(digits: word.dropFirst(letters.count), in: 0...1_000_000_000)
            else { continue }
            if fields[number] == nil, fields.count == PlaylistFile.mostEntries { throw .tooLarge(name) }
            // The first of several equal keys counts.
            switch letters {
            case "file":
                let location = place.location(line: value)
                fields[number, default: Fields()].location = fields[number]?.location ?? location
            case "title":
                let text = String(decoding: value, as: UTF8.self)
                fields[number, default: Fields()].title = fields[number]?.title ?? text
            case "artist":
                let text = String(decoding: value, as: UTF8.self)
                fields[number, default: Fields()].artist = fields[number]?.artist ?? text
            default:
                let seconds = Double(decimal: String(decoding: value, as: UTF8.self), in: -1...1e9)
                fields[number, default: Fields()].seconds = fields[number]?.seconds ?? seconds
            }
        }
        let entries = fields.sorted { $0.key < $1.key }.compactMap { (_, fields) in
            fields.location.map {
                PlaylistFile.Entry($0, title: fields.title, artist: fields.artist, seconds: fields.seconds)
            }
        }
        return PlaylistFile(title: nil, entries: entries, skippedCount: fields.count - entries.count)
    }

    static func content(_ list: PlaylistFile, folder: String) throws(PlaylistFileError) -> [UInt8] {
        let place = PlaylistPlace(folder: folder)
        var content = Array("[playlist]\n".utf8)
        func write(_ key: String, _ number: Int, _ value: String, _ what: String) throws(PlaylistFileError) {
            if value.utf8.contains(where: { $0 == 10 || $0 == 13 }) { throw .unwritable(what, value, as: .pls) }
            content += Array("\(key)\(number)=\(value)\n".utf8)
        }
        for (index, entry) in list.entries.enumerated() {
            let number = index + 1
            guard let line = place.line(for: entry.location) else {
                throw .unwritable("location", entry.location.shown, as: .pls)
            }
            try write("File", number, line, "location")
            if let title = entry.title { try write("Title", number, title, "title") }
            if let artist = entry.artist { try write("Artist", number, artist, "artist") }
            try write("Length", number, LengthText.text(entry.seconds), "length")
        }
        content += Array("NumberOfEntries=\(list.entries.count)\nVersion=2\n".utf8)
        return content
    }
}
