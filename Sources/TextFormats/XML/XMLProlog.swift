/// The part of an XML text before its first element: comments, instructions and a DOCTYPE.
enum XMLProlog {
    /// Returns the text with its DOCTYPE replaced by the same number of line feeds.
    ///
    /// No DOCTYPE reaches libxml2, whose push parser mistakes `]>` in a comment for the end of the declarations.
    ///
    /// - Throws: `entities` or `attributes` at the first such declaration. Other declarations have no effect without
    ///   validation.
    static func withoutDoctype(_ text: [UInt8]) throws(XMLError) -> [UInt8] {
        var rest = text[...]
        while true {
            rest = rest.drop { $0 == 32 || $0 == 9 || $0 == 10 }
            let mark = rest.starts(with: "<!--".utf8) ? "-->" : rest.starts(with: "<?".utf8) ? "?>" : nil
            guard let mark else { break }
            guard let end = PlainText.end(of: mark, rest.dropFirst(mark.utf8.count)) else { return text }
            rest = rest[end...]
        }
        guard rest.prefix(9).lowercased == "<!doctype", let end = try doctypeEnd(rest) else { return text }
        return Array(text[..<rest.startIndex]) + rest[..<end].filter { $0 == 10 } + text[end...]
    }

    /// Returns the index after the DOCTYPE at the beginning of a text; nil if the DOCTYPE has no end.
    private static func doctypeEnd(_ text: ArraySlice<UInt8>) throws(XMLError) -> Int? {
        var rest = text.dropFirst(9)
        var isWithin = false
        while let byte = rest.first {
            let skipped: Int?
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                skipped = rest.dropFirst().firstIndex(of: byte).map { $0 + 1 }
            case UInt8(ascii: "<"):
                if rest.starts(with: "<!--".utf8) {
                    skipped = PlainText.end(of: "-->", rest.dropFirst(4))
                } else if rest.starts(with: "<?".utf8) {
                    skipped = PlainText.end(of: "?>", rest.dropFirst(2))
                } else if rest.starts(with: "<!ENTITY".utf8) {
                    throw .entities
                } else if rest.starts(with: "<!ATTLIST".utf8) {
                    throw .attributes
                } else if isWithin {
                    skipped = rest.startIndex + 1
                } else {
                    // An element begins: the DOCTYPE is unclosed.
                    return rest.startIndex
                }
            case UInt8(ascii: "["):
                isWithin = true
                skipped = rest.startIndex + 1
            case UInt8(ascii: "]"):
                isWithin = false
                skipped = rest.startIndex + 1
            case UInt8(ascii: ">") where !isWithin: return rest.startIndex + 1
            default: skipped = rest.startIndex + 1
            }
            guard let skipped else { return nil }
            rest = rest[skipped...]
        }
        return nil
    }
}
