// What is made of a take after its end: a smaller file, beside it, while the take stays as it is.
public import AudioFiles
internal import Files
internal import Glibc

/// A take converted to another format.
public struct TakeConversion: Sendable, Equatable {
    /// Where the file is.
    public let path: String
    /// What it is.
    public let format: ExportFormat
    /// Its rate in Hz: the take's where the format knows it.
    public let sampleRate: Int
    /// Frames at its rate.
    public let frameCount: Int64
    /// How many of the marks it tells of as chapters; the others did not fit.
    public let chapterCount: Int

    /// Converts a recording.
    ///
    /// The file appears under its name only when it is whole, and was opened and found to be as long as the recording; the recording is
    /// not touched. Whoever removes it afterwards does so after this has returned.
    ///
    /// - Parameters:
    ///   - source: a recording of any kind that can be read.
    ///   - target: where the file is to be; nothing may be there.
    ///   - format: what to make.
    ///   - marks: become chapters, to the millisecond, where `format.keepsMarks`; at most 999 of them in FLAC, Vorbis and Opus files, and
    ///     in an Opus file as many as fit into 50000 bytes.
    ///   - progress: called now and then with the part that is done, 0...1.
    ///   - isCancelled: asked now and then; once it is true, nothing is left and `.cancelled` thrown.
    /// - Throws: `.alreadyExists`, `.cancelled`, `.unsupported` when the format cannot hold so many channels, `.helperMissing` when
    ///   `ffmpeg` is needed and missing, `.limitExceeded` when it takes too long, `.broken` when the result is not what was
    ///   put in, and what reading and writing throw.
    ///
    /// Real-time safe: no.
    public static func run(
        from source: String, to target: String, format: ExportFormat, marks: [TakeMark] = [],
        progress: @escaping (Double) -> Void = { _ in }, isCancelled: @escaping () -> Bool = { false }
    ) throws(AudioFileError) -> TakeConversion {
        try run(
            from: source, to: target, format: format, marks: marks, tools: FFmpegTools(), progress: progress,
            isCancelled: isCancelled)
    }

    static func run(
        from source: String, to target: String, format: ExportFormat, marks: [TakeMark], tools: FFmpegTools,
        progress: @escaping (Double) -> Void, isCancelled: @escaping () -> Bool
    ) throws(AudioFileError) -> TakeConversion {
        if FileIdentity(path: target) != nil { throw .creatingNew(target, errno: EEXIST) }
        let file = try OpenedFile(path: source)
        let decoder = try openDecoder(file)
        let output = try OutputFile(path: target)
        let inside = marks.filter { 0..<decoder.info.frameCount ~= $0.frame }.sorted { $0.frame < $1.frame }
        let job = ConversionJob(
            source: file, decoder: decoder, output: output, format: format, marks: inside, progress: progress,
            isCancelled: isCancelled
        )
        let chapterCount = try format == .m4a ? job.runFFmpeg(tools) : job.runSoundFile()
        let frameCount =
            try format == .m4a
            ? job.countByFFmpeg(tools)
            : output.encodedFrames(channelCount: decoder.info.channelCount, sampleRate: job.sampleRate)
        try job.verify(frameCount)
        try output.commitNew()
        progress(1)
        return TakeConversion(
            path: target, format: format, sampleRate: job.sampleRate, frameCount: frameCount,
            chapterCount: chapterCount)
    }
}

/// One conversion at work.
struct ConversionJob {
    /// The recording's file.
    let source: OpenedFile
    let decoder: any AudioDecoder
    let output: OutputFile
    let format: ExportFormat
    let marks: [TakeMark]
    let progress: (Double) -> Void
    let isCancelled: () -> Bool

    var info: AudioFileInfo { decoder.info }
    var sampleRate: Int { format.sampleRate(for: info.sampleRate) }

    /// Frames that the result has, at its rate.
    var frameCount: Int64 {
        max(1, RateRatio(sourceRate: info.sampleRate, outputRate: sampleRate).outputFrame(nearest: info.frameCount))
    }

    /// Throws when nobody wants the result any more.
    func checkWanted() throws(AudioFileError) { if isCancelled() { throw .givenUp(output.path, source: info.path) } }

    /// Encodes by libsndfile. Returns how many chapters there are.
    func runSoundFile() throws(AudioFileError) -> Int {
        let isSixteenBit = info.codec == "pcm_s16"
        guard let code = format.soundFileFormat(isSixteenBit: isSixteenBit) else { return 0 }
        let recording = RateReader(decoder, sampleRate: sampleRate)
        let blockFrames = 1 << RateReader.blockShift(channelCount: info.channelCount)
        let limit = format == .opus ? ChapterComments.opusByteLimit : ChapterComments.byteLimit
        let chapters =
            format.keepsMarks ? ChapterComments(marks, sampleRate: info.sampleRate, byteLimit: limit) : nil
        let encoder = try SoundFileEncoder(
            output.duplicate(), path: output.path, format: code,
            integerBits: format == .flac ? (isSixteenBit ? 16 : 24) : 0, sampleRate: sampleRate,
            channelCount: info.channelCount, reservedComment: chapters?.reservation, frameCapacity: blockFrames)
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: info.channelCount * blockFrames)
        defer { unsafe samples.deallocate() }
        for start in stride(from: 0, to: frameCount, by: blockFrames) {
            try checkWanted()
            let frames = start..<min(start + Int64(blockFrames), frameCount)
            try unsafe recording.read(frames, into: samples, stride: blockFrames)
            try unsafe encoder.write(samples, stride: blockFrames, count: frames.count)
            progress(0.95 * Double(frames.upperBound) / Double(frameCount))
        }
        try encoder.finish()
        if let chapters { try write(chapters) }
        return chapters?.chapterCount ?? 0
    }

    /// Puts the chapters where room was kept for them.
    private func write(_ chapters: ChapterComments) throws(AudioFileError) {
        // In front of the comments there are a few hundred bytes, and between them those of pages.
        var head = try OpenedFile(path: output.writtenPath).bytes(
            at: 0, count: 2 * chapters.reservation.utf8.count + 1 << 16)
        guard let changed = chapters.replaceReservation(in: &head) else {
            throw .badEncoding(output.path, "has no room for its marks")
        }
        try output.rewrite(Array(head[changed]), at: Int64(changed.lowerBound))
    }

    /// Throws when what was made is not as long as what was put in.
    func verify(_ found: Int64) throws(AudioFileError) {
        if !(frameCount...frameCount + format.paddingFrames).contains(found) {
            throw .badEncoding(output.path, "has \(found) frames instead of \(frameCount)")
        }
    }
}

extension AudioFileError {
    static func givenUp(_ path: String, source: String) -> AudioFileError {
        AudioFileError(
            .cancelled, path: path, "\(path): the conversion was given up",
            remedy: "The recording itself is whole: \(source).")
    }
}
