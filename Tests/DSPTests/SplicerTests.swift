import DSPHarness
internal import Glibc
import Stretching
import TestSupport
import Testing

@Suite("Splicer")
struct SplicerTests {
    private static let voice = SyntheticVoice(SeededGenerator(seed: 11), syllables: cases(2, few: 1))
    // The second channel is louder, for a test of exact equality.
    private static let source = [voice.samples, voice.samples.map { 2 * $0 }]
    private static let analysis = analysed(source)
    private static let plan = SplicePlan(analysis, section: 0..<Int64(voice.samples.count), speed: 0.7)

    private let source = SplicerTests.source
    private let plan = SplicerTests.plan

    @Test("splicer blocks of any length give the same samples as one long block, for any lead")
    func partitionIndependence() {
        var random = SeededGenerator(printedFor: "partitionIndependence")
        let whole = spliced(source, plan, block: 8192)
        for block in [1, 63, 64, 997] { #expect(spliced(source, plan, block: block) == whole) }
        var splicer = Splicer(channelCount: 2, sampleRate: 44100, maximumEmitFrames: 1000)
        splicer.start(atOutput: 0, plan.list)
        var (blocks, glances) = (random, SeededGenerator(seed: random.next()))
        let pieces = render(
            &splicer, source, frameCount: whole[0].count, nextBlock: { Int.random(in: 0...1000, using: &blocks) },
            glance: { splicer in
                for _ in 0..<Int.random(in: 0...6, using: &glances) {
                    if let request = splicer.nextInput(toEmit: Int.random(in: 0...1000, using: &glances)) {
                        feed(&splicer, source, request)
                    }
                }
            })
        #expect(pieces == whole)
    }

    @Test("a splicer started again equals a new one, also in the middle of a crossfade")
    func restartEqualsNew() {
        let whole = spliced(source, plan, frameCount: 5000)
        var splicer = Splicer(channelCount: 2, sampleRate: 44100)
        splicer.start(atOutput: 0, plan.list)
        let middle = Int(plan.splices[3].outputFrame)
        _ = render(&splicer, source, frameCount: middle, nextBlock: { 64 })
        if let request = splicer.nextInput(toEmit: 1) { feed(&splicer, source, request) }
        splicer.start(atOutput: 0, plan.list)
        #expect(render(&splicer, source, frameCount: 5000, nextBlock: { 512 }) == whole)
    }

    @Test("at speed 1 the splicer gives the recording, bit for bit")
    func identity() {
        let section = Int64(1000)..<Int64(source[0].count - 500)
        let plain = SplicePlan(Self.analysis, section: section, speed: 1)
        #expect(plain.list.count == 0)
        #expect(spliced(source, plain)[1] == Array(source[1][1000..<source[0].count - 500]))
    }

    @Test("all spliced channels jump together, so a channel of twice the level stays exactly twice as loud")
    func image() {
        let output = spliced(source, plan)
        #expect(output[1] == output[0].map { 2 * $0 })
    }

    @Test("from any start the splicer begins with the source's sample, and ends as planned")
    func seeks() {
        var random = SeededGenerator(printedFor: "seeks")
        for plan in [plan, SplicePlan(Self.analysis, section: plan.section, speed: 1.4)] {
            let whole = spliced(source, plan)[0]
            let crossfades = plan.splices.prefix(3).map { $0.outputFrame + 1 }
            for first in (0..<60).map({ _ in Int64.random(in: 0..<plan.outputFrames, using: &random) }) + crossfades {
                let output = spliced(source, plan, from: first, frameCount: whole.count - Int(first) + 50, block: 64)[0]
                // A crossfade under way is left out.
                let crossed = plan.splices.last { $0.outputFrame < first && first < $0.endFrame }
                if let crossed {
                    let heard = crossed.sourceFrame + Int64(crossed.jumpFrames) + first - crossed.outputFrame
                    #expect(output[0] == source[0][Int(heard)])
                } else {
                    #expect(output[0] == whole[Int(first)])
                }
                let common = Int(max(first, crossed?.endFrame ?? first) - first)
                let rest = whole.count - Int(first)
                #expect(Array(output[common..<rest]) == Array(whole[(Int(first) + common)...]), "from \(first)")
                // After the section's end the recording would continue; here there is silence.
                #expect(output[rest...].allSatisfy { $0 == 0 })
            }
        }
    }

    @Test("the splicer's position is the audible frame, and changes sides within a crossfade")
    func position() {
        var splicer = Splicer(channelCount: 2, sampleRate: 44100)
        splicer.start(atOutput: 0, plan.list)
        let output = spliced(source, plan)[0]
        var heard = 0
        for frame in stride(from: 0, to: output.count, by: 7) {
            let position = splicer.sourcePosition(atOutput: Int64(frame))
            if let splice = plan.splices.first(where: { ($0.outputFrame..<$0.endFrame).contains(Int64(frame)) }) {
                let sides = [splice.sourceFrame, splice.sourceFrame + Int64(splice.jumpFrames)].map {
                    Double($0 + Int64(frame) - splice.outputFrame)
                }
                #expect(position >= sides.min()! && position <= sides.max()!)
            } else {
                #expect(output[frame] == source[0][Int(position)])
                heard += 1
            }
        }
        #expect(heard > output.count / 7 / 3)
        #expect(splicer.sourcePosition(atOutput: plan.outputFrames) == Double(plan.section.upperBound))
    }

    @Test("before the spliced section and after its end the recording continues")
    func beyondTheSection() {
        let section = Int64(3000)..<Int64(20000)
        let plan = SplicePlan(Self.analysis, section: section, speed: 0.8)
        let count = Int(plan.outputFrames)
        let output = spliced(source, plan, from: -100, frameCount: 100 + count + 700)[0]
        #expect(Array(output[..<100]) == Array(source[0][2900..<3000]))
        #expect(Array(output[100..<100 + count]) == spliced(source, plan)[0])
        #expect(Array(output[(100 + count)...]) == Array(source[0][20000..<20700]))
    }
}
