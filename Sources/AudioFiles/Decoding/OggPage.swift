/// The header of a page of an Ogg file (RFC 3533, section 6).
struct OggPage {
    /// The whole page's place in the file; a file that was cut short may end within it.
    let bytes: Range<Int64>
    /// Where its content begins.
    let contentStart: Int64
    /// The lengths of its segments; one below 255 ends a packet.
    let segments: [UInt8]
    /// Which of the file's streams it belongs to.
    let serial: UInt32
    /// How long the stream is up to the end of the last packet that ends here, in units of its codec; -1 where none does.
    let position: Int64

    private static let headerBytes = 27
    /// What a page takes at most.
    static let longest = headerBytes + 255 + 255 * 255

    /// Reads the header of the page that begins at `start`; nil where none does.
    init?(_ source: ByteSource, at start: Int64) {
        let head = source.bytes(at: start, count: Self.headerBytes + 255)
        guard head.count >= Self.headerBytes, head.starts(with: "OggS".utf8) else { return nil }
        let count = Int(head[26])
        guard head.count >= Self.headerBytes + count else { return nil }
        segments = Array(head[Self.headerBytes..<Self.headerBytes + count])
        contentStart = start + Int64(Self.headerBytes + count)
        bytes = start..<segments.reduce(contentStart) { $0 + Int64($1) }
        position = head.little(at: 6)
        serial = head.little(at: 14)
    }
}
