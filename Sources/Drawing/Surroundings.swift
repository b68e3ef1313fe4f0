// The parts around the plot of every picture: title, sections and axes.

/// Draws a picture's surroundings.
struct Surroundings {
    let sheet: PictureSheet
    let layout: Layout
    let palette: Palette

    var titleStyle: TextStyle { TextStyle(size: 14, weight: .bold, colour: palette.text) }
    var quietStyle: TextStyle { TextStyle(size: 10.5, colour: palette.quiet) }
    private var sectionStyle: TextStyle { TextStyle(size: 10.5, colour: palette.sectionText) }

    init(_ sheet: PictureSheet, _ layout: Layout) {
        (self.sheet, self.layout) = (sheet, layout)
        palette = Palette(sheet.theme)
    }

    func drawBackground(on canvas: borrowing Canvas) {
        canvas.fill(
            Rectangle(x: 0, y: 0, width: Double(sheet.width), height: Double(sheet.height)), palette.background)
    }

    /// - Parameter room: The space left for the title in the header, in pixels.
    func drawTitle(on canvas: borrowing Canvas, room: Double) {
        guard let header = layout.header, !sheet.title.isEmpty else { return }
        canvas.text(sheet.title, x: header.x, baseline: header.y + 13.5, titleStyle, room: room)
    }

    /// Draws the title, and the legend if there is room.
    func drawHeader(legend: [(text: String, colour: Colour)], on canvas: borrowing Canvas) {
        guard let header = layout.header else { return }
        var room = header.width
        let style = quietStyle
        let widths = legend.map { canvas.width(of: $0.text, style) + 14 + 14 }
        let width = widths.reduce(-14, +)
        if !legend.isEmpty && header.width >= width + (sheet.title.isEmpty ? 0 : 160) {
            room -= width + 20
            var x = header.right - width
            for (entry, width) in zip(legend, widths) {
                let swatch = Rectangle(x: x, y: header.y + 4.5, width: 9, height: 9)
                canvas.fill(swatch, radius: 2.5, entry.colour)
                canvas.text(entry.text, x: x + 14, baseline: header.y + 13, style)
                x += width
            }
        }
        drawTitle(on: canvas, room: room)
    }

    /// Draws the strips with the sections' names, from the beginning to the end of each section.
    func drawSections(on canvas: borrowing Canvas) {
        for (index, entry) in layout.sections.enumerated() {
            let strip = layout.strips[entry.strip]
            let start = max(strip.x, layout.x(of: entry.section.frames.lowerBound, in: sheet.frames))
            let end = min(strip.right, layout.x(of: entry.section.frames.upperBound, in: sheet.frames))
            // A gap of one pixel on the right separates neighbours; shorter sections stay visible.
            let width = max(1, end - start - 1)
            canvas.fill(
                Rectangle(x: start, y: strip.y, width: width, height: strip.height), radius: 3,
                palette.sections[index % palette.sections.count])
            canvas.text(
                entry.section.name, x: start + 5, baseline: strip.middle + Canvas.digitMiddle(sectionStyle),
                sectionStyle, room: width - 10)
        }
    }

    /// Draws faint lines in the plot at the beginnings and ends of sections.
    func drawSectionEdges(on canvas: borrowing Canvas) {
        var edges: Set<Double> = []
        for entry in layout.sections {
            for frame in [entry.section.frames.lowerBound, entry.section.frames.upperBound] {
                let x = layout.x(of: frame, in: sheet.frames).rounded(.down)
                if x > layout.plot.x && x < layout.plot.right { edges.insert(x) }
            }
        }
        let plot = layout.plot
        canvas.fill(
            edges.sorted().map { Rectangle(x: $0, y: plot.y, width: 1, height: plot.height) },
            palette.quiet.opacity(0.38))
    }

    // MARK: - Axes

    func timeTicks(on canvas: borrowing Canvas) -> TimeTicks {
        let style = quietStyle
        // A closure cannot hold the canvas, which is borrowed; in nearly all fonts, all digits have the same width.
        let digit = canvas.width(of: "0", style)
        return TimeTicks(frames: sheet.frames, sampleRate: sheet.sampleRate, width: layout.plot.width) {
            digit * Double($0.count)
        }
    }

    /// Draws the times below the plot, and the unit of the side's numbers to the left of the times.
    func drawTimes(_ ticks: TimeTicks, unit: String = "", on canvas: borrowing Canvas) {
        if !layout.hasTimes { return }
        var leftmost = 2.0
        if !unit.isEmpty && layout.numbersWidth > 0 {
            canvas.text(unit, x: layout.margin, baseline: layout.plot.bottom + 17, quietStyle)
            leftmost = layout.margin + canvas.width(of: unit, quietStyle) + 6
        }
        let plot = layout.plot
        let marks = ticks.major.map {
            Rectangle(x: (plot.x + $0.x).rounded(.down), y: plot.bottom, width: 1, height: 5)
        }
        let small = ticks.minor.map { Rectangle(x: (plot.x + $0).rounded(.down), y: plot.bottom, width: 1, height: 3) }
        canvas.fill(marks.filter { $0.x < plot.right }, palette.quiet)
        canvas.fill(small.filter { $0.x < plot.right }, palette.quiet.opacity(0.55))
        // The unit of the colour scale stands below the scale.
        let rightmost = layout.scale.map(\.right) ?? Double(sheet.width) - 2
        var taken = 0.0
        for tick in ticks.major {
            let width = canvas.width(of: tick.label, quietStyle)
            let left = min(max(plot.x + tick.x - width / 2, leftmost), rightmost - width)
            if left < max(taken, leftmost) { continue }
            taken = left + width + 6
            canvas.text(tick.label, x: left, baseline: plot.bottom + 17, quietStyle)
        }
    }

    /// Draws the numbers to the left of a part of the plot, within its height.
    func drawNumbers(_ ticks: [ValueTick], beside part: Rectangle, on canvas: borrowing Canvas) {
        if layout.numbersWidth == 0 { return }
        let middle = Canvas.digitMiddle(quietStyle)
        for tick in ticks where !tick.label.isEmpty {
            let y = part.bottom - tick.position * part.height
            let baseline = min(max(y + middle, part.y + 2 * middle + 1), max(part.bottom - 1, part.y + 2 * middle))
            canvas.text(tick.label, x: part.x - 6, baseline: baseline, quietStyle, .right)
        }
    }

    /// Returns lines across a part of the plot, on whole pixels.
    func gridLines(_ ticks: [ValueTick], across part: Rectangle) -> [Rectangle] {
        ticks.map {
            let y = min((part.bottom - $0.position * part.height).rounded(.down), part.bottom - 1)
            return Rectangle(x: part.x, y: y, width: part.width, height: 1)
        }
    }
}
