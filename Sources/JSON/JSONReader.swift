extension JSONValue {
    /// Parses a text; nil if the text is not JSON, or is nested deeper than any of our files.
    ///
    /// A number is an `integer` if written as an integer within the range of `Int64`, otherwise a `number`. Numbers
    /// beyond the range of Double are refused.
    package init?(reading bytes: [UInt8]) {
        var reader = JSONReader(bytes: bytes)
        guard let value = reader.value(depth: 0), reader.isAtEnd() else { return nil }
        self = value
    }

    /// Returns the value of an object's key (the first, if there are several); nil if there is none.
    package subscript(_ key: String) -> JSONValue? {
        if case .object(let fields) = self { fields.first { $0.key == key }?.value } else { nil }
    }

    /// The elements of an array; nil for other values.
    package var elements: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
    /// The text of a string; nil for other values.
    package var stringValue: String? { if case .string(let text) = self { text } else { nil } }
    /// True or false; nil for other values.
    package var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
}

/// Parses JSON from the front, as defined by RFC 8259; each function returns nil for any other text.
struct JSONReader {
    static let deepest = 16
    /// Number of values that may still be read; negative after too many.
    var valuesLeft = Int.max
    private var bytes: [UInt8]
    private var place = 0
    /// Position of the first byte within the text.
    private var start = 0
    /// True if the bytes reach to the end of the text.
    private var isWhole: Bool

    init(bytes: [UInt8], isWhole: Bool = true) { (self.bytes, self.isWhole) = (bytes, isWhole) }

    /// Position of the next byte within the text.
    var textPlace: Int { start + place }
    var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func isAtEnd() -> Bool {
        skipBlanks()
        return place == bytes.count
    }

    mutating func value(depth: Int) -> JSONValue? {
        skipBlanks()
        valuesLeft -= 1
        guard depth < Self.deepest, valuesLeft >= 0, let next else { return nil }
        switch next {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return word("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return word("false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return word("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func skipBlanks() {
        while let byte = next, byte == 32 || byte == 9 || byte == 10 || byte == 13 { place += 1 }
    }

    /// Skips a character, and blanks before the character, if it is next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        return takeHere(character)
    }

    private mutating func takeHere(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func word(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { takeHere($0) } }

    // MARK: Texts that come in pieces

    /// Reads a part of the text. If the part ends at the last byte, reads the part again with more bytes, because the
    /// part may continue. Each function of the reader that lacks a byte has passed all other bytes.
    ///
    /// - Parameter byteCount: The longest part.
    /// - Returns: Nil for a longer part.
    mutating func read<Value, Fault: Error>(
        _ more: () throws(Fault) -> [UInt8], within byteCount: Int = .max, _ part: (inout JSONReader) -> Value
    ) throws(Fault) -> Value? {
        // Blanks need no memory.
        skipBlanks()
        while place == bytes.count, !isWhole {
            try add(more, keeping: place)
            skipBlanks()
        }
        while true {
            let first = place
            let value = part(&self)
            if place - first > byteCount { return nil }
            if place < bytes.count || isWhole { return value }
            try add(more, keeping: first)
        }
    }

    /// Adds bytes of the text, and drops the bytes before a position.
    private mutating func add<Fault: Error>(
        _ more: () throws(Fault) -> [UInt8], keeping first: Int
    ) throws(Fault) {
        // A long part leaves a buffer behind that the next parts do not need.
        if bytes.capacity > 4 * (bytes.count - first) + 1 << 20 {
            bytes = Array(bytes[first...])
        } else {
            bytes.removeSubrange(..<first)
        }
        (start, place) = (start + first, 0)
        // At least doubles the bytes, so that a long part is not reread again and again.
        let enough = 2 * bytes.count
        repeat {
            let added = try more()
            isWhole = added.isEmpty
            bytes += added
        } while !isWhole && bytes.count < enough
    }

    // MARK: Numbers

    private mutating func number() -> JSONValue? {
        let start = place
        _ = takeHere("-")
        let first = place
        guard let digits = digits(), digits == 1 || bytes[first] != UInt8(ascii: "0") else { return nil }
        var isInteger = true
        if takeHere(".") {
            isInteger = false
            guard self.digits() != nil else { return nil }
        }
        if takeHere("e") || takeHere("E") {
            isInteger = false
            if !takeHere("+") { _ = takeHere("-") }
            guard self.digits() != nil else { return nil }
        }
        if isInteger, let value = Int64(digits: bytes[start..<place], in: .identities) { return .integer(value) }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        let finite = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
        return Double(decimal: text, in: finite).map { .number($0) }
    }

    /// Skips digits and counts them; nil if there are none.
    private mutating func digits() -> Int? {
        let start = place
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { place += 1 }
        return place > start ? place - start : nil
    }

    // MARK: Arrays and objects

    private mutating func array(depth: Int) -> JSONValue? {
        place += 1
        var values: [JSONValue] = []
        if take("]") { return .array(values) }
        repeat {
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
        } while take(",")
        return take("]") ? .array(values) : nil
    }

    private mutating func object(depth: Int) -> JSONValue? {
        place += 1
        var fields: [JSONValue.Field] = []
        if take("}") { return .object(fields) }
        repeat {
            guard let key = key(), let value = value(depth: depth + 1) else { return nil }
            fields.append(.init(key, value))
        } while take(",")
        return take("}") ? .object(fields) : nil
    }

    /// Reads the key of a field, and the colon after the key.
    mutating func key() -> String? {
        skipBlanks()
        guard next == UInt8(ascii: "\""), let key = string(), take(":") else { return nil }
        return key
    }

    // MARK: Strings

    private mutating func string() -> String? {
        place += 1
        var text: [UInt8] = []
        var first = place
        while let byte = next, byte >= 32 {
            place += 1
            switch byte {
            case UInt8(ascii: "\""):
                let rest = bytes[first..<place - 1]
                return String(validating: text.isEmpty ? rest : text[...] + rest, as: UTF8.self)
            case UInt8(ascii: "\\"):
                text += bytes[first..<place - 1]
                guard let scalar = escaped() else { return nil }
                text += UTF8.encode(scalar).map(Array.init) ?? []
                first = place
            default: break
            }
        }
        return nil
    }

    private mutating func escaped() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return unicode()
        default: return nil
        }
    }

    /// Reads four hexadecimal digits, or a surrogate pair for characters beyond 16 bits.
    private mutating func unicode() -> Unicode.Scalar? {
        guard let high = hexadecimal() else { return nil }
        guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) }
        guard takeHere("\\"), takeHere("u"), let low = hexadecimal(), (0xDC00..<0xE000).contains(low) else {
            return nil
        }
        return Unicode.Scalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    }

    private mutating func hexadecimal() -> UInt32? {
        var number: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            (number, place) = (number << 4 | UInt32(digit), place + 1)
        }
        return number
    }
}
