import DSPHarness
internal import Glibc
import SoundMeasures
import Stretching
import TestSupport
import Testing

@Suite("Splice plan")
struct SplicePlanTests {
    private static let voice = SyntheticVoice(SeededGenerator(seed: 5), syllables: cases(2, few: 1))
    private static let analysis = analysed([voice.samples])

    private let voice = SplicePlanTests.voice
    private let analysis = SplicePlanTests.analysis

    private func expectSound(_ plan: SplicePlan, _ comment: Comment) {
        var end: Int64 = 0
        var heard = plan.section.lowerBound
        for splice in plan.splices {
            #expect(splice.outputFrame >= end && splice.crossfadeFrames > 0, comment)
            #expect(splice.sourceFrame == heard + splice.outputFrame - end, comment)
            end = splice.outputFrame + Int64(splice.crossfadeFrames)
            heard = splice.sourceFrame + Int64(splice.jumpFrames) + Int64(splice.crossfadeFrames)
        }
        #expect(end <= plan.outputFrames, comment)
        #expect(heard + plan.outputFrames - end == plan.section.upperBound, comment)
    }

    @Test("a splice plan covers its section exactly, and its splices follow one another")
    func lengthIsExact() {
        for speed in cases([0.25, 0.4, 0.5, 0.6123, 0.75, 0.9, 0.99, 1.01, 1.3, 2, 4], few: [0.6123, 4]) {
            for section in [Int64(0)..<Int64(voice.samples.count), 5001..<13_777] {
                let plan = SplicePlan(analysis, section: section, speed: speed)
                #expect(plan.outputFrames == Int64(Double(section.count) / speed + 0.5))
                expectSound(plan, "speed \(speed), \(section)")
            }
        }
    }

    @Test("sections shorter than a period have a splice plan")
    func shortSections() {
        for count in [0, 1, 2, 44, 45, 130, 400, 900] {
            for speed in [0.25, 0.7, 1, 1.5, 4] {
                let first = Int64(9000)
                let plan = SplicePlan(analysis, section: first..<first + Int64(count), speed: speed)
                if plan.outputFrames > 0 { expectSound(plan, "\(count) at \(speed)") }
            }
        }
    }

    @Test(
        "spliced noise is kept in time, although every splice in noise is expensive", .enabled(if: Workload.isWhole),
        arguments: [0.5, 0.6, 0.75, 0.9])
    func noiseStaysInTime(speed: Double) {
        var random = SeededGenerator(seed: 19)
        let noise = random.noise(2 * 44100)
        let plan = SplicePlan(analysed([noise]), section: 0..<Int64(noise.count), speed: speed)
        for splice in plan.splices {
            // States are 40 ms wide to either side, and the longest jump is 20 ms.
            let strayed = Double(splice.sourceFrame) - Double(splice.outputFrame) * speed
            #expect(abs(strayed) < 0.06 * 44100, "seed 19, output frame \(splice.outputFrame)")
        }
    }

    @Test("a splice plan follows a changing speed, and its length stays exact")
    func curve() {
        let section = Int64(0)..<Int64(voice.samples.count)
        // From 0.5 to 1.5, evenly: the mean is 1.
        let total = Double(section.count)
        let position = { (frame: Int64) in Double(frame) * (0.5 + 0.5 * Double(frame) / total) }
        let plan = SplicePlan(
            analysis, section: section, outputFrames: Int64(section.count), position: position)
        expectSound(plan, "from 0.5 to 1.5")
        #expect(plan.splices.contains { $0.jumpFrames < 0 } && plan.splices.contains { $0.jumpFrames > 0 })
        for splice in plan.splices {
            #expect(abs(Double(splice.sourceFrame) - position(splice.outputFrame)) < 0.04 * 44100)
        }
    }

