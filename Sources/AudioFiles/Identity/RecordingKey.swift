internal import Files
internal import JSON

/// Identifies a recording by its encoded audio: the same for a file that was renamed, moved, tagged anew or given another cover, and
/// different for every other recording, unless somebody deliberately makes two collide.
///
/// It is the XXH3 hash, in 128 bits, of what the decoder gets: for WAV, AIFF, CAF and their relatives the samples and their format; for
/// FLAC the stream's properties and its frames; for MPEG audio the frames between the tags; for Ogg the packets without the
/// comments; for everything else the packets of the first audio track, by `ffmpeg`. A recording in another encoding, or encoded once more,
/// has another key.
public struct RecordingKey: Hashable, Sendable, CustomStringConvertible {
    /// The hash's higher and lower half.
    package let high, low: UInt64

    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// The key that `description` has written; nil for any other text.
    public init?(_ text: String) {
        // A sign would be read as part of a number.
        let isHexadecimal = text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
        guard text.utf8.count == 32, isHexadecimal,
            let high = UInt64(digits: text.prefix(16), radix: 16, in: .min ... .max),
            let low = UInt64(digits: text.suffix(16), radix: 16, in: .min ... .max)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// The key of a recording's file, whose audio is read completely: some 100 ms for 600 MB that are in memory.
    ///
    /// - Throws: `AudioFileError`: the file cannot be read, changed meanwhile, holds no audio, or needs `ffmpeg`.
    ///
    /// Blocks the calling thread. Real-time safe: no.
    public init(ofFileAt path: String) throws(AudioFileError) {
        try self.init(of: try OpenedFile(path: path))
    }

    package init(of file: OpenedFile, _ tools: FFmpegTools = FFmpegTools()) throws(AudioFileError) {
        let before = try file.state()
        var hash = AudioHash(file)
        switch FileSniffer.kind(of: file) {
        case .soundFile("wav"), .soundFile("rf64"): try hash.addWave()
        case .soundFile("w64"): try hash.addWave64()
        case .soundFile("aiff"): try hash.addAIFF()
        case .soundFile("caf"): try hash.addCAF()
        case .soundFile("au"): try hash.addAU()
        case .soundFile("flac"): try hash.addFLAC()
        case .soundFile("ogg"), .foreign("ogg"): try hash.addOgg()
        case .mpegAudio, .foreign("adts"): try hash.addFrames()
        case .foreign: try hash.addPackets(tools)
        case .soundFile: try hash.addAll()
        case .unknown:
            // It may still be one of the rare formats that a decoder knows.
            _ = try openDecoder(file)
            try hash.addAll()
        }
        // Nothing but a format identifies no recording.
        if !hash.hasAudio { try hash.addAll() }
        let digest = hash.digest()
        self.init(high: digest.high, low: digest.low)
        // Bytes that were read before and after a change are no recording.
        guard try file.state() == before else { throw .changed(file.path) }
    }

    /// 32 hexadecimal digits.
    public var description: String { ByteHash.hexadecimal(high, low) }
}
