// Where the last page of an Ogg stream begins (RFC 3533, section 6).

/// The end of a file of one Ogg stream.
struct OggTail {
    /// The stream's length as its last page has it, and as the page before it has it; in frames from an origin that need not be 0.
    let lastPosition, positionBefore: Int64

    private static let headerBytes = 27
    private static let longestPage = headerBytes + 255 + 255 * 255
    private static let capture = Array("OggS".utf8)

    /// Reads what the two last pages can take at most; nil where they are not found.
    init?(_ file: OpenedFile) {
        let start = max(0, file.byteCount - Int64(3 * Self.longestPage))
        let bytes = file.bytes(at: start, count: Int(file.byteCount - start))
        var place = 0
        // A page's first bytes may also stand inside one: what is a page is followed by the next.
        while place + Self.headerBytes <= bytes.count {
            let positions = Self.positions(bytes, from: place)
            if positions.count >= 2 {
                (positionBefore, lastPosition) = (positions[positions.count - 2], positions[positions.count - 1])
                return
            }
            place += 1
        }
        return nil
    }

    /// Where the pages from `place` on end, of those in which a packet ends.
    private static func positions(_ bytes: [UInt8], from place: Int) -> [Int64] {
        var (place, serial): (Int, UInt32?) = (place, nil)
        var positions: [Int64] = []
        while place + headerBytes <= bytes.count, bytes[place..<place + 4].elementsEqual(capture) {
            let table = place + headerBytes..<place + headerBytes + Int(bytes[place + 26])
            guard table.upperBound <= bytes.count else { break }
            let end = bytes[table].reduce(table.upperBound) { $0 + Int($1) }
            let number: UInt32 = bytes.little(at: place + 14)
            guard end <= bytes.count, serial == nil || serial == number else { break }
            serial = number
            let position: Int64 = bytes.little(at: place + 6)
            if position >= 0 { positions.append(position) }
            place = end
        }
        return positions
    }
}
