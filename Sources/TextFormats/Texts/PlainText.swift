internal import Explanations
internal import JSON

/// Converts pieces of HTML in feeds to plain text.
enum PlainText {
    /// Converts a piece of HTML: removes tags, comments and scripts, decodes entities, and writes a line feed between
    /// paragraphs.
    ///
    /// A `<` that begins no tag stays. Linear in the length.
    ///
    /// - Parameter longest: Maximum length of the result, in bytes. The rest is cut off.
    static func ofHTML(_ html: String, longest: Int) -> String {
        let bytes = Array(html.utf8)
        var text = Writer(longest: longest)
        var place = 0
        // An unclosed tag is rescanned at every `<`; past this budget, `<` is text.
        var patience = 8 * bytes.count + (1 << 16)
        while place < bytes.count, !text.isFull {
            let byte = bytes[place]
            if byte == UInt8(ascii: "<"), let end = markupEnd(bytes, place, &patience) {
                let (start, name) = (place, tagName(bytes, place))
                if breaking.contains(name) { text.breakLine() }
                place = end
                if name == "script" || name == "style", bytes[start + 1] != UInt8(ascii: "/") {
                    place = contentEnd(bytes, place, name)
                }
            } else if byte == UInt8(ascii: "&"), let (scalars, end) = entity(bytes, place) {
                for scalar in scalars { text.append(scalar) }
                place = end
            } else {
                text.append(byte)
                place += 1
            }
        }
        return text.text
    }

    /// Returns one line of text, with decoded entities and single blanks. Tags stay unchanged.
    static func line(_ text: String, longest: Int = 4096) -> String {
        let bytes = Array(text.utf8)
        var line = Writer(longest: longest)
        var place = 0
        while place < bytes.count, !line.isFull {
            if bytes[place] == UInt8(ascii: "&"), let (scalars, end) = entity(bytes, place) {
                for scalar in scalars { line.append(scalar) }
                place = end
            } else {
                line.append(bytes[place])
                place += 1
            }
        }
        return line.text
    }

    /// Text with single blanks between words.
    private struct Writer {
        private var bytes: [UInt8] = []
        private var (needsBlank, needsLine) = (false, false)
        private let longest: Int

        init(longest: Int) { self.longest = longest }

        var isFull: Bool { bytes.count >= longest }

        var text: String {
            var text = bytes.prefix(longest)
            // Leaves out a character that was cut in two at the end.
            let tail = text.suffix(3).reversed().prefix { $0 & 0xC0 == 0x80 }.count
            if let lead = text.dropLast(tail).last, lead >= 0xC0, tail < (lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1) {
                text.removeLast(tail + 1)
            }
            return String(decoding: text, as: UTF8.self)
        }

        mutating func append(_ byte: UInt8) {
            if byte == 32 || byte == 9 || byte == 10 || byte == 13 || byte == 12 {
                needsBlank = true
                return
            }
            if !bytes.isEmpty, needsLine || needsBlank { bytes.append(needsLine ? 10 : 32) }
            (needsBlank, needsLine) = (false, false)
            bytes.append(byte)
        }

        mutating func append(_ scalar: Unicode.Scalar) {
            if scalar == "\u{A0}" { return append(32) }
            for byte in String(scalar).utf8 { append(byte) }
        }

        mutating func breakLine() { needsLine = true }
    }

    /// Tags that begin a new line.
    static let breaking: Set<String> = [
        "br", "p", "div", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "table", "blockquote", "hr",
        "pre", "section",
        "article", "dt", "dd",
    ]

    // MARK: Tags

