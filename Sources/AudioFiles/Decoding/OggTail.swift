/// The two last pages of an Ogg file's stream in which packets end.
struct OggTail {
    /// How long the stream is up to the end of each of them, in units of its codec, from an origin that need not be 0.
    let positionBefore, lastPosition: Int64

    /// Reads what the two last pages can take at most; nil where they are not found.
    init?(_ file: ByteSource) {
        let length = min(file.count, Int64(3 * OggPage.longest))
        let bytes = file.bytes(at: file.count - length, count: Int(length))
        let tail = ByteSource(bytes)
        // What a page begins with may also stand inside one; but a page is followed by the next.
        for start in bytes.indices where bytes[start] == UInt8(ascii: "O") {
            let positions = Self.positions(in: tail, from: Int64(start))
            if let last = positions.last, positions.count >= 2 {
                (positionBefore, lastPosition) = (positions[positions.count - 2], last)
                return
            }
        }
        return nil
    }

    /// The positions of the whole pages of one stream that follow each other from `start` on.
    private static func positions(in tail: ByteSource, from start: Int64) -> [Int64] {
        var positions: [Int64] = []
        var (place, serial): (Int64, UInt32?) = (start, nil)
        while let page = OggPage(tail, at: place), page.bytes.upperBound <= tail.count {
            if let serial, serial != page.serial { break }
            serial = page.serial
            if page.position >= 0 { positions.append(page.position) }
            place = page.bytes.upperBound
        }
        return positions
    }
}