    @Test("a plosive is heard once, whole, and within 3 ms of its time", arguments: [0.5, 0.75, 0.9, 1.2])
    func plosives(speed: Double) {
        let plan = SplicePlan(
            analysis, section: 0..<Int64(voice.samples.count), speed: speed)
        for plosive in voice.plosives {
            let burst = Int64(plosive)..<Int64(plosive + 220)
            #expect(plan.copied.filter { $0.overlaps(burst) }.count == 1, "at \(plosive)")
            let before = plan.splices.filter {
                $0.sourceFrame <= plosive && $0.outputFrame < Int64(Double(plosive) / speed + 882)
            }
            let offset = before.last.map { $0.sourceFrame + Int64($0.jumpFrames) - $0.outputFrame } ?? 0
            let late = Double(Int64(plosive) - offset) - Double(plosive) / speed
            #expect(abs(late) < 0.003 * 44100, "at \(plosive) off by \(late / 44.1) ms")
        }
    }

    @Test("splices in a vowel are whole periods, so the pitch stays")
    func periods() {
        // 441 frames a period, exactly.
        let pulse = (0..<441).map { (index: Int) -> Float in Float(exp(-Double(index) / 60) * sin(Double(index) / 5)) }
        let tone = (0..<80).flatMap { _ in pulse }
        let plan = SplicePlan(analysed([tone]), section: 0..<Int64(tone.count), speed: 0.75)
        // The last 40 ms may lose a period for the exact end.
        let end = Int(plan.outputFrames) - 1800
        let splices = plan.splices.filter { $0.outputFrame < end }
        #expect(splices.count > 10)
        #expect(splices.allSatisfy { $0.jumpFrames % 441 == 0 }, "\(splices)")
        let output = spliced([tone], plan)[0]
        // A crossfade of equal samples changes nothing: the output is as periodic as the source, to the bit.
        #expect((0..<end - 441).allSatisfy { output[$0] == output[$0 + 441] })
    }

    @Test("noise is repeated after more than 15 ms, later than any pitch period")
    func noiseHasNoPitch() {
        var random = SeededGenerator(seed: 23)
        var noise = random.noise(88200)
        // Soft treble, as in breath: the first similar part of such noise follows after a few milliseconds.
        for index in 1..<noise.count { noise[index] = 0.2 * noise[index] + 0.9 * noise[index - 1] }
        let plan = SplicePlan(analysed([noise]), section: 0..<Int64(noise.count), speed: 0.5)
        let short = plan.splices.filter { $0.jumpFrames > -684 }
        #expect(plan.splices.count > 80)
        #expect(short.count * 20 < plan.splices.count, "seed 23: \(short.count) of \(plan.splices.count)")
    }

    @Test("a steady voice at half speed repeats every sound within two thirds of a period of its time")
    func timing() {
        // 220 frames a period, 200 Hz, exactly.
        let pulse = (0..<220).map { (index: Int) -> Float in Float(exp(-Double(index) / 40) * sin(Double(index) / 5)) }
        let tone = (0..<150).flatMap { _ in pulse }
        let plan = SplicePlan(analysed([tone]), section: 0..<Int64(tone.count), speed: 0.5)
        let inside = plan.splices.filter { $0.outputFrame > 4000 && $0.outputFrame < plan.outputFrames - 4000 }
        let strays = inside.map { abs(Double($0.sourceFrame) - Double($0.outputFrame) * 0.5) / 44.1 }
        #expect(inside.count > 50)
        #expect((strays.max() ?? .infinity) < 3.3, "\(strays.max() ?? 0) ms")
    }

    @Test("spliced silence stays silence")
    func silence() {
        let silence = [Float](repeating: 0, count: 20_000)
        for speed in [0.5, 1.3] {
            let plan = SplicePlan(analysed([silence]), section: 0..<20_000, speed: speed)
            expectSound(plan, "silence at \(speed)")
            #expect(spliced([silence], plan)[0].allSatisfy { $0 == 0 })
        }
    }

    @Test("noise, full-scale, denormal and infinite samples have a splice plan, at 8 to 192 kHz")
    func oddInput() {
        var random = SeededGenerator(printedFor: "oddInput")
        for rate in cases([8000, 22050, 192_000], few: [8000]) {
            let count = rate / 4
            var sources = [random.noise(count), (0..<count).map { $0 % 80 < 40 ? 1 : -1 }]
            sources.append([Float](repeating: .leastNonzeroMagnitude, count: count))
            sources.append((0..<count).map { $0 % 97 == 0 ? .nan : $0 % 89 == 0 ? .infinity : 0.1 })
            for source in sources {
                let plan = SplicePlan(analysed([source], sampleRate: rate), section: 0..<Int64(count), speed: 0.7)
                expectSound(plan, "at \(rate)")
                #expect(!plan.splices.isEmpty)
            }
        }
    }

