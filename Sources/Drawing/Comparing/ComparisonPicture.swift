public import DSP
public import Explanations

/// A take beside its model, on the time line of the model: the levels of both, their pitches over each other, and the
/// lateness of the take. Large differences are red.
///
/// ```swift
/// let sheet = try PictureSheet(width: 1200, height: 480, title: "Solo", sampleRate: 44_100, frames: 441_000..<882_000)
/// try ComparisonPicture(on: sheet, comparison).write(to: "solo.png", as: .png)
/// ```
///
/// Real-time safe: no.
public struct ComparisonPicture: Picture, Equatable {
    /// Size, title and theme, and the compared part of the model's recording.
    public let sheet: PictureSheet
    /// The comparison shown.
    package let comparison: Comparison

    /// Marking thresholds: pitch differences in cents and time differences in seconds above these values are marked.
    package static let (markedCents, markedSeconds) = (50.0, 0.05)

    /// Makes a picture.
    ///
    /// - Parameters:
    ///   - sheet: The sheet's `frames` are the model's frames; the curves of the comparison extend over all of them.
    ///   - comparison: A comparison without values gives empty panels.
    public init(on sheet: PictureSheet, _ comparison: Comparison) {
        (self.sheet, self.comparison) = (sheet, comparison)
    }

    /// Returns the bytes of the picture's file.
    public func encoded(as format: PictureFormat) throws(PictureError) -> [UInt8] {
        try encoded(as: format, fonts: .system)
    }

    func encoded(as format: PictureFormat, fonts: Fonts) throws(PictureError) -> [UInt8] {
        let canvas = try Canvas(width: sheet.width, height: sheet.height, format: format, fonts: fonts)
        ComparisonDrawing(self).draw(on: canvas)
        let bytes = try canvas.encoded()
        return format == .svg ? SVGDocument.finished(bytes, title: sheet.title, description: summary) : bytes
    }

    /// The picture in one sentence, for readers who cannot see it.
    private var summary: String {
        "A take beside its model, \(sheet.spokenTimes): levels, pitches, and how early or late the take is"
    }
}
