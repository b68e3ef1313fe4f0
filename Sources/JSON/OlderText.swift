// Texts from outside in encodings older than UTF-8.

/// Conversions of texts from older encodings.
package enum OlderText {
    /// Converts ISO-8859-1, whose bytes are the first characters of Unicode, to UTF-8.
    package static func latin(_ content: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(content.count + content.count / 8)
        for byte in content {
            if byte < 0x80 { text.append(byte) } else { text += [0xC0 | byte >> 6, 0x80 | byte & 0x3F] }
        }
        return text
    }

    /// Converts windows-1252 to UTF-8.
    package static func western(_ content: ArraySlice<UInt8>) -> [UInt8] {
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

    /// Returns the units of UTF-16 without its byte order mark. A single byte at the end is left out.
    package static func units(_ content: ArraySlice<UInt8>, isBigEndian: Bool) -> [UInt16] {
        let bytes = Array(content)
        return stride(from: 0, to: bytes.count - 1, by: 2).map { place -> UInt16 in
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
    }
}
