public import DSP
public import Explanations

/// A spectrogram as a picture, with axes of time and frequency and a scale of its levels.
///
/// The picture needs one column and one row for each pixel of the plot; ``plotSize(on:)`` gives these numbers in
/// advance. A spectrogram of another size is stretched without smoothing; if the spectrogram is larger than the plot,
/// each pixel shows the loudest of its cells.
///
/// Real-time safe: no.
public struct SpectrogramPicture: Picture, Equatable {
    /// Size, title, sections and theme, and the range shown.
    public let sheet: PictureSheet
    /// The spectrogram shown.
    package let spectrogram: Spectrogram
    /// The colours of the levels.
    package let colours: ColourMap

    /// Creates a picture.
    ///
    /// - Parameters:
    ///   - sheet: The size, and the part of a recording shown.
    ///   - spectrogram: With the same frames and the same sample rate as the sheet, because the sheet determines the
    ///     axes.
    ///   - colours: The colours of the levels.
    /// - Throws: A `PictureError` of the kind `invalidRequest` if the two differ.
    public init(
        on sheet: PictureSheet, _ spectrogram: Spectrogram, colours: ColourMap = .viridis
    ) throws(PictureError) {
        if spectrogram.frames != sheet.frames {
            throw .invalid("The spectrogram", is: "of the frames \(spectrogram.frames)", permitted: "\(sheet.frames)")
        }
        if spectrogram.settings.sampleRate != sheet.sampleRate {
            throw .invalid(
                "The spectrogram", is: "of \(spectrogram.settings.sampleRate) Hz", permitted: "\(sheet.sampleRate) Hz")
        }
        (self.sheet, self.spectrogram, self.colours) = (sheet, spectrogram, colours)
    }

    /// Returns the number of columns and rows of a picture on this sheet, one for each pixel; each is 1 or more.
    public static func plotSize(on sheet: PictureSheet) -> (columns: Int, rows: Int) {
        let plot = layout(sheet).plot
        return (Int(plot.width), Int(plot.height))
    }

    /// Returns the bytes of the picture's file.
    public func encoded(as format: PictureFormat) throws(PictureError) -> [UInt8] {
        try encoded(as: format, fonts: .system)
    }

    func encoded(as format: PictureFormat, fonts: Fonts) throws(PictureError) -> [UInt8] {
        let canvas = try Canvas(width: sheet.width, height: sheet.height, format: format, fonts: fonts)
        try draw(on: canvas)
        let bytes = try canvas.encoded()
        let summary = "Spectrogram up to \(axisNumber(spectrogram.settings.highest)) Hz, \(sheet.spokenTimes)"
        return format == .svg ? SVGDocument.finished(bytes, title: sheet.title, description: summary) : bytes
    }

    private static func layout(_ sheet: PictureSheet) -> Layout {
        Layout(sheet, hasHeader: !sheet.title.isEmpty, hasScale: true)
    }

    // MARK: - Drawing

    private func draw(on canvas: borrowing Canvas) throws(PictureError) {
        let layout = Self.layout(sheet)
        let surroundings = Surroundings(sheet, layout)
        let settings = spectrogram.settings
        surroundings.drawBackground(on: canvas)
        surroundings.drawTitle(on: canvas, room: layout.header?.width ?? 0)
        surroundings.drawSections(on: canvas)
        canvas.fill(layout.plot, colours.colours(sheet.theme)[0])
        try drawCells(in: layout.plot, on: canvas)
        surroundings.drawSectionEdges(on: canvas)
        let ticks = frequencyTicks(
            lowest: settings.lowest, highest: settings.highest, isLogarithmic: settings.axis == .logarithmic,
            height: layout.plot.height, gap: 20)
        surroundings.drawNumbers(ticks, beside: layout.plot, on: canvas)
        if layout.numbersWidth > 0 {
            let marks = ticks.map { tick in
                let length = tick.label.isEmpty ? 2.0 : 4
                let y = min(
                    (layout.plot.bottom - tick.position * layout.plot.height).rounded(.down), layout.plot.bottom - 1)
                return Rectangle(x: layout.plot.x - length, y: y, width: length, height: 1)
            }
            canvas.fill(marks, surroundings.palette.quiet.opacity(0.7))
        }
        surroundings.drawTimes(surroundings.timeTicks(on: canvas), unit: "Hz", on: canvas)
        try drawScale(surroundings, on: canvas)
    }

    private func drawCells(in plot: Rectangle, on canvas: borrowing Canvas) throws(PictureError) {
        let columns = min(spectrogram.columnCount, Int(plot.width))
        let rows = min(spectrogram.rowCount, Int(plot.height))
        let shades = colours.colours(sheet.theme).map(\.pixel)
        var pixels: [UInt32] = []
        pixels.reserveCapacity(columns * rows)
        for row in (0..<rows).reversed() {
            let cellRows = row * spectrogram.rowCount / rows..<(row + 1) * spectrogram.rowCount / rows
            for column in 0..<columns {
                let first = column * spectrogram.columnCount / columns
                let end = (column + 1) * spectrogram.columnCount / columns
                var level = -Float(spectrogram.settings.range)
                for column in first..<end {
                    for row in cellRows { level = max(level, spectrogram[column, row]) }
                }
                pixels.append(shades[shade(level)])
            }
        }
        try canvas.image(pixels, columns: columns, rows: rows, in: plot)
    }

    /// Returns the index of a level in the colour map.
    private func shade(_ level: Float) -> Int {
        let place = 1 + level / Float(spectrogram.settings.range)
        return Int((min(max(place, 0), 1) * 255).rounded())
    }

    /// Draws the colour scale beside the plot.
    private func drawScale(_ surroundings: Surroundings, on canvas: borrowing Canvas) throws(PictureError) {
        guard let scale = surroundings.layout.scale else { return }
        let shades = colours.colours(sheet.theme).map(\.pixel)
        let height = Int(scale.height)
        let pixels = (0..<height).map { shades[255 - $0 * 255 / max(1, height - 1)] }
        try canvas.image(pixels, columns: 1, rows: height, in: scale)
        let style = surroundings.quietStyle
        let middle = Canvas.digitMiddle(style)
        for tick in levelTicks(floor: -spectrogram.settings.range, height: scale.height, gap: 34) {
            let y = scale.bottom - tick.position * scale.height
            let baseline = min(max(y + middle, scale.y + 2 * middle), scale.bottom)
            canvas.text(tick.label, x: scale.right + 5, baseline: baseline, style)
        }
        if surroundings.layout.hasTimes { canvas.text("dB", x: scale.right + 5, baseline: scale.bottom + 17, style) }
    }
}
