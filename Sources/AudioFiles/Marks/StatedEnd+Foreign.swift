// The end stated by files that only the program `ffmpeg` decodes.

extension StatedEnd {
    /// Reads the parts of an AVI file; a long file has several. A stream states a size of 0, or the greatest size.
    static func isAVIWhole(_ source: ByteSource) -> Bool? {
        var place: Int64 = 0
        for _ in 0..<mostParts {
            guard source.starts(with: "RIFF", at: place), let size = source.little(UInt32.self, at: place + 4),
                (1..<unknownSize).contains(Int64(size))
            else { break }
            let end = place + 8 + Int64(size)
            if end > source.count { return false }
            place = end + Int64(size & 1)
        }
        return place > 0 ? true : nil
    }

    /// First bytes of the object that holds the packets of an ASF file (Microsoft's specification, 5.1).
    private static let packets: [UInt8] = [
        0x36, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C,
    ]

    /// Reads the object behind the header, which holds all packets. A stream states a size of 0.
    static func isASFWhole(_ source: ByteSource) -> Bool? {
        guard let header = source.little(at: 16, in: 30...unknownLongSize - 1) else { return nil }
        if header > source.count { return false }
        guard source.bytes(at: header, count: packets.count) == packets,
            let size = source.little(at: header + 16, in: 50...unknownLongSize - 1)
        else { return nil }
        return size <= source.count - header
    }

    /// Reads the number of frames in the first block, without the blocks of bits (DSD), whose samples are counted
    /// otherwise.
    static func isWavPackWhole(_ source: ByteSource, _ frameCount: Int64) -> Bool? {
        let head = source.bytes(at: 0, count: 32)
        guard head.count == 32, head[27] & 0x80 == 0 else { return nil }
        let low: UInt32 = head.little(at: 12)
        guard low != .max else { return nil }
        let stated = Int64(head[11]) << 32 + Int64(low) - Int64(head[11])
        return stated > 0 ? stated <= frameCount : nil
    }

    static func isTTAWhole(_ source: ByteSource, _ frameCount: Int64) -> Bool? {
        guard let stated = source.little(UInt32.self, at: 14), (1..<UInt32.max).contains(stated) else { return nil }
        return Int64(stated) <= frameCount
    }

    /// Reads the parts of a DSF file, which has two parts in front of its samples.
    static func isDSFWhole(_ source: ByteSource) -> Bool? {
        guard let start = source.little(at: 4, in: 0...unknownLongSize - 1),
            let format = source.little(at: start + 4, in: 0...source.count)
        else { return nil }
        guard source.starts(with: "data", at: start + format),
            let size = source.little(at: start + format + 4, in: 13...unknownLongSize - 1)
        else { return nil }
        return size <= source.count - start - format
    }

    /// Reads the one part that a DSDIFF file consists of.
    static func isDSDIFFWhole(_ source: ByteSource) -> Bool? {
        guard let size = source.big(at: 4, in: 1...unknownLongSize - 1) else { return nil }
        return size <= source.count - 12
    }
}
