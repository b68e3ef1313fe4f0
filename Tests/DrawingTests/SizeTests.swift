import DSP
import Stretching
import TestSupport
import Testing

@testable import Drawing

@Suite struct SizeTests {
    @Test("A picture has the requested size, for any number of rows and of columns")
    func anySize() throws {
        let sections = [
            PictureSection(name: "Ein sehr langer Name, der nicht passt", frames: -500..<200_000),
            PictureSection(name: "", frames: 100_000..<400_000), PictureSection(name: "x", frames: 0..<0),
        ]
        let sizes = [(1, 1), (2, 300), (300, 2), (60, 60), (120, 80), (120, 240), (800, 240), (10_000, 120)]
        for (width, height) in cases(sizes, few: sizes.filter { $0.0 * $0.1 < 100_000 } + [(10_000, 100)]) {
            for rows in cases([0, 1, 2, 7, 64], few: [1, 64]) {
                let sheet = try sheet(width, height, title: "Title", sections: sections, theme: .dark)
                let tone = WaveformTone(low: 90, mid: 120, high: 100, pitch: 88)
                let row = Array(
                    repeating: square(0.5, isClipped: true, tone: tone), count: width < 1000 ? rows % 7 : 40)
                let picture = try WaveformPicture(
                    on: sheet, rows: Array(repeating: row, count: rows),
                    scale: rows == 1 ? .decibels(floor: -48) : .linear,
                    colouring: rows == 2 ? .plain : .bands)
                let pixels = try picture.pixels()
                #expect(pixels.width == width && pixels.height == height)
            }
        }
    }

    @Test("A section of any length is drawn from edge to edge")
    func endlessSection() throws {
        let frames: Range<Int64> = -5000..<200_000
        let pictures = try [frames, Int64.min..<Int64.max].map { range in
            let sections = [PictureSection(name: "all", frames: range)]
            return try WaveformPicture(on: sheet(800, 240, frames: frames, sections: sections), rows: [[]]).pixels()
        }
        #expect(pictures[0] == pictures[1])
    }

    @Test("A picture without frames, without columns or beyond the recording has an empty plot")
    func nothingToShow() throws {
        let far = Int64(1) << 60
        for frames in [0..<0, -5000 ..< -4000, far..<far + 5, -far..<far] as [Range<Int64>] {
            let picture = try WaveformPicture(on: sheet(300, 150, frames: frames), rows: [[]])
            let (pixels, plot, inks) = (try picture.pixels(), picture.layout.plot, picture.inks)
            #expect(pixels.count(in: plot) { inks.contains($0) } == 0)
            #expect(pixels.count(in: plot) { $0 == Palette(.light).panel.pixel } > 100)
        }
    }

    @Test("The parts of a picture lie inside it side by side, and the plot has the requested width")
    func parts() throws {
        var random = SeededGenerator(printedFor: "parts")
        for _ in 0..<2000 {
            let (width, height) = (Int.random(in: 1...2000, using: &random), Int.random(in: 1...1000, using: &random))
            let sections = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                let start = Int64.random(in: 0...400_000, using: &random)
                return PictureSection(name: "s", frames: start..<start + .random(in: 0...300_000, using: &random))
            }
            let sheet = try sheet(width, height, title: "t", sections: sections)
            let hasScale = Bool.random(using: &random)
            let layout = Layout(sheet, hasHeader: true, hasScale: hasScale)
            #expect(Int(layout.plot.width) == Layout.plotWidth(width, hasScale: hasScale))
            let parts = ([layout.header, layout.scale] + layout.strips).compactMap { $0 } + [layout.plot]
            for (index, part) in parts.enumerated() {
                #expect(part.x >= 0 && part.y >= 0 && part.right <= Double(width) && part.bottom <= Double(height))
                #expect(part.width >= 1 && part.height >= 1)
                for other in parts[..<index] {
                    let isBeside =
                        part.right <= other.x || other.right <= part.x || part.bottom <= other.y
                        || other.bottom <= part.y
                    #expect(isBeside, "\(width) × \(height)")
                }
            }
        }
    }

    @Test("Invalid values are refused with the permitted range")
    func refusals() throws {
        let sheet = try sheet()
        let wrong: [() throws -> Void] = [
            { _ = try Self.plain(width: 0) }, { _ = try Self.plain(height: 0) }, { _ = try Self.plain(width: -5) },
            { _ = try Self.plain(width: 16_385) }, { _ = try Self.plain(width: 16_384, height: 16_384) },
            { _ = try Self.plain(sampleRate: 0) }, { _ = try Self.plain(frames: 0..<Int64.max) },
            { _ = try Self.plain(frames: Int64.min..<0) },
            { _ = try WaveformPicture(on: sheet, rows: Array(repeating: [], count: 65)) },
            { _ = try WaveformPicture(on: sheet, rows: [[]], names: []) },
            { _ = try WaveformPicture(on: sheet, rows: [[]], scale: .decibels(floor: 0)) },
            { _ = try WaveformPicture(on: sheet, rows: [[]], scale: .decibels(floor: .nan)) },
            { _ = try WaveformPicture(on: sheet, rows: [[]], scale: .decibels(floor: -201)) },
        ]
        for make in wrong {
            let error = #expect(throws: PictureError.self) { try make() }
            #expect(error?.kind == .invalidRequest)
            #expect(error?.remedy.hasPrefix("Permitted is ") == true)
        }
    }

    private static func plain(
        width: Int = 100, height: Int = 100, sampleRate: Int = 8000, frames: Range<Int64> = 0..<10
    ) throws -> PictureSheet {
        try PictureSheet(width: width, height: height, sampleRate: sampleRate, frames: frames)
    }
}
