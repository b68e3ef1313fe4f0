// Output files of any format, written block by block.

/// Writes planar samples to a file. The file appears under its name only when finished.
package protocol SoundWriter: AnyObject, Sendable {
    /// Appends frames. After an error no further frames are written, and no file remains.
    ///
    /// - Parameters:
    ///   - channels: A pointer to `frameCount` samples for each channel.
    ///   - frameCount: 0 or more.
    func write(_ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) throws(AudioFileError)

    /// Ends the file and gives it its final name. Further calls do nothing.
    func finish() throws(AudioFileError)

    /// Removes the unfinished file. Does nothing after `finish()`.
    func cancel()
}

extension WaveWriter: SoundWriter {}

/// Creates a file of a format.
///
/// - Throws: The errors of creating a file, and `.unsupported` if the format cannot hold so many channels.
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

/// Writes MP3 into an unnamed file, which becomes a part of another file.
///
/// - Parameters:
///   - descriptor: Descriptor of an empty regular file. The caller keeps ownership; the writer does not close it.
///   - path: Path of the other file, for errors.
/// - Throws: `.unsupported` if MP3 does not support the rate, or for more than two channels.
package func makeMP3Writer(
    unnamed descriptor: Int32, partOf path: String, sampleRate: Int, channelCount: Int
) throws(AudioFileError) -> any SoundWriter {
    try EncodedFileWriter(
        OutputFile(unnamed: descriptor, partOf: path), format: .mp3, samples: nil, sampleRate: sampleRate,
        channelCount: channelCount)
}
