internal import Files
internal import JSON

/// Identifies a recording by its encoded audio. The key stays the same if a file is renamed, moved, retagged or given
/// another cover. The key differs for every other recording, except for a deliberate collision.
///
/// The key is the 128-bit XXH3 hash of the decoder's input. WAV, AIFF, CAF and their relatives: the samples and their
/// format. FLAC: the stream's properties and the frames. MPEG audio: the frames between the tags. Ogg: the packets
/// without the comments. All other formats: the packets of the first audio track, by `ffmpeg`. A recording in another
/// encoding, or encoded again, has another key.
public struct RecordingKey: Hashable, Sendable, CustomStringConvertible {
    /// Higher and lower half of the hash.
    package let high, low: UInt64

    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// Reads a key in the form of `description`; nil for any other text.
    public init?(_ text: String) {
        // Check the digits first: a sign would be read as part of a number.
        let isHexadecimal = text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
        guard text.utf8.count == 32, isHexadecimal,
            let high = UInt64(digits: text.prefix(16), radix: 16, in: .min ... .max),
            let low = UInt64(digits: text.suffix(16), radix: 16, in: .min ... .max)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// Computes the key of a recording's file by reading all its audio: some 100 ms for 600 MB in memory.
    ///
    /// - Throws: `AudioFileError`: the file cannot be read, changed during the reading, holds no audio, or needs
    ///   `ffmpeg`.
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
            // The file may still be in a rare format known to a decoder.
            _ = try openDecoder(file)
            try hash.addAll()
        }
        // A format without audio identifies no recording.
        if !hash.hasAudio { try hash.addAll() }
        let digest = hash.digest()
        self.init(high: digest.high, low: digest.low)
        // Bytes read partly before and partly after a change belong to no recording.
        guard try file.state() == before else { throw .changed(file.path) }
    }

    /// The key as 32 hexadecimal digits.
    public var description: String { ByteHash.hexadecimal(high, low) }
}
