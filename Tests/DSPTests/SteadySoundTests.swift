import DSPHarness
import SoundMeasures
import TestSupport
import Testing

@testable import Stretching

@Suite("Steady sound")
struct SteadySoundTests {
    private let rate = 44100

    private func changes(_ sound: [Float], in core: Range<Int64>? = nil, channels: Int = 1) -> [SteadyChange] {
        let block = SourceBlock(
            [[Float]](repeating: sound, count: channels), firstFrame: 0, sampleRate: rate)
        return SteadySound.changes(in: block, within: core ?? 30_000..<Int64(sound.count) - 30_000)
    }

    /// The attacks of a sound, of which there are none, and its steady ranges.
    private func table(_ source: [[Float]], steady: [SteadyChange]? = nil, onsets: [Onset] = []) -> AttackTable {
        let block = SourceBlock(source, firstFrame: 0, sampleRate: rate)
        let range = 0..<Int64(source[0].count)
        let found = steady ?? SteadySound.changes(in: block, within: range)
        return AttackTable([AttackMaterial(onsets: onsets, in: range, of: block, steady: found)])
    }

    /// Both bands are steady, and neither is, in turn.
    private func alternation(every frames: Int, frameCount: Int) -> [SteadyChange] {
        (0..<frameCount / frames).map {
            SteadyChange(frame: Int64($0 * frames), bands: $0 % 2 == 0 ? [.middle, .high] : [])
        }
    }

    @Test("close held notes and low notes are steady, but noise, vibrato, a voice and clicks are not")
    func decision() {
        #expect(changes(TestSignals.dyad(880, 932.3)).map(\.bands) == [.high])
        #expect(changes(TestSignals.dyad(440, 466.2)).map(\.bands) == [.middle])
        #expect(changes(TestSignals.lowNote(41)).map(\.bands) == [[.middle, .high]])
        #expect(changes(TestSignals.lowNote(130), channels: 2).map(\.bands) == [[.middle, .high]])
        let vibrato = TestSignals.vibrato.samples(sampleRate: TestSignals.sampleRate)
        for sound in [
            TestSignals.noise(), vibrato, TestSignals.voice(seconds: 3),
            TestSignals.Clicks().samples, [Float](repeating: 0, count: 100_000),
        ] { #expect(changes(sound).allSatisfy { !$0.bands.contains(.high) }) }
        #expect(changes(vibrato).allSatisfy { $0.bands.isEmpty })
    }

    @Test("the steady parts of a recording do not depend on its division")
    func division() {
        let sound = TestSignals.lowNote(65) + TestSignals.noise() + TestSignals.dyad(880, 932.3)
        let whole = changes(sound, in: 0..<Int64(sound.count))
        #expect(whole.count >= 3)
        let context = Int64(SteadySound.contextFrames(sampleRate: rate))
        for cut in [Int64(70_001), 131_072, 200_003] {
            let parts = [0..<cut, cut..<Int64(sound.count)].map { core -> [SteadyChange] in
                let known = max(0, core.lowerBound - context)..<min(Int64(sound.count), core.upperBound + context)
                let block = SourceBlock(
                    [Array(sound[Int(known.lowerBound)..<Int(known.upperBound)])], firstFrame: known.lowerBound,
                    sampleRate: rate)
                return SteadySound.changes(in: block, within: core)
            }
            let joined = SteadyChange.joined(parts)
            #expect(joined.map(\.frame) == SteadyChange.joined([whole]).map(\.frame))
            #expect(joined.map(\.bands) == SteadyChange.joined([whole]).map(\.bands))
        }
    }

    @Test("windows change inaudibly, as often as they may", arguments: [0.4, 0.75, 1.3])
    func changesAreInaudible(speed: Double) {
        let partials = [441.7, 1003.1, 2517.9]
        let source = tones(partials, amplitude: 0.2, frameCount: 150_000)
        let attacks = table([source], steady: alternation(every: 9000, frameCount: 150_000))
        let count = Int(140_000 / speed)
        let output = stretched([source], speed: speed, frameCount: count, attacks: attacks)[0]
        // Measured 67 dB at 40 %, where the vertical rule is at its limit, and 73 at the others.
        #expect(signalToNoise(output[20_000..<min(count, 90_000)], partials) > 60)
    }

    @Test("with changing windows and attacks the sound does not depend on the blocks", arguments: [0.25, 0.8, 2.5])
    func blocks(speed: Double) {
        var random = SeededGenerator(seed: 31)
        var source = tones([220, 277.2, 1329.6, 1400], amplitude: 0.1, frameCount: 120_000)
        let places = [20_000, 31_000, 33_500, 60_000, 61_500, 90_000]
        for place in places {
            for index in 0..<1500 { source[place + index] += random.float() * 0.5 * (1 - Float(index) / 1500) }
        }
        let onsets = places.map { Onset(cut: Int64($0), attack: Int64($0), strength: 20) }
        let attacks = table(
            [source, source.map { -0.5 * $0 }], steady: alternation(every: 7000, frameCount: 120_000), onsets: onsets)
        let count = min(60_000, Int(110_000 / speed))
        let all = [512, 64, 997].map { block in
            stretched(
                [source, source.map { -0.5 * $0 }], speed: speed, frameCount: count, block: block, attacks: attacks)
        }
        #expect(all[0] == all[1] && all[0] == all[2])
        #expect(all[0].joined().allSatisfy { abs($0) < 1.5 })
    }

    @Test("two stretchers that begin alike sound alike, whatever they played before")
    func restarts() {
        let source = tones([1003.1, 1060], amplitude: 0.3, frameCount: 60_000)
        let attacks = table([source])
        var stretcher = Stretcher(channelCount: 1, sampleRate: rate, maximumEmitFrames: 512)
        func render(from start: Int64, speed: Double) -> [Float] {
            stretcher.start(at: start, speed: speed, attacks: attacks.list)
            return DSPHarness.render(&stretcher, [source], frameCount: 30_000, nextBlock: { 512 })[0]
        }
        let first = render(from: 10_000, speed: 0.25)
        _ = render(from: 1000, speed: 1.9)
        #expect(render(from: 10_000, speed: 0.25) == first)
    }
}

/// The rows of held tones in docs/stretching.md, in optimised builds only.
@Suite("Steady sound: quality", .enabled(if: Workload.isWhole))
struct SteadySoundQualityTests {
    private func slowed(_ source: [[Float]], _ speed: Double) -> [[Float]] {
        let block = SourceBlock(source, firstFrame: 0, sampleRate: 44100)
        let range = 0..<Int64(source[0].count)
        let steady = SteadySound.changes(in: block, within: range)
        let attacks = AttackTable([AttackMaterial(onsets: [], in: range, of: block, steady: steady)])
        return stretched(source, speed: speed, frameCount: Int(Double(source[0].count) / speed), attacks: attacks)
    }

