// The audio part of each kind of file. A tag editor may move, pad, add and drop everything else.
internal import Files
internal import Glibc

/// Hashes the audio of a file.
struct AudioHash: ~Copyable {
    private let file: OpenedFile
    private let source: ByteSource
    private var hash = ByteHash()
    /// True once audio was added, and not just a description of the audio.
    private(set) var hasAudio = false

    /// Size of a read: small enough to stay in the processor's cache until it is hashed.
    private static let blockBytes: Int64 = 256 << 10

    init(_ file: OpenedFile) {
        self.file = file
        source = ByteSource(file)
    }

    func digest() -> (high: UInt64, low: UInt64) { hash.digest() }

    // MARK: Parts

    /// Adds the name of the format. Without it, two formats with equal bytes would share a key.
    private mutating func begin(_ name: String) { hash.update(Array((name + "\n").utf8)) }

    private mutating func add(_ bytes: [UInt8]) { hash.update(bytes) }

    /// Adds a range of a source, without any part outside the source.
    private mutating func add(_ part: ByteSource) throws(AudioFileError) {
        var place: Int64 = 0
        while place < part.count {
            let bytes = part.bytes(at: place, count: Int(min(Self.blockBytes, part.count - place)))
            // Throw for an unreadable part: skipping it would give the key of another recording.
            if bytes.isEmpty { throw .reading(file.path, errno: EIO) }
            hash.update(bytes)
            place += Int64(bytes.count)
        }
    }

    mutating func addAll() throws(AudioFileError) {
        begin("file")
        try add(source)
        hasAudio = true
    }

    // MARK: Samples in chunks

    mutating func addWave() throws(AudioFileError) {
        // RF64 is WAV with 64-bit sizes: the same samples are the same recording.
        begin("wave")
        let form: ChunkList.Form = source.starts(with: "RIFX") ? .aiff : .riff
        let long = ChunkList(in: source, from: 12, form, named: ["ds64"]).chunks.first
        let size = long?.content.little(at: 8, in: 0...Int64.max)
        let sizes = size.map { ["data": $0] } ?? [:]
        let list = ChunkList(in: source, from: 12, form, named: ["fmt ", "data"], longSizes: sizes)
        if let format = list.chunks.first(where: { $0.name == "fmt " })?.content { add(Self.waveFormat(format)) }
        try add(list, ["data"])
    }

    /// Returns the fields of a format that describe the storage of samples. The same format has a short and an
    /// extensible form, and programs convert between the forms.
    private static func waveFormat(_ content: ByteSource) -> [UInt8] {
        let bytes = content.bytes(at: 0, count: 4096)
        guard bytes.count >= 16 else { return bytes }
        let isExtensible = bytes.starts(with: [0xFE, 0xFF]) && bytes.count >= 40
        let tag = isExtensible ? bytes[24..<26] : bytes[0..<2]
        // Integers, floats, A-law and mu-law need no further fields.
        let isPlain = [1, 3, 6, 7].contains(tag[tag.startIndex]) && tag[tag.startIndex + 1] == 0
        return Array(tag + bytes[2..<16]) + (isPlain ? [] : bytes[16...])
    }

    mutating func addAIFF() throws(AudioFileError) {
        begin("aiff")
        try add(ChunkList(in: source, from: 12, .aiff, named: ["COMM", "SSND"]), ["COMM", "SSND"])
    }

    mutating func addCAF() throws(AudioFileError) {
        begin("caf")
        let names = ["desc", "kuki", "pakt", "data"]
        // The first four bytes of the data count the edits of the file, not of the sound.
        try add(ChunkList(in: source, from: 8, .caf, named: Set(names)), names, leavingOut: ["data": 4])
    }

    /// Adds the first chunk of each name, in the order of the names. The length precedes each chunk, so that no byte
    /// can belong to either of two chunks.
    private mutating func add(
        _ list: ChunkList, _ names: [String], leavingOut: [String: Int64] = [:]
    ) throws(AudioFileError) {
        for name in names {
            guard let chunk = list.chunks.first(where: { $0.name == name }) else { continue }
            let content = chunk.content.dropFirst(leavingOut[name] ?? 0)
            begin("\(name) \(content.count)")
            try add(content)
            if content.count > 0, name == "data" || name == "SSND" { hasAudio = true }
        }
    }

