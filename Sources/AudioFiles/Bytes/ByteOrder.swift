// Reads integers from bytes; `ByteList` writes them.

extension [UInt8] {
    /// The integer at an offset, lowest byte first. The caller has checked that all its bytes are there.
    package func little<Value: FixedWidthInteger & BitwiseCopyable>(_ type: Value.Type = Value.self, at offset: Int)
        -> Value
    {
        Value(littleEndian: load(at: offset))
    }

    /// The integer at an offset, highest byte first. The caller has checked that all its bytes are there.
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
