// Drawing: pictures of sound, as PNG and SVG.
//
// It turns the columns of a waveform and the cells of a spectrogram, both made by the module DSP, into a picture with axes,
// title and sections, by the library cairo and the fonts of the machine. It reads no recordings, knows no devices and no
// terminals, and chooses nothing: what is shown, and how, is the caller's. The same values give the same bytes on one
// installation; another one may have other fonts.

// What is drawn comes along.
@_exported public import DSP
// Whoever catches an error of this module can call it what it is.
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
