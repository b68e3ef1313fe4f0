internal import JSON

/// The text of a file as UTF-8 bytes, decoded from any encoding, and its lines.
package struct LineText {
    /// The text without a byte order mark. Lines with invalid UTF-8 occur only in a file that claims to be UTF-8: such
    /// a line is a file name on a disk.
    let bytes: [UInt8]
    /// The file in its own bytes, if the text was decoded from windows-1252; otherwise nil.
    var undecoded: LineText? { original.map { LineText(utf8: $0) } }
    private let original: [UInt8]?

    private init(utf8 content: [UInt8], of original: [UInt8]? = nil) { (bytes, self.original) = (content, original) }

    /// Decodes a file. UTF-16 requires a byte order mark. UTF-8 is recognised by validity, byte order mark, file name
    /// or a line `#EXTENC`. Any other text is windows-1252, which contains ISO-8859-1.
    init(_ content: [UInt8], pathExtension: String) {
        if content.starts(with: [0xFF, 0xFE]) {
            self.init(utf8: Self.wide(content.dropFirst(2), isBigEndian: false))
        } else if content.starts(with: [0xFE, 0xFF]) {
            self.init(utf8: Self.wide(content.dropFirst(2), isBigEndian: true))
        } else if content.starts(with: [0xEF, 0xBB, 0xBF]) {
            self.init(utf8: Array(content.dropFirst(3)))
        } else if pathExtension.lowercased() == "m3u8" || Self.isUTF8(content) || Self.saysUTF8(content) {
            self.init(utf8: content)
        } else {
            self.init(utf8: OlderText.western(content[...]), of: content)
        }
    }

    /// Lines in order, without blanks at both ends. A line feed, a carriage return, both, or the end of the file end a
    /// line. Empty lines are left out.
    var lines: some Sequence<ArraySlice<UInt8>> {
        bytes.split { $0 == 10 || $0 == 13 }.lazy.map(Self.trimmed).filter { !$0.isEmpty }
    }

    /// Returns a text without blanks and line feeds at both ends.
    package static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 13 }
        var line = line.drop(while: isBlank)
        while let last = line.last, isBlank(last) { line.removeLast() }
        return line
    }

    private static func isUTF8(_ content: [UInt8]) -> Bool { String(validating: content, as: UTF8.self) != nil }

    /// Searches only the beginning, where the line must be.
    private static func saysUTF8(_ content: [UInt8]) -> Bool {
        let start = String(decoding: content.prefix(256), as: UTF8.self).lowercased()
        return start.contains("#extenc:utf-8") || start.contains("#extenc: utf-8")
    }

    /// Converts UTF-16 without its byte order mark to UTF-8.
    static func wide(_ content: ArraySlice<UInt8>, isBigEndian: Bool) -> [UInt8] {
        Array(String(decoding: OlderText.units(content, isBigEndian: isBigEndian), as: UTF16.self).utf8)
    }
}
