// Samples and checksums read from bytes. Here and not beside the tests, which are compiled without optimisation: a loop
// over bytes takes a hundred times as long there.

/// The samples of four bytes each, the lowest first; bytes after the last whole sample are left out.
package func floats(in bytes: ArraySlice<UInt8>) -> [Float] {
    stride(from: bytes.startIndex, to: bytes.endIndex - 3, by: 4).map { place in
        let (low, high) = (
            UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8,
            UInt32(bytes[place + 2]) | UInt32(bytes[place + 3]) << 8
        )
        return Float(bitPattern: low | high << 16)
    }
}

/// The channels of interleaved samples.
package func deinterleaved(_ samples: [Float], channelCount: Int) -> [[Float]] {
    (0..<channelCount).map { channel in
        stride(from: channel, to: samples.count, by: channelCount).map { samples[$0] }
    }
}

/// The nearest integers of samples times a scale.
package func integers(of samples: [Float], scale: Float) -> [Int] {
    samples.map { Int(($0 * scale).rounded()) }
}

/// The checksum of an Ogg page whose own checksum is zero: one bit at a time, as the specification describes it, not
/// the way of the program.
package func checksumBitByBit(ofPage page: [UInt8]) -> UInt32 {
    var sum: UInt32 = 0
    for byte in page {
        sum ^= UInt32(byte) << 24
        for _ in 0..<8 { sum = sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
    }
    return sum
}
