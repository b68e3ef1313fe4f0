internal import Glibc
import Samples
import Testing

@Suite("Fade")
struct FadeTests {
    @Test("a fade-in and its fade-out add up to exactly 1", arguments: [1, 2, 3, 64, 220, 221, 240, 4801])
    func sumsToOne(frameCount: Int) {
        let weights = Fade.weights(frameCount: frameCount)
        #expect(weights.count == frameCount)
        for index in weights.indices {
            #expect(weights[index] + weights[frameCount - 1 - index] == 1)
            #expect(weights[index] + (1 - weights[index]) == 1)
        }
    }

    @Test("fade weights are those of a raised cosine at the middle of each frame", arguments: [1, 7, 220, 4801])
    func followsDefinition(frameCount: Int) {
        for (index, weight) in Fade.weights(frameCount: frameCount).enumerated() {
            let exact = 0.5 - 0.5 * cos(.pi * (Double(index) + 0.5) / Double(frameCount))
            // Two roundings of a number below 1: 2 * 2^-24, and the series' remainder.
            #expect(abs(Double(weight) - exact) < 2e-7)
        }
    }

    @Test("fade weights never fall, and are 0 before the fade and 1 after it")
    func isMonotonic() {
        let weights = (-3..<1003).map { Fade.weight(at: $0, of: 1000) }
        #expect(zip(weights, weights.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(weights.prefix(3) == [0, 0, 0] && weights.suffix(3) == [1, 1, 1])
    }

    @Test("filling a buffer gives the same fade weights as single requests, also for zero frames")
    func fillsBuffer() {
        var buffer = [Float](repeating: -1, count: 333)
        unsafe buffer.withUnsafeMutableBufferPointer { unsafe Fade.fill($0) }
        #expect(buffer == Fade.weights(frameCount: 333))
        #expect(Fade.weights(frameCount: 0).isEmpty)
    }
}
