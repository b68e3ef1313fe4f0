internal import DSP
internal import Glibc

/// Draws a ``ComparisonPicture``.
struct ComparisonDrawing {
    let picture: ComparisonPicture
    let layout: Layout
    let surroundings: Surroundings

    private let model: Colour
    private let take: Colour

    /// The lowest level drawn, in dB.
    private static let floor = -60.0
    /// A panel with fewer pixels has no numbers.
    private static let smallestNumberedPanel = 44.0
    private static let numberGap = 18.0

    init(_ picture: ComparisonPicture) {
        self.picture = picture
        layout = Layout(picture.sheet, hasHeader: true, hasScale: false)
        surroundings = Surroundings(picture.sheet, layout)
        model = surroundings.palette.quiet
        take = WaveColours.base(1, picture.sheet.theme).rms.colour
    }

    private var palette: Palette { surroundings.palette }
    private var curves: Comparison.Curves { picture.comparison.curves }

    func draw(on canvas: borrowing Canvas) {
        surroundings.drawBackground(on: canvas)
        surroundings.drawHeader(
            legend: [("model", model), ("take", take), ("far apart", palette.clipping)], on: canvas)
        surroundings.drawSections(on: canvas)
        let times = surroundings.timeTicks(on: canvas)
        let panels = self.panels
        drawLevels(in: panels.levels, times, on: canvas)
        drawPitches(in: panels.pitches, times, on: canvas)
        drawLateness(in: panels.lateness, times, on: canvas)
        surroundings.drawSectionEdges(on: canvas)
        surroundings.drawTimes(times, on: canvas)
    }

    /// The three panels, from top to bottom; the pitches get the most room.
    var panels: (levels: Rectangle, pitches: Rectangle, lateness: Rectangle) {
        let plot = layout.plot
        let gap = plot.height >= 120 ? 8.0 : plot.height >= 24 ? 1 : 0
        let room = plot.height - 2 * gap
        let (first, second) = ((plot.y + 0.3 * room).rounded(), (plot.y + gap + 0.75 * room).rounded())
        return (
            Rectangle(x: plot.x, y: plot.y, width: plot.width, height: max(0, first - plot.y)),
            Rectangle(x: plot.x, y: first + gap, width: plot.width, height: max(0, second - first - gap)),
            Rectangle(x: plot.x, y: second + gap, width: plot.width, height: max(0, plot.bottom - second - gap))
        )
    }

    // MARK: - Panels

    /// Draws the level of the model above the middle, and the level of the take below.
    private func drawLevels(in panel: Rectangle, _ times: TimeTicks, on canvas: borrowing Canvas) {
        drawGround(of: panel, times, ticks: [], unit: "level", on: canvas)
        let middle = panel.middle.rounded()
        func bars(_ levels: [Float], up: Bool) -> [Rectangle] {
            columns(levels, in: panel).map { column in
                let share = min(max(1 - Double(column.value) / Self.floor, 0), 1)
                let height = share * panel.height / 2
                return Rectangle(x: column.x, y: up ? middle - height : middle, width: column.width, height: height)
            }
        }
        canvas.fill(bars(curves.modelDecibels, up: true), model)
        canvas.fill(bars(curves.takeDecibels, up: false), take)
    }

    /// Draws both pitches, the take's moved by the median difference; the strip at the bottom marks large differences.
    private func drawPitches(in panel: Rectangle, _ times: TimeTicks, on canvas: borrowing Canvas) {
        let offset = Float(picture.comparison.pitchOffsetCents ?? 0)
        let moved = curves.takeCents.map { $0 - offset }
        guard let range = Self.centRange([curves.modelCents, moved]) else {
            return drawGround(of: panel, times, ticks: [], unit: "pitch", on: canvas)
        }
        let ticks = Self.semitoneTicks(range, height: panel.height, gap: Self.numberGap)
        drawGround(of: panel, times, ticks: ticks, unit: "pitch", on: canvas)
        func dashes(_ cents: [Float], thickness: Double) -> [Rectangle] {
            columns(cents, in: panel).map { column in
                let place = (Double(column.value) - range.lowerBound) / (range.upperBound - range.lowerBound)
                let y = panel.bottom - place * panel.height - thickness / 2
                return Rectangle(
                    x: column.x, y: min(max(y, panel.y), panel.bottom - thickness), width: max(column.width, 1.5),
                    height: thickness)
            }
        }
        canvas.fill(dashes(curves.modelCents, thickness: min(5, panel.height / 8)), model.opacity(0.55))
        canvas.fill(dashes(moved, thickness: min(2, panel.height / 8)), take)
        let apart = zip(curves.modelCents, moved).map { model, take -> Float in
            abs(take - model) > Float(ComparisonPicture.markedCents) ? 1 : .nan
        }
        drawMarks(apart, at: panel, on: canvas)
    }

