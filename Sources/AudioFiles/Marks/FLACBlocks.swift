/// The metadata blocks in front of the sound of a FLAC file (RFC 9639, section 8).
struct FLACBlocks {
    enum Kind: UInt8 {
        case comments = 4
        case cueSheet = 5
    }

    private let source: ByteSource
    private var blocks: [(kind: UInt8, place: Range<Int64>)] = []

    /// A file has a handful; one of nothing but empty blocks is left after as many.
    private static let mostBlocks = 1024

    init(_ source: ByteSource) {
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

    /// Where the first block of a kind says that it is, also beyond the end of the file.
    func place(_ kind: Kind) -> Range<Int64>? { blocks.first { $0.kind == kind.rawValue }?.place }

    /// What there is of the first block of a kind.
    func first(_ kind: Kind) -> ByteSource? { place(kind).map(source.slice) }
}

/// The tracks of a cue sheet in a FLAC file (RFC 9639, section 8.7), which have no names.
enum CueSheetMarks {
    static func read(_ sheet: ByteSource) -> [FileMark] {
        // Catalogue number, lead-in, flags and what is reserved come first.
        guard let count = sheet.bytes(at: 395, count: 1).first else { return [] }
        var marks: [FileMark] = []
        var place: Int64 = 396
        for _ in 0..<count {
            let head = sheet.bytes(at: place, count: 36)
            // The last one is the end of the disc, under a number of its own.
            guard head.count == 36, head[8] != 170, head[8] != 255 else { break }
            let indices = sheet.bytes(at: place + 36, count: 12 * Int(head[35]))
            // Which of them the track begins with is not known of a part.
            if indices.count < 12 * Int(head[35]) { break }
            let first = stride(from: 0, through: indices.count - 12, by: 12).first { indices[$0 + 8] == 1 }
            let start = head.big(UInt64.self, at: 0) &+ (first.map { indices.big(at: $0) } ?? 0)
            marks.append(FileMark(name: "", frame: Int64(clamping: start)))
            place += 36 + 12 * Int64(head[35])
        }
        return marks
    }
}
