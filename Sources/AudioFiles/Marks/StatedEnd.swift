/// The end of a recording as the file itself states it, to notice that the rest of a file is missing.
package enum StatedEnd {
    /// Sizes from here on mean that a program did not know the length when it wrote the header: it writes the greatest number that it can, or nearly.
    private static let unknownSize: Int64 = 0x7FFF_0000

    /// Tells that a file ends too early, as the end of a sentence; nil if it does not, or does not state where it ends.
    ///
    /// FLAC states its frames, and WAV the bytes of its samples; the last page of an Ogg stream is marked. A stream that is recorded while it is sent
    /// states 0, or more than there can be.
    ///
    /// - Parameter frameCount: The frames that can be decoded.
    package static func fault(inFileAt path: String, frameCount: Int64) -> String? {
        guard let file = try? OpenedFile(path: path) else { return nil }
        let source = ByteSource(file)
        let isCutOff: Bool
        switch FileSniffer.kind(of: source) {
        case .soundFile("flac"): isCutOff = isFLAC(AudioTags.stripped(source), longerThan: frameCount)
        case .soundFile("wav"), .soundFile("rf64"): isCutOff = isWaveCutOff(source)
        case .soundFile("ogg"):
            return isOggCutOff(source) ? "the file ends before the last page of its stream" : nil
        default: isCutOff = false
        }
        return isCutOff ? "the file ends before the length that its header states" : nil
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
        guard let data = chunks.first, let size = data.statedSize else { return false }
        let isKnown = sizes["data"] != nil ? size < Int64.max / 2 : size < unknownSize
        return isKnown && data.content.count < size
    }

    private static func isOggCutOff(_ source: ByteSource) -> Bool {
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
                if patience < 0 { return true }
                continue
            }
            return !page.isLast
        }
        return false
    }
}
