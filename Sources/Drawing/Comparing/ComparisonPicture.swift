public import DSP

/// A take beside its model, on the time line of the model: the levels of both, their pitches over each other, and how early or late
/// the take is. Places where the two are far apart are red.
///
/// ```swift
/// let sheet = try PictureSheet(width: 1200, height: 480, title: "Solo", sampleRate: 44_100, frames: 441_000..<882_000)
/// try ComparisonPicture(on: sheet, comparison).write(to: "solo.png", as: .png)
/// ```
///
/// Real-time safe: no.
public struct ComparisonPicture: Picture, Equatable {
    /// Size, title and theme, and the part of the model's recording that was compared.
    public let sheet: PictureSheet
    /// What is shown.
    public let comparison: Comparison

    /// Pitches that are further apart, in cents, are marked, and times that are further apart, in seconds.
    package static let (markedCents, markedSeconds) = (50.0, 0.05)

    /// A picture.
    ///
    /// - Parameters:
    ///   - sheet: Its `frames` are those of the model; the curves of the comparison are drawn over all of them.
    ///   - comparison: May be one that knows nothing; the panels are empty then.
    public init(on sheet: PictureSheet, _ comparison: Comparison) {
        (self.sheet, self.comparison) = (sheet, comparison)
    }

    /// The bytes of the picture's file.
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
