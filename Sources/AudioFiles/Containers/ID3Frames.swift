internal import JSON

/// The frames of an ID3 tag of version 2.3 or 2.4, or of a frame with nested frames (id3.org, "ID3 tag version 2.4.0 –
/// Main Structure").
struct ID3Frames {
    private let version: UInt8
    private let content: ByteSource
    /// Largest number of frames read.
    private let mostFrames: Int

    /// Largest number of bytes read of an unsynchronised tag, and of an unsynchronised frame. Unsynchronised data has a
    /// zero after each byte of all ones, so it must be read as a whole.
    private static let (unsynchronisedTag, unsynchronisedFrame) = (4 << 20, 64 << 10)
    /// Largest number of frames in a tag, and within a frame; no valid file has as many.
    private static let (mostOfTag, mostOfFrame) = (16_384, 64)

    /// Reads the frames of a tag at the start of a file. Returns nil if there is no tag, or if its version is
    /// unsupported.
    init?(tag file: ByteSource) {
        let head = file.bytes(at: 0, count: 10)
        guard let length = FileSniffer.id3Length(head), head[3] == 3 || head[3] == 4 else { return nil }
        let version = head[3]
        var content = file.slice(10..<Int64(length))
        // In version 2.4 each frame has its own flag for unsynchronisation.
        if version == 3, head[5] & 0x80 != 0 { content = Self.synchronised(content, Self.unsynchronisedTag) }
        if head[5] & 0x40 != 0, let size = Self.size(content.bytes(at: 0, count: 4), version) {
            // Skip the extended header. In version 2.3 its size does not include the size field.
            content = content.dropFirst(version == 3 ? 4 + size : size)
        }
        self.init(version: head[3], content, mostFrames: Self.mostOfTag)
    }

    private init(version: UInt8, _ content: ByteSource, mostFrames: Int) {
        (self.version, self.content, self.mostFrames) = (version, content, mostFrames)
    }

    /// Returns the frames inside a frame of this tag, after its first `offset` bytes.
    func nested(in frame: ByteSource, from offset: Int64) -> ID3Frames {
        ID3Frames(version: version, frame.dropFirst(offset), mostFrames: Self.mostOfFrame)
    }

    /// Calls `body` with the content of each frame of a name, in order. Compressed and encrypted frames are skipped.
    func forEach(_ wanted: String, atMost limit: Int, _ body: (ByteSource) -> Void) {
        var (place, count): (Int64, Int) = (0, 0)
        for _ in 0..<mostFrames {
            let head = content.bytes(at: place, count: 10)
            // Zeros fill the rest of a tag after its frames.
            guard head.count == 10, head[0] != 0, count < limit, let size = Self.size(head[4..<8], version) else {
                return
            }
            let end = place + 10 + size
            if head.starts(with: Array(wanted.utf8)), let frame = plain(content.slice(place + 10..<end), flags: head[9])
            {
                body(frame)
                count += 1
            }
            if end >= content.count { return }
            place = end
        }
    }

    /// Returns the first frame of a name.
    func first(_ wanted: String) -> ByteSource? {
        var first: ByteSource?
        forEach(wanted, atMost: 1) { first = $0 }
        return first
    }

    /// Returns a frame's content after the fields announced by its flags; nil if the frame is compressed or encrypted.
    private func plain(_ frame: ByteSource, flags: UInt8) -> ByteSource? {
        let (scrambled, grouped): (UInt8, UInt8) = version == 3 ? (0xC0, 0x20) : (0x0C, 0x40)
        if flags & scrambled != 0 { return nil }
        let front: Int64 = (flags & grouped != 0 ? 1 : 0) + (version == 4 && flags & 1 != 0 ? 4 : 0)
        let frame = frame.dropFirst(front)
        return version == 4 && flags & 2 != 0 ? Self.synchronised(frame, Self.unsynchronisedFrame) : frame
    }

    /// Reads a size; in version 2.4 each byte holds seven bits.
    private static func size(_ bytes: some Collection<UInt8>, _ version: UInt8) -> Int64? {
        Int64(bytes: bytes, bits: version == 3 ? 8 : 7, in: .counts)
    }

    /// Reverses the unsynchronisation: removes the zero after each byte of all ones.
    private static func synchronised(_ source: ByteSource, _ limit: Int) -> ByteSource {
        var wasOnes = false
        return ByteSource(
            source.bytes(at: 0, count: limit).filter { byte in
                defer { wasOnes = byte == 0xFF }
                return !(wasOnes && byte == 0)
            })
    }
}
