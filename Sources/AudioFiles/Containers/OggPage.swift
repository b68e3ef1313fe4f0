/// The header of a page of an Ogg file (RFC 3533, section 6).
package struct OggPage {
    /// Range of the whole page in the file. In a truncated file the range may reach beyond the end.
    let bytes: Range<Int64>
    /// Offset of the content in the file.
    let contentStart: Int64
    /// Lengths of the segments; a length below 255 ends a packet.
    let segments: [UInt8]
    /// Serial number of the page's stream in the file.
    let serial: UInt32
    /// Sequence number of the page within its stream.
    let sequence: UInt32
    /// True if the page begins in the middle of a packet.
    let isContinued: Bool
    /// True if the page is marked as the first of its stream.
    let isFirst: Bool
    /// True if the page is marked as the last of its stream.
    let isLast: Bool
    /// Length of the stream up to the end of the last packet ending in this page, in units of its codec; -1 if no
    /// packet ends here.
    let position: Int64

    private static let headerBytes = 27
    /// Greatest length of a page, in bytes.
    static let longest = headerBytes + 255 + 255 * 255
    /// Offsets of the position and the checksum in a page.
    package static let (positionOffset, checksumOffset) = (6, 22)

    /// Reads the header of the page at `start`; nil if there is no page.
    init?(_ source: ByteSource, at start: Int64) {
        let head = source.bytes(at: start, count: Self.headerBytes + 255)
        guard head.count >= Self.headerBytes, head.starts(with: "OggS".utf8) else { return nil }
        let count = Int(head[26])
        guard head.count >= Self.headerBytes + count else { return nil }
        segments = Array(head[Self.headerBytes..<Self.headerBytes + count])
        contentStart = start + Int64(Self.headerBytes + count)
        bytes = start..<segments.reduce(contentStart) { $0 + Int64($1) }
        isContinued = head[5] & 1 != 0
        isFirst = head[5] & 2 != 0
        isLast = head[5] & 4 != 0
        position = head.little(at: Self.positionOffset)
        serial = head.little(at: 14)
        sequence = head.little(at: 18)
    }

    /// Largest number of bytes of damaged pages searched for the next page. The next page may begin inside the range
    /// claimed by a damaged page. Without this limit, a file of nothing but marks would be read thousands of times.
    static let mostReread = 16 << 20

    /// Returns the offset of the next possible page, from `start` on; nil if there is none.
    static func place(in source: ByteSource, from start: Int64) -> Int64? {
        // Start with a small block: among many marks the next mark is near.
        var blockBytes = 512
        let mark = Array("OggS".utf8)
        var place = start
        while true {
            let block = source.bytes(at: place, count: blockBytes)
            if block.count < mark.count { return nil }
            for offset in 0...block.count - mark.count
            where block[offset] == mark[0] && block[offset..<offset + mark.count].elementsEqual(mark) {
                return place + Int64(offset)
            }
            place += Int64(block.count - mark.count + 1)
            blockBytes = min(2 * blockBytes, 64 << 10)
        }
    }
}

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
