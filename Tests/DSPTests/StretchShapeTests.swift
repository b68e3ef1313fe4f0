import Testing

@testable import DSP

@Suite("Stretch shape")
struct StretchShapeTests {
    @Test("the products of both windows add up to 1, with the pre-fill from the first frame on")
    func windowsAddUp() {
        for sampleRate in [8000, 44100, 192_000] {
            let shape = StretchShape(sampleRate: sampleRate)
            let (length, hop) = (shape.windowFrames, shape.hopFrames)
            let products = (0..<length).map {
                Double(shape.analysis[$0]) * Double(length) * Double(shape.synthesis[$0])
            }
            for frame in 0..<length / 2 {
                // Windows 0, 1, 2 … have their middles at 0, hop, 2 hop …
                var sum = Double(shape.preFill[frame])
                for middle in stride(from: 0, through: frame + length / 2, by: hop) where frame - middle < length / 2 {
                    let isFaded = middle > 0 && frame < shape.startFade.count
                    sum += products[frame - middle + length / 2] * (isFaded ? Double(shape.startFade[frame]) : 1)
                }
                // Eight products of numbers rounded to 6e-8.
                #expect(abs(sum - 1) < 1e-6)
            }
        }
    }
}
