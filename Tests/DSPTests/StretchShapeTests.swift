import DSPHarness
import Samples
import Testing

@testable import Stretching

@Suite("Stretch shape")
struct StretchShapeTests {
    private static let rates = [8000, 44100, 192_000]

    /// Every band's windows at a rate: first the high band's, for voices of three bands and of one, then the windows of
    /// the other bands.
    private func bands(sampleRate: Int) -> (shape: StretchShape, bands: [VocoderShape]) {
        let shape = StretchShape(sampleRate: sampleRate)
        let factor = BandShape(sampleRate: sampleRate).factor
        let forms = [
            (1, StretchShape.highBeta), (1, StretchShape.beta), (factor, StretchShape.middleBeta),
            (2 * factor, StretchShape.steadyBeta),
        ]
        return (shape, forms.map { VocoderShape(shape, factor: $0.0, beta: $0.1) })
    }

    @Test("the products of both windows add up to 1, with the source's share from the first frame on")
    func windowsAddUp() {
        for sampleRate in Self.rates {
            for band in bands(sampleRate: sampleRate).bands {
                let (length, hop) = (band.window, band.hop)
                let products = (0..<length).map {
                    Double(band.analysis[$0]) * Double(length) * Double(band.synthesis[$0])
                }
                for sample in 0..<band.fill.count + hop {
                    var sum = sample < band.fill.count ? Double(band.fill[sample]) : 0
                    // From the first rotated window on, the middles of windows lie at multiples of the hop.
                    for window in band.firstWindow + 1...band.firstWindow + 16 {
                        let index = sample - window * hop + length / 2
                        guard products.indices.contains(index) else { continue }
                        sum += products[index] * (sample < band.gate.count ? Double(band.gate[sample]) : 1)
                    }
                    // Eight products of numbers rounded to 6e-8.
                    #expect(abs(sum - 1) < 1e-6)
                }
            }
        }
    }

    @Test("stages fall due in order before their window is heard, at most two bands at one step")
    func scheduleIsSpread() {
        for sampleRate in Self.rates {
            let (shape, bands) = bands(sampleRate: sampleRate)
            let three = [bands[0], bands[2], bands[3]]
            let schedules = three.map { BandSchedule(shape, $0) }
            for (schedule, band) in zip(schedules, three) {
                let steps = (0..<200).map { schedule.step(ofStage: Int64($0)) }
                #expect(zip(steps, steps.dropFirst()).allSatisfy { $0 <= $1 })
                #expect(steps.allSatisfy { $0 >= Int64(shape.splitSteps) })
                for stage in 1..<200 where (stage - 1) % 4 == 3 {
                    let window = schedule.window(ofStage: Int64(stage)).window
                    let heard = (Int(window) * band.hop - band.window / 2) * band.factor
                    // Twelve samples of a lower band make a frame, six of these ahead.
                    let needed = band.factor == 1 ? heard : heard - 6 * band.factor
                    #expect(Int(steps[stage]) * shape.gridFrames <= max(needed, shape.copiedFrames))
                }
            }
            for step in Int64(20)..<200 {
                let due = schedules.filter { schedule in
                    (0..<300).contains { schedule.step(ofStage: $0) == step }
                }
                #expect(due.count <= 2)
            }
        }
    }

    @Test("a band has the windows of the selected form, and one form serves all bands")
    func formsAreSelected() {
        let shape = StretchShape(sampleRate: 44100)
        let shapes = [24.0, 12].map { VocoderShape(shape, factor: 1, beta: $0) }
        let forms = WindowForms(shapes)
        var windows = BandWindows(forms)
        for index in [0, 1, 0] {
            windows.select(index)
            for (part, expected) in [
                (windows.analysis, shapes[index].analysis), (windows.synthesis, shapes[index].synthesis),
                (windows.later, shapes[index].later), (windows.fill, shapes[index].fill),
                (windows.shares, shapes[index].shares),
            ] {
                #expect(part.count == expected.count)
                #expect(expected.indices.allSatisfy { part[$0] == expected[$0] })
            }
        }
        let alone = WindowForms([shapes[1]])
        var single = BandWindows(alone)
        single.select(1)
        #expect(single.analysis[1000] == shapes[1].analysis[1000])
        withExtendedLifetime((forms, alone)) {}
    }
}
