// Reads integers from bytes; `ByteList` writes them.

/// An integer of a file that needs no limits: 64 bits hold its sums and products with counts.
package protocol ShortInteger: FixedWidthInteger, BitwiseCopyable {}
extension UInt16: ShortInteger {}
extension Int32: ShortInteger {}
extension UInt32: ShortInteger {}

extension [UInt8] {
    /// Returns the little-endian integer at an offset. The caller has checked that all bytes of the integer exist.
    package func little<Value: ShortInteger>(_ type: Value.Type = Value.self, at offset: Int) -> Value {
        Value(littleEndian: load(at: offset))
    }

    /// Returns the big-endian integer at an offset. The caller has checked that all bytes of the integer exist.
    package func big<Value: ShortInteger>(_ type: Value.Type = Value.self, at offset: Int) -> Value {
        Value(bigEndian: load(at: offset))
    }

    /// Returns the little-endian integer of any size at an offset; nil beyond the limits. The caller has checked that
    /// all bytes of the integer exist.
    package func little<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, in limits: ClosedRange<Value>
    ) -> Value? {
        let value = Value(littleEndian: load(at: offset))
        return limits.contains(value) ? value : nil
    }

    /// Returns the big-endian integer of any size at an offset; nil beyond the limits. The caller has checked that all
    /// bytes of the integer exist.
    package func big<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, in limits: ClosedRange<Value>
    ) -> Value? {
        let value = Value(bigEndian: load(at: offset))
        return limits.contains(value) ? value : nil
    }

    private func load<Value: BitwiseCopyable>(at offset: Int) -> Value {
        precondition(offset >= 0 && offset <= count - MemoryLayout<Value>.size, "An integer lies beyond the bytes.")
        return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }
}
