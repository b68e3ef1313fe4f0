// Which of a file's parts hold its marks, by what kind of file it is.

extension FileMarks {
    /// Reads the marks of a recording's file.
    ///
    /// WAV, RF64, BW64 and AIFF: cues and markers, with their names; a label that gives a length makes a range. CAF: markers that
    /// begin something. FLAC, Ogg Vorbis and Opus: chapters in the comments, and in FLAC without those the tracks of a cue
    /// sheet. MP3: chapters of an ID3 tag. What only `ffmpeg` reads (M4A, Matroska): chapters, as `ffprobe` tells them. Other
    /// files have none.
    ///
    /// Times in a file are of decoded sound, as the decoder gives it: without what an MP3 encoder put in front. They become the
    /// nearest frame; one that lies a millisecond behind the end, or less, is the end.
    ///
    /// A part that is damaged gives what can be read of it, and no error. Time and memory are bounded by what is read, whatever
    /// the file says about itself: well below a millisecond and a megabyte for any that was not made to be hard.
    ///
    /// - Parameters:
    ///   - path: A regular file.
    ///   - sampleRate: The decoded recording's, in Hz, 1...768000.
    ///   - frameCount: The decoded recording's length in frames.
    /// - Throws: That the file cannot be opened, or that no recording has such a rate.
    ///
    /// Real-time safe: no.
    public init(path: String, sampleRate: Int, frameCount: Int64) throws(AudioFileError) {
        if !FileLimits.sampleRates.contains(sampleRate) { throw .badRate(path, sampleRate) }
        let file = try OpenedFile(path: path)
        if case .foreign = FileSniffer.kind(of: file) {
            self.init((try? FFmpegProbe(file, FFmpegTools()))?.marks ?? [], frameCount: frameCount)
            return
        }
        self.init(ByteSource(file), sampleRate: sampleRate, frameCount: frameCount)
    }

    /// Reads the marks of a recording that was opened.
    ///
    /// - Throws: That its file cannot be opened any more; sound made in memory has none.
    ///
    /// Real-time safe: no.
    public init(of info: AudioFileInfo) throws(AudioFileError) {
        try self.init(path: info.path, sampleRate: info.sampleRate, frameCount: info.frameCount)
    }

    /// The marks in a file's bytes.
    init(_ source: ByteSource, sampleRate: Int, frameCount: Int64) {
        let frameCount = min(max(0, frameCount), FileLimits.maximumFrameCount)
        let clock = MarkClock(sampleRate: sampleRate, frameCount: frameCount)
        self.init(Self.found(in: source, clock), frameCount: frameCount)
    }

    private static func found(in source: ByteSource, _ clock: MarkClock) -> [FileMark] {
        let tagBytes = Int64(FileSniffer.id3Length(source.bytes(at: 0, count: 10)) ?? 0)
        let body = source.dropFirst(tagBytes)
        switch FileSniffer.kind(of: source) {
        case .soundFile("wav"), .soundFile("rf64"): return WaveMarks.read(body)
        case .soundFile("aiff"): return AIFFMarks.read(body)
        case .soundFile("caf"): return CAFMarks.read(body)
        case .soundFile("flac"):
            let blocks = FLACBlocks(body)
            let chapters = blocks.first(.comments).map { ChapterMarks.read($0, clock) } ?? []
            return chapters.isEmpty ? blocks.first(.cueSheet).map(CueSheetMarks.read) ?? [] : chapters
        case .soundFile("ogg"):
            return OggCommentPacket(body).map { ChapterMarks.read(body.joined($0.places), clock) } ?? []
        case .mpegAudio: return ID3Marks.read(source, clock)
        case .soundFile, .foreign, .unknown: return []
        }
    }
}

/// Turns a file's times into frames of the decoded recording.
struct MarkClock {
    let sampleRate: Int
    let frameCount: Int64

    /// The nearest frame of a time; `seconds` below 2^40, `nanoseconds` below 10^9.
    func frame(seconds: Int64, nanoseconds: Int64) -> Int64 {
        let rate = Int64(sampleRate)
        let frame = seconds * rate + (nanoseconds * rate + 500_000_000) / 1_000_000_000
        // The end itself, rounded to a millisecond, may lie behind the end.
        return frame > frameCount && frame - frameCount <= rate / 1000 + 1 ? frameCount : frame
    }

    func frame(milliseconds: UInt32) -> Int64 {
        frame(seconds: Int64(milliseconds / 1000), nanoseconds: Int64(milliseconds % 1000) * 1_000_000)
    }
}
