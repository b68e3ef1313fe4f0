internal import Glibc
import TestSupport
import Testing

@testable import DSP

@Suite("Steps of a logarithmic scale")
struct LogScaleTests {
    @Test(
        "the steps of a logarithmic scale are those of a rounded logarithm, for values of any size",
        arguments: [(6.02, 241.0), (24, -103.7), (44, 7), (0.5, 3)])
    func steps(stepsPerOctave: Double, stepOfOne: Double) {
        var random = SeededGenerator(printedFor: "LogScaleTests.steps")
        let scale = LogScale(stepsPerOctave: stepsPerOctave, stepOfOne: stepOfOne)
        for _ in 0..<cases(100_000, few: 3000) {
            // From three steps below the first one to three above the last.
            let wanted = Double.random(in: -3.5...258.5, using: &random)
            // At an edge, either side is right for a logarithm.
            if abs(wanted - wanted.rounded(.down) - 0.5) < 1e-9 { continue }
            let value = exp2((wanted - stepOfOne) / stepsPerOctave)
            #expect(Int(scale.step(value)) == Int(min(255, max(0, wanted.rounded()))), "\(value)")
        }
        #expect(scale.step(.leastNonzeroMagnitude) == 0 && scale.step(.greatestFiniteMagnitude) == 255)
    }

    @Test("each step of a logarithmic scale begins at the same value from either side")
    func edges() {
        let scale = LogScale(stepsPerOctave: 24, stepOfOne: -100)
        for step in 1..<256 {
            var (below, above) = (exp2((Double(step) - 0.6 + 100) / 24), exp2((Double(step) - 0.4 + 100) / 24))
            while below.nextUp < above {
                let middle = below + (above - below) / 2
                if Int(scale.step(middle)) < step { below = middle } else { above = middle }
            }
            #expect(Int(scale.step(below)) == step - 1 && Int(scale.step(above)) == step)
            #expect(abs(24 * log2(above) - 100 - (Double(step) - 0.5)) < 1e-9)
        }
    }
}
