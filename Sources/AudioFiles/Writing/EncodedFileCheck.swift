// Checks an encoded file, by opening it, before it gets its final name.

extension OutputFile {
    /// Opens the written file, and returns its length in frames.
    package func encodedFrames(channelCount: Int, sampleRate: Int) throws(AudioFileError) -> Int64 {
        do throws(AudioFileError) {
            let result = try openDecoder(path: writtenPath).info
            if result.channelCount == channelCount, result.sampleRate == sampleRate { return result.frameCount }
        } catch {
            throw .badEncoding(path, "cannot be opened (\(error.kind))")
        }
        throw .badEncoding(path, "has another rate or other channels")
    }
}

extension AudioFileError {
    /// Error for an encoder's output that differs from the input.
    package static func badEncoding(_ path: String, _ reason: String) -> AudioFileError {
        AudioFileError(
            .broken, path: path, "\(path): the converted file \(reason), and was removed",
            remedy: "Keep the original recording, or choose another format.")
    }
}
