internal import AudioFiles

/// The comment block at the beginning of a FLAC or Ogg file: its bytes, and where in the file they are.
struct OggOrFLACComments {
    /// From the length of the vendor's name on.
    let content: [UInt8]
    /// The parts of the file that contain it, in order.
    private let places: [Range<Int>]
    /// The pages of an Ogg file that contain any of it.
    private let pages: [Range<Int>]

    /// Finds it in a file's first bytes; nil if it is not there completely.
    init?(_ head: [UInt8]) {
        let source = ByteSource(head)
        func inMemory(_ ranges: [Range<Int64>]) -> [Range<Int>] {
            ranges.map { Int($0.lowerBound)..<Int($0.upperBound) }
        }
        if source.starts(with: "fLaC") {
            guard let block = FLACBlocks(source).place(.comments), block.upperBound <= source.count else { return nil }
            (places, pages) = (inMemory([block]), [])
        } else {
            guard let packet = OggCommentPacket(source), packet.isWhole else { return nil }
            (places, pages) = (inMemory(packet.places), inMemory(packet.pages))
        }
        content = places.flatMap { head[$0] }
    }

    /// Replaces it by the same number of bytes. Returns the changed range of the file.
    func put(_ content: [UInt8], into head: inout [UInt8]) -> Range<Int> {
        precondition(content.count == self.content.count, "another length would move the sound")
        var done = 0
        for place in places {
            head.replaceSubrange(place, with: content[done..<done + place.count])
            done += place.count
        }
        for page in pages {
            var checksum = ByteList()
            checksum.little(OggChecksum.checksum(ofPage: Array(head[page])))
            let place = page.lowerBound + OggPage.checksumOffset
            head.replaceSubrange(place..<place + checksum.bytes.count, with: checksum.bytes)
        }
        let all = places + pages
        return (all.map(\.lowerBound).min() ?? 0)..<(all.map(\.upperBound).max() ?? 0)
    }
}