    /// Adds the chunks of Sony's Wave64: 16-byte names, 64-bit sizes including the heads, offsets divisible by 8.
    mutating func addWave64() throws(AudioFileError) {
        begin("wave64")
        var place: Int64 = 40
        for _ in 0..<16_384 {
            let head = source.bytes(at: place, count: 24)
            guard head.count == 24 else { return }
            let rest = source.count - place
            let length = min(head.little(at: 16, in: 24...(.max)) ?? rest, rest)
            let name = String(decoding: head[..<4], as: UTF8.self)
            if name == "fmt " || name == "data" {
                begin("\(name) \(length - 24)")
                try add(source.slice(place + 24..<place + length))
                if name == "data", length > 24 { hasAudio = true }
            }
            place += (length + 7) & ~7
        }
    }

    mutating func addAU() throws(AudioFileError) {
        begin("au")
        let head = source.bytes(at: 0, count: 24)
        guard head.count == 24 else { return try add(source) }
        let isLittle = source.starts(with: "dns.")
        let offset: UInt32 = isLittle ? head.little(at: 4) : head.big(at: 4)
        let told: UInt32 = isLittle ? head.little(at: 8) : head.big(at: 8)
        // Add encoding, rate and channels; the text behind these fields is a tag.
        add(Array(head[12..<24]))
        let start = min(Int64(offset), source.count)
        let end = told == .max ? source.count : min(source.count, start + Int64(told))
        try add(source.slice(start..<end))
        hasAudio = start < end
    }

    // MARK: Frames between tags

    mutating func addFLAC() throws(AudioFileError) {
        begin("flac")
        let body = AudioTags.stripped(source)
        let blocks = FLACBlocks(body)
        // Add the rate, the channels and the bits. The other properties describe the frames, and programs may fill them
        // in later.
        let properties = body.bytes(at: 8, count: 34)
        if properties.count >= 14 { add(Array(properties[10..<13]) + [properties[13] & 0xF0]) }
        try add(body.dropFirst(blocks.end))
        hasAudio = blocks.end < body.count
    }

    mutating func addFrames() throws(AudioFileError) {
        begin("frames")
        let body = AudioTags.stripped(source)
        try add(body.dropFirst(MPEGHeader.firstFrame(of: body, from: 0) ?? 0))
        hasAudio = true
    }

    // MARK: Packets

    mutating func addOgg() throws(AudioFileError) {
        begin("ogg")
        var packets = OggAudio()
        var place: Int64 = 0
        // Follow a decoder's behaviour: skip bytes outside pages, and continue with the next page.
        while place < source.count {
            // The next page nearly always follows at once; otherwise search for it.
            guard let page = OggPage(source, at: place) else {
                guard let next = OggPage.place(in: source, from: place + 1) else { break }
                place = next
                continue
            }
            let end = min(page.bytes.upperBound, source.count)
            let content = source.bytes(at: page.contentStart, count: Int(max(0, end - page.contentStart)))
            if page.contentStart + Int64(content.count) < end { throw .reading(file.path, errno: EIO) }
            let audio = packets.audio(of: page, content)
            hash.update(audio)
            if !audio.isEmpty { hasAudio = true }
            place = page.bytes.upperBound
        }
        hash.update(packets.ends)
    }

    /// Adds the packets of the first audio track, as found by ffmpeg.
    mutating func addPackets(_ tools: FFmpegTools) throws(AudioFileError) {
        begin("packets")
        let report = try FFmpegReport(for: file.path)
        let arguments =
            [tools.ffmpeg, "-nostdin", "-v", "error"] + report.arguments(1) + FFmpegTools.input()
            + ["-map", "0:a:0", "-c", "copy", "-f", "data", "pipe:1"]
        var packets = ByteHash()
        var count = 0
        let result = try unsafe tools.run(arguments, for: file.path, [file.descriptor, report.descriptor]) {
            bytes throws(AudioFileError) in
            unsafe packets.update(bytes)
            count += bytes.count
        }
        let shortfall = try result.shortfall(file.path, decodedSeconds: 0, tellsOfEnd: report.tellsOfEnd)
        // A damaged file always has the same packets before the damage. After another kind of failure the packets vary.
        if let shortfall, result.end == .unknown || count == 0 { throw .broken(file.path, shortfall) }
        if count == 0 { throw .noFrames(file.path) }
        let digest = packets.digest()
        begin("\(count) \(digest.high) \(digest.low)")
        hasAudio = true
    }
}
