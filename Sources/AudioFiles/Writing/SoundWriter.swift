// Files of any format that are written block by block.

/// Writes planar samples to a file, which appears under its name only when it is finished.
package protocol SoundWriter: AnyObject, Sendable {
    /// Appends frames. After an error nothing more is written, and no file is left behind.
    ///
    /// - Parameters:
    ///   - channels: a pointer to `frameCount` samples for each channel.
    ///   - frameCount: 0 or more.
    func write(_ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) throws(AudioFileError)

    /// Ends the file and gives it its name. Further calls do nothing.
    func finish() throws(AudioFileError)

    /// Gives up: removes what was written. Does nothing after `finish()`.
    func cancel()
}

extension WaveWriter: SoundWriter {}

/// Creates a file of a format.
///
/// - Throws: the errors of creating a file, and `.unsupported` if the format cannot hold so many channels.
package func makeSoundWriter(
    path: String, format: FileFormat, sampleRate: Int, channelCount: Int
) throws(AudioFileError) -> any SoundWriter {
    guard let export = format.export else {
        return try WaveWriter(
            path: path, sampleRate: sampleRate, channelCount: channelCount, format: format.samples ?? .float32)
    }
    return try EncodedFileWriter(
        path: path, format: export, samples: format.samples, sampleRate: sampleRate, channelCount: channelCount)
}

/// Writes MP3 into a file without a name, which becomes a part of another one.
///
/// - Parameters:
///   - descriptor: Of an empty regular file; it stays open, and is the caller's.
///   - path: The other file, which errors name.
/// - Throws: `.unsupported` if MP3 cannot have the rate, or more than two channels.
package func makeMP3Writer(
    unnamed descriptor: Int32, partOf path: String, sampleRate: Int, channelCount: Int
) throws(AudioFileError) -> any SoundWriter {
    try EncodedFileWriter(
        OutputFile(unnamed: descriptor, partOf: path), format: .mp3, samples: nil, sampleRate: sampleRate,
        channelCount: channelCount)
}
