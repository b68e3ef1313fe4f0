internal import DSP
internal import Glibc

/// Draws a ``WaveformPicture``.
struct WaveformDrawing {
    let picture: WaveformPicture
    let layout: Layout
    let surroundings: Surroundings
    let colours: WaveColours

    /// A row with fewer pixels has no numbers and no name.
    private static let smallestNumberedRow = 44.0
    /// The least distance of two numbers at the side.
    private static let numberGap = 20.0

    init(_ picture: WaveformPicture) {
        self.picture = picture
        let hasHeader = !picture.sheet.title.isEmpty || picture.colouring != .plain
        layout = Layout(picture.sheet, hasHeader: hasHeader, hasScale: false)
        surroundings = Surroundings(picture.sheet, layout)
        colours = WaveColours(picture.colouring, picture.sheet.theme)
    }

    private var palette: Palette { surroundings.palette }

    func draw(on canvas: borrowing Canvas) {
        surroundings.drawBackground(on: canvas)
        surroundings.drawHeader(legend: legendEntries, on: canvas)
        surroundings.drawSections(on: canvas)
        let times = surroundings.timeTicks(on: canvas)
        for (index, row) in rowFrames.enumerated() {
            drawPanel(row, times, on: canvas)
            guard picture.rows.indices.contains(index) else { continue }
            let shape = WaveformShape(picture.rows[index], scale: picture.scale, in: row)
            drawWave(shape, in: row, on: canvas)
        }
        surroundings.drawSectionEdges(on: canvas)
        drawNames(on: canvas)
        var unit = ""
        if case .decibels = picture.scale { unit = "dB" }
        surroundings.drawTimes(times, unit: unit, on: canvas)
    }

    // MARK: - Rows

    /// The rows from top to bottom, without gaps if the gaps would take most of the space.
    private var rowFrames: [Rectangle] {
        let count = max(1, picture.rows.count)
        let plot = layout.plot
        let each = plot.height / Double(count)
        let gap = each >= 32 ? 6.0 : each >= 8 ? 1 : 0
        let height = (plot.height - gap * Double(count - 1)) / Double(count)
        return (0..<count).map { index in
            let top = (plot.y + Double(index) * (height + gap)).rounded()
            let bottom = (plot.y + Double(index) * (height + gap) + height).rounded()
            return Rectangle(x: plot.x, y: top, width: plot.width, height: max(bottom - top, min(1, each)))
        }
    }

    /// True if numbers fit beside every row; the same for all rows, although some rows are a pixel higher than others.
    private var rowsHaveNumbers: Bool { rowFrames.allSatisfy { $0.height >= Self.smallestNumberedRow } }

    private func ticks(_ row: Rectangle) -> [ValueTick] {
        switch picture.scale {
        case .linear: linearTicks(height: row.height, gap: Self.numberGap)
        case .decibels(let floor): mirroredLevelTicks(floor: floor, height: row.height, gap: Self.numberGap)
        }
    }

    private func drawPanel(_ row: Rectangle, _ times: TimeTicks, on canvas: borrowing Canvas) {
        canvas.fill(row, palette.panel)
        let upright = times.major.map { (row.x + $0.x).rounded(.down) }.filter { $0 > row.x && $0 < row.right - 1 }
        canvas.fill(upright.map { Rectangle(x: $0, y: row.y, width: 1, height: row.height) }, palette.grid)
        if !rowsHaveNumbers { return }
        let ticks = ticks(row)
        let inner = ticks.filter { $0.position > 0 && $0.position < 1 && $0.position != 0.5 }
        canvas.fill(surroundings.gridLines(inner, across: row), palette.grid)
        surroundings.drawNumbers(ticks, beside: row, on: canvas)
    }

    private func drawWave(_ shape: WaveformShape, in row: Rectangle, on canvas: borrowing Canvas) {
        var extremes: [[Rectangle]] = Array(repeating: [], count: colours.pairs.count)
        var strong = extremes
        var clippingMarks: [Rectangle] = []
        let markHeight = min(5, row.height / 4)
        for bar in shape.bars {
            let colour = colours.index(of: bar.tone)
            let (x, width) = (bar.x, bar.width)
            extremes[colour].append(Rectangle(x: x, y: bar.top, width: width, height: bar.bottom - bar.top))
            strong[colour].append(
                Rectangle(x: x, y: bar.strongTop, width: width, height: bar.strongBottom - bar.strongTop))
            // A single pixel would be overlooked.
            let mark = max(width, min(2, row.right - x))
            if bar.clipsAbove { clippingMarks.append(Rectangle(x: x, y: row.y, width: mark, height: markHeight)) }
            if bar.clipsBelow {
                clippingMarks.append(Rectangle(x: x, y: row.bottom - markHeight, width: mark, height: markHeight))
            }
        }
        for (rectangles, pair) in zip(extremes, colours.pairs) { canvas.fill(rectangles, pair.extremes) }
        for (rectangles, pair) in zip(strong, colours.pairs) { canvas.fill(rectangles, pair.rms) }
        if row.height >= 8 {
            let y = (row.middle - 0.5).rounded(.down)
            canvas.fill(Rectangle(x: row.x, y: y, width: row.width, height: 1), palette.zero.opacity(0.6))
        }
        canvas.fill(clippingMarks, palette.clipping)
    }

    // MARK: - Texts

    private func drawNames(on canvas: borrowing Canvas) {
        let rows = rowFrames
        let style = TextStyle(size: 10.5, weight: .bold, colour: palette.text)
        // The side shows the names of rows lower than letters, as many names as there is room for.
        if !rowsHaveNumbers {
            if layout.numbersWidth == 0 { return }
            var taken = layout.plot.y - 100
            for (row, name) in zip(rows, picture.names) where row.middle - taken >= 13 {
                let baseline = row.middle + Canvas.digitMiddle(style)
                canvas.text(
                    name, x: row.x - 6, baseline: baseline, surroundings.quietStyle, .right,
                    room: layout.numbersWidth - 4)
                taken = row.middle
            }
            return
        }
        for (row, name) in zip(rows, picture.names) where !name.isEmpty && row.width >= 50 {
            let width = canvas.width(of: name, style, room: row.width / 2)
            if width == 0 { continue }
            let chip = Rectangle(x: row.x + 5, y: row.y + 5, width: width + 9, height: 16)
            canvas.fill(chip, radius: 3, palette.background.opacity(0.82))
            canvas.text(
                name, x: chip.x + 4.5, baseline: chip.middle + Canvas.digitMiddle(style), style, room: row.width / 2)
        }
    }

    private var legendEntries: [(text: String, colour: Colour)] {
        let theme = picture.sheet.theme
        switch picture.colouring {
        case .plain: return []
        case .bands:
            let (low, high) = (axisNumber(WaveformTone.lowCrossover), axisNumber(WaveformTone.highCrossover / 1000))
            return zip(["below \(low) Hz", "middle", "above \(high) kHz"], 0..<3)
                .map { ($0, WaveColours.base($1, theme).rms.colour) }
        case .centroid:
            return [(100, "100 Hz"), (300, "300"), (900, "900"), (2700, "2.7 kHz"), (8000, "8 kHz")].map {
                hertz, text in
                let pitch = UInt8((24 * log2(Double(hertz) / 20)).rounded())
                let index = colours.index(of: WaveformTone(low: 200, mid: 200, high: 200, pitch: pitch))
                return (text, colours.pairs[index].rms)
            }
        }
    }
}
