// The door: a path goes in, the decoder that its content asks for comes out.

/// Opens `path` with the decoder for what it holds.
package func openDecoder(path: String) throws(AudioFileError) -> any FileDecoder {
    try openDecoder(OpenedFile(path: path))
}

/// Opens a file that is open already.
package func openDecoder(_ file: OpenedFile) throws(AudioFileError) -> any FileDecoder {
    switch FileSniffer.kind(of: file) {
    case .soundFile(let container):
        do throws(AudioFileError) {
            return try SoundFileDecoder(file, container: container)
        } catch {
            // A known container with a coding that the library lacks, such as MP3 in WAV or some ALAC in CAF.
            guard error.kind == .unsupported else { throw error }
            return try openForeign(file, container, otherwise: error)
        }
    // libsndfile recognises some rare kinds more, and refuses what is no audio at once.
    case .unknown: return try SoundFileDecoder(file, container: nil)
    case .mpegAudio(let start): return try MPEGDecoder.open(file, from: start)
    case .foreign(let container): return try FFmpegDecoder.open(file, container: container)
    }
}

/// Opens with ffmpeg what libsndfile knows but cannot decode; what ffmpeg cannot decode either is not called damaged.
private func openForeign(
    _ file: OpenedFile, _ container: String, otherwise unsupported: AudioFileError
) throws(AudioFileError) -> any FileDecoder {
    do throws(AudioFileError) {
        return try FFmpegDecoder.open(file, container: container)
    } catch {
        throw error.kind == .broken || error.kind == .empty ? unsupported : error
    }
}

extension AudioFileInfo {
    /// What the file at `path` is, whatever its name.
    ///
    /// The length is proved as it is when the file is opened to be played, but nothing is kept of what is decoded for that; of a file
    /// whose index tells its length to the frame (M4A, MP4) nothing is decoded.
    ///
    /// - Throws: Every reason why the file cannot be played.
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
