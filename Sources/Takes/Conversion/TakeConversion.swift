// Conversion of a finished take to a smaller file beside it. The take is unchanged.
public import AudioFiles
internal import Files
internal import Glibc

/// A take converted to another format.
public struct TakeConversion: Sendable, Equatable {
    /// Path of the new file.
    public let path: String
    /// Format of the new file.
    package let format: ExportFormat
    /// Sample rate of the new file in Hz: the take's rate, if the format supports it.
    public let sampleRate: Int
    /// Number of frames at the new file's rate.
    public let frameCount: Int64
    /// Number of marks stored as chapters; the other marks did not fit.
    package let chapterCount: Int

    /// Converts a recording.
    ///
    /// The file appears under its name only when complete and checked: the function opens the file and compares its
    /// length with the recording. The recording is unchanged. Remove the recording only after this function has
    /// returned.
    ///
    /// - Parameters:
    ///   - source: Path of a recording in any readable format.
    ///   - target: Path of the new file, which must not exist.
    ///   - format: Format of the new file.
    ///   - marks: Marks, stored as chapters to the millisecond, except in MP3. At most 999 in FLAC, Vorbis and Opus
    ///     files; in an Opus file as many as fit into 50000 bytes.
    ///   - progress: Called from time to time with the finished part, 0...1.
    ///   - isCancelled: Called from time to time. If it returns true, the function removes the new file and throws
    ///     `.cancelled`.
    /// - Throws: `.alreadyExists`, `.cancelled`, `.unsupported` if the format cannot hold as many channels,
    ///   `.helperMissing` if `ffmpeg` is needed and missing, `.limitExceeded` if the conversion takes too long,
    ///   `.broken` if the result does not match the source, and the errors of reading and writing.
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

/// A conversion in progress.
struct ConversionJob {
    /// File of the recording.
    let source: OpenedFile
    let decoder: any AudioDecoder
    let output: OutputFile
    let format: ExportFormat
    let marks: [TakeMark]
    let progress: (Double) -> Void
    let isCancelled: () -> Bool

    var info: AudioFileInfo { decoder.info }
    var sampleRate: Int { format.sampleRate(for: info.sampleRate) }

    /// Number of frames of the result, at its rate.
    var frameCount: Int64 {
        max(1, RateRatio(sourceRate: info.sampleRate, outputRate: sampleRate).outputFrame(nearest: info.frameCount))
    }

    /// Throws if the caller has cancelled the conversion.
    func checkWanted() throws(AudioFileError) { if isCancelled() { throw .givenUp(output.path, source: info.path) } }

    /// Encodes with libsndfile. Returns the number of chapters.
    func runSoundFile() throws(AudioFileError) -> Int {
        let isSixteenBit = info.codec == "pcm_s16"
        guard let code = format.soundFileFormat(isSixteenBit: isSixteenBit) else { return 0 }
        let recording = try RateReader(decoder, sampleRate: sampleRate)
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

    /// Writes the chapters to the reserved space.
    private func write(_ chapters: ChapterComments) throws(AudioFileError) {
        // A few hundred bytes precede the comments, and page headers lie between them.
        var head = try OpenedFile(path: output.writtenPath).bytes(
            at: 0, count: 2 * chapters.reservation.utf8.count + 1 << 16)
        guard let changed = chapters.replaceReservation(in: &head) else {
            throw .badEncoding(output.path, "has no room for its marks")
        }
        try output.rewrite(Array(head[changed]), at: Int64(changed.lowerBound))
    }

    /// Throws if the length of the result does not match the source.
    func verify(_ found: Int64) throws(AudioFileError) {
        if !(frameCount...frameCount + format.paddingFrames).contains(found) {
            throw .badEncoding(output.path, "has \(found) frames instead of \(frameCount)")
        }
    }
}

extension AudioFileError {
    static func givenUp(_ path: String, source: String) -> AudioFileError {
        AudioFileError(
            .cancelled, path: path, "\(path): the conversion was cancelled",
            remedy: "The original recording is complete: \(source).")
    }
}
