internal import JSON

/// XML text in UTF-8 with line feeds, converted from any encoding and any line ends, without the declaration of the
/// encoding.
///
/// The text is decoded here, not by libxml2: its push parser keeps carriage returns in CDATA, and treats all bytes
/// after an invalid UTF-8 byte as ISO-8859-1.
struct XMLText {
    /// Valid UTF-8. Line numbers match the file.
    let bytes: [UInt8]
    /// True if the file continues after ``bytes`` with invalid UTF-8; never true when repairing.
    let isBroken: Bool

    /// - Parameter repairing: Treats each invalid UTF-8 byte as a windows-1252 character, and leaves out characters
    ///   that XML forbids.
    init(_ file: [UInt8], repairing: Bool) throws(XMLError) {
        let isWide = file.starts(with: [0xFF, 0xFE]) || file.starts(with: [0x3C, 0])
        if isWide || file.starts(with: [0xFE, 0xFF]) || file.starts(with: [0, 0x3C]) {
            let content = LineText.wide(
                file.dropFirst(file[0] == 0xFF || file[0] == 0xFE ? 2 : 0), isBigEndian: !isWide)
            let end = Self.declarationEnd(content[...])
            (bytes, isBroken) = Self.normalized(content[end...], repairing: repairing)
            return
        }
        let text = file.starts(with: [0xEF, 0xBB, 0xBF]) ? file.dropFirst(3) : file[...]
        let end = Self.declarationEnd(text)
        // A declaration may contain line feeds.
        let lines = text[..<end].filter { $0 == 10 }
        let content: [UInt8]
        let name = Self.encoding(text[..<end])
        switch name.lowercased() {
        // Programs that hold text in UTF-16 write this declaration even into a text of single bytes.
        case "", "utf-8", "utf8", "us-ascii", "ascii", "utf-16", "utf-16le", "utf-16be": content = Array(text[end...])
        case "iso-8859-1", "latin1", "latin-1": content = OlderText.latin(text[end...])
        case "windows-1252", "cp1252", "cp-1252", "x-cp1252": content = OlderText.western(text[end...])
        default: throw .encoding(name)
        }
        let (bytes, isBroken) = Self.normalized(content[...], repairing: repairing)
        (self.bytes, self.isBroken) = (lines + bytes, isBroken)
    }

    // MARK: The declaration

    /// Returns the index after the declaration; the start of the text if there is none.
    private static func declarationEnd(_ text: ArraySlice<UInt8>) -> Int {
        guard text.starts(with: "<?xml".utf8), let next = text.dropFirst(5).first, next <= 32 else {
            return text.startIndex
        }
        return PlainText.end(of: "?>", text.prefix(longestDeclaration)) ?? text.startIndex
    }

    private static let longestDeclaration = 4096

    /// Returns the encoding named in a declaration; empty if there is none.
    private static func encoding(_ declaration: ArraySlice<UInt8>) -> String {
        guard let start = PlainText.end(of: "encoding", declaration) else { return "" }
        let value = declaration[start...].drop { $0 <= 32 || $0 == UInt8(ascii: "=") }
        guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return "" }
        let name = value.dropFirst().prefix { $0 != quote }
        return String(decoding: LineText.trimmed(name), as: UTF8.self)
    }

    // MARK: Characters

    private static func normalized(
        _ content: ArraySlice<UInt8>, repairing: Bool
    ) -> (bytes: [UInt8], isBroken: Bool) {
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        var place = content.startIndex
        while place < content.endIndex {
            let byte = content[place]
            if byte < 0x80 {
                place += 1
                if byte == 13 {
                    if place == content.endIndex || content[place] != 10 { text.append(10) }
                } else if byte >= 32 || byte == 9 || byte == 10 || !repairing {
                    text.append(byte)
                }
                continue
            }
            let count = sequenceLength(content[place...].prefix(4))
            if count > 0 {
                let sequence = content[place..<place + count]
                let isForbidden = byte == 0xEF && forbidden.contains { sequence.elementsEqual($0) }
                if !repairing || !isForbidden { text += sequence }
                place += count
            } else if repairing {
                text += OlderText.western(content[place...place])
                place += 1
            } else {
                return (text, true)
            }
        }
        return (text, false)
    }

    /// U+FFFE and U+FFFF.
    private static let forbidden: [[UInt8]] = [[0xEF, 0xBF, 0xBE], [0xEF, 0xBF, 0xBF]]

    /// Returns the byte count of the non-ASCII character at the beginning of a text, by table 3-7 of the Unicode
    /// standard; 0 if there is none.
    private static func sequenceLength(_ bytes: ArraySlice<UInt8>) -> Int {
        guard let lead = bytes.first, let second = bytes.dropFirst().first else { return 0 }
        let seconds: ClosedRange<UInt8> =
            switch lead {
            case 0xE0: 0xA0...0xBF
            case 0xED: 0x80...0x9F
            case 0xF0: 0x90...0xBF
            case 0xF4: 0x80...0x8F
            default: 0x80...0xBF
            }
        let count =
            switch lead {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        guard count > 0, bytes.count >= count, seconds.contains(second) else { return 0 }
        return bytes.prefix(count).dropFirst(2).allSatisfy { $0 & 0xC0 == 0x80 } ? count : 0
    }
}
