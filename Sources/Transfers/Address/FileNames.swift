internal import Explanations
internal import Files
internal import JSON

/// File names made from the texts of servers. Every resulting name is harmless.
enum FileNames {
    /// Longest name permitted by file systems, in bytes.
    static let longest = 255

    /// Returns a name that cannot leave its folder, hide, or confuse a terminal; nil if nothing remains.
    ///
    /// Composed and decomposed characters (NFC, NFD) stay as they are. Like the system, the function splits the name at
    /// scalars. As a character, a slash followed by a combining mark would not equal a slash.
    static func cleaned(_ name: String) -> String? {
        func isEdge(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar.properties.isWhitespace }
        // Windows names separate folders by backslashes.
        let last = printable(name).unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? Substring().unicodeScalars
        var text = last.drop(while: isEdge)
        while let end = text.last, isEdge(end) { text.removeLast() }
        let short = shortened(String(text), to: longest)
        // If the first character has too many marks, only the extension remains, and a leading dot would hide the file.
        return short.isEmpty || short.utf8.first == UInt8(ascii: ".") ? nil : short
    }

    /// Returns the text without characters that control a terminal or change the direction of text.
    static func printable(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: continue
            default: scalars.append(scalar == "\u{FFFD}" ? "_" : scalar)
            }
        }
        return String(scalars)
    }

    /// Returns a name of at most `limit` bytes: cut at a character boundary, with its extension kept.
    static func shortened(_ name: String, to limit: Int) -> String {
        if name.utf8.count <= limit { return name }
        // Search only a short suffix: some characters can be told apart only from the beginning of the text.
        let dot = name.utf8.suffix(min(16, limit / 2)).lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
        let ending = name[dot...]
        // A letter with a thousand marks is a single character, and is dropped as a whole.
        return name[..<dot].shortened(toBytes: limit - ending.utf8.count) + ending
    }

    /// Returns the name in an address: the last component of the path, decoded.
    static func name(in address: WebAddress) -> String? {
        let last = address.path.split(separator: "/").last ?? ""
        return cleaned(decoded(last))
    }

    /// Returns the name in a `Content-Disposition` field by RFC 6266: `filename*` takes precedence over `filename`.
    static func name(inDisposition field: String) -> String? {
        let parameters = parameters(field)
        if let encoded = parameters["filename*"] {
            let parts = encoded.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
            if parts.count == 3, ["utf-8", "iso-8859-1"].contains(parts[0].lowercased()) {
                let isLatin = parts[0].lowercased() == "iso-8859-1"
                if let name = cleaned(decoded(parts[2], isLatin: isLatin)) { return name }
            }
        }
        // Some servers percent-encode this parameter too; the name stays encoded, as in browsers.
        return parameters["filename"].flatMap(cleaned)
    }

    /// Returns the parameters of a field by lower-case name. Of a repeated name, the first value counts.
    private static func parameters(_ field: String) -> [String: String] {
        var found: [String: String] = [:]
        var rest = field[...]
        guard let first = rest.firstIndex(of: ";") else { return [:] }
        rest = rest[first...].dropFirst()
        while !rest.isEmpty {
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(name.count)
            guard rest.first == "=" else {
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst().drop { $0 == " " }
            let value: String
            if rest.first == "\"" {
                (value, rest) = quoted(rest.dropFirst())
            } else {
                value = String(rest.prefix { $0 != ";" })
                rest = rest.dropFirst(value.count)
            }
            rest = rest.drop { $0 != ";" }.dropFirst()
            let key = name.filter { $0 != " " }.lowercased()
            if found[key] == nil { found[key] = value }
        }
        return found
    }

    private static func quoted(_ text: Substring) -> (String, Substring) {
        var value = ""
        var index = text.startIndex
        while index < text.endIndex, text[index] != "\"" {
            let next = text.index(after: index)
            if text[index] == "\\", next < text.endIndex { index = next }
            value.append(text[index])
            index = text.index(after: index)
        }
        return (value, index < text.endIndex ? text[index...].dropFirst() : "")
    }

    private static func decoded(_ text: Substring, isLatin: Bool = false) -> String {
        let bytes = PercentText.decodedLeniently(text.utf8)
        return String(decoding: isLatin ? OlderText.latin(bytes[...]) : bytes, as: UTF8.self)
    }
}
