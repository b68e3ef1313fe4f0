/// Builds the bytes of a file's header or chunk.
package struct ByteList {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append(_ more: [UInt8]) { bytes += more }
    package mutating func text(_ name: String) { bytes += Array(name.utf8) }

    /// Appends an integer, lowest byte first.
    package mutating func little(_ value: some FixedWidthInteger) { append(value.littleEndian) }

    /// Appends an integer, highest byte first.
    package mutating func big(_ value: some FixedWidthInteger) { append(value.bigEndian) }

    private mutating func append(_ value: some FixedWidthInteger) {
        var value = value
        unsafe withUnsafeBytes(of: &value) { unsafe bytes.append(contentsOf: $0) }
    }
}
