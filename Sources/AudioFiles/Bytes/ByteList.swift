/// Bytes of a file's header or chunk being put together.
package struct ByteList {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append(_ more: [UInt8]) { bytes += more }
    package mutating func text(_ name: String) { bytes += Array(name.utf8) }

    /// An integer's bytes, the lowest first.
    package mutating func little(_ value: some FixedWidthInteger) { append(value.littleEndian) }

    /// An integer's bytes, the highest first.
    package mutating func big(_ value: some FixedWidthInteger) { append(value.bigEndian) }

    private mutating func append(_ value: some FixedWidthInteger) {
        var value = value
        unsafe withUnsafeBytes(of: &value) { unsafe bytes.append(contentsOf: $0) }
    }
}
