import DSP
internal import Glibc
import TestSupport
import Testing

@testable import Drawing

@Suite struct WaveformPictureTests {
    @Test(
        "A half-scale square fills half of the plot of a waveform, in every column",
        arguments: PictureTheme.allCases)
    func halfScale(_ theme: PictureTheme) throws {
        let sheet = try sheet(300, 200, theme: theme)
        let columns = Array(repeating: square(0.5), count: WaveformPicture.plotWidth(on: sheet))
        let picture = try WaveformPicture(on: sheet, rows: [columns])
        let (pixels, plot) = (try picture.pixels(), picture.layout.plot)
        // The line in the middle lies over the wave; the edge pixels may be half covered.
        let panel = Palette(theme).panel.pixel
        for x in Int(plot.x)..<Int(plot.right) {
            let column = Rectangle(x: Double(x), y: plot.y, width: 1, height: plot.height)
            let above = pixels.count(in: column) { $0 != panel && $0 != Palette(theme).grid.pixel }
            #expect(abs(Double(above) - plot.height / 2) <= 1)
        }
    }

    @Test("Each column of a waveform is its own pixel of the plot")
    func columnsArePixels() throws {
        var random = SeededGenerator(printedFor: "columnsArePixels")
        let sheet = try sheet(400, 160)
        let levels = (0..<WaveformPicture.plotWidth(on: sheet)).map { _ in Float.random(in: 0.1...1, using: &random) }
        let picture = try WaveformPicture(on: sheet, rows: [levels.map { square($0) }])
        let (pixels, plot, inks) = (try picture.pixels(), picture.layout.plot, picture.inks)
        for (index, level) in levels.enumerated() {
            let x = Int(plot.x) + index
            let edge = plot.middle - Double(level) * plot.height / 2
            #expect(inks.contains(pixels[x, Int(edge.rounded(.up)) + 1]), "column \(index)")
            if edge > plot.y + 2 { #expect(!inks.contains(pixels[x, Int(edge) - 1]), "column \(index)") }
        }
    }

    @Test("A level halfway to the floor fills half of a waveform's plot in dB, and silence is a line")
    func decibels() throws {
        let sheet = try sheet(200, 220)
        let half = square(pow(10, -30 / 20))
        let columns = [half, WaveformColumn(minimum: 0, maximum: 0, rms: 0, isClipped: false, tone: nil)]
        let picture = try WaveformPicture(on: sheet, rows: [columns], scale: .decibels(floor: -60))
        let (pixels, plot, inks) = (try picture.pixels(), picture.layout.plot, picture.inks)
        let left = Rectangle(x: plot.x + 5, y: plot.y, width: 1, height: plot.height)
        let right = Rectangle(x: plot.right - 5, y: plot.y, width: 1, height: plot.height)
        // One pixel less where the line in the middle covers it.
        #expect(abs(Double(pixels.count(in: left) { inks.contains($0) }) - plot.height / 2) <= 2)
        let behind = [Palette(.light).panel.pixel, Palette(.light).grid.pixel]
        #expect((1...3).contains(pixels.count(in: right) { !behind.contains($0) }))
    }

    @Test(
        "Clipped columns are marked red at the clipped edge, and nowhere else",
        arguments: PictureTheme.allCases
    )
    func clipping(_ theme: PictureTheme) throws {
        let sheet = try sheet(400, 200, theme: theme)
        let width = WaveformPicture.plotWidth(on: sheet)
        var columns = Array(repeating: square(0.3), count: width)
        columns[50] = WaveformColumn(minimum: -0.2, maximum: 32767 / 32768, rms: 0.2, isClipped: true, tone: nil)
        columns[100] = WaveformColumn(minimum: -1, maximum: 0.2, rms: 0.2, isClipped: true, tone: nil)
        columns[width - 1] = square(1, isClipped: true)
        let picture = try WaveformPicture(on: sheet, rows: [columns])
        let (pixels, plot) = (try picture.pixels(), picture.layout.plot)
        func isMarked(_ column: Int, _ y: Double) -> Bool { Pixels.isRed(pixels[Int(plot.x) + column, Int(y)]) }
        for (column, above, below) in [
            (50, true, false), (100, false, true), (width - 1, true, true), (20, false, false),
        ] {
            #expect(isMarked(column, plot.y + 1) == above)
            #expect(isMarked(column, plot.bottom - 2) == below)
        }
        let all = Rectangle(x: 0, y: 0, width: 400, height: 200)
        let marked = pixels.count(in: all, where: Pixels.isRed)
        #expect(marked == 5 * (2 + 2 + 1 + 1))
    }

    @Test("Samples at a high zoom are drawn as a line without gaps")
    func near() throws {
        let sheet = try sheet(300, 200, frames: 0..<300)
        let columns = (0..<WaveformPicture.plotWidth(on: sheet)).map { index in
            let value = Float(0.8 * sin(Double(index) / 9))
            return WaveformColumn(minimum: value, maximum: value, rms: abs(value), isClipped: false, tone: nil)
        }
        let shape = WaveformShape(
            columns, scale: .linear, in: Rectangle(x: 0, y: 0, width: Double(columns.count), height: 150))
        #expect(shape.bars.count == columns.count)
        for (bar, next) in zip(shape.bars, shape.bars.dropFirst()) {
            #expect(bar.top <= next.bottom + 1e-9 && next.top <= bar.bottom + 1e-9)
        }
    }

    @Test("No peak of a waveform is lost with more columns than pixels")
    func crowded() throws {
        let sheet = try sheet(200, 200)
        var columns = Array(repeating: square(0.1), count: 5000)
        // Neither the first nor the last of the columns on its pixel.
        columns[3340] = square(0.9)
        let picture = try WaveformPicture(on: sheet, rows: [columns])
        let (pixels, plot, inks) = (try picture.pixels(), picture.layout.plot, picture.inks)
        for side in [-1.0, 1] {
            let far = Rectangle(x: plot.x, y: plot.middle + side * 0.8 * plot.height / 2, width: plot.width, height: 2)
            #expect(pixels.count(in: far) { inks.contains($0) } == 2)
        }
    }

    @Test("Columns of a waveform without sound or without finite values are left empty")
    func emptyColumns() throws {
        let sheet = try sheet(200, 100)
        let odd = [
            WaveformColumn(minimum: .nan, maximum: 1, rms: 0, isClipped: false, tone: nil),
            WaveformColumn(minimum: -1, maximum: .infinity, rms: 0, isClipped: false, tone: nil),
            WaveformColumn(minimum: -1, maximum: 1, rms: .nan, isClipped: false, tone: nil),
        ]
        let empty = try WaveformPicture(on: sheet, rows: [Array(repeating: .empty, count: 3)]).encoded(as: .png)
        #expect(try WaveformPicture(on: sheet, rows: [odd]).encoded(as: .png) == empty)
    }

    @Test("Dark and light pictures differ in background and colours only")
    func themes() throws {
        let (light, dark) = (
            try WaveformPicture(on: sheet(theme: .light), rows: [[square(0.5)]]).pixels(),
            try WaveformPicture(on: sheet(theme: .dark), rows: [[square(0.5)]]).pixels()
        )
        #expect(light[0, 0] == Palette(.light).background.pixel && dark[0, 0] == Palette(.dark).background.pixel)
        #expect(light[0, 0] > 0xFFF0_F0F0 && dark[0, 0] < 0xFF20_2020)
    }

    @Test("A band has the colour in the legend, and sound of no known tone is grey")
    func tones() throws {
        let sheet = try sheet(300, 200)
        let tones: [WaveformTone?] = [
            WaveformTone(low: 200, mid: 0, high: 0, pitch: 40), WaveformTone(low: 0, mid: 200, high: 0, pitch: 120),
            WaveformTone(low: 0, mid: 0, high: 200, pitch: 200), nil, WaveformTone(low: 0, mid: 0, high: 0, pitch: 0),
        ]
        let picture = try WaveformPicture(on: sheet, rows: [tones.map { square(0.8, tone: $0) }], colouring: .bands)
        let (pixels, plot) = (try picture.pixels(), picture.layout.plot)
        let colours = WaveColours(.bands, .light)
        for (index, tone) in tones.enumerated() {
            let x = Int(plot.x + (Double(index) + 0.5) * plot.width / Double(tones.count))
            let pixel = pixels[x, Int(plot.middle - plot.height / 4) + 3]
            #expect(pixel == colours.pairs[colours.index(of: tone)].rms.pixel)
            if index < 3 { #expect(pixel == WaveColours.base(index, .light).rms.colour.pixel) }
        }
        #expect(colours.index(of: tones[3]) == 0 && colours.index(of: tones[4]) == 0)
    }

    @Test("The same picture gives the same bytes, whatever was drawn before", arguments: PictureFormat.allCases)
    func sameBytes(_ format: PictureFormat) throws {
        let sections = [PictureSection(name: "Verse", frames: 1000..<300_000)]
        let sheet = try sheet(400, 200, title: "Étude", sections: sections)
        let columns = (0..<300).map {
            square(Float($0) / 300, tone: WaveformTone(low: 9, mid: UInt8($0 % 200), high: 90, pitch: 90))
        }
        let picture = try WaveformPicture(on: sheet, rows: [columns, columns], colouring: .bands)
        let first = try picture.encoded(as: format)
        _ = try WaveformPicture(on: sheet, rows: []).encoded(as: .svg)
        #expect(try picture.encoded(as: format) == first)
    }
}
