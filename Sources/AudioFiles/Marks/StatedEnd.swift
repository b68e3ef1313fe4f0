/// The end of a recording as the file itself states it, to notice that the rest of a file is missing.
package enum StatedEnd {
    /// Sizes from here on mean that a program did not know the length when it wrote the header: it writes the greatest number that it can, or nearly.
    private static let unknownSize: Int64 = 0x7FFF_0000

    /// A file that ends too early.
    package struct Fault: Equatable, Sendable {
        /// What is wrong, as the end of a sentence.
        package let words: String
        /// Whether the file states that more bytes follow. If not, only the mark of its end is missing, which a program that was stopped does not
        /// write.
        package let isLengthStated: Bool

        fileprivate static let length = Fault(
            words: "the file ends before the length that its header states", isLengthStated: true)

        fileprivate static func page(isBegun: Bool) -> Fault {
            Fault(words: "the file ends before the last page of its stream", isLengthStated: isBegun)
        }
    }

    /// Tells that a file ends too early; nil if it does not, or does not state where it ends.
    ///
    /// FLAC states its frames, WAV the bytes of its samples, and MP4 those of each box. In Ogg each page states its bytes, and the last one is marked.
    /// A stream that is recorded while it is sent states 0, or more than there can be.
    ///
    /// - Parameter frameCount: The frames that can be decoded.
    package static func fault(inFileAt path: String, frameCount: Int64) -> Fault? {
        guard let file = try? OpenedFile(path: path) else { return nil }
        let source = ByteSource(file)
        let isCutOff: Bool
        switch FileSniffer.kind(of: source) {
        case .soundFile("flac"): isCutOff = isFLAC(AudioTags.stripped(source), longerThan: frameCount)
        case .soundFile("wav"), .soundFile("rf64"): isCutOff = isWaveCutOff(source)
        case .foreign("mp4"): isCutOff = isMP4CutOff(source)
        case .soundFile("ogg"), .foreign("ogg"): return oggFault(source)
        default: isCutOff = false
        }
        return isCutOff ? .length : nil
    }

    private static func isFLAC(_ source: ByteSource, longerThan frameCount: Int64) -> Bool {
        guard let place = FLACBlocks(source).place(.streamInfo),
            let fields: UInt64 = source.big(at: place.lowerBound + 10)
        else { return false }
        // The lowest 36 bits; 0 if the encoder did not know.
        return Int64(fields & 0xF_FFFF_FFFF) > frameCount
    }

    private static func isWaveCutOff(_ source: ByteSource) -> Bool {
        let form: ChunkList.Form = source.starts(with: "RIFX") ? .aiff : .riff
        let sizes = WaveMarks.longSizes(source)
        let chunks = ChunkList(in: source, from: 12, form, named: ["data"], longSizes: sizes).chunks
        guard let data = chunks.first else {
            // The file ends in front of its samples, or has none.
            guard let bytes = form == .riff ? source.little(UInt32.self, at: 4) : source.big(UInt32.self, at: 4) else {
                return false
            }
            return Int64(bytes) < unknownSize && 8 + Int64(bytes) > source.count
        }
        guard let size = data.statedSize else { return false }
        let isKnown = sizes["data"] != nil ? size < Int64.max / 2 : size < unknownSize
        return isKnown && data.content.count < size
    }

    /// The boxes of which an MP4 or QuickTime file consists (ISO/IEC 14496-12). Another name belongs to what somebody has put behind the file.
    private static let boxes: Set = [
        "ftyp", "styp", "pdin", "moov", "moof", "mfra", "mdat", "meta", "sidx", "ssix", "prft", "emsg", "uuid", "free",
        "skip", "wide", "pnot", "udta",
    ]
    /// Of hours in pieces of a second each there are some ten thousand. The limit bounds the time for a file of nothing but empty boxes.
    private static let mostBoxes = 65_536

    private static func isMP4CutOff(_ source: ByteSource) -> Bool {
        var place: Int64 = 0
        for _ in 0..<mostBoxes {
            let head = source.bytes(at: place, count: 16)
            guard head.count >= 8, boxes.contains(String(decoding: head[4..<8], as: UTF8.self)) else { return false }
            var size = Int64(head.big(UInt32.self, at: 0))
            if size == 1 {
                guard head.count == 16 else { return true }
                size = Int64(min(head.big(UInt64.self, at: 8), UInt64(Int64.max)))
            }
            // Of 0, a box reaches to the end, wherever that is.
            guard size >= 8 else { return false }
            guard size <= source.count - place else { return true }
            place += size
        }
        return false
    }

    private static func oggFault(_ source: ByteSource) -> Fault? {
        let length = min(source.count, Int64(3 * OggPage.longest))
        let bytes = source.bytes(at: source.count - length, count: Int(length))
        let (tail, mark) = (ByteSource(bytes), Array("OggS".utf8))
        var patience = OggPage.mostReread
        for start in bytes.indices.reversed() where bytes[start] == mark[0] && bytes[start...].starts(with: mark) {
            guard let page = OggPage(tail, at: Int64(start)), page.bytes.upperBound <= tail.count else { continue }
            let whole = Array(bytes[start..<Int(page.bytes.upperBound)])
            // The mark can also occur inside of a page.
            guard whole.little(UInt32.self, at: OggPage.checksumOffset) == OggChecksum.checksum(ofPage: whole) else {
                patience -= whole.count
                if patience < 0 { return .page(isBegun: false) }
                continue
            }
            if isPageBegun(tail, at: page.bytes.upperBound) { return .page(isBegun: true) }
            return page.isLast ? nil : .page(isBegun: false)
        }
        // Not even the first page is whole.
        return length == source.count && isPageBegun(tail, at: 0) ? .page(isBegun: true) : nil
    }

    /// Whether a page begins at a place and is not whole.
    private static func isPageBegun(_ source: ByteSource, at place: Int64) -> Bool {
        let head = source.bytes(at: place, count: 4)
        guard !head.isEmpty, "OggS".utf8.starts(with: head) else { return false }
        return OggPage(source, at: place).map { $0.bytes.upperBound > source.count } ?? true
    }
}
