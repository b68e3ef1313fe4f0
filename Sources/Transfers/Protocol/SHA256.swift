/// SHA-256 (FIPS 180-4).
///
/// Written here because no library that the program is sure to have offers it: libcurl is built with any of several.
struct SHA256: ChecksumComputation {
    private var state = BlockState<UInt32>([
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ])
    private var schedule = [UInt32](repeating: 0, count: 64)

    init() {}

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        unsafe state.add(bytes) { block, sums in unsafe Self.mix(block, &sums, &schedule) }
    }

    mutating func finish() -> [UInt8] {
        let ending = state.ending(lengthIsBigEndian: true)
        unsafe ending.withUnsafeBytes { ending in
            unsafe state.add(ending) { block, sums in unsafe Self.mix(block, &sums, &schedule) }
        }
        return state.sums.flatMap { sum in (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) } }
    }

    private static func mix(_ block: UnsafeRawBufferPointer, _ sums: inout [UInt32], _ words: inout [UInt32]) {
        for index in 0..<16 {
            words[index] = UInt32(
                bigEndian: unsafe block.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
        }
        for index in 16..<64 {
            let (near, far) = (words[index - 2], words[index - 15])
            let nearMix = rotated(near, 17) ^ rotated(near, 19) ^ near >> 10
            let farMix = rotated(far, 7) ^ rotated(far, 18) ^ far >> 3
            words[index] = nearMix &+ words[index - 7] &+ farMix &+ words[index - 16]
        }
        // The standard's names.
        var (a, b, c, d) = (sums[0], sums[1], sums[2], sums[3])
        var (e, f, g, h) = (sums[4], sums[5], sums[6], sums[7])
        for index in 0..<64 {
            let choice = e & f ^ ~e & g
            let first =
                h &+ (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) &+ choice &+ constants[index] &+ words[index]
            let majority = a & b ^ a & c ^ b & c
            let second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { sums[index] &+= value }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]
}

/// What both algorithms share: whole blocks of 64 bytes go on, the rest waits.
struct BlockState<Word: FixedWidthInteger> {
    private(set) var sums: [Word]
    private var rest: [UInt8] = []
    private var byteCount: UInt64 = 0

    private static var blockBytes: Int { 64 }

    init(_ sums: [Word]) { self.sums = sums }

    mutating func add(_ bytes: UnsafeRawBufferPointer, _ mix: (UnsafeRawBufferPointer, inout [Word]) -> Void) {
        byteCount &+= UInt64(bytes.count)
        var start = 0
        if !rest.isEmpty {
            start = min(Self.blockBytes - rest.count, bytes.count)
            unsafe rest.append(contentsOf: bytes[..<start])
            if rest.count < Self.blockBytes { return }
            unsafe rest.withUnsafeBytes { unsafe mix($0, &sums) }
            rest.removeAll(keepingCapacity: true)
        }
        while bytes.count - start >= Self.blockBytes {
            unsafe mix(UnsafeRawBufferPointer(rebasing: bytes[start..<start + Self.blockBytes]), &sums)
            start += Self.blockBytes
        }
        unsafe rest.append(contentsOf: bytes[start...])
    }

    /// What follows the last byte: a one, zeros, and the length in bits.
    func ending(lengthIsBigEndian: Bool) -> [UInt8] {
        let zeros = (Self.blockBytes * 2 - 9 - rest.count) % Self.blockBytes
        let bits = byteCount &* 8
        let length = (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(lengthIsBigEndian ? 56 - 8 * $0 : 8 * $0)) }
        return [0x80] + [UInt8](repeating: 0, count: zeros) + length
    }
}
