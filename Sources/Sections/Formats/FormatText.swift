// Texts from other programs, in any encoding. No library in use here reads text without Foundation.

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
        let scalars = bytes.map { windows[Int($0) - 0x80, in: $0] }
        return (
            String(String.UnicodeScalarView(scalars)), isWindows ? "read as Windows-1252" : "read as Latin-1"
        )
    }

    private static func wide(_ bytes: ArraySlice<UInt8>, isBig: Bool) -> String {
        let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { place -> UInt16 in
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            return isBig ? first << 8 | second : second << 8 | first
        }
        return String(decoding: units, as: UTF16.self)
    }

    private static let windows = WindowsCharacters()
}

/// The characters of Windows-1252 that are missing from Latin-1 (the table of the WHATWG encoding standard).
private struct WindowsCharacters {
    private let upper: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x9D, 0x017E, 0x0178,
    ]

    subscript(index: Int, in byte: UInt8) -> Unicode.Scalar {
        guard upper.indices.contains(index) else { return Unicode.Scalar(byte) }
        return Unicode.Scalar(upper[index]) ?? Unicode.Scalar(byte)
    }
}
