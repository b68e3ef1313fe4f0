/// The comment packet of an Ogg Vorbis or Opus file, its second packet, without the codec's name in front.
package struct OggCommentPacket {
    /// Ranges of the file with the packet, in order.
    package private(set) var places: [Range<Int64>] = []
    /// Pages with parts of the packet.
    package private(set) var pages: [Range<Int64>] = []
    /// True if the file holds the whole packet.
    package private(set) var isWhole = false

    /// Largest number of pages searched. Pages hold up to 64 KiB; comments with pictures take megabytes.
    private static let mostPages = 4096

    /// Finds the packet in the pages of the file's first stream, as far as the file holds the packet. Returns nil if
    /// its beginning is missing.
    package init?(_ source: ByteSource) {
        var (start, packet): (Int64, Int) = (0, 0)
        var serial: UInt32?
        for _ in 0..<Self.mostPages {
            guard !isWhole, let page = OggPage(source, at: start) else { break }
            if serial ?? page.serial == page.serial {
                serial = page.serial
                var place = page.contentStart
                var part = place..<place
                for segment in page.segments {
                    place += Int64(segment)
                    if packet == 1 { part = (part.isEmpty ? place - Int64(segment) : part.lowerBound)..<place }
                    if segment < 255 { packet += 1 }
                }
                if !part.isEmpty {
                    places.append(part)
                    pages.append(page.bytes)
                }
                isWhole = packet > 1 && page.bytes.upperBound <= source.count
            }
            start = page.bytes.upperBound
        }
        dropName(source)
        if places.isEmpty { return nil }
    }

    /// Removes the codec's name in front. A packet without a known name becomes empty.
    private mutating func dropName(_ source: ByteSource) {
        let content = source.joined(places)
        let names = [[3] + Array("vorbis".utf8), Array("OpusTags".utf8)]
        guard let name = names.first(where: { content.bytes(at: 0, count: $0.count) == $0 }) else {
            places = []
            return
        }
        var left = Int64(name.count)
        places = places.compactMap { place in
            let start = min(place.upperBound, place.lowerBound + left)
            left -= start - place.lowerBound
            return start == place.upperBound ? nil : start..<place.upperBound
        }
    }
}