    /// Draws the lateness of the take against an even tempo: above the middle late, below the middle early.
    private func drawLateness(in panel: Rectangle, _ times: TimeTicks, on canvas: borrowing Canvas) {
        let largest = curves.lateSeconds.reduce(0.0) { max($0, $1.isNaN ? 0 : abs(Double($1))) }
        let reach = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 600].first { $0 >= largest } ?? 600
        let label = axisNumber(reach * 1000)
        let ticks = [
            ValueTick(position: 1, label: "+\(label)"), ValueTick(position: 0.5, label: "0"),
            ValueTick(position: 0, label: "\u{2212}\(label)"),
        ]
        drawGround(of: panel, times, ticks: ticks, unit: "late, ms", on: canvas)
        let middle = panel.middle.rounded()
        let bars = columns(curves.lateSeconds, in: panel).map { column in
            let height = abs(Double(column.value)) / reach * panel.height / 2
            return Rectangle(
                x: column.x, y: column.value > 0 ? middle - height : middle, width: column.width, height: height)
        }
        canvas.fill(bars, take)
        let apart = curves.lateSeconds.map { abs($0) > Float(ComparisonPicture.markedSeconds) ? Float(1) : .nan }
        drawMarks(apart, at: panel, on: canvas)
    }

    /// Draws a strip at the bottom of a panel, at every value except NaN.
    private func drawMarks(_ values: [Float], at panel: Rectangle, on canvas: borrowing Canvas) {
        let height = min(4, panel.height / 6)
        let marks = columns(values, in: panel).map {
            Rectangle(x: $0.x, y: panel.bottom - height, width: max($0.width, 1), height: height)
        }
        canvas.fill(marks, palette.clipping)
    }

    private func drawGround(
        of panel: Rectangle, _ times: TimeTicks, ticks: [ValueTick], unit: String, on canvas: borrowing Canvas
    ) {
        canvas.fill(panel, palette.panel)
        let upright = times.major.map { (panel.x + $0.x).rounded(.down) }
            .filter { $0 > panel.x && $0 < panel.right - 1 }
        canvas.fill(
            upright.map { Rectangle(x: $0, y: panel.y, width: 1, height: panel.height) }, palette.grid)
        if panel.height < Self.smallestNumberedPanel { return }
        let inner = ticks.filter { $0.position > 0 && $0.position < 1 }
        canvas.fill(surroundings.gridLines(inner, across: panel), palette.grid)
        surroundings.drawNumbers(ticks, beside: panel, on: canvas)
        if panel.width >= 120 {
            canvas.text(unit, x: panel.x + 6, baseline: panel.y + 13, surroundings.quietStyle)
        }
    }

    // MARK: - Values

    /// Returns the values in pixels; several values on the same pixel become their mean, and NaN is left out.
    func columns(_ values: [Float], in panel: Rectangle) -> [(x: Double, width: Double, value: Float)] {
        if values.isEmpty || panel.width < 1 { return [] }
        let width = panel.width / Double(values.count)
        guard width < 1 else {
            return values.indices.compactMap { index in
                values[index].isNaN ? nil : (panel.x + Double(index) * width, width, values[index])
            }
        }
        return (0..<Int(panel.width)).compactMap { pixel in
            let first = Int(Double(pixel) / panel.width * Double(values.count))
            let end = max(first + 1, Int(Double(pixel + 1) / panel.width * Double(values.count)))
            let known = values[first..<min(end, values.count)].filter { !$0.isNaN }
            if known.isEmpty { return nil }
            return (panel.x + Double(pixel), 1, known.reduce(0, +) / Float(known.count))
        }
    }

    /// Returns the range of all cents, without the outermost hundredth at either end, at least three semitones wide;
    /// nil without values.
    static func centRange(_ lists: [[Float]]) -> ClosedRange<Double>? {
        let sorted = lists.joined().filter { !$0.isNaN }.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        let trim = sorted.count / 100
        let low = min(Double(sorted[trim]), Double(last)) - 60
        let high = max(Double(sorted[sorted.count - 1 - trim]), Double(first)) + 60
        let middle = (low + high) / 2
        let reach = max((high - low) / 2, 150)
        return middle - reach...middle + reach
    }

    /// Returns marks at whole semitones, with the names of the notes, as many as there is room for.
    static func semitoneTicks(_ range: ClosedRange<Double>, height: Double, gap: Double) -> [ValueTick] {
        let width = range.upperBound - range.lowerBound
        guard let step = [1, 2, 3, 6, 12, 24, 48].first(where: { Double($0) * 100 / width * height >= gap }) else {
            return []
        }
        // From C, so all octaves have the same names: A4 is 9 semitones above C4.
        let first = Int(((range.lowerBound / 100 + 9) / Double(step)).rounded(.up))
        let last = Int(((range.upperBound / 100 + 9) / Double(step)).rounded(.down))
        guard first <= last else { return [] }
        return (first...last).map { number in
            let semitone = number * step
            let cents = Double(semitone - 9) * 100
            return ValueTick(position: (cents - range.lowerBound) / width, label: noteName(semitone))
        }
    }

    /// Returns the name of a note, counted in semitones from C4: "C4", "F♯3".
    static func noteName(_ semitone: Int) -> String {
        let names = ["C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B"]
        let octave = (Double(semitone) / 12).rounded(.down)
        return names[semitone - 12 * Int(octave)] + String(4 + Int(octave))
    }
}
