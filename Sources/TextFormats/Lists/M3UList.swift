internal import JSON

/// M3U: one location a line, preceded by comments about the location.
///
/// All players write `#EXTINF:SECONDS,ARTIST - TITLE`. Where this text cannot be split unambiguously, a line
/// `#EXTART:ARTIST` names the artist; an empty artist means that there is none. Other comments are ignored.
enum M3UList {
    // MARK: Reading

    static func read(_ text: LineText, name: String, folder: String) throws(PlaylistFileError) -> PlaylistFile {
        let place = PlaylistPlace(folder: folder)
        var entries: [PlaylistFile.Entry] = []
        var (title, skippedCount, about) = (String?.none, 0, About())
        for line in text.lines {
            if line.first == UInt8(ascii: "#") {
                if value(line, "#EXT-X-TARGETDURATION:") != nil { throw .stream(name) }
                if let value = value(line, "#PLAYLIST:") { title = value }
                if let value = value(line, "#EXTINF:") { about.takeInformation(value) }
                if let value = value(line, "#EXTART:") { about.artist = value }
                continue
            }
            if let location = place.location(line: line) {
                guard entries.count < PlaylistFile.mostEntries else { throw .tooLarge(name) }
                entries.append(about.entry(location))
            } else {
                skippedCount += 1
            }
            about = About()
        }
        return PlaylistFile(title: title, entries: entries, skippedCount: skippedCount)
    }

    /// Returns the text after a word at the beginning of a line, without blanks at both ends.
    private static func value(_ line: ArraySlice<UInt8>, _ word: String) -> String? {
        let start = line.prefix(word.utf8.count)
        guard start.count == word.utf8.count, start.lowercased == word.lowercased() else { return nil }
        return String(decoding: LineText.trimmed(line[start.endIndex...]), as: UTF8.self)
    }

    /// Information about the next entry.
    private struct About {
        /// Artist; empty if the entry has none, nil if no line names an artist.
        var artist: String?
        private var shown: String?
        private var seconds: Double?

        mutating func takeInformation(_ value: String) {
            let bytes = Array(value.utf8)
            let number = bytes.prefix {
                $0.isASCIIDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
            }
            seconds = Double(decimal: String(decoding: number, as: UTF8.self), in: -1...1e9)
            // Between length and title, there may be keys with quoted values, which may contain commas.
            var isQuoted = false
            for place in number.endIndex..<bytes.count {
                if bytes[place] == UInt8(ascii: "\"") { isQuoted.toggle() }
                if bytes[place] == UInt8(ascii: ","), !isQuoted {
                    shown = String(decoding: LineText.trimmed(bytes[(place + 1)...]), as: UTF8.self)
                    return
                }
            }
        }

        func entry(_ location: PlaylistFile.Entry.Location) -> PlaylistFile.Entry {
            var (title, artist) = (shown ?? "", artist ?? "")
            let isWithoutArtist = self.artist?.isEmpty ?? false
            if !artist.isEmpty, title.utf8.starts(with: (artist + M3UList.divider).utf8) {
                title = String(
                    decoding: Array(title.utf8).dropFirst((artist + M3UList.divider).utf8.count), as: UTF8.self)
            } else if !isWithoutArtist, let parts = M3UList.divided(title) {
                (artist, title) = parts
            }
            return PlaylistFile.Entry(location, title: title, artist: artist, seconds: seconds)
        }
    }

    fileprivate static let divider = " - "

    /// Splits a text into artist and title; nil if the text holds only one of the two.
    fileprivate static func divided(_ text: String) -> (artist: String, title: String)? {
        let (bytes, divider) = (Array(text.utf8), Array(divider.utf8))
        guard bytes.count > divider.count else { return nil }
        for place in 0..<bytes.count - divider.count where bytes[place...].starts(with: divider) {
            return (
                String(decoding: bytes[..<place], as: UTF8.self),
                String(decoding: bytes[(place + divider.count)...], as: UTF8.self)
            )
        }
        return nil
    }

    // MARK: Writing

    static func content(_ list: PlaylistFile, folder: String) throws(PlaylistFileError) -> [UInt8] {
        let place = PlaylistPlace(folder: folder)
        var content = Array("#EXTM3U\n#EXTENC:UTF-8\n".utf8)
        func write(_ word: String, _ value: String, _ what: String) throws(PlaylistFileError) {
            // A reader may treat either line end as the end of a line.
            if value.utf8.contains(where: { $0 == 10 || $0 == 13 }) { throw .unwritable(what, value, as: .m3u8) }
            content += Array((word + value + "\n").utf8)
        }
        if let title = list.title { try write("#PLAYLIST:", title, "name") }
        for entry in list.entries {
            let shown = [entry.artist, entry.title].compactMap(\.self).joined(separator: divider)
            if shown != "" || entry.seconds != nil {
                // Written only if necessary: other programs use this line for the artist of an album.
                let parts = divided(shown)
                let isDivided =
                    parts.map { $0.artist.utf8.elementsEqual((entry.artist ?? "").utf8) } ?? (entry.artist == nil)
                if !isDivided { try write("#EXTART:", entry.artist ?? "", "artist") }
                // An artist without a title would be split, too.
                let text = entry.title == nil ? "" : shown
                try write("#EXTINF:\(LengthText.text(entry.seconds)),", text, "title")
            }
            guard let line = place.line(for: entry.location) else {
                throw .unwritable("location", entry.location.shown, as: .m3u8)
            }
            content += Array((line + "\n").utf8)
        }
        return content
    }
}

enum LengthText {
    /// Returns a length in the form of M3U and PLS: -1 if unknown; whole seconds without a decimal point, as old
    /// players expect.
    static func text(_ seconds: Double?) -> String {
        guard let seconds else { return "-1" }
        return Int64(exactly: seconds).map(String.init) ?? "\(seconds)"
    }
}

extension PlaylistFile.Entry.Location {
    /// Path or address, for messages.
    var shown: String {
        switch self {
        case .file(let path): path
        case .address(let address): address
        }
    }
}
