/// The end of a recording as stated by the file itself, for noticing an incomplete file.
package enum StatedEnd {
    /// Smallest size that means an unknown length: a program without the length when writing the header writes the
    /// greatest possible number, or nearly so.
    static let unknownSize: Int64 = 0x7FFF_0000
    /// The same limit for AIFF: SoX writes 0x7F000000 bytes, less the rest of a frame.
    private static let unknownAIFFSize: Int64 = 0x7EFF_0000
    /// The same limit for 64-bit sizes.
    static let unknownLongSize = Int64.max / 2

    /// The fault of a file that ends too early.
    package struct Fault: Equatable, Sendable {
        /// The fault, as the end of a sentence.
        package let words: String
        /// True if the file states that more bytes follow. False in two cases: only the mark of the end is missing, as
        /// after a stopped program; or so little is missing that the header may be wrong.
        package let isLengthStated: Bool

        static func length(isSure: Bool) -> Fault {
            Fault(words: "the file ends before the length that its header states", isLengthStated: isSure)
        }

        static func page(isBegun: Bool) -> Fault {
            Fault(words: "the file ends before the last page of its stream", isLengthStated: isBegun)
        }
    }

    /// The result of comparing a file with its stated end.
    package enum Verdict: Equatable, Sendable {
        /// The file does not state its end, or marks its length as unknown.
        case unstated
        /// The sound is complete.
        case whole
        /// The file ends too early.
        case cutOff(Fault)

        /// - Parameter isWhole: True if everything stated is present; nil if nothing is stated.
        init(_ isWhole: Bool?) { self = isWhole.map { $0 ? .whole : .cutOff(.length(isSure: true)) } ?? .unstated }
    }

    /// Returns the fault of a file that ends too early. Returns nil if the file is complete, or states no end.
    ///
    /// - Parameter frameCount: Number of decodable frames.
    package static func fault(inFileAt path: String, frameCount: Int64) -> Fault? {
        if case .cutOff(let fault) = verdict(onFileAt: path, frameCount: frameCount) { fault } else { nil }
    }

    /// Compares a file with its stated end.
    ///
    /// FLAC, WavPack and TTA state the number of frames; MP3 often does. WAV, W64, AIFF, CAF, AU, ASF and DSF state the
    /// bytes of their samples. MP4 and AVI state the bytes of each part, and Matroska and DSDIFF the bytes of the whole
    /// or of each element. In Ogg each page states its bytes, and the last page is marked. A stream recorded while
    /// being sent states 0, or more than possible.
    ///
    /// - Parameter frameCount: Number of decodable frames.
    package static func verdict(onFileAt path: String, frameCount: Int64) -> Verdict {
        guard let file = try? OpenedFile(path: path) else { return .unstated }
        let source = ByteSource(file)
        // A tag in front may be longer than the received part.
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
        case .foreign("avi"): return Verdict(isAVIWhole(source))
        case .foreign("asf"): return Verdict(isASFWhole(source))
        case .foreign("wavpack"): return Verdict(isWavPackWhole(source, frameCount))
        case .foreign("tta"): return Verdict(isTTAWhole(AudioTags.stripped(source), frameCount))
        case .foreign("dsf"): return Verdict(isDSFWhole(source))
        case .foreign("dff"): return Verdict(isDSDIFFWhole(source))
        case .mpegAudio: return mpegVerdict(AudioTags.stripped(source), frameCount)
        case .soundFile("ogg"), .foreign("ogg"): return oggVerdict(source)
        default: return .unstated
        }
    }

    // MARK: - Samples in one piece

    private static func isFLACWhole(_ source: ByteSource, _ frameCount: Int64) -> Bool? {
        guard let place = FLACBlocks(source).place(.streamInfo),
            let fields = source.big(at: place.lowerBound + 10, in: 0...UInt64.max)
        else { return nil }
        // Read the lowest 36 bits; 0 means unknown to the encoder.
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

    /// Judges a file without samples, or cut in front of its samples. Returns false if the file states more bytes than
    /// are present, otherwise nil.
    private static func hasNoEnd(_ source: ByteSource, _ form: ChunkList.Form, unknown: Int64) -> Bool? {
        let stated = form == .riff ? source.little(UInt32.self, at: 4) : source.big(UInt32.self, at: 4)
        guard let bytes = stated, Int64(bytes) < unknown, 8 + Int64(bytes) > source.count else { return nil }
        return false
    }

    private static func isWhole(_ chunk: ChunkList.Chunk, unknown: Int64) -> Bool? {
        guard let size = chunk.statedSize, size > 0, size < unknown else { return nil }
        return chunk.content.count >= size
    }

    /// A table locates the packets of coded sound, and can follow the packets.
    private static func isCAFWhole(_ source: ByteSource) -> Bool? {
        let list = ChunkList(in: source, from: 8, .caf, named: ["desc", "kuki", "chan", "free", "pakt", "data"])
        let findings = list.chunks.map { ($0.name, isWhole($0, unknown: unknownLongSize)) }
        if findings.contains(where: { $0.1 == false }) { return false }
        return findings.first { $0.0 == "data" }?.1
    }

    /// Reads chunks with names of 16 bytes and sizes including their heads, at offsets divisible by 8 (Sony's Wave64).
    /// The first chunk is the whole file.
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
        source.little(at: place + 16, in: 25...unknownLongSize - 1)
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

    /// Boxes of an MP4 or QuickTime file (ISO/IEC 14496-12). Any other name belongs to foreign data behind the file.
    private static let boxes: Set = [
        "ftyp", "styp", "pdin", "moov", "moof", "mfra", "mdat", "meta", "sidx", "ssix", "prft", "emsg", "uuid", "free",
        "skip", "wide", "pnot", "udta",
    ]
    /// Largest number of parts; hours in pieces of a second each make some ten thousand. The limit bounds the time for
    /// a file of nothing but empty parts.
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
                size = head.big(at: 8, in: 0...(.max)) ?? .max
            }
            // A box of size 0 reaches to the end, wherever the end is.
            guard size >= 8 else { return nil }
            guard size <= source.count - place else { return false }
            names.insert(name)
            place += size
        }
        // In a fragmented file, another fragment may follow.
        return names.isSuperset(of: ["moov", "mdat"]) && !names.contains("moof") ? true : nil
    }
}
