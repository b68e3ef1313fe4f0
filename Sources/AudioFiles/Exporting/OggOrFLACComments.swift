/// The comment block at the beginning of a FLAC or Ogg file: its bytes, and where in the file they are.
struct OggOrFLACComments {
    /// From the length of the vendor's name on.
    let content: [UInt8]
    /// The parts of the file that hold it, in order.
    private let places: [Range<Int>]
    /// The pages of an Ogg file that hold any of it.
    private let pages: [Range<Int>]

    /// Finds it in a file's first bytes; nil where it is not there as a whole.
    init?(_ head: [UInt8]) {
        if head.starts(with: Array("fLaC".utf8)) {
            guard let block = Self.block(head) else { return nil }
            (places, pages) = ([block], [])
        } else {
            guard let packet = Self.secondPacket(head) else { return nil }
            (places, pages) = packet
        }
        content = places.flatMap { head[$0] }
    }

    /// Puts as many other bytes in its place. Returns which bytes of the file were changed.
    func put(_ content: [UInt8], into head: inout [UInt8]) -> Range<Int> {
        precondition(content.count == self.content.count, "another length would move the sound")
        var done = 0
        for place in places {
            head.replaceSubrange(place, with: content[done..<done + place.count])
            done += place.count
        }
        for page in pages {
            head.replaceSubrange(page.lowerBound + 22..<page.lowerBound + 26, with: [0, 0, 0, 0])
            var checksum = ByteList()
            checksum.little(Self.checksum(head[page]))
            head.replaceSubrange(page.lowerBound + 22..<page.lowerBound + 26, with: checksum.bytes)
        }
        let all = places + pages
        return (all.map(\.lowerBound).min() ?? 0)..<(all.map(\.upperBound).max() ?? 0)
    }

    /// The metadata block of type 4 (RFC 9639, section 8).
    private static func block(_ head: [UInt8]) -> Range<Int>? {
        var place = 4
        while place + 4 <= head.count {
            let length = head[place + 1..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            let content = place + 4..<place + 4 + length
            if head[place] & 0x7F == 4 { return content.upperBound <= head.count ? content : nil }
            if head[place] & 0x80 != 0 { return nil }
            place = content.upperBound
        }
        return nil
    }

    /// The second packet without its name, over as many pages as it takes (RFC 3533, section 6).
    private static func secondPacket(_ head: [UInt8]) -> (places: [Range<Int>], pages: [Range<Int>])? {
        var (places, pages): ([Range<Int>], [Range<Int>]) = ([], [])
        var packet = 0
        var page = 0
        while page + 27 <= head.count, head[page..<page + 4].elementsEqual(Array("OggS".utf8)) {
            let table = page + 27..<page + 27 + Int(head[page + 26])
            guard table.upperBound <= head.count else { return nil }
            let end = table.upperBound + head[table].reduce(0) { $0 + Int($1) }
            guard end <= head.count else { return nil }
            var place = table.upperBound
            for segment in head[table] {
                if packet == 1 {
                    places.append(place..<place + Int(segment))
                    if pages.last?.lowerBound != page { pages.append(page..<end) }
                }
                place += Int(segment)
                if segment < 255 { packet += 1 }
            }
            if packet > 1 { return withoutName(places, head).map { ($0, pages) } }
            page = end
        }
        return nil
    }

    /// A packet without the name in front, which is the codec's; both are shorter than a segment of a comment worth keeping.
    private static func withoutName(_ places: [Range<Int>], _ head: [UInt8]) -> [Range<Int>]? {
        guard let first = places.first else { return nil }
        for name in [[3] + Array("vorbis".utf8), Array("OpusTags".utf8)] where head[first].starts(with: name) {
            return [first.lowerBound + name.count..<first.upperBound] + places.dropFirst()
        }
        return nil
    }

    /// A cyclic redundancy check of 32 bits, polynomial 04C11DB7, from 0 and not inverted (RFC 3533, section 6).
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte) << 24) { sum, _ in
                sum & 0x8000_0000 == 0 ? sum << 1 : sum << 1 ^ 0x04C1_1DB7
            }
        }
    }
}

/// Where the comments of a block are (Xiph, "Ogg Vorbis I format specification: comment field and header specification").
struct CommentList {
    /// The number of comments.
    let countField: Range<Int>
    /// Each comment without its length.
    let comments: [Range<Int>]

    init?(_ content: [UInt8]) {
        func number(_ place: Int) -> Int? {
            guard place >= 0, place + 4 <= content.count else { return nil }
            return content[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        guard let vendor = number(0), let count = number(4 + vendor), count <= content.count else { return nil }
        countField = 4 + vendor..<8 + vendor
        var place = countField.upperBound
        var comments: [Range<Int>] = []
        for _ in 0..<count {
            guard let length = number(place), place + 4 + length <= content.count else { return nil }
            comments.append(place + 4..<place + 4 + length)
            place += 4 + length
        }
        self.comments = comments
    }
}
