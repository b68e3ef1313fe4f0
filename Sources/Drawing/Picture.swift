/// A drawing of a waveform or a spectrogram.
///
/// Real-time safe: no.
public protocol Picture: Sendable {
    /// Its size, and the part of a recording it shows.
    var sheet: PictureSheet { get }

    /// The bytes of the picture's file.
    ///
    /// The same picture gives the same bytes on one installation. On a machine without fonts it has no text; see
    /// ``PictureSheet/warnings``.
    ///
    /// - Throws: A `PictureError` of the kind `outOfMemory` or `drawingFailed`.
    func encoded(as format: PictureFormat) throws(PictureError) -> [UInt8]
}

extension Picture {
    /// Writes the picture to a file, which appears whole or not at all; pipes and devices are written directly.
    ///
    /// - Parameters:
    ///   - path: An existing file there is replaced; a link stays, and its target is replaced.
    ///   - format: The format; it is not derived from the name.
    /// - Throws: A `PictureError` that names the path if it cannot be written, or an error of ``encoded(as:)``.
    public func write(to path: String, as format: PictureFormat) throws(PictureError) {
        try PictureFile.write(try encoded(as: format), to: path)
    }
}
