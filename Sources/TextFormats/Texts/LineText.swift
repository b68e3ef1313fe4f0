/// The text of a file as UTF-8 bytes, decoded from any encoding, and its lines.
package struct LineText {
    /// The text without a byte order mark. Lines with invalid UTF-8 occur only in a file that claims to be UTF-8: such
    /// a line is a file name on a disk.
    let bytes: [UInt8]

    /// Decodes a file. UTF-16 requires a byte order mark. UTF-8 is recognised by validity, byte order mark, file name
    /// or a line `#EXTENC`. Any other text is windows-1252, which contains ISO-8859-1.
    init(_ content: [UInt8], pathExtension: String) {
        if content.starts(with: [0xFF, 0xFE]) {
            bytes = Self.wide(content.dropFirst(2), isBigEndian: false)
        } else if content.starts(with: [0xFE, 0xFF]) {
            bytes = Self.wide(content.dropFirst(2), isBigEndian: true)
        } else if content.starts(with: [0xEF, 0xBB, 0xBF]) {
            bytes = Array(content.dropFirst(3))
        } else if pathExtension.lowercased() == "m3u8" || Self.isUTF8(content) || Self.saysUTF8(content) {
            bytes = content
        } else {
            bytes = Self.western(content)
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
        let bytes = Array(content)
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { place -> UInt16 in
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// Converts windows-1252 to UTF-8.
    static func western(_ content: some Collection<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(content.count + content.count / 8)
        for byte in content {
            guard byte >= 0x80 else {
                text.append(byte)
                continue
            }
            let scalar = byte < 0xA0 ? windows[Int(byte) - 0x80] : Unicode.Scalar(byte)
            text.append(contentsOf: Unicode.UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter)
        }
        return text
    }

    /// Characters of windows-1252 from 0x80 to 0x9F. Five bytes are undefined, and become control characters, as in
    /// browsers.
    private static let windows: [Unicode.Scalar] = [
        "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}", "\u{2C6}",
        "\u{2030}", "\u{160}",
        "\u{2039}", "\u{152}", "\u{8D}", "\u{17D}", "\u{8F}", "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}",
        "\u{2022}",
        "\u{2013}", "\u{2014}", "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}", "\u{153}", "\u{9D}", "\u{17E}", "\u{178}",
    ]
}