    @Test(
        "a held semitone stays in tune from A3 to E6", arguments: [220.0, 277.2, 440, 554.4, 880, 1318.5], [0.75, 0.5])
    func semitones(root: Double, speed: Double) {
        let tones = [root, root * TestSignals.semitone]
        let sound = slowed([TestSignals.dyad(tones[0], tones[1])], speed)[0]
        let measured = HeldToneMeasure(sound, hertz: tones)
        // Before long windows existed: 10 cents in the middle of cases and 25 at worst.
        #expect(measured.cents < 0.2)
        // Below A4 the main lobes of both tones overlap: the beats between the tones are in tune, but the depth of the
        // beats wavers.
        #expect(measured.purity > (root < 300 ? 10 : root < 600 ? 40 : 60))
    }

    @Test(
        "each of a semitone's tones, one left and one right, stays in tune", arguments: [220.0, 440, 880], [0.75, 0.5])
    func sides(root: Double, speed: Double) {
        let tones = [root, root * TestSignals.semitone]
        let sides = slowed(tones.map { TestSignals.sine(hertz: $0, seconds: 3, amplitude: 0.4) }, speed)
        // Before long windows existed: 0.1 cents in the middle of cases and 4 at worst, 44 on A5.
        for (side, tone) in zip(sides, tones) { #expect(HeldToneMeasure(side, hertz: [tone]).cents < 0.3) }
    }

    @Test("sines in long windows stay pure", arguments: [0.75, 0.5])
    func sines(speed: Double) {
        // Measured 103 and 93 dB, five sines in three bands 92 and 84.
        let one = slowed([TestSignals.sine()], speed)[0]
        #expect(ToneMeasure(one, hertz: [997]).snr > (speed == 0.75 ? 100 : 85))
        let five = slowed([TestSignals.fiveSines()], speed)[0]
        #expect(ToneMeasure(five, hertz: TestSignals.fiveFrequencies).snr > (speed == 0.75 ? 88 : 82))
    }

    static let notes = [41.2, 61.7, 110]
    /// Each note, made once for all speeds.
    private static let noteSounds = notes.map { TestSignals.lowNote($0) }

    @Test("slowed low notes keep their beats and their partials", arguments: notes, [0.75, 0.5])
    func lowNotes(note: Double, speed: Double) throws {
        let index = Self.notes.firstIndex(of: note)
        let source = Self.noteSounds[try #require(index)]
        let sound = slowed([source], speed)[0]
        #expect(HeldToneMeasure.beats(sound, note: note, slowed: note * speed) > (speed == 0.75 ? 55 : 45))
        let partials = (1...Int(5000 / note)).map { note * Double($0) }
        #expect(HeldToneMeasure(sound, hertz: partials).purity > (speed == 0.75 ? 55 : 50))
    }

    @Test("four channels keep their own tones, 100 Hz apart", arguments: [0.75, 0.5])
    func channels(speed: Double) {
        let hertz = (0..<4).map { 611.3 + 100 * Double($0) }
        let sounds = slowed(hertz.map { TestSignals.sine(hertz: $0, seconds: 3) }, speed)
        for (sound, tone) in zip(sounds, hertz) { #expect(HeldToneMeasure(sound, hertz: [tone]).purity > 60) }
    }
}