    /// Returns the index after the tag or comment at `start`; nil without a tag, or for a tag without an end.
    private static func markupEnd(_ bytes: [UInt8], _ start: Int, _ patience: inout Int) -> Int? {
        guard start + 1 < bytes.count, patience > 0 else { return nil }
        let next = bytes[start + 1]
        guard next.isASCIILetter || next == UInt8(ascii: "/") || next == UInt8(ascii: "!") || next == UInt8(ascii: "?")
        else { return nil }
        if bytes[start...].starts(with: "<!--".utf8) {
            return end(of: "-->", bytes[min(bytes.count, start + 4)...]) ?? bytes.count
        }
        var quote: UInt8?
        // Limited to more than the longest tag: after an unclosed quote, not every sign may scan the rest of the text.
        for place in start + 1..<min(bytes.count, start + 1 + longestTag) {
            let byte = bytes[place]
            patience -= 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return place + 1
            }
        }
        // After a stray quote, the next `>` ends the tag.
        let rest = bytes[(start + 1)..<min(bytes.count, start + 1 + longestTag)]
        return rest.firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 }
    }

    private static let longestTag = 4096

    /// Returns the name of the tag at `start`, in lower case and without its slash.
    private static func tagName(_ bytes: [UInt8], _ start: Int) -> String {
        let slash = bytes[start + 1] == UInt8(ascii: "/") ? 1 : 0
        return bytes[(start + 1 + slash)...].prefix(16).prefix { $0.isASCIILetter || $0.isASCIIDigit }
            .lowercased
    }

    /// Returns the index of the tag that ends a script or a style; the end of the text if there is none.
    private static func contentEnd(_ bytes: [UInt8], _ start: Int, _ name: String) -> Int {
        var place = start
        while let next = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
            if bytes[next...].prefix(2 + name.utf8.count).lowercased == "</" + name { return next }
            place = next + 1
        }
        return bytes.count
    }

    /// Returns the index after the first mark; nil if there is none.
    static func end(of mark: String, _ bytes: ArraySlice<UInt8>) -> Int? {
        let mark = Array(mark.utf8)
        var rest = bytes
        while let next = rest.firstIndex(of: mark[0]) {
            if bytes[next...].starts(with: mark) { return next + mark.count }
            rest = rest[(next + 1)...]
        }
        return nil
    }

    // MARK: Entities

    /// Returns the characters of the entity at `start`, and the index after the entity; nil if there is none.
    private static func entity(_ bytes: [UInt8], _ start: Int) -> (scalars: String.UnicodeScalarView, end: Int)? {
        let body = bytes[(start + 1)...].prefix(32).prefix {
            $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "&") && $0 > 32
        }
        guard body.endIndex < bytes.count, bytes[body.endIndex] == UInt8(ascii: ";"), let first = body.first else {
            return nil
        }
        let end = body.endIndex + 1
        if first == UInt8(ascii: "#") {
            let digits = String(decoding: body.dropFirst(), as: UTF8.self)
            let isHexadecimal = digits.lowercased().hasPrefix("x")
            let value = UInt32(
                digits: digits.dropFirst(isHexadecimal ? 1 : 0), radix: isHexadecimal ? 16 : 10, in: 0...0x10FFFF)
            guard let value, let scalar = Unicode.Scalar(value), value >= 32 || value == 9 || value == 10 else {
                return nil
            }
            return (String(scalar).unicodeScalars, end)
        }
        guard let text = names[String(decoding: body, as: UTF8.self)] else { return nil }
        return (text.unicodeScalars, end)
    }

    /// Entity names found in feeds. Names of other letters are rare, because feeds are in UTF-8.
    static let names: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "ndash": "–", "mdash": "—",
        "hellip": "…",
        "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„", "laquo": "«", "raquo": "»",
        "bull": "•",
        "middot": "·", "copy": "©", "reg": "®", "trade": "™", "deg": "°", "euro": "€", "pound": "£", "cent": "¢",
        "sect": "§",
        "times": "×", "frac12": "½", "szlig": "ß", "auml": "ä", "ouml": "ö", "uuml": "ü", "Auml": "Ä", "Ouml": "Ö",
        "Uuml": "Ü",
        "eacute": "é", "egrave": "è", "ecirc": "ê", "agrave": "à", "aacute": "á", "acirc": "â", "ccedil": "ç",
        "ntilde": "ñ",
        "oacute": "ó", "iacute": "í", "uacute": "ú", "ocirc": "ô", "aring": "å", "Aring": "Å", "aelig": "æ",
        "oslash": "ø",
        "Eacute": "É", "iquest": "¿", "iexcl": "¡", "thinsp": "\u{2009}", "zwj": "\u{200D}", "shy": "\u{AD}",
        "rarr": "→",
    ]
}
