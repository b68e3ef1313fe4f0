import DSPHarness
internal import Glibc
import Stretching
import TestSupport
import Testing

@Suite("Speech analysis")
struct SpeechAnalysisTests {
    @Test("separately analysed and joined parts give the splice plan of the whole", .enabled(if: Workload.isWhole))
    func joinedParts() {
        let samples = SyntheticVoice(SeededGenerator(seed: 21), syllables: 12).samples
        let whole = analysed([samples])
        let context = SpeechAnalysis.contextFrames(sampleRate: 44100)
        var random = SeededGenerator(printedFor: "joinedParts")
        var joined: SpeechAnalysis?
        var first = 0
        while first < samples.count {
            let end = min(samples.count, first + Int.random(in: 20_000...90_000, using: &random))
            let held = max(0, first - context)..<min(samples.count, end + context)
            let block = SourceBlock([Array(samples[held])], firstFrame: Int64(held.lowerBound), sampleRate: 44100)
            let part = SpeechAnalysis(block, range: Int64(first)..<Int64(end))
            if joined == nil { joined = part } else { joined?.append(part) }
            first = end
        }
        for speed in [0.6, 1.2] {
            let section = Int64(0)..<Int64(samples.count)
            let parts = joined.map { SplicePlan($0, section: section, speed: speed).splices }
            #expect(parts == SplicePlan(whole, section: section, speed: speed).splices)
        }
    }

    @Test("a voice with opposite phases in two channels is analysed like any other")
    func oppositePhases() {
        let voice = SyntheticVoice(SeededGenerator(seed: 2), syllables: 1).samples
        let section = Int64(0)..<Int64(voice.count)
        let mono = SplicePlan(analysed([voice]), section: section, speed: 0.75).splices
        let opposite = SplicePlan(analysed([voice, voice.map { -$0 }]), section: section, speed: 0.75).splices
        let jumps = Set(mono.map(\.jumpFrames))
        #expect(opposite.filter { jumps.contains($0.jumpFrames) }.count > opposite.count * 3 / 4)
    }

    @Test("the analysed range is widened to whole cells, and an empty range is no error")
    func range() {
        let block = SourceBlock([[Float](repeating: 0, count: 500)], firstFrame: -100, sampleRate: 44100)
        let analysis = SpeechAnalysis(block, range: -50..<70)
        #expect(analysis.range == -88..<88)
        #expect(SpeechAnalysis(block, range: 10..<10).range.count <= 44)
    }
}
