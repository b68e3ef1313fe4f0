/// The CRC-32 of ZIP, PNG and Ethernet: polynomial 0x04C11DB7, reflected, with all bits inverted at the beginning and
/// at the end (ISO 3309).
///
/// Computed by tables, four bytes a step: Sarwate (1988) and Kounavis and Berry (2005). Cost: some 1 ns per byte.
struct CheckSum {
    private var state: UInt32 = 0xFFFF_FFFF

    /// Checksum of all bytes so far; 0 for none.
    var value: UInt32 { ~state }

    /// Adds further bytes.
    mutating func add(_ bytes: some Sequence<UInt8>) {
        let tables = Self.tables
        var (sum, word, held) = (state, UInt32(0), UInt32(0))
        for byte in bytes {
            word |= UInt32(byte) << (8 * held)
            held += 1
            guard held == 4 else { continue }
            sum ^= word
            sum =
                tables[768 + Int(sum & 0xFF)] ^ tables[512 + Int(sum >> 8 & 0xFF)] ^ tables[256 + Int(sum >> 16 & 0xFF)]
                ^ tables[Int(sum >> 24)]
            (word, held) = (0, 0)
        }
        for place in 0..<held { sum = sum >> 8 ^ tables[Int((sum ^ word >> (8 * place)) & 0xFF)] }
        state = sum
    }

    /// Four consecutive tables: the remainder of a byte followed by none, one, two and three bytes of zeros.
    private static let tables: [UInt32] = {
        let first = (0..<256).map { byte -> UInt32 in
            (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
        }
        var tables = first
        for index in 256..<1024 {
            let before = tables[index - 256]
            tables.append(before >> 8 ^ first[Int(before & 0xFF)])
        }
        return tables
    }()
}
