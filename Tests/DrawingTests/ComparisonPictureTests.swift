import DSP
internal import Glibc
import Testing

@testable import Drawing

@Suite struct ComparisonPictureTests {
    /// Eight tones with pauses, at 16 kHz: rising, each `cents` away from the model's, the fifth `late`.
    private static func sound(cents: Double = 0, strayCents: Double = 0, late: Double = 0) -> ComparedSound {
        let rate = 16_000.0
        var samples = [Float](repeating: 0, count: Int(3.6 * rate))
        for note in 0..<8 {
            let hertz = 220 * exp2((Double(note) * 200 + cents + (note == 5 ? strayCents : 0)) / 1200)
            let first = Int((0.2 + 0.4 * Double(note) + (note == 4 ? late : 0)) * rate)
            for frame in 0..<Int(0.3 * rate) {
                let time = Double(frame) / rate
                let envelope = min(1, time / 0.01) * min(1, (0.3 - time) / 0.02)
                let phase = 2 * Double.pi * hertz * time
                samples[first + frame] += Float(
                    0.2 * envelope * (sin(phase) + 0.5 * sin(2 * phase) + 0.3 * sin(3 * phase)))
            }
        }
        return ComparedSound(samples, sampleRate: 16_000)
    }

    private static let comparison = Comparison(of: sound(cents: 30, strayCents: 100, late: 0.08), with: sound())

    private func picture(_ width: Int = 800, _ height: Int = 480, _ comparison: Comparison = comparison) throws
        -> ComparisonPicture
    {
        ComparisonPicture(on: try sheet(width, height, title: "Solo", frames: 0..<158_760), comparison)
    }

    @Test("Levels, pitches and lateness of take and model are drawn, and large differences are red")
    func panels() throws {
        let picture = try picture()
        let drawing = ComparisonDrawing(picture)
        let pixels = try Pixels(png: picture.encoded(as: .png))
        let panels = drawing.panels
        let take = WaveColours.base(1, .light).rms.colour.pixel
        #expect(pixels.count(in: panels.levels) { $0 == take } > 500)
        #expect(pixels.count(in: panels.pitches) { $0 == take } > 100)
        #expect(pixels.count(in: panels.lateness) { $0 == take } > 20)
        // The sixth note is 100 cents too high, the fifth 80 ms late; nothing else is far away.
        func reds(_ panel: Rectangle, note: Int) -> Int {
            let x = panel.x + (0.2 + 0.4 * Double(note)) / 3.6 * panel.width
            let area = Rectangle(
                x: x.rounded(), y: panel.bottom - 4, width: (0.3 / 3.6 * panel.width).rounded(), height: 4)
            return pixels.count(in: area, where: Pixels.isRed)
        }
        #expect(reds(panels.pitches, note: 5) > 100 && reds(panels.pitches, note: 2) == 0)
        #expect(reds(panels.lateness, note: 4) > 20 && reds(panels.lateness, note: 1) == 0)
        #expect(panels.levels.bottom < panels.pitches.y && panels.pitches.bottom < panels.lateness.y)
    }

    @Test("A comparison picture of every size is drawn, also of an empty comparison")
    func sizes() throws {
        for (width, height) in [(1, 1), (30, 20), (160, 60), (300, 120), (1600, 900)] {
            for comparison in [Self.comparison, Comparison()] {
                for format in PictureFormat.allCases {
                    #expect(try !picture(width, height, comparison).encoded(as: format).isEmpty)
                }
            }
        }
        let words = String(decoding: try picture().encoded(as: .svg), as: UTF8.self)
        #expect(words.contains("A take beside its model, from 0:00.000 to 0:03.600"))
    }

    @Test("The axis of pitches has the names of notes, as many as there is room for")
    func notes() {
        #expect(ComparisonDrawing.noteName(0) == "C4" && ComparisonDrawing.noteName(9) == "A4")
        #expect(ComparisonDrawing.noteName(-1) == "B3" && ComparisonDrawing.noteName(-12) == "C3")
        let ticks = ComparisonDrawing.semitoneTicks(-250...350, height: 200, gap: 18)
        #expect(ticks.map(\.label) == ["G4", "G♯4", "A4", "A♯4", "B4", "C5"])
        #expect(abs(ticks[2].position - 250.0 / 600) < 1e-9)
        #expect(ComparisonDrawing.semitoneTicks(-250...350, height: 40, gap: 18).count <= 3)
        #expect(ComparisonDrawing.centRange([[.nan], []]) == nil)
        #expect(ComparisonDrawing.centRange([[100]]) == -50...250)
    }
}
