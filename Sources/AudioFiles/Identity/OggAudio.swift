// The audio bytes of an Ogg file. A longer comment moves every packet to other pages, with other numbers and checksums.

/// Extracts the audio packets, and the packets needed by a decoder, from pages. Follows each stream of the file.
struct OggAudio {
    private struct Stream {
        /// Number of packets begun before the next page.
        var packet = 0
        /// True if the packet continuing in the next page is audio.
        var isKept = true
        /// True if the first packet is FLAC's. In FLAC streams, each metadata block is a separate packet.
        var isFLAC = false
        /// True if the last page ended within a packet.
        var isOpen = false
        var position: Int64 = 0
    }

    private var streams: [UInt32: Stream] = [:]
    /// Serial numbers of the unfinished streams, in the order of their beginnings.
    private var order: [UInt32] = []

    /// Largest number of simultaneous streams; a file has a few. A damaged or hostile file must not fill the memory.
    private static let mostStreams = 1024

    /// Returns the bytes of a page without comments. After the last page of a stream, appends its position, which trims
    /// the end of the sound.
    mutating func audio(of page: OggPage, _ content: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        // Consecutive streams may have the same number.
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
                // The first packet counts the following metadata packets in its bytes 7 and 8. Omit this count.
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

    /// Removes a stream.
    ///
    /// - Returns: The bytes of the stream's position; empty if the stream is unknown.
    private mutating func end(_ serial: UInt32) -> [UInt8] {
        guard let stream = streams.removeValue(forKey: serial) else { return [] }
        order.removeAll { $0 == serial }
        return Self.bytes(stream.position)
    }

    private static func bytes(_ position: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: UInt64(bitPattern: position) >> UInt64(8 * $0)) }
    }

    /// Begins a packet: decides from its first bytes whether to keep it.
    private static func begin(_ stream: inout Stream, _ bytes: ArraySlice<UInt8>) {
        if stream.packet == 0 { stream.isFLAC = bytes.starts(with: [0x7F] + Array("FLAC".utf8)) }
        if stream.isFLAC {
            // Metadata blocks follow the first packet. A frame begins with a pattern that no block type has.
            stream.isKept = stream.packet == 0 || bytes.first == 0xFF
        } else {
            // Vorbis: properties, comments, codebooks. Opus: properties, comments.
            stream.isKept = stream.packet != 1
        }
        stream.packet += 1
    }

    /// Positions of the unfinished streams, in the order of their beginnings.
    var ends: [UInt8] { order.flatMap { Self.bytes(streams[$0]?.position ?? 0) } }
}
