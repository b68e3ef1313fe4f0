// Decodes AAC, M4A, Ogg FLAC and the audio of videos by an `ffmpeg` process, once, into a spool. ffmpeg itself seeks to
// packets, not to frames. A decoder in a separate process can crash without harm.
internal import Files

/// Decodes a file with an `ffmpeg` process.
enum FFmpegDecoder {
    /// Opens the first audio stream of `file`.
    ///
    /// If the file states its exact length in frames, the function returns at once, and reads wait for the decoding.
    /// Otherwise the function decodes the whole file first to find its length.
    static func open(
        _ file: OpenedFile, container: String, tools: FFmpegTools = FFmpegTools(), isWanted: () -> Bool = { true }
    ) throws(AudioFileError) -> SpooledDecoder {
        let probe = try FFmpegProbe(file, tools, container: container, isWanted: isWanted)
        let info = AudioFileInfo(
            path: file.path, container: container, codec: probe.codec, sampleRate: probe.sampleRate,
            channelCount: probe.channelCount, frameCount: probe.exactFrameCount ?? 0)
        return probe.exactFrameCount == nil
            ? try decodeWhole(file, info, tools, isWanted)
            : try beginDecoding(file, info, tools, framesInFront: probe.framesInFront)
    }

    /// Returns the properties of a file, without decoding if the file states its length.
    static func info(
        of file: OpenedFile, container: String, tools: FFmpegTools = FFmpegTools()
    ) throws(AudioFileError) -> AudioFileInfo {
        let probe = try FFmpegProbe(file, tools, container: container)
        let info = AudioFileInfo(
            path: file.path, container: container, codec: probe.codec, sampleRate: probe.sampleRate,
            channelCount: probe.channelCount, frameCount: probe.exactFrameCount ?? 0)
        if probe.exactFrameCount != nil { return info }
        // Decode only to count the frames; store nothing.
        let counted = try unsafe decode(file, info, tools) { _ throws(AudioFileError) in }
        return try finished(info, counted)
    }

    /// - Parameter framesInFront: As in `FFmpegProbe`.
    private static func beginDecoding(
        _ file: OpenedFile, _ info: AudioFileInfo, _ tools: FFmpegTools, framesInFront: Int64?
    ) throws(AudioFileError) -> SpooledDecoder {
        let frameBytes = Int64(info.channelCount * MemoryLayout<Float>.stride)
        let byteCount = info.frameCount * frameBytes
        let spool = try SpoolFile(for: file.path, expectedBytes: byteCount)
        // ffmpeg omits damaged packets. Up to `allowance` bytes may therefore be missing at the end, and become
        // silence.
        let allowance = 4 * 4096 * frameBytes
        let feed = try SpoolFeed(path: file.path, byteCount: byteCount, allowance: allowance) {
            progress throws(AudioFileError) in
            var (skipped, written): (Int64, Int64) = (0, 0)
            let decoded = try unsafe decode(
                file, info, tools, ignoresEdits: framesInFront != nil, isWanted: { progress.isWanted }
            ) { bytes throws(AudioFileError) in
                // The encoder's padding is not part of the audio: neither in front, nor at the end, where it fills the
                // last packet.
                let before = Int(min(Int64(bytes.count), (framesInFront ?? 0) * frameBytes - skipped))
                skipped += Int64(before)
                let count = Int(min(Int64(bytes.count - before), byteCount - written))
                try unsafe spool.write(UnsafeRawBufferPointer(rebasing: bytes[before..<before + count]), at: written)
                written += Int64(count)
                progress.advance(to: written)
            }
            if let reason = decoded.shortfall, written + allowance < byteCount { throw .broken(file.path, reason) }
        }
        return SpooledDecoder(spool, feed: feed, info: info)
    }

    private static func decodeWhole(
        _ file: OpenedFile, _ info: AudioFileInfo, _ tools: FFmpegTools, _ isWanted: () -> Bool
    ) throws(AudioFileError) -> SpooledDecoder {
        let spool = try SpoolFile(for: file.path)
        var byteCount: Int64 = 0
        let decoded = try unsafe decode(file, info, tools, isWanted: isWanted) { bytes throws(AudioFileError) in
            try unsafe spool.write(bytes, at: byteCount)
            byteCount += Int64(bytes.count)
        }
        return SpooledDecoder(spool, info: try finished(info, decoded))
    }

    /// Number of decoded frames, and the reason why frames may be missing.
    private typealias Decoded = (frameCount: Int64, shortfall: String?)

    private static func finished(_ info: AudioFileInfo, _ decoded: Decoded) throws(AudioFileError) -> AudioFileInfo {
        if decoded.frameCount == 0 {
            if let reason = decoded.shortfall { throw .broken(info.path, reason) }
            throw .noFrames(info.path)
        }
        // The part before the damage is playable, and is reported as a part.
        var info = info.withFrameCount(decoded.frameCount)
        info.shortfall = decoded.shortfall
        return info
    }

    /// Passes the first audio stream of a file to `take`, from its first frame to its last.
    private static func decode(
        _ file: OpenedFile, _ info: AudioFileInfo, _ tools: FFmpegTools, ignoresEdits: Bool = false,
        isWanted: () -> Bool = { true }, _ take: (UnsafeRawBufferPointer) throws(AudioFileError) -> Void
    ) throws(AudioFileError) -> Decoded {
        let report = try FFmpegReport(for: file.path)
        let arguments =
            [tools.ffmpeg, "-nostdin", "-v", "error"] + report.arguments(1)
            + (ignoresEdits ? ["-ignore_editlist", "1"] : []) + FFmpegTools.input()
            + ["-map", "0:a:0", "-c:a", "pcm_f32le", "-ar", "\(info.sampleRate)", "-ac", "\(info.channelCount)"]
            + ["-f", "f32le", "pipe:1"]
        var byteCount: Int64 = 0
        let result = try unsafe tools.run(
            arguments, for: file.path, [file.descriptor, report.descriptor], isWanted: isWanted
        ) { bytes throws(AudioFileError) in
            try unsafe take(bytes)
            byteCount += Int64(bytes.count)
        }
        let frameCount = byteCount / Int64(info.channelCount * MemoryLayout<Float>.stride)
        return (
            frameCount,
            try result.shortfall(
                file.path, decodedSeconds: info.withFrameCount(frameCount).seconds, tellsOfEnd: report.tellsOfEnd)
        )
    }
}
