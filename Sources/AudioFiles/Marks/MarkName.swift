internal import JSON

/// Decodes names in files to text. Any bytes are accepted.
enum MarkName {
    /// Decodes the bytes up to a zero: UTF-8, or Latin-1 if the bytes are not valid UTF-8 (older programs write
    /// Latin-1).
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var bytes = Array(bytes.prefix(FileMarks.nameByteLimit + 1).prefix { $0 != 0 })
        if bytes.count > FileMarks.nameByteLimit {
            // If the limit cuts a character of several bytes (at most four), remove the whole character.
            for _ in 0..<4 {
                guard let last = bytes.popLast(), last & 0xC0 == 0x80 else { break }
            }
        }
        return String(validating: bytes, as: UTF8.self) ?? latin(bytes[...])
    }

    /// Decodes the name at an offset.
    static func text(_ source: ByteSource, at offset: Int64 = 0) -> String {
        text(source.bytes(at: offset, count: FileMarks.nameByteLimit + 1))
    }

    /// Decodes an ID3 text frame, whose first byte states the encoding (ID3v2.4.0 structure, section 4).
    static func id3(_ source: ByteSource) -> String {
        // Read two bytes for each byte of a name, and the encoding and byte order marks.
        let bytes = source.bytes(at: 0, count: 2 * FileMarks.nameByteLimit + 4)
        guard let encoding = bytes.first else { return "" }
        let content = bytes.dropFirst()
        switch encoding {
        case 0: return short(latin(content.prefix { $0 != 0 }))
        case 1:
            return content.starts(with: [0xFE, 0xFF]) ? wide(content.dropFirst(2), isBig: true) : littleWide(content)
        case 2: return wide(content, isBig: true)
        default: return text(content)
        }
    }

    private static func littleWide(_ content: ArraySlice<UInt8>) -> String {
        wide(content.starts(with: [0xFF, 0xFE]) ? content.dropFirst(2) : content, isBig: false)
    }

    private static func wide(_ content: ArraySlice<UInt8>, isBig: Bool) -> String {
        let units = OlderText.units(content, isBigEndian: isBig).prefix { $0 != 0 }
        return short(String(decoding: units, as: UTF16.self))
    }

    private static func latin(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: OlderText.latin(bytes), as: UTF8.self)
    }

    /// Returns the text, cut to the length limit of a name.
    static func short(_ text: String) -> String {
        text.utf8.count > FileMarks.nameByteLimit ? self.text(text.utf8) : text
    }
}
