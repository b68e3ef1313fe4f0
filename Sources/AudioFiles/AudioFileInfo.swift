/// Format and length of an audio file. The format is read from the content; the length is proved by decoding.
public struct AudioFileInfo: Sendable, Equatable {
    /// Path at the opening; empty for audio made in memory.
    public let path: String
    /// Container format, in lower case: "wav", "rf64", "w64", "aiff", "caf", "au", "flac", "ogg", "mp3", "mp4",
    /// "matroska" …
    public let container: String
    /// Coding of the samples, in lower case: "pcm_s16", "pcm_f32", "flac", "vorbis", "opus", "mp3", "aac" …
    public let codec: String
    /// Sample rate in Hz, 1...768000.
    public let sampleRate: Int
    /// Number of channels, 1...64.
    public let channelCount: Int
    /// Number of decodable frames, which may differ from the number in the header.
    public let frameCount: Int64
    /// Reason why the file may hold more than could be decoded, in plain words; nil if everything was decoded. The
    /// reason is known only for files decoded by the `ffmpeg` program: the program finished, but reported an error. Do
    /// not permanently store results computed from such a file, because another opening may give more frames.
    public internal(set) var shortfall: String?

    /// Length in seconds.
    public var seconds: Double { Double(frameCount) / Double(sampleRate) }

    package init(
        path: String, container: String, codec: String, sampleRate: Int, channelCount: Int, frameCount: Int64,
        shortfall: String? = nil
    ) {
        (self.path, self.container, self.codec) = (path, container, codec)
        (self.sampleRate, self.channelCount, self.frameCount) = (sampleRate, channelCount, frameCount)
        self.shortfall = shortfall
    }

    /// Returns the same information with another length.
    func withFrameCount(_ frameCount: Int64) -> AudioFileInfo {
        AudioFileInfo(
            path: path, container: container, codec: codec, sampleRate: sampleRate, channelCount: channelCount,
            frameCount: frameCount, shortfall: shortfall)
    }
}
