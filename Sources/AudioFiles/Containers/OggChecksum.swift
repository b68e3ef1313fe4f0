/// The checksum of Ogg pages: a cyclic redundancy check by 0x04C11DB7, the highest bit first, from 0 (RFC 3533, section
/// 6).
package enum OggChecksum {
    /// Checksums of a byte followed by 0 to 7 zero bytes. Table look-ups over eight bytes at a time are about five
    /// times as fast as over single bytes (Kounavis and Berry, "A Systematic Approach to Building High Performance
    /// Software-based CRC Generators", 2005).
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte) << 24
            for _ in 0..<8 { value = value << 1 ^ (value >> 31 != 0 ? 0x04C1_1DB7 : 0) }
            tables[byte] = value
        }
        for entry in 256..<8 * 256 {
            let shorter = tables[entry - 256]
            tables[entry] = shorter << 8 ^ tables[Int(shorter >> 24)]
        }
        return tables
    }()

    /// Returns the checksum of a page's bytes, with the checksum field taken as zeros.
    package static func checksum(ofPage page: [UInt8]) -> UInt32 {
        let field = OggPage.checksumOffset..<OggPage.checksumOffset + 4
        guard page.count >= field.upperBound else { return 0 }
        return unsafe page.withUnsafeBytes { bytes in
            unsafe tables.withUnsafeBufferPointer { tables in
                var sum = unsafe run(0, bytes, 0..<field.lowerBound, tables)
                for _ in field { sum = unsafe sum << 8 ^ tables[Int(sum >> 24)] }
                return unsafe run(sum, bytes, field.upperBound..<bytes.count, tables)
            }
        }
    }

    private static func run(
        _ start: UInt32, _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ tables: UnsafeBufferPointer<UInt32>
    ) -> UInt32 {
        var (sum, place) = (start, range.lowerBound)
        while place + 8 <= range.upperBound {
            let both = unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            let word = both ^ UInt64(sum) << 32
            sum = 0
            for index in 0..<8 {
                sum ^= unsafe tables[(7 - index) << 8 | Int(truncatingIfNeeded: word >> UInt64(56 - 8 * index)) & 0xFF]
            }
            place += 8
        }
        while place < range.upperBound {
            sum = unsafe sum << 8 ^ tables[Int(sum >> 24) ^ Int(bytes[place])]
            place += 1
        }
        return sum
    }
}
