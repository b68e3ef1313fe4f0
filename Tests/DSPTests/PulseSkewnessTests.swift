import DSPHarness
import Stretching
import TestSupport
import Testing

@Suite("Pulse skewness", .enabled(if: Workload.isOptimised))
struct PulseSkewnessTests {
    private static let rate = 44100

    @Test("a voice with pulses has pulses to lose, whatever its polarity")
    func pulses() {
        #expect(SpeechAnalysis.hasPulses([analysed([partialsVoice(hasPulses: true)])]))
        #expect(SpeechAnalysis.hasPulses([analysed([partialsVoice(hasPulses: true, polarity: -1)])]))
    }

    @Test("a voice whose partials lost their common phase has no pulses to lose")
    func noPulses() {
        #expect(!SpeechAnalysis.hasPulses([analysed([partialsVoice(hasPulses: false)])]))
    }

    @Test("a voice with too little voiced sound counts as having pulses")
    func short() {
        #expect(SpeechAnalysis.hasPulses([analysed([Array(partialsVoice(hasPulses: false).prefix(Self.rate))])]))
        #expect(SpeechAnalysis.hasPulses([analysed([[Float](repeating: 0, count: 4 * Self.rate)])]))
    }

    @Test("the pulse skewness of separately analysed parts is that of the whole")
    func parts() {
        for hasPulses in [true, false] {
            let voice = partialsVoice(hasPulses: hasPulses)
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
