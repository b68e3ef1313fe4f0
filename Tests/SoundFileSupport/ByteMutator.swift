package import TestSupport

/// Changes bytes as bad disks, other programs and people with a purpose do.
package struct ByteMutator {
    package var random: SeededGenerator

    package init(random: SeededGenerator) { self.random = random }

    /// Integers at limits.
    private static let edges: [Int64] = [
        0, 1, 2, -1, 127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536, Int64(Int32.max), Int64(Int32.max) + 1,
        Int64(UInt32.max), 1 << 32, 1 << 37, .max, .min,
    ]

    private mutating func place(in bytes: [UInt8]) -> Int { Int.random(in: 0...bytes.count, using: &random) }

    private mutating func range(in bytes: [UInt8]) -> Range<Int> {
        let start = place(in: bytes)
        return start..<min(bytes.count, start + Int.random(in: 0...24, using: &random))
    }

    package mutating func change(_ bytes: inout [UInt8], with other: [UInt8]) {
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1:
            guard let index = bytes.indices.randomElement(using: &random) else { return }
            bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2:
            guard let index = bytes.indices.randomElement(using: &random) else { return }
            bytes[index] =
                [0, 1, 0x7F, 0x80, 0xFF, UInt8(ascii: "0"), UInt8(ascii: "-")].randomElement(using: &random) ?? 0
        case 3: bytes.removeSubrange(range(in: bytes))
        case 4: bytes.insert(contentsOf: bytes[range(in: bytes)], at: place(in: bytes))
        case 5: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
        case 6:
            // An integer at a limit where a header or chunk may have an integer.
            let edge = littleBytes(Self.edges.randomElement(using: &random) ?? 0)
            let start = 4 * Int.random(in: 0..<16, using: &random)
            let width = Bool.random(using: &random) ? 4 : 8
            guard start + width <= bytes.count else { return }
            bytes.replaceSubrange(start..<start + width, with: edge.prefix(width))
        case 7:
            // The same in text, in the place of a number.
            let digits = bytes.indices.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[$0]) }
            guard let digit = digits.randomElement(using: &random) else { return }
            let text = [
                "1e99", "1e400", "\"\"", "null", "[[", "{}", "1.5", "\(Self.edges.randomElement(using: &random) ?? 0)",
            ]
            bytes.replaceSubrange(digit..<digit + 1, with: Array((text.randomElement(using: &random) ?? "").utf8))
        default:
            let part = range(in: other)
            bytes.replaceSubrange(range(in: bytes), with: other[part])
        }
    }
}
