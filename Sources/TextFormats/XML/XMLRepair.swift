internal import Explanations
internal import JSON

/// Makes the text of a damaged feed well-formed, as its author meant the text.
///
/// libxml2's recovery (version 2.9.14) continues after errors, but loses content: `&b` from `a=1&b=2`, which changes an
/// address; after the first error, every `&amp;` of a text; and everything after a surplus end tag. References, tags
/// and their nesting are therefore repaired first, and libxml2 reads the result. A well-formed text keeps its meaning.
///
/// Linear in the length. The repair does not enforce limits: it stops after the tag that exceeds a limit, and the
/// reader then reports the tag.
struct XMLRepair {
    private let text: [UInt8]
    private let limits: XMLLimits
    private var place = 0
    private var repaired: [UInt8] = []
    /// Names of the open elements.
    private var open: [ArraySlice<UInt8>] = []
    private var isOver = false
    /// Marks that do not occur in the rest of the text, so that no search is repeated.
    private var missing: Set<String> = []

    private init(_ text: [UInt8], _ limits: XMLLimits) {
        (self.text, self.limits) = (text, limits)
        repaired.reserveCapacity(text.count + text.count / 16)
    }

    /// - Parameter text: Valid UTF-8 without declaration and DOCTYPE.
    static func repaired(_ text: [UInt8], limits: XMLLimits) -> [UInt8] {
        var repair = XMLRepair(text, limits)
        repair.run()
        return repair.repaired
    }

    private mutating func run() {
        while !isOver, place < text.count {
            let byte = text[place]
            if byte == UInt8(ascii: "<") {
                markup()
            } else if open.isEmpty {
                place += 1
            } else if byte == UInt8(ascii: "&") {
                reference()
            } else {
                // The end of CDATA outside CDATA.
                if byte == UInt8(ascii: ">"), repaired.suffix(2).elementsEqual("]]".utf8) {
                    repaired += "&#62;".utf8
                } else {
                    repaired.append(byte)
                }
                place += 1
            }
        }
    }

    // MARK: Tags

    private mutating func markup() {
        // Comments, instructions and late declarations mean nothing in a feed. An unclosed comment ends a truncated
        // file.
        if starts("<!--") {
            place = end(of: "-->", from: 4) ?? text.count
        } else if starts("<![CDATA["), !open.isEmpty {
            let end = end(of: "]]>", from: 9) ?? text.count
            repaired += text[place..<end]
            place = end
        } else if starts("<?"), let end = end(of: "?>", from: 2) {
            place = end
        } else if starts("<!"), let end = end(of: ">", from: 2) {
            place = end
        } else if starts("</"), startsName(at: place + 2) {
            endTag()
        } else if startsName(at: place + 1) {
            startTag()
        } else {
            if !open.isEmpty { repaired += "&#60;".utf8 }
            place += 1
        }
    }

