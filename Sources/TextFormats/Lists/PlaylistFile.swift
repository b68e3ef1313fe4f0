/// A list of recordings in a file that other players read and write: M3U, PLS or XSPF.
///
/// A playlist file is a value. The caller handles files and network. A list may name recordings that do not exist.
///
/// Real-time safe: no. Threads: any.
package struct PlaylistFile: Sendable, Hashable {
    /// A file format, named by its usual extension.
    package enum Format: String, Sendable, Hashable, CaseIterable {
        /// One line for each entry, with titles in comments, in UTF-8. Files named `.m3u`, possibly in other encodings,
        /// can also be read.
        case m3u8
        /// Numbered keys and values.
        case pls
        /// XML. The only format that supports titles with line feeds.
        case xspf

        /// Finds the format of an extension, in either case and without its dot; nil for an unknown extension.
        package init?(pathExtension: String) {
            let name = pathExtension.lowercased()
            self.init(rawValue: name == "m3u" ? "m3u8" : name)
        }
    }

    /// A recording in a list.
    package struct Entry: Sendable, Hashable {
        /// The location of a recording.
        package enum Location: Sendable, Hashable {
            /// A file, with its name converted to text by `FileName`. Absolute if the list's folder is absolute. A path
            /// with a Windows drive, `C:/…`, stays as found, and is no file here.
            case file(String)
            /// An address with a scheme, such as `https://…`. Not checked for being fetchable.
            case address(String)
        }

        /// Location of the recording.
        package let location: Location
        /// Title; never empty, without blanks at both ends.
        package let title: String?
        /// Performer or speaker; never empty, without blanks at both ends.
        package let artist: String?
        /// Length, rounded to whole milliseconds; nil if unknown.
        package let seconds: Double?

        /// Creates an entry. Removes blanks at both ends of texts. An empty text counts as nil, and so does a length
        /// that is not above 0 and at most 10⁹ seconds.
        package init(_ location: Location, title: String? = nil, artist: String? = nil, seconds: Double? = nil) {
            self.location = location
            self.title = Self.trimmed(title)
            self.artist = Self.trimmed(artist)
            let milliseconds = ((seconds ?? 0) * 1000).rounded()
            self.seconds = milliseconds >= 1 && milliseconds <= 1e12 ? milliseconds / 1000 : nil
        }

        private static func trimmed(_ text: String?) -> String? {
            guard let text else { return nil }
            let trimmed = LineText.trimmed(Array(text.utf8)[...])
            if trimmed.isEmpty { return nil }
            return trimmed.count == text.utf8.count ? text : String(decoding: trimmed, as: UTF8.self)
        }
    }

    /// Name of the list, without blanks at both ends. PLS files have no name.
    package let title: String?
    /// Entries, in order.
    package let entries: [Entry]
    /// Number of entries left out while reading, because their location is impossible.
    package let skippedCount: Int

    /// Longest accepted file, in bytes.
    package static let largest = 64 << 20
    /// Maximum number of entries.
    package static let mostEntries = 1_000_000

    /// Creates a list.
    package init(title: String? = nil, entries: [Entry]) {
        self.init(title: title, entries: entries, skippedCount: 0)
    }

    init(title: String?, entries: [Entry], skippedCount: Int) {
        self.title = Entry(.file(""), title: title).title
        (self.entries, self.skippedCount) = (entries, skippedCount)
    }

    /// Parses the content of a file. The content determines the format, or else the name does.
    ///
    /// - Parameters:
    ///   - bytes: The complete content.
    ///   - name: Name of the file, for its extension and for messages.
    ///   - folder: Absolute path of the file's folder, which contains the relative paths.
    ///   - exists: Returns true for the path of a file. Called for the paths of a list in windows-1252. A file
    ///     whose name has the bytes of the list takes precedence over a file with the name as text.
    /// - Throws: A ``PlaylistFileError``.
    package init(
        reading bytes: [UInt8], name: String, folder: String, exists: (String) -> Bool = { _ in false }
    ) throws(PlaylistFileError) {
        guard bytes.count <= Self.largest else { throw .tooLarge(name) }
        let pathExtension =
            name.split(separator: "/").last?.split(separator: ".").dropFirst().last.map(String.init) ?? ""
        let text = LineText(bytes, pathExtension: pathExtension)
        let format = try Self.format(text, name: name, pathExtension: pathExtension)
        func read(_ text: LineText) throws(PlaylistFileError) -> PlaylistFile {
            switch format {
            case .m3u8: try M3UList.read(text, name: name, folder: folder)
            case .pls: try PLSList.read(text, name: name, folder: folder)
            // XML declares encodings other than Unicode itself, so the XML reader needs the original bytes.
            case .xspf: try XSPFList.read(bytes, name: name, folder: folder)
            }
        }
        let list = try read(text)
        // Both readings have the same entries: the encodings differ only in letters.
        let undecoded = format == .xspf ? nil : try text.undecoded.map(read)
        guard let undecoded, undecoded.entries.count == list.entries.count else {
            self = list
            return
        }
        let entries = zip(list.entries, undecoded.entries).map { entry, undecoded in
            guard case .file(let path) = undecoded.location, undecoded.location != entry.location, exists(path) else {
                return entry
            }
            return Entry(undecoded.location, title: entry.title, artist: entry.artist, seconds: entry.seconds)
        }
        self.init(title: list.title, entries: entries, skippedCount: list.skippedCount)
    }

    /// Returns the content of a file with this list. Reading the content gives an equal value, except for the title in
    /// a format without titles.
    ///
    /// - Parameters:
    ///   - format: Format to write.
    ///   - folder: Absolute path of the file's folder. Files in this folder get relative paths, so that the folder can
    ///     be moved.
    /// - Throws: A ``PlaylistFileError`` of kind `unwritable` if the format cannot express a title or a location.
    package func content(as format: Format, folder: String) throws(PlaylistFileError) -> [UInt8] {
        switch format {
        case .m3u8: try M3UList.content(self, folder: folder)
        case .pls: try PLSList.content(self, folder: folder)
        case .xspf: try XSPFList.content(self, folder: folder)
        }
    }

    private static func format(
        _ text: LineText, name: String, pathExtension: String
    ) throws(PlaylistFileError) -> Format {
        let start = String(decoding: text.bytes.drop { $0 <= 32 }.prefix(1024), as: UTF8.self).lowercased()
        if start.hasPrefix("#extm3u") { return .m3u8 }
        if start.hasPrefix("[playlist]") { return .pls }
        if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") { throw .webPage(name) }
        if start.hasPrefix("<") { return .xspf }
        guard let format = Format(pathExtension: pathExtension), format != .xspf || start.isEmpty else {
            throw .unknownFormat(name)
        }
        return format
    }
}
