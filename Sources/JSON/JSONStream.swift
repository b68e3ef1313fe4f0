/// Reads a text of JSON in pieces, from its beginning to its end. The caller opens objects and arrays, and reads their
/// values one after the other, so neither the whole text nor its tree is in memory.
///
/// If the text is not JSON, or is nested deeper than any of our files, each function throws the given fault.
package struct JSONStream<Fault: Error> {
    /// The kind of a value.
    package enum Shape { case object, array, other }

    private var reader = JSONReader(bytes: [], isWhole: false)
    /// Number of open objects and arrays.
    private var depth = 0
    private let notJSON: Fault
    private let more: () throws(Fault) -> [UInt8]

    /// The longest key, and the longest value skipped in one piece, in bytes.
    private static var longest: Int { 1 << 22 }

    /// - Parameters:
    ///   - notJSON: The fault for a text that is not JSON.
    ///   - next: Returns the next bytes of the text; none at its end.
    package init(notJSON: Fault, from next: @escaping () throws(Fault) -> [UInt8]) {
        (self.notJSON, more) = (notJSON, next)
    }

    /// Returns the kind of the next value.
    package mutating func shape() throws(Fault) -> Shape {
        guard let byte = try reader.read(more, { $0.next }) ?? nil else { throw notJSON }
        return byte == UInt8(ascii: "{") ? .object : byte == UInt8(ascii: "[") ? .array : .other
    }

    /// Returns the position of the next value in the text, in bytes.
    package mutating func place() throws(Fault) -> Int {
        _ = try shape()
        return reader.textPlace
    }

    /// Number of bytes read.
    package var readCount: Int { reader.textPlace }

    /// Reads an object. `body` gets each key, and must read its value.
    package mutating func object(_ body: (inout Self, String) throws(Fault) -> Void) throws(Fault) {
        try open("{")
        if try take("}") { return depth -= 1 }
        repeat {
            guard let key = try reader.read(more, within: Self.longest, { $0.key() }) ?? nil else { throw notJSON }
            try body(&self, key)
        } while try take(",")
        guard try take("}") else { throw notJSON }
        depth -= 1
    }

    /// Reads an array. `body` is called for each element, and must read the element.
    package mutating func array(_ body: (inout Self) throws(Fault) -> Void) throws(Fault) {
        try open("[")
        if try take("]") { return depth -= 1 }
        repeat { try body(&self) } while try take(",")
        guard try take("]") else { throw notJSON }
        depth -= 1
    }

    /// Reads a whole value. Returns nil if the value exceeds a limit in bytes, or a limit in contained values; no
    /// further reading is possible then.
    package mutating func value(within byteCount: Int, _ valueCount: Int) throws(Fault) -> JSONValue? {
        let depth = depth
        let read = try reader.read(more, within: byteCount) { reader in
            reader.valuesLeft = valueCount
            return reader.value(depth: depth)
        }
        guard let read else { return nil }
        if let value = read { return value }
        if reader.valuesLeft < 0 { return nil }
        throw notJSON
    }

    /// Skips a value of any length, except a single text or number longer than the limit.
    package mutating func skip() throws(Fault) {
        switch try shape() {
        case .object: try object { (stream, _) throws(Fault) in try stream.skip() }
        case .array: try array { (stream) throws(Fault) in try stream.skip() }
        case .other: if try value(within: Self.longest, 1) == nil { throw notJSON }
        }
    }

    /// Reads the end of the text.
    package mutating func end() throws(Fault) {
        guard try reader.read(more, { $0.isAtEnd() }) == true else { throw notJSON }
    }

    private mutating func open(_ character: Unicode.Scalar) throws(Fault) {
        guard depth < JSONReader.deepest, try take(character) else { throw notJSON }
        depth += 1
    }

    private mutating func take(_ character: Unicode.Scalar) throws(Fault) -> Bool {
        try reader.read(more) { $0.take(character) } ?? false
    }
}
