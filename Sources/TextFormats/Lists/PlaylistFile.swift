/// A list of recordings in a file that other players read and write: M3U, PLS or XSPF.
///
/// It is a value; files and network are the caller's. Reading does not ask whether what is listed exists.
///
/// Real-time safe: no. Threads: any.
public struct PlaylistFile: Sendable, Hashable {
    /// A kind of file, named by its usual extension.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// One line each, with titles in comments; in UTF-8. Files named `.m3u`, which may have other encodings, are read as well.
        case m3u8
        /// Keys and values with numbers.
        case pls
        /// XML. The only one that takes titles with line feeds.
        case xspf

        /// The format of files with this extension, in either case and without its dot; nil if it is not one of these.
        public init?(pathExtension: String) {
            let name = pathExtension.lowercased()
            self.init(rawValue: name == "m3u" ? "m3u8" : name)
        }
    }

    /// A recording in a list.
    public struct Entry: Sendable, Hashable {
        /// Where a recording is.
        public enum Location: Sendable, Hashable {
            /// A file, as `FileName` makes a text of its name. It is absolute if the list's folder is; but a path with a drive of Windows, `C:/…`,
            /// is as it was found, and no file here.
            case file(String)
            /// An address with a scheme, such as `https://…`. Whether it can be fetched is not checked.
            case address(String)
        }

        /// Where it is.
        public let location: Location
        /// What it is called; never empty, without blanks at its ends.
        public let title: String?
        /// Who plays or speaks; never empty, without blanks at its ends.
        public let artist: String?
        /// Its length, in whole milliseconds; nil if it is not known.
        public let seconds: Double?

        /// An entry. Blanks at the ends of texts are removed; an empty text, and a length that is not above 0 and up to 10⁹ seconds,
        /// count as nil.
        public init(_ location: Location, title: String? = nil, artist: String? = nil, seconds: Double? = nil) {
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

    /// The name that the file gives to its list; PLS files have none. Without blanks at its ends.
    public let title: String?
    /// What is listed, in order.
    public let entries: [Entry]
    /// How many entries were left out in reading, because they name no place that can be.
    public let skippedCount: Int

    /// The longest file that is read, in bytes.
    package static let largest = 64 << 20
    /// The most entries that are read.
    package static let mostEntries = 1_000_000

    /// A list.
    public init(title: String? = nil, entries: [Entry]) {
        self.init(title: title, entries: entries, skippedCount: 0)
    }

    init(title: String?, entries: [Entry], skippedCount: Int) {
        self.title = Entry(.file(""), title: title).title
        (self.entries, self.skippedCount) = (entries, skippedCount)
    }

    /// Reads the content of a file, whose format is recognised by what is in it, and else by its name.
    ///
    /// - Parameters:
    ///   - bytes: The whole content.
    ///   - name: The name of the file, for its extension and for messages.
    ///   - folder: The folder of the file, from the root on: relative paths are in there.
    /// - Throws: A ``PlaylistFileError``.
    public init(reading bytes: [UInt8], name: String, folder: String) throws(PlaylistFileError) {
        guard bytes.count <= Self.largest else { throw .tooLarge(name) }
        let pathExtension =
            name.split(separator: "/").last?.split(separator: ".").dropFirst().last.map(String.init) ?? ""
        let text = LineText(bytes, pathExtension: pathExtension)
        switch try Self.format(text, name: name, pathExtension: pathExtension) {
        case .m3u8: self = try M3UList.read(text, name: name, folder: folder)
        case .pls: self = try PLSList.read(text, name: name, folder: folder)
        // An encoding that is not Unicode's is declared in XML, so that needs the bytes as they are.
        case .xspf: self = try XSPFList.read(bytes, name: name, folder: folder)
        }
    }

    /// The content of a file with this list. Reading it again gives an equal value, but for the title where the format has none.
    ///
    /// - Parameters:
    ///   - format: The format to write.
    ///   - folder: The folder of the file, from the root on: what is in there is listed by its relative path, so that the folder can be
    ///     moved.
    /// - Throws: A ``PlaylistFileError`` of kind `unwritable` if the format cannot express a title or a location.
    public func content(as format: Format, folder: String) throws(PlaylistFileError) -> [UInt8] {
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
