// The door: a path goes in, the decoder that its content asks for comes out.

/// Opens `path` with the decoder for what it holds.
func openDecoder(path: String) throws(AudioFileError) -> any FileDecoder { try openDecoder(OpenedFile(path: path)) }

/// Opens a file that is open already.
func openDecoder(_ file: OpenedFile) throws(AudioFileError) -> any FileDecoder {
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

/// What the file at `path` is, without keeping any of its sound on the disk.
func readInfo(path: String) throws(AudioFileError) -> AudioFileInfo {
    let file = try OpenedFile(path: path)
    if case .foreign(let container) = FileSniffer.kind(of: file) {
        return try FFmpegDecoder.info(of: file, container: container)
    }
    return try openDecoder(file).info
}
