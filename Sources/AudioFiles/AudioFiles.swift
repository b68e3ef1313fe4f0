// AudioFiles: what sound files are. Recordings decoded at any frame and at any rate (`AudioDecoder`, `RateReader`), sound files written
// (`WaveWriter`, `makeSoundWriter`), the marks and tags of recordings (`FileMarks`, `FileDetails`), and their names as text (`FileName`).
//
// What a file holds is decided by its content, never by its name; how long it is, by what can be decoded, never by what
// its header claims; and a frame has the same samples whichever way it was reached.
//
// The module keeps nothing in memory, does not play or measure, and knows no sound device. It does not edit tags, and what it cannot
// decode itself it gives to an `ffmpeg` process.

/// Limits that hold for every file, checked before anything is allocated.
package enum FileLimits {
    /// Channels a file or clip may have.
    package static let channelCounts = 1...64
    /// Sample rates in Hz a file or clip may have.
    package static let sampleRates = 1...768_000
    /// Frames a file may have: 36 days at 44.1 kHz. Keeps every product of frames and rates within 64 bits.
    package static let maximumFrameCount: Int64 = 1 << 37
    /// Marks that are read of a file.
    static let markCount = 4096
}
