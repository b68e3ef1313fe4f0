/// The second packet of an Ogg Vorbis or Opus file, which holds the comments, without its codec's name (RFC 3533, section 6).
struct OggCommentPacket {
    /// The parts of the file that hold it, in order.
    private(set) var places: [Range<Int64>] = []
    /// The pages that hold any of it.
    private(set) var pages: [Range<Int64>] = []
    /// Whether all of it is there.
    private(set) var isWhole = false

    /// Pages hold up to 64 KiB; comments with pictures take megabytes.
    private static let mostPages = 4096

    /// Finds it, as far as it is there, among the pages of the file's first stream; nil where it does not begin.
    init?(_ source: ByteSource) {
        var (page, packet): (Int64, Int) = (0, 0)
        var stream: ArraySlice<UInt8>?
        for _ in 0..<Self.mostPages {
            if isWhole { break }
            let head = source.bytes(at: page, count: 27 + 255)
            guard head.count >= 27, head.starts(with: Array("OggS".utf8)) else { break }
            let segments = head.dropFirst(27).prefix(Int(head[26]))
            var place = page + 27 + Int64(head[26])
            let end = segments.reduce(place) { $0 + Int64($1) }
            if stream ?? head[14..<18] == head[14..<18] {
                stream = head[14..<18]
                var part = place..<place
                for segment in segments {
                    place += Int64(segment)
                    if packet == 1 { part = (part.isEmpty ? place - Int64(segment) : part.lowerBound)..<place }
                    if segment < 255 { packet += 1 }
                }
                if !part.isEmpty {
                    places.append(part)
                    pages.append(page..<end)
                }
                isWhole = packet > 1 && end <= source.count
            }
            page = end
        }
        dropName(source)
        if places.isEmpty { return nil }
    }

    /// Leaves out the name in front, which is the codec's; nothing is left of a packet without one.
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
