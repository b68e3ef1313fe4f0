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
        position = head.little(at: Self.positionOffset, in: 0...(.max)) ?? -1
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
