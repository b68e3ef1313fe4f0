// Which bytes of an Ogg file are audio. A longer comment moves every packet to other pages, with other numbers and checksums.

/// Picks the packets of audio, and those that a decoder needs, out of pages; follows each stream of the file.
struct OggAudio {
    private struct Stream {
        /// Packets that have begun before the next page.
        var packet = 0
        /// Whether the packet that continues in the next page is audio.
        var isKept = true
        /// Whether its first packet is that of FLAC, whose metadata blocks are packets of their own.
        var isFLAC = false
        /// Whether the last page ended within a packet.
        var isOpen = false
        var position: Int64 = 0
    }

    private var streams: [UInt32: Stream] = [:]
    /// The streams that have not ended, in the order in which they began.
    private var order: [UInt32] = []

    /// A file has a few streams at once. What has more is none, and must not fill the memory.
    private static let mostStreams = 1024

    /// The bytes of a page that are not comments; and, after the last page of a stream, its position, which cuts the end of the sound.
    mutating func audio(of page: OggPage, _ content: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        // Streams that follow one another may have the same number.
        if page.isFirst { kept += end(page.serial) }
        if streams[page.serial] == nil {
            if order.count == Self.mostStreams { kept += end(order[0]) }
            order.append(page.serial)
        }
        var stream = streams[page.serial] ?? Stream()
        var place = 0
        for segment in page.segments {
            let bytes = content[min(place, content.count)..<min(place + Int(segment), content.count)]
            if !stream.isOpen { Self.begin(&stream, bytes) }
            if stream.isFLAC, stream.packet == 1, !stream.isOpen {
                // The first packet counts the metadata packets behind it, in its bytes 7 and 8.
                kept += bytes.prefix(7) + bytes.dropFirst(9)
            } else if stream.isKept {
                kept += bytes
            }
            place += Int(segment)
            stream.isOpen = segment == 255
        }
        if page.position >= 0 { stream.position = page.position }
        streams[page.serial] = stream
        return page.isLast ? kept + end(page.serial) : kept
    }

    /// Forgets a stream.
    ///
    /// - Returns: The bytes of its position; none if it is not there.
    private mutating func end(_ serial: UInt32) -> [UInt8] {
        guard let stream = streams.removeValue(forKey: serial) else { return [] }
        order.removeAll { $0 == serial }
        return Self.bytes(stream.position)
    }

    private static func bytes(_ position: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: UInt64(bitPattern: position) >> UInt64(8 * $0)) }
    }

    /// A packet begins.
    private static func begin(_ stream: inout Stream, _ bytes: ArraySlice<UInt8>) {
        if stream.packet == 0 { stream.isFLAC = bytes.starts(with: [0x7F] + Array("FLAC".utf8)) }
        if stream.isFLAC {
            // After the first packet come metadata blocks; a frame begins with a pattern that no block's type has.
            stream.isKept = stream.packet == 0 || bytes.first == 0xFF
        } else {
            // Vorbis: properties, comments, codebooks. Opus: properties, comments.
            stream.isKept = stream.packet != 1
        }
        stream.packet += 1
    }

    /// The positions of the streams that have not ended, in the order in which they began.
    var ends: [UInt8] { order.flatMap { Self.bytes(streams[$0]?.position ?? 0) } }
}
