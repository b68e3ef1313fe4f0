// Finds the parts of a file with marks, depending on its format.

extension FileMarks {
    /// Reads the marks of a recording's file.
    ///
    /// WAV, RF64, BW64 and AIFF: cues and markers, with their names; a label with a length makes a range. CAF: markers
    /// at a beginning. FLAC, Ogg Vorbis and Opus: chapters in the comments; in FLAC without chapters, the tracks of a
    /// cue sheet. MP3: chapters of an ID3 tag. Formats for `ffmpeg` (M4A, Matroska): chapters, read by `ffprobe`. Other
    /// files have no marks.
    ///
    /// Times in a file refer to the decoded audio, without the padding put in front by an MP3 encoder. Times are
    /// rounded to the nearest frame. A time up to a millisecond after the end becomes the end.
    ///
    /// Of a damaged part, the function returns the readable marks and throws no error. Whatever sizes the file
    /// declares, a limit on the bytes read bounds time and memory: far less than a millisecond and a megabyte, except
    /// for malicious files.
    ///
    /// - Parameters:
    ///   - path: A regular file.
    ///   - sampleRate: Rate of the decoded recording in Hz, 1...768000.
    ///   - frameCount: Length of the decoded recording in frames.
    /// - Throws: An error if the file cannot be opened, or if the rate is out of range.
    ///
    /// Real-time safe: no.
    package init(path: String, sampleRate: Int, frameCount: Int64) throws(AudioFileError) {
        if !FileLimits.sampleRates.contains(sampleRate) { throw .badRate(path, sampleRate) }
        let file = try OpenedFile(path: path)
        if case .foreign = FileSniffer.kind(of: file) {
            self.init((try? FFmpegProbe(file, FFmpegTools()))?.marks ?? [], frameCount: frameCount)
            return
        }
        self.init(ByteSource(file), sampleRate: sampleRate, frameCount: frameCount)
    }

    /// Reads the marks of an opened recording.
    ///
    /// - Throws: An error if the file can no longer be opened. Audio made in memory has no file.
    ///
    /// Real-time safe: no.
    public init(of info: AudioFileInfo) throws(AudioFileError) {
        try self.init(path: info.path, sampleRate: info.sampleRate, frameCount: info.frameCount)
    }

    /// Reads the marks in a file's bytes.
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

/// Converts times in a file to frames of the decoded recording.
struct MarkClock {
    let sampleRate: Int
    let frameCount: Int64

    /// Returns the frame nearest to a time; `seconds` below 2^42, `nanoseconds` below 10^9.
    func frame(seconds: Int64, nanoseconds: Int64) -> Int64 {
        let rate = Int64(sampleRate)
        let frame = seconds * rate + (nanoseconds * rate + 500_000_000) / 1_000_000_000
        // The time of the end, rounded to a millisecond, may be after the end.
        return frame > frameCount && frame - frameCount <= rate / 1000 + 1 ? frameCount : frame
    }

    func frame(milliseconds: UInt32) -> Int64 {
        frame(seconds: Int64(milliseconds / 1000), nanoseconds: Int64(milliseconds % 1000) * 1_000_000)
    }
}
