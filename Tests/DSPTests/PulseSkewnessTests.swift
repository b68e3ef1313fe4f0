import DSPHarness
import Stretching
import TestSupport
import Testing

@Suite("Pulse skewness", .enabled(if: Workload.isOptimised))
struct PulseSkewnessTests {
    private static let rate = 44100

    @Test("a voice with pulses has something to lose, whatever its polarity")
    func pulses() {
        #expect(SpeechAnalysis.hasPulses([analysed([partialsVoice(hasPulses: true)])]))
        #expect(SpeechAnalysis.hasPulses([analysed([partialsVoice(hasPulses: true, polarity: -1)])]))
    }

    @Test("a voice whose partials lost their common phase has not")
    func noPulses() {
        #expect(!SpeechAnalysis.hasPulses([analysed([partialsVoice(hasPulses: false)])]))
    }

    @Test("too little voiced sound decides nothing")
    func short() {
        #expect(SpeechAnalysis.hasPulses([analysed([Array(partialsVoice(hasPulses: false).prefix(Self.rate))])]))
        #expect(SpeechAnalysis.hasPulses([analysed([[Float](repeating: 0, count: 4 * Self.rate)])]))
    }

    @Test("parts analysed one by one give the answer of the whole")
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
