/// The end of a recording as the file itself states it, to notice that the rest of a file is missing.
package enum StatedEnd {
    /// Sizes from here on mean that a program did not know the length when it wrote the header: it writes the greatest number that it can, or nearly.
    private static let unknownSize: Int64 = 0x7FFF_0000
    /// The same for AIFF, where SoX writes 0x7F000000 bytes, less the rest of a frame.
    private static let unknownAIFFSize: Int64 = 0x7EFF_0000
    /// The same for sizes of 64 bits.
    private static let unknownLongSize = Int64.max / 2

    /// A file that ends too early.
    package struct Fault: Equatable, Sendable {
        /// What is wrong, as the end of a sentence.
        package let words: String
        /// Whether the file states that more bytes follow. If not, only the mark of its end is missing, which a program that was stopped does not
        /// write, or so little that the header may be wrong.
        package let isLengthStated: Bool

        static func length(isSure: Bool) -> Fault {
            Fault(words: "the file ends before the length that its header states", isLengthStated: isSure)
        }

        static func page(isBegun: Bool) -> Fault {
            Fault(words: "the file ends before the last page of its stream", isLengthStated: isBegun)
        }
    }

    /// Tells whether a file ends where it says.
    package enum Verdict: Equatable, Sendable {
        /// The file does not say where it ends, or says that it does not know.
        case unstated
        /// All of the sound is there.
        case whole
        /// The file ends too early.
        case cutOff(Fault)

        /// - Parameter isWhole: Whether all that is stated is there; nil if nothing is stated.
        init(_ isWhole: Bool?) { self = isWhole.map { $0 ? .whole : .cutOff(.length(isSure: true)) } ?? .unstated }
    }

    /// Tells that a file ends too early; nil if it does not, or does not state where it ends.
    ///
    /// - Parameter frameCount: The frames that can be decoded.
    package static func fault(inFileAt path: String, frameCount: Int64) -> Fault? {
        if case .cutOff(let fault) = verdict(onFileAt: path, frameCount: frameCount) { fault } else { nil }
    }

    /// Compares a file with the end that it states.
    ///
    /// FLAC states its frames, MP3 often does; WAV, W64, AIFF, CAF and AU state the bytes of their samples, MP4 those of each box, and Matroska those
    /// of the whole or of each element. In Ogg each page states its bytes, and the last one is marked. A stream that is recorded while it is sent
    /// states 0, or more than there can be.
    ///
    /// - Parameter frameCount: The frames that can be decoded.
    package static func verdict(onFileAt path: String, frameCount: Int64) -> Verdict {
        guard let file = try? OpenedFile(path: path) else { return .unstated }
        let source = ByteSource(file)
        // A tag in front may be longer than what has come.
        if frameCount == 0, let tag = FileSniffer.id3Length(source.bytes(at: 0, count: 10)), tag > source.count {
            return Verdict(false)
        }
        switch FileSniffer.kind(of: source) {
        case .soundFile("flac"): return Verdict(isFLACWhole(AudioTags.stripped(source), frameCount))
        case .soundFile("wav"), .soundFile("rf64"): return Verdict(isWaveWhole(source))
        case .soundFile("w64"): return Verdict(isWave64Whole(source))
        case .soundFile("aiff"): return Verdict(isAIFFWhole(source))
        case .soundFile("caf"): return Verdict(isCAFWhole(source))
        case .soundFile("au"): return Verdict(isAUWhole(source))
        case .foreign("mp4"): return Verdict(isMP4Whole(source))
        case .foreign("matroska"): return Verdict(isMatroskaWhole(source))
        case .mpegAudio: return mpegVerdict(AudioTags.stripped(source), frameCount)
        case .soundFile("ogg"), .foreign("ogg"): return oggVerdict(source)
        default: return .unstated
        }
    }

    // MARK: - Samples in one piece

    private static func isFLACWhole(_ source: ByteSource, _ frameCount: Int64) -> Bool? {
        guard let place = FLACBlocks(source).place(.streamInfo),
            let fields: UInt64 = source.big(at: place.lowerBound + 10)
        else { return nil }
        // The lowest 36 bits; 0 if the encoder did not know.
        let stated = Int64(fields & 0xF_FFFF_FFFF)
        return stated == 0 ? nil : stated <= frameCount
    }

    private static func isWaveWhole(_ source: ByteSource) -> Bool? {
        let form: ChunkList.Form = source.starts(with: "RIFX") ? .aiff : .riff
        let sizes = WaveMarks.longSizes(source)
        let chunks = ChunkList(in: source, from: 12, form, named: ["data"], longSizes: sizes).chunks
        guard let data = chunks.first else { return hasNoEnd(source, form, unknown: unknownSize) }
        return isWhole(data, unknown: sizes["data"] != nil ? unknownLongSize : unknownSize)
    }

    private static func isAIFFWhole(_ source: ByteSource) -> Bool? {
        let chunks = ChunkList(in: source, from: 12, .aiff, named: ["SSND"]).chunks
        guard let sound = chunks.first else { return hasNoEnd(source, .aiff, unknown: unknownAIFFSize) }
        return isWhole(sound, unknown: unknownAIFFSize)
    }

    /// Of a file that ends in front of its samples, or has none: false if it states more bytes than there are.
    private static func hasNoEnd(_ source: ByteSource, _ form: ChunkList.Form, unknown: Int64) -> Bool? {
        let stated = form == .riff ? source.little(UInt32.self, at: 4) : source.big(UInt32.self, at: 4)
        guard let bytes = stated, Int64(bytes) < unknown, 8 + Int64(bytes) > source.count else { return nil }
        return false
    }

    private static func isWhole(_ chunk: ChunkList.Chunk, unknown: Int64) -> Bool? {
        guard let size = chunk.statedSize, size > 0, size < unknown else { return nil }
        return chunk.content.count >= size
    }

    /// The packets of coded sound are found by a table, which can follow them.
    private static func isCAFWhole(_ source: ByteSource) -> Bool? {
        let list = ChunkList(in: source, from: 8, .caf, named: ["desc", "kuki", "chan", "free", "pakt", "data"])
        let findings = list.chunks.map { ($0.name, isWhole($0, unknown: unknownLongSize)) }
        if findings.contains(where: { $0.1 == false }) { return false }
        return findings.first { $0.0 == "data" }?.1
    }

    /// Chunks with names of 16 bytes and sizes that include their heads, at offsets divisible by 8 (Sony's Wave64). The first one is the whole file.
    private static func isWave64Whole(_ source: ByteSource) -> Bool? {
        var place: Int64 = 40
        for _ in 0..<mostParts {
            guard let size = wave64Size(source, at: place) else { break }
            let isData = source.starts(with: "data", at: place)
            if isData || size > source.count - place { return size <= source.count - place }
            place += (size + 7) & ~7
        }
        return wave64Size(source, at: 0).flatMap { $0 > source.count ? false : nil }
    }

    private static func wave64Size(_ source: ByteSource, at place: Int64) -> Int64? {
        let size = source.little(UInt64.self, at: place + 16).flatMap { Int64(exactly: $0) }
        return size.flatMap { (25..<unknownLongSize).contains($0) ? $0 : nil }
    }

    private static func isAUWhole(_ source: ByteSource) -> Bool? {
        let head = source.bytes(at: 0, count: 12)
        guard head.count == 12 else { return nil }
        let isLittle = source.starts(with: "dns.")
        let start: UInt32 = isLittle ? head.little(at: 4) : head.big(at: 4)
        let size: UInt32 = isLittle ? head.little(at: 8) : head.big(at: 8)
        guard size > 0, Int64(size) < unknownSize else { return nil }
        return Int64(start) + Int64(size) <= source.count
    }

    // MARK: - Boxes

    /// The boxes of which an MP4 or QuickTime file consists (ISO/IEC 14496-12). Another name belongs to what somebody has put behind the file.
    private static let boxes: Set = [
        "ftyp", "styp", "pdin", "moov", "moof", "mfra", "mdat", "meta", "sidx", "ssix", "prft", "emsg", "uuid", "free",
        "skip", "wide", "pnot", "udta",
    ]
    /// Of hours in pieces of a second each there are some ten thousand. The limit bounds the time for a file of nothing but empty parts.
    static let mostParts = 65_536

    private static func isMP4Whole(_ source: ByteSource) -> Bool? {
        var (place, names): (Int64, Set<String>) = (0, [])
        for _ in 0..<mostParts {
            let head = source.bytes(at: place, count: 16)
            let name = String(decoding: head.dropFirst(4).prefix(4), as: UTF8.self)
            guard head.count >= 8, boxes.contains(name) else { break }
            var size = Int64(head.big(UInt32.self, at: 0))
            if size == 1 {
                guard head.count == 16 else { return false }
                size = Int64(min(head.big(UInt64.self, at: 8), UInt64(Int64.max)))
            }
            // Of 0, a box reaches to the end, wherever that is.
            guard size >= 8 else { return nil }
            guard size <= source.count - place else { return false }
            names.insert(name)
            place += size
        }
        // Where the sound is in pieces, another one may follow.
        return names.isSuperset(of: ["moov", "mdat"]) && !names.contains("moof") ? true : nil
    }
}
