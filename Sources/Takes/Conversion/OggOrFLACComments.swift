internal import AudioFiles

/// The comment block at the beginning of a FLAC or Ogg file: its bytes, and their places in the file.
struct OggOrFLACComments {
    /// Bytes of the block, beginning with the length of the vendor's name.
    let content: [UInt8]
    /// Ranges of the file with the block, in order.
    private let places: [Range<Int>]
    /// Pages of an Ogg file with any part of the block.
    private let pages: [Range<Int>]

    /// Finds the block in a file's first bytes; nil if it is missing or incomplete.
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

    /// Replaces the block by the same number of bytes. Returns the changed range of the file.
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
