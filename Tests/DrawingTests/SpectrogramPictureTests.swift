import DSP
internal import Glibc
import Stretching
import Testing

@testable import Drawing

@Suite struct SpectrogramPictureTests {
    private func spectrogram(
        _ sheet: PictureSheet, columns: Int? = nil, rows: Int? = nil, axis: Spectrogram.Settings.Axis = .linear,
        _ sample: @escaping (Int64) -> Float
    ) throws -> Spectrogram {
        let plot = SpectrogramPicture.plotSize(on: sheet)
        let settings = try Spectrogram.Settings(sampleRate: 44_100, windowSize: 512, axis: axis, windowsPerColumn: 1)
        return Spectrogram(
            frames: sheet.frames, columns: columns ?? plot.columns, rows: rows ?? plot.rows, frameCount: 441_000,
            settings: settings
        ) { frames, samples in
            for index in samples.indices { samples[index] = sample(frames.lowerBound + Int64(index)) }
        }
    }

    private func plot(_ sheet: PictureSheet) -> Rectangle {
        Layout(sheet, hasHeader: !sheet.title.isEmpty, hasScale: true).plot
    }

    @Test(
        "A sine is a line at its frequency in the spectrogram, in the colour of its level",
        arguments: Spectrogram.Settings.Axis.allCases)
    func sine(_ axis: Spectrogram.Settings.Axis) throws {
        let sheet = try sheet(160, 200, title: "Sine")
        let hertz = 60 * 44_100.0 / 512
        let cells = try spectrogram(sheet, axis: axis) { Float(0.1 * sin(2 * .pi * hertz * Double($0) / 44_100)) }
        let pixels = try Pixels(png: SpectrogramPicture(on: sheet, cells, colours: .magma).encoded(as: .png))
        let (plot, shades) = (plot(sheet), ColourMap.magma.colours(.light).map(\.pixel))
        let row = try #require(cells.row(frequency: hertz))
        let y = Int(plot.bottom) - 1 - row
        // -20 dB of 90, of 256 shades.
        for x in Int(plot.x)..<Int(plot.right) { #expect(pixels[x, y] == shades[Int((255.0 * 70 / 90).rounded())]) }
        #expect(pixels[Int(plot.x) + 9, Int(plot.y) + 3] == shades[0])
    }

    @Test("Every cell of a spectrogram is a pixel, and any other number of cells fills the plot, too")
    func cells() throws {
        let sheet = try sheet(160, 120)
        let plot = plot(sheet)
        let palest = ColourMap.grey.colours(.light).map(\.pixel)
        for (columns, rows) in [(nil, nil), (7, 5), (900, 700), (0, 3)] as [(Int?, Int?)] {
            // Silence in the first half, noise in the second.
            let cells = try spectrogram(sheet, columns: columns, rows: rows) {
                $0 < 220_500 ? 0 : Float(($0 &* 7919) % 1013) / 1013 - 0.5
            }
            let pixels = try Pixels(png: SpectrogramPicture(on: sheet, cells, colours: .grey).encoded(as: .png))
            let left = Rectangle(x: plot.x, y: plot.y, width: (plot.width * 0.4).rounded(), height: plot.height)
            #expect(pixels.count(in: left) { $0 != palest[0] } == 0)
            let right = Rectangle(x: (plot.right - 30).rounded(), y: plot.y, width: 30, height: plot.height)
            let filled = pixels.count(in: right) { $0 != palest[0] }
            #expect(columns == 0 ? filled == 0 : Double(filled) > 0.9 * 30 * plot.height)
        }
    }

    @Test("Silence is the darkest colour of a spectrogram, and the scale has all colours")
    func scale() throws {
        let sheet = try sheet(400, 600, theme: .dark)
        let pixels = try Pixels(
            png: SpectrogramPicture(on: sheet, spectrogram(sheet, columns: 2, rows: 2) { _ in 0 }).encoded(as: .png))
        let shades = ColourMap.viridis.colours(.dark).map(\.pixel)
        #expect(pixels.count(in: plot(sheet)) { $0 != shades[0] } == 0)
        let bar = try #require(Layout(sheet, hasHeader: false, hasScale: true).scale)
        let seen = (Int(bar.y)..<Int(bar.bottom)).map { pixels[Int(bar.x) + 2, $0] }
        #expect(seen.first == shades[255] && seen.last == shades[0] && Set(seen).count == Set(shades).count)
    }

    @Test("A spectrogram of other frames or another rate than the sheet's is refused")
    func refused() throws {
        let cells = try spectrogram(sheet(160, 100), columns: 1, rows: 1) { _ in 0 }
        let other = try sheet(160, 100, frames: 0..<5)
        #expect(throws: PictureError.self) { _ = try SpectrogramPicture(on: other, cells) }
        let rate = try PictureSheet(width: 9, height: 9, sampleRate: 8000, frames: 0..<441_000)
        #expect(throws: PictureError.self) { _ = try SpectrogramPicture(on: rate, cells) }
    }

    @Test("A spectrogram gives the same SVG each time, and a picture at any size", arguments: PictureTheme.allCases)
    func sizes(_ theme: PictureTheme) throws {
        for (width, height) in [(1, 1), (120, 90), (330, 130), (3000, 60)] {
            let sheet = try sheet(
                width, height, title: "T", sections: [PictureSection(name: "s", frames: 0..<99_999)], theme: theme)
            let picture = try SpectrogramPicture(
                on: sheet, spectrogram(sheet, columns: 3, rows: 4, axis: .logarithmic) { _ in 0.1 })
            let pixels = try Pixels(png: picture.encoded(as: .png))
            #expect(pixels.width == width && pixels.height == height)
            #expect(try picture.encoded(as: .svg) == picture.encoded(as: .svg))
        }
    }
}
