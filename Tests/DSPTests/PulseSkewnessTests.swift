internal import Glibc
import Stretching
import TestSupport
import Testing

@Suite("Pulse skewness", .enabled(if: Workload.isOptimised))
struct PulseSkewnessTests {
    private static let rate = 44100

    /// Six seconds at 120 Hz, with a spectrum that falls by 6 dB per octave. The partials have the common phase of a pulse, or drift
    /// apart by some hertz, as after a phase vocoder.
    private static func voice(hasPulses: Bool, polarity: Float = 1) -> [Float] {
        var random = SeededGenerator(seed: 3)
        let steps = (1...40).map { partial in
            let drift = hasPulses ? 0 : Double.random(in: -6...6, using: &random)
            return 2 * Double.pi * (Double(120 * partial) + drift) / Double(rate)
        }
        return (0..<6 * rate).map { frame in
            let sound = steps.enumerated().reduce(0.0) { sum, partial in
                sum + cos(partial.element * Double(frame)) / Double(partial.offset + 1)
            }
            return 0.1 * polarity * Float(sound)
        }
    }

    @Test("a voice with pulses has something to lose, whatever its polarity")
    func pulses() {
        #expect(SpeechAnalysis.hasPulses([analysed([Self.voice(hasPulses: true)])]))
        #expect(SpeechAnalysis.hasPulses([analysed([Self.voice(hasPulses: true, polarity: -1)])]))
    }

    @Test("a voice whose partials lost their common phase has not")
    func noPulses() {
        #expect(!SpeechAnalysis.hasPulses([analysed([Self.voice(hasPulses: false)])]))
    }

    @Test("too little voiced sound decides nothing")
    func short() {
        #expect(SpeechAnalysis.hasPulses([analysed([Array(Self.voice(hasPulses: false).prefix(Self.rate))])]))
        #expect(SpeechAnalysis.hasPulses([analysed([[Float](repeating: 0, count: 4 * Self.rate)])]))
    }

    @Test("parts analysed one by one give the answer of the whole")
    func parts() {
        for hasPulses in [true, false] {
            let voice = Self.voice(hasPulses: hasPulses)
            let block = SourceBlock([voice], firstFrame: 0, sampleRate: Self.rate)
            let parts = [0..<50_000, 50_000..<90_001, 90_001..<voice.count].map {
                SpeechAnalysis(block, range: Int64($0.lowerBound)..<Int64($0.upperBound))
            }
            var joined = parts[0]
            joined.append(parts[1])
            joined.append(parts[2])
            #expect(SpeechAnalysis.hasPulses(parts) == hasPulses)
            #expect(SpeechAnalysis.hasPulses([joined]) == hasPulses)
        }
    }
}
