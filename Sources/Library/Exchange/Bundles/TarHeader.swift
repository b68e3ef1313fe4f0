// One block of an archive in the POSIX pax interchange format (IEEE 1003.1), which GNU tar also writes and reads.
internal import Explanations
internal import JSON

/// Header of a member.
struct TarHeader: Equatable {
    static let blockSize = 512

    /// Type flag of the member.
    var type = UInt8(ascii: "0")
    /// Name in bytes, not necessarily text.
    var name: [UInt8] = []
    /// Bytes of contents that follow.
    var byteCount: Int64 = 0
    /// True if blocks follow that describe the holes of a GNU tar sparse file.
    private(set) var isContinued = false

    /// Largest number in eleven octal digits.
    static let largestSize: Int64 = 0o77_777_777_777
    static let longestName = 100

    init(name: [UInt8], byteCount: Int64, type: UInt8 = UInt8(ascii: "0")) {
        (self.name, self.byteCount, self.type) = (name, byteCount, type)
    }

    /// Nil if the block is not a header.
    init?(_ block: [UInt8]) {
        guard block.count == Self.blockSize, let sum = Self.number(block[148..<156]) else { return nil }
        // Some old programs computed the checksum with signed bytes.
        var (unsigned, signed): (Int64, Int64) = (0, 0)
        for (index, byte) in block.enumerated() {
            let value = (148..<156).contains(index) ? UInt8(ascii: " ") : byte
            unsigned += Int64(value)
            signed += Int64(Int8(bitPattern: value))
        }
        guard sum == unsigned || sum == signed, let size = Self.number(block[124..<136]) else { return nil }
        type = block[156]
        byteCount = size
        name = Array(block[0..<100].prefix { $0 != 0 })
        // GNU archives use the prefix field for other data.
        let isPOSIX = Array(block[257..<263]) == Array("ustar\0".utf8)
        let prefix = Array(block[345..<500].prefix { $0 != 0 })
        if isPOSIX, !prefix.isEmpty { name = prefix + [UInt8(ascii: "/")] + name }
        isContinued = type == UInt8(ascii: "S") && block[482] != 0
    }

    /// Reads a number in octal digits, or in binary if the first bit is set; nil if invalid, negative or too large.
    private static func number(_ field: ArraySlice<UInt8>) -> Int64? {
        if let first = field.first, first & 0x80 != 0 {
            return first == 0x80 ? Int64(bytes: field.dropFirst(), in: .counts) : nil
        }
        let digits = field.drop { $0 == UInt8(ascii: " ") }.prefix { $0 != 0 && $0 != UInt8(ascii: " ") }
        return digits.isEmpty ? 0 : Int64(digits: digits, radix: 8, in: .counts)
    }

    /// Blocks of the member's head. A pax header comes first for a name or size that does not fit into one block.
    var blocks: [UInt8] {
        var records: [UInt8] = []
        if name.count > Self.longestName { records += Self.record("path", name) }
        if byteCount > Self.largestSize { records += Self.record("size", Array(String(byteCount).utf8)) }
        if records.isEmpty { return block }
        let extra = TarHeader(
            name: Array("PaxHeaders/member".utf8), byteCount: Int64(records.count), type: UInt8(ascii: "x"))
        return extra.block + records + Self.padding(Int64(records.count)) + block
    }

    private var block: [UInt8] {
        var block = [UInt8](repeating: 0, count: Self.blockSize)
        func put(_ bytes: some Sequence<UInt8>, at place: Int) {
            for (index, byte) in bytes.enumerated() { block[place + index] = byte }
        }
        func octal(_ value: Int64, _ width: Int) -> String.UTF8View {
            zeroPadded(value, to: width, radix: 8).utf8
        }
        put(name.prefix(Self.longestName), at: 0)
        put(octal(0o644, 7), at: 100)
        for place in [108, 116] { put(octal(0, 7), at: place) }
        put(octal(byteCount > Self.largestSize ? 0 : byteCount, 11), at: 124)
        put(octal(0, 11), at: 136)
        put(Array("        ".utf8), at: 148)
        block[156] = type
        put("ustar\0".utf8, at: 257)
        put("00".utf8, at: 263)
        put(octal(block.reduce(0) { $0 + Int64($1) }, 6), at: 148)
        block[154] = 0
        return block
    }

    /// Returns "LENGTH KEY=VALUE\n"; the length includes its own digits.
    private static func record(_ key: String, _ value: [UInt8]) -> [UInt8] {
        let rest = Array(" \(key)=".utf8) + value + [UInt8(ascii: "\n")]
        var count = rest.count + 1
        while rest.count + String(count).utf8.count != count { count = rest.count + String(count).utf8.count }
        return Array(String(count).utf8) + rest
    }

    /// Returns the zeros that fill the last block of the contents.
    static func padding(_ byteCount: Int64) -> [UInt8] {
        [UInt8](repeating: 0, count: Int((Int64(blockSize) - byteCount % Int64(blockSize)) % Int64(blockSize)))
    }
}
