// Opens files, and chooses the decoder by the content.

/// Opens `path` with the decoder for its content.
///
/// - Parameter isWanted: Called now and then while the length is being proved. If it returns false, the function throws
///   `.cancelled`.
package func openDecoder(
    path: String, isWanted: () -> Bool = { true }
) throws(AudioFileError) -> any FileDecoder {
    try openDecoder(OpenedFile(path: path), isWanted: isWanted)
}

/// Opens the decoder for a file that is already open.
package func openDecoder(
    _ file: OpenedFile, isWanted: () -> Bool = { true }
) throws(AudioFileError) -> any FileDecoder {
    switch FileSniffer.kind(of: file) {
    case .soundFile(let container):
        do throws(AudioFileError) {
            return try SoundFileDecoder(file, container: container, isWanted: isWanted)
        } catch {
            // The library lacks the codec of a known container, such as MP3 in WAV or some ALAC in CAF.
            guard error.kind == .unsupported else { throw error }
            return try openForeign(file, container, otherwise: error, isWanted)
        }
    // libsndfile recognises some more, rare formats, and refuses other files at once.
    case .unknown: return try SoundFileDecoder(file, container: nil, isWanted: isWanted)
    case .mpegAudio(let start): return try MPEGDecoder.open(file, from: start, isWanted: isWanted)
    case .foreign(let container): return try FFmpegDecoder.open(file, container: container, isWanted: isWanted)
    }
}

/// Uses ffmpeg for a file recognised by libsndfile but not decodable. If ffmpeg fails as well, the error is
/// "unsupported" instead of "damaged".
private func openForeign(
    _ file: OpenedFile, _ container: String, otherwise unsupported: AudioFileError, _ isWanted: () -> Bool
) throws(AudioFileError) -> any FileDecoder {
    do throws(AudioFileError) {
        return try FFmpegDecoder.open(file, container: container, isWanted: isWanted)
    } catch {
        throw error.kind == .broken || error.kind == .empty ? unsupported : error
    }
}

extension AudioFileInfo {
    /// Reads the properties of the file at `path`, regardless of its name.
    ///
    /// As in opening a file for playing, decoding proves the length, but no audio is kept. A file with an index of the
    /// exact length in frames (M4A, MP4) is not decoded.
    ///
    /// - Throws: The same errors as opening the file for playing.
    ///
    /// Real-time safe: no.
    public init(path: String) throws(AudioFileError) {
        let file = try OpenedFile(path: path)
        if case .foreign(let container) = FileSniffer.kind(of: file) {
            self = try FFmpegDecoder.info(of: file, container: container)
        } else {
            self = try openDecoder(file).info
        }
    }
}
