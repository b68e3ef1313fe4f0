// AudioFiles: reads and writes sound files. The module decodes recordings at any frame and any rate (`AudioDecoder`,
// `RateReader`), and writes sound files (`WaveWriter`, `makeSoundWriter`). It reads the marks and tags of recordings
// (`FileMarks`, `FileDetails`), and represents file names as text (`FileName`) and as words of a command (`shellPath`).
//
// The content determines the format of a file, never the name. Decoding determines the length, never the header. A
// frame has the same samples whichever way it was reached.
//
// The module keeps no audio in memory, does not play or measure, and uses no sound device. It does not edit tags. An
// `ffmpeg` process decodes the formats beyond the module's own decoders.

/// Limits for every file, checked before any allocation.
package enum FileLimits {
    /// Permitted number of channels of a file or clip.
    package static let channelCounts = 1...64
    /// Permitted sample rates of a file or clip, in Hz.
    package static let sampleRates = 1...768_000
    /// Largest ratio of a conversion between two rates, ten times as much as between any two usual rates. The work and
    /// the memory for a block grow with the ratio, because the filter reaches hundreds of frames of the lower rate.
    package static let rateRatio = 2000
    /// Largest number of frames of a file: 36 days at 44.1 kHz. The limit keeps every product of frames and rates
    /// within 64 bits.
    package static let maximumFrameCount: Int64 = 1 << 37
    /// Largest number of marks read from a file.
    static let markCount = 4096
}
