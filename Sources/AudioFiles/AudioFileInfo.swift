/// Format and length of an audio file: what its content says, with the length that decoding proved.
public struct AudioFileInfo: Sendable, Equatable {
    /// The path it was opened by; empty for audio made in memory.
    public let path: String
    /// The kind of file, in lower case: "wav", "rf64", "w64", "aiff", "caf", "au", "flac", "ogg", "mp3", "mp4", "matroska" …
    public let container: String
    /// How the samples are coded, in lower case: "pcm_s16", "pcm_f32", "flac", "vorbis", "opus", "mp3", "aac" …
    public let codec: String
    /// Frames per second, 1...768000, in Hz.
    public let sampleRate: Int
    /// Channels, 1...64.
    public let channelCount: Int
    /// Frames that can be decoded, which is not always the number in the header.
    public let frameCount: Int64
    /// Why the file may hold more than could be decoded, in plain words; nil if all of it was decoded. It is only known for files
    /// that are decoded by the `ffmpeg` program: the program finished, but reported an error. Do not store anything computed from
    /// such a part permanently, because opening the file again may give more.
    public internal(set) var shortfall: String?

    /// The length in seconds.
    public var seconds: Double { Double(frameCount) / Double(sampleRate) }

    package init(
        path: String, container: String, codec: String, sampleRate: Int, channelCount: Int, frameCount: Int64,
        shortfall: String? = nil
    ) {
        (self.path, self.container, self.codec) = (path, container, codec)
        (self.sampleRate, self.channelCount, self.frameCount) = (sampleRate, channelCount, frameCount)
        self.shortfall = shortfall
    }

    /// The same file with another length.
    func withFrameCount(_ frameCount: Int64) -> AudioFileInfo {
        AudioFileInfo(
            path: path, container: container, codec: codec, sampleRate: sampleRate, channelCount: channelCount,
            frameCount: frameCount, shortfall: shortfall)
    }
}
