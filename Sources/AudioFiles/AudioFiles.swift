// AudioFiles: reading and writing sound files. It decodes recordings at any frame and any rate (`AudioDecoder`, `RateReader`),
// writes sound files (`WaveWriter`, `makeSoundWriter`), reads the marks and tags of recordings (`FileMarks`, `FileDetails`),
// and represents file names as text (`FileName`).
//
// The format of a file is determined by its content, never by its name; its length by what can be decoded, never by its header;
// and a frame has the same samples whichever way it was reached.
//
// The module keeps no audio in memory, does not play or measure, and uses no sound device. It does not edit tags, and gives
// files that it cannot decode itself to an `ffmpeg` process.

/// Limits for every file, checked before anything is allocated.
package enum FileLimits {
    /// Channels a file or clip may have.
    package static let channelCounts = 1...64
    /// Sample rates in Hz a file or clip may have.
    package static let sampleRates = 1...768_000
    /// Frames a file may have: 36 days at 44.1 kHz. This keeps every product of frames and rates within 64 bits.
    package static let maximumFrameCount: Int64 = 1 << 37
    /// Marks that are read from a file.
    static let markCount = 4096
}
