// AudioFiles: recordings that can be read at any frame (`Clip`), WAV files written (`WaveWriter`), and takes, which are valid while
// they are being written (`TakeFile`) and are converted afterwards (`TakeConversion`); and the marks of recordings (`FileMarks`).
//
// What a file holds is decided by its content, never by its name; how long it is, by what can be decoded, never by what
// its header claims; and a frame has the same samples whichever way it was reached.
//
// The module does not play, mix, stretch or measure, and knows no sound device. It does not edit tags, and what it cannot
// decode itself it gives to an `ffmpeg` process.

/// Limits that hold for every file, checked before anything is allocated.
enum FileLimits {
    /// Channels a file or clip may have.
    static let channelCounts = 1...64
    /// Sample rates in Hz a file or clip may have.
    static let sampleRates = 1...768_000
    /// Frames a file may have: 36 days at 44.1 kHz. Keeps every product of frames and rates within 64 bits.
    static let maximumFrameCount: Int64 = 1 << 37
}
