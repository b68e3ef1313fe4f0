// Drawing: pictures of sound, as PNG and SVG.
//
// The module draws the columns of a waveform and the cells of a spectrogram, both made by the module DSP. The result is
// a picture with axes, title and sections, drawn with the library cairo and the system's fonts. The module does not
// read recordings or use devices or terminals; the caller decides the content and style. The same values give the same
// bytes on one installation; another installation may have other fonts.

// Re-exports the types to draw.
@_exported public import DSP
// Re-exported so that callers can name the errors of this module.
@_exported public import Explanations

/// A rectangle in pixels, from the top left corner.
struct Rectangle: Equatable, Sendable {
    var (x, y) = (0.0, 0.0)
    var (width, height) = (0.0, 0.0)

    var right: Double { x + width }
    var bottom: Double { y + height }
    var middle: Double { y + height / 2 }

    init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
}
