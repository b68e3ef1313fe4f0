// Texts from other programs, in any encoding. No library in use here reads text without Foundation.
internal import JSON

/// The lines of a text file.
struct FormatText {
    let lines: [Substring]
    /// Note on the encoding; nil for UTF-8.
    let note: String?

    init(_ bytes: [UInt8]) {
        let (text, note) = Self.decode(bytes)
        // CR, LF and CR LF end a line; NULs are left out, because C programs would stop there.
        let unified = text.unicodeScalars.filter { $0.value != 0 }
        var lines: [Substring] = []
        let whole = String(String.UnicodeScalarView(unified))
        var start = whole.startIndex
        var index = whole.startIndex
        // Swift treats a pair of CR and LF as one character.
        while index < whole.endIndex {
            let character = whole[index]
            let next = whole.index(after: index)
            if character == "\n" || character == "\r" || character == "\r\n" {
                lines.append(whole[start..<index])
                start = next
            }
            index = next
        }
        if start < whole.endIndex { lines.append(whole[start...]) }
        (self.lines, self.note) = (lines, note)
    }

    private static func decode(_ bytes: [UInt8]) -> (String, String?) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (String(decoding: bytes.dropFirst(3), as: UTF8.self), nil) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (wide(bytes.dropFirst(2), isBig: false), "read as UTF-16") }
        if bytes.starts(with: [0xFE, 0xFF]) { return (wide(bytes.dropFirst(2), isBig: true), "read as UTF-16") }
        let head = bytes.prefix(4096)
        let zeros = head.indices.filter { head[$0] == 0 }
        if zeros.count * 4 > head.count {
            // Most letters of languages with 8-bit encodings have a zero in their upper half.
            let isBig = zeros.count { $0 % 2 == 0 } * 2 > zeros.count
            return (wide(bytes[...], isBig: isBig), "read as UTF-16 without a mark")
        }
        if let text = String(validating: bytes, as: UTF8.self) { return (text, nil) }
        let isWindows = bytes.contains { (0x80...0x9F).contains($0) }
        return (
            String(decoding: OlderText.western(bytes[...]), as: UTF8.self),
            isWindows ? "read as Windows-1252" : "read as Latin-1"
        )
    }

    private static func wide(_ bytes: ArraySlice<UInt8>, isBig: Bool) -> String {
        String(decoding: OlderText.units(bytes, isBigEndian: isBig), as: UTF16.self)
    }
}