    private mutating func endTag() {
        place += 2
        let name = takeName()
        place = text[place...].firstIndex { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "<") } ?? text.count
        // A tag cut off by the end of the file may have had another name.
        if place == text.count { return }
        if text[place] == UInt8(ascii: ">") { place += 1 }
        // Leaves out the end tag of an element that is not open. Closes open elements inside the ending element first.
        guard let depth = open.lastIndex(of: name) else { return }
        while open.count > depth { repaired += "</".utf8 + open.removeLast() + ">".utf8 }
        isOver = open.isEmpty
    }

    private mutating func startTag() {
        let start = repaired.count
        place += 1
        let name = takeName()
        repaired.append(UInt8(ascii: "<"))
        repaired += name
        var attributes: [ArraySlice<UInt8>] = []
        while place < text.count {
            let byte = text[place]
            if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "<") { break }
            if isEmptyTag(at: place) { break }
            if startsName(at: place), attributes.count <= limits.attributeCount {
                takeAttribute(&attributes)
            } else {
                place += 1
            }
        }
        if place == text.count {
            // The end of the file cuts off the tag.
            repaired.removeSubrange(start...)
            return
        }
        if isEmptyTag(at: place) {
            repaired += "/>".utf8
            place += 2
            isOver = open.isEmpty
        } else {
            // An unclosed tag ends at the start of the next tag.
            if text[place] == UInt8(ascii: ">") { place += 1 }
            repaired.append(UInt8(ascii: ">"))
            open.append(name)
        }
        if open.count > limits.depth || attributes.count > limits.attributeCount { isOver = true }
    }

    private mutating func takeAttribute(_ names: inout [ArraySlice<UInt8>]) {
        let name = takeName()
        skipBlanks()
        var value = place..<place
        var next = place
        if place < text.count, text[place] == UInt8(ascii: "=") {
            place += 1
            skipBlanks()
            if let end = quotedEnd() {
                (value, next) = (place + 1..<end, end + 1)
            } else {
                if place < text.count, isQuote(text[place]) { place += 1 }
                let rest = text[place...]
                let end =
                    rest.indices.first {
                        rest[$0] <= 32 || rest[$0] == UInt8(ascii: ">") || rest[$0] == UInt8(ascii: "<")
                            || isEmptyTag(at: $0)
                    } ?? text.count
                (value, next) = (place..<end, end)
            }
        }
        // The first attribute of each name counts, as in HTML.
        if !names.contains(name) {
            names.append(name)
            let quote = text[value].contains(UInt8(ascii: "\"")) ? UInt8(ascii: "'") : UInt8(ascii: "\"")
            repaired.append(UInt8(ascii: " "))
            repaired += name + [UInt8(ascii: "="), quote]
            takeValue(value, quote)
            repaired.append(quote)
        }
        place = next
    }

    private mutating func takeValue(_ value: Range<Int>, _ quote: UInt8) {
        place = value.lowerBound
        while place < value.upperBound {
            switch text[place] {
            case UInt8(ascii: "&"): reference()
            case UInt8(ascii: "<"):
                repaired += "&#60;".utf8
                place += 1
            // Occurs only in an unquoted value.
            case quote: place += 1
            default:
                repaired.append(text[place])
                place += 1
            }
        }
    }

    /// Returns the index of the quote that ends the value at `place`; nil if there is none, or if another tag begins
    /// first: the quote was then forgotten.
    private func quotedEnd() -> Int? {
        guard place < text.count, isQuote(text[place]) else { return nil }
        var hasEnded = false
        for next in place + 1..<text.count {
            if text[next] == text[place] { return next }
            if text[next] == UInt8(ascii: ">") { hasEnded = true }
            if text[next] == UInt8(ascii: "<"), hasEnded { return nil }
        }
        return nil
    }

    // MARK: References

    /// Copies a reference as a number, and any other `&` as itself. Leaves out a character that XML forbids.
    private mutating func reference() {
        let body = text[(place + 1)...].prefix(32).prefix {
            $0 > 32 && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "<")
        }
        guard body.endIndex < text.count, text[body.endIndex] == UInt8(ascii: ";"), let first = body.first,
            let scalars = first == UInt8(ascii: "#") ? Self.numbered(body.dropFirst()) : Self.named(body)
        else {
            repaired += "&#38;".utf8
            place += 1
            return
        }
        for scalar in scalars { repaired += "&#\(scalar.value);".utf8 }
        place = body.endIndex + 1
    }

    private static func named(_ name: ArraySlice<UInt8>) -> String.UnicodeScalarView? {
        PlainText.names[String(decoding: name, as: UTF8.self)]?.unicodeScalars
    }

    /// Empty for a character that XML forbids; nil for an invalid number.
    private static func numbered(_ text: ArraySlice<UInt8>) -> String.UnicodeScalarView? {
        let isHexadecimal = text.first.map { $0 | 0x20 } == UInt8(ascii: "x")
        let digits = text.dropFirst(isHexadecimal ? 1 : 0)
        guard let number = UInt32(digits: digits, radix: isHexadecimal ? 16 : 10, in: 0...(.max)) else {
            let isNumber = digits.allSatisfy {
                $0.isASCIIDigit || isHexadecimal && (0x61...0x66).contains($0 | 0x20)
            }
            return isNumber && !digits.isEmpty ? String.UnicodeScalarView() : nil
        }
        guard let scalar = Unicode.Scalar(number), number >= 32 || number == 9 || number == 10 || number == 13,
            number != 0xFFFE, number != 0xFFFF
        else { return String.UnicodeScalarView() }
        return String(scalar).unicodeScalars
    }

    // MARK: Parts

    private func starts(_ mark: String) -> Bool { text[place...].starts(with: mark.utf8) }

    private mutating func end(of mark: String, from offset: Int) -> Int? {
        if missing.contains(mark) { return nil }
        let end = PlainText.end(of: mark, text[min(text.count, place + offset)...])
        if end == nil { missing.insert(mark) }
        return end
    }

    private mutating func takeName() -> ArraySlice<UInt8> {
        let name = text[place...].prefix { Self.isName($0) || $0.isASCIIDigit || $0 == 0x2D || $0 == 0x2E }
        place = name.endIndex
        return name
    }

    private mutating func skipBlanks() {
        while place < text.count, text[place] <= 32 { place += 1 }
    }

    private func startsName(at place: Int) -> Bool { place < text.count && Self.isName(text[place]) }

    private func isEmptyTag(at place: Int) -> Bool { text[place...].starts(with: "/>".utf8) }

    private func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    /// True if a name may begin with a byte. The few forbidden characters beyond ASCII are left to libxml2.
    private static func isName(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":") || byte >= 0x80
    }
}
