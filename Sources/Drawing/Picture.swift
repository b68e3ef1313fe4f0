public import Explanations

/// A drawing of a waveform or a spectrogram.
///
/// Real-time safe: no.
public protocol Picture: Sendable {
    /// The picture's size, and the part of a recording shown.
    var sheet: PictureSheet { get }

    /// Returns the bytes of the picture's file.
    ///
    /// The same picture gives the same bytes on one installation. On a machine without fonts the picture has no text;
    /// see ``PictureSheet/warnings``.
    ///
    /// - Throws: A `PictureError` of the kind `outOfMemory` or `drawingFailed`.
    func encoded(as format: PictureFormat) throws(PictureError) -> [UInt8]
}

extension Picture {
    /// Writes the picture to a file, which appears whole or not at all; pipes and devices are written directly.
    ///
    /// - Parameters:
    ///   - path: The target; an existing file is replaced. A link stays, and its target is replaced.
    ///   - format: The format, which does not depend on the name.
    /// - Throws: A `PictureError` with the path if writing fails, or an error of ``encoded(as:)``.
    public func write(to path: String, as format: PictureFormat) throws(PictureError) {
        try PictureFile.write(try encoded(as: format), to: path)
    }
}
