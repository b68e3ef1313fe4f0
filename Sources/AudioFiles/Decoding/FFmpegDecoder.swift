// AAC, M4A, Ogg FLAC and the sound of videos: decoded once, whole, by an `ffmpeg` process into a spool. Its own jumps are
// to packets, not frames; and a decoder in a process of its own can crash without harm.

/// The programs and limits of a decoding by ffmpeg; others in tests.
struct FFmpegTools: Sendable {
    var ffmpeg = "ffmpeg"
    var ffprobe = "ffprobe"
    var limits = ChildLimits()
}

/// Decodes a file by an `ffmpeg` process.
enum FFmpegDecoder {
    /// Decodes the first audio stream of `file`, whole.
    static func open(
        _ file: OpenedFile, container: String, tools: FFmpegTools = FFmpegTools()
    ) throws(AudioFileError) -> SpooledDecoder {
        let stream = try probe(file, tools)
        let spool = try SpoolFile(for: file.path)
        var byteCount: Int64 = 0
        let arguments =
            [tools.ffmpeg, "-nostdin", "-v", "error"] + input(file)
            + ["-map", "0:a:0", "-c:a", "pcm_f32le", "-ar", "\(stream.sampleRate)", "-ac", "\(stream.channelCount)"]
            + ["-f", "f32le", "pipe:1"]
        let result = try unsafe run(arguments, file, tools) { bytes throws(AudioFileError) in
            try unsafe spool.write(bytes, at: byteCount)
            byteCount += Int64(bytes.count)
        }
        // A damaged end is told by the exit code, but what was decoded before can be played.
        let frameCount = byteCount / Int64(stream.channelCount * MemoryLayout<Float>.stride)
        if frameCount == 0 {
            if result.exitCode == 0 { throw .noFrames(file.path) }
            throw .broken(file.path, result.lastErrorLine)
        }
        let info = AudioFileInfo(
            path: file.path, container: container, codec: stream.codec, sampleRate: stream.sampleRate,
            channelCount: stream.channelCount, frameCount: frameCount)
        return SpooledDecoder(spool, info: info)
    }

    private struct Stream {
        let codec: String
        let sampleRate: Int
        let channelCount: Int
    }

    /// What the first audio stream is.
    private static func probe(_ file: OpenedFile, _ tools: FFmpegTools) throws(AudioFileError) -> Stream {
        let arguments =
            [tools.ffprobe, "-v", "error", "-select_streams", "a:0"]
            + ["-show_entries", "stream=codec_name,sample_rate,channels", "-of", "default=noprint_wrappers=1"]
            + input(file)
        var text: [UInt8] = []
        let result = try unsafe run(arguments, file, tools) { bytes throws(AudioFileError) in
            if text.count < 1 << 16 { unsafe text.append(contentsOf: bytes) }
        }
        var fields: [Substring: String] = [:]
        for line in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { fields[parts[0]] = String(parts[1]) }
        }
        guard let codec = fields["codec_name"], let channels = fields["channels"].flatMap(Int.init),
            let rate = fields["sample_rate"].flatMap(Int.init)
        else {
            if result.exitCode == 0 { throw .noAudioStream(file.path) }
            throw .broken(file.path, result.lastErrorLine)
        }
        if channels > FileLimits.channelCounts.upperBound { throw .tooManyChannels(file.path, channels) }
        if channels < 1 { throw .noChannels(file.path) }
        if !FileLimits.sampleRates.contains(rate) { throw .badRate(file.path, rate) }
        return Stream(codec: codec, sampleRate: rate, channelCount: channels)
    }

    /// "file:" keeps a name like "-x.m4a" from being an option, and "a:b.mp4" from being a protocol; the white list keeps
    /// a file from naming others on the net.
    private static func input(_ file: OpenedFile) -> [String] {
        ["-protocol_whitelist", "file,pipe", "-i", "file:\(file.path)"]
    }

    private static func run(
        _ arguments: [String], _ file: OpenedFile, _ tools: FFmpegTools,
        _ take: (UnsafeRawBufferPointer) throws(AudioFileError) -> Void
    ) throws(AudioFileError) -> ChildResult {
        do throws(ChildFailure) {
            var child = try ChildProcess(arguments)
            return try unsafe child.finish(tools.limits, take)
        } catch {
            switch error {
            case .cannotStart: throw .helperMissing(file.path, arguments[0])
            case .timeout: throw .tooSlow(file.path, tools.limits)
            case .refused(let reason): throw reason
            }
        }
    }
}

extension AudioFileError {
    static func helperMissing(_ path: String, _ program: String) -> AudioFileError {
        AudioFileError(
            .helperMissing, path: path,
            "\(path): this kind of file needs the program \(program), which cannot be started",
            remedy: "Install it with: sudo apt-get install ffmpeg")
    }

    static func tooSlow(_ path: String, _ limits: ChildLimits) -> AudioFileError {
        AudioFileError(
            .limitExceeded, path: path, "\(path): ffmpeg did not decode it within \(Int(limits.totalSeconds)) seconds",
            remedy: "Convert it to FLAC first: ffmpeg -i IN OUT.flac.")
    }

    static func noAudioStream(_ path: String) -> AudioFileError {
        AudioFileError(
            .notAudio, path: path, "\(path): there is no sound in this file",
            remedy: "Give a file that has a sound track.")
    }

    static func broken(_ path: String, _ reason: String) -> AudioFileError {
        AudioFileError(
            .broken, path: path, "\(path): this file is damaged or of an unknown kind (\(reason))",
            remedy: "Copy it again, or convert it with a program that can open it.")
    }
}