    @Test(
        "a splice plan at the inverse speed removes the inserted periods, and restores the original",
        .enabled(if: Workload.isWhole), arguments: [0.5, 0.6, 0.75, 0.9])
    func thereAndBack(speed: Double) {
        let long = SyntheticVoice(SeededGenerator(seed: 9), syllables: 10).samples
        let slow = spliced([long], SplicePlan(analysed([long]), section: 0..<Int64(long.count), speed: speed))[0]
        let back = SplicePlan(analysed([slow]), section: 0..<Int64(slow.count), speed: 1 / speed)
        let output = spliced([slow], back, frameCount: long.count)[0]
        let likeness = likeness(of: output, to: long)
        print("there and back at \(speed): \(likeness)")
        #expect(likeness > 0.97)
    }

    @Test(
        "a voice that was slowed before has periods to spare, and another voice has none",
        .enabled(if: Workload.isOptimised)
    )
    func spareSound() {
        let voice = TestSignals.voice(seconds: 4)
        func change(_ samples: [Float], atSpeed speed: Double) -> Double {
            let plan = SplicePlan(analysed([samples]), section: 0..<Int64(samples.count), speed: speed)
            return plan.change / (Double(Int64(samples.count) - plan.outputFrames) / 44100)
        }
        for speed in [0.5, 0.75, 0.9] {
            let slow = SplicePlan(analysed([voice]), section: 0..<Int64(voice.count), speed: speed).played(voice)
            let (again, anew) = (change(slow, atSpeed: 1 / speed), change(voice, atSpeed: 1 / speed))
            #expect(again * 1.5 < SplicePlan.largestChange, "\(again) at \(speed)")
            #expect(anew > 1.2 * SplicePlan.largestChange, "\(anew) at \(speed)")
        }
    }

    @Test("separately planned parts give one splice plan, divided where the voice is softest")
    func joined() {
        let end = Int64(voice.samples.count)
        let cut = analysis.softestFrame(in: end / 4..<end)
        #expect(voice.samples[Int(cut)] == 0)
        let parts = [0..<cut, cut..<end].map { SplicePlan(analysis, section: $0, speed: 0.7) }
        let whole = SplicePlan(joining: parts)
        expectSound(whole, "joined at \(cut)")
        #expect(whole.section == 0..<end && whole.outputFrames == parts[0].outputFrames + parts[1].outputFrames)
        #expect(whole.change == parts[0].change + parts[1].change)
        let output = spliced([voice.samples], whole)[0]
        #expect(output == parts[0].played(voice.samples) + parts[1].played(voice.samples))
    }

    @Test(
        "the pulses of a spliced gliding vowel stay sharp", .enabled(if: Workload.isWhole),
        arguments: [0.5, 0.75])
    func sharpness(speed: Double) {
        let voice = SyntheticVoice(SeededGenerator(seed: 3), syllables: 1, vowelSeconds: 4)
        // The vowel without its ends.
        let long = Array(voice.samples[voice.vowels[0]].dropFirst(22050).dropLast(22050))
        let slow = spliced([long], SplicePlan(analysed([long]), section: 0..<Int64(long.count), speed: speed))[0]
        // The residue of a predictor of two steps back: pulses on a floor, whose fourth moment measures the sharpness
        // of the pulses.
        func kurtosis(_ samples: [Float]) -> Double {
            var (second, fourth) = (0.0, 0.0)
            for index in 2..<samples.count {
                let rest = Double(samples[index] - 1.9 * samples[index - 1] + 0.95 * samples[index - 2])
                second += rest * rest
                fourth += rest * rest * rest * rest
            }
            return fourth * Double(samples.count - 2) / (second * second)
        }
        print("sharpness at \(speed): \(log2(kurtosis(slow) / kurtosis(long)))")
        #expect(abs(log2(kurtosis(slow) / kurtosis(long))) < 0.4)
    }
}

extension SplicePlan {
    fileprivate func played(_ samples: [Float]) -> [Float] { spliced([samples], self)[0] }
}
