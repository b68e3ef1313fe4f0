// Reads integers from bytes; `ByteList` writes them.

extension [UInt8] {
    /// Returns the little-endian integer at an offset. The caller has checked that all bytes of the integer exist.
    package func little<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type = Value.self, at offset: Int)
        -> Value
    {
        Value(littleEndian: load(at: offset))
    }

    /// Returns the big-endian integer at an offset. The caller has checked that all bytes of the integer exist.
    package func big<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type = Value.self, at offset: Int)
        -> Value
    {
        Value(bigEndian: load(at: offset))
    }

    private func load<Value: BitwiseCopyable>(at offset: Int) -> Value {
        precondition(offset >= 0 && offset <= count - MemoryLayout<Value>.size, "An integer lies beyond the bytes.")
        return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }
}
