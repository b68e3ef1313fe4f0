// The door: a path goes in, the decoder that its content asks for comes out.

/// Opens `path` with the decoder for what it holds.
func openDecoder(path: String) throws(AudioFileError) -> any AudioDecoder {
    let file = try OpenedFile(path: path)
    switch FileSniffer.kind(of: file) {
    case .soundFile(let container): return try SoundFileDecoder(file, container: container)
    case .mpegAudio, .unknown: return try SoundFileDecoder(file, container: nil)
    case .foreign: throw .notAudio(path)
    }
}
