/// The metadata blocks in front of the audio of a FLAC file (RFC 9639, section 8).
package struct FLACBlocks {
    package enum Kind: UInt8 {
        case streamInfo = 0
        case comments = 4
        case cueSheet = 5
    }

    private let source: ByteSource
    private var blocks: [(kind: UInt8, place: Range<Int64>)] = []

    /// Largest number of blocks; a file has a handful. The limit bounds the time for a file of nothing but empty
    /// blocks.
    private static let mostBlocks = 1024

    package init(_ source: ByteSource) {
        self.source = source
        var place: Int64 = 4
        for _ in 0..<Self.mostBlocks {
            let head = source.bytes(at: place, count: 4)
            if head.count < 4 { return }
            let content = place + 4..<place + 4 + Int64(head.big(UInt32.self, at: 0) & 0xFF_FFFF)
            blocks.append((head[0] & 0x7F, content))
            if head[0] & 0x80 != 0 { return }
            place = content.upperBound
        }
    }

    /// Returns the range of the first block of a kind, by its header. The range may reach beyond the end of the file.
    package func place(_ kind: Kind) -> Range<Int64>? { blocks.first { $0.kind == kind.rawValue }?.place }

    /// Offset behind the last block, where the frames begin.
    package var end: Int64 { blocks.last?.place.upperBound ?? 4 }

    /// Returns the content of the first block of a kind, as far as the file holds the block.
    package func first(_ kind: Kind) -> ByteSource? { place(kind).map(source.slice) }
}
