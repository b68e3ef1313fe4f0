import DSPHarness
internal import Glibc
import SoundMeasures
import TestSupport
import Testing

@testable import Stretching

/// A stretcher that stays where it started. The limits are the figures measured when the method was chosen, less a
/// margin.
@Suite("Stretcher: freezing")
struct FreezeTests {
    @Test("a freeze begins at its frame, and sounds the same in blocks of every size")
    func blocks() {
        var random = SeededGenerator(seed: 4)
        let source = [random.noise(40_000), tones([220, 1003], amplitude: 0.2, frameCount: 40_000)]
        let whole = frozen(source, at: 20_000, frameCount: 12_000, block: 512)
        #expect(abs(whole[1][0] - source[1][20_000]) < 1e-4)
        for block in [64, 999] {
            let isSame = frozen(source, at: 20_000, frameCount: 12_000, block: block) == whole
            #expect(isSame, "\(block)")
        }
    }

    @Test("a frozen stretcher has no trace of earlier sound", arguments: [8000, 44_100])
    func reused(sampleRate: Int) {
        var random = SeededGenerator(seed: 8)
        let (noise, chord) = (random.noise(60_000), tones([220, 1003], amplitude: 0.2, frameCount: 60_000))
        let source = [zip(noise, chord).map { $0 + $1 }]
        func frozen(after speed: Double?) -> [Float] {
            var stretcher = Stretcher(channelCount: 1, sampleRate: sampleRate, maximumEmitFrames: 512)
            if let speed {
                stretcher.start(at: 1000, speed: speed)
                _ = render(&stretcher, source, frameCount: 20_000, nextBlock: { 512 })
                stretcher.freeze(at: 3000)
                _ = render(&stretcher, source, frameCount: 20_000, nextBlock: { 512 })
            }
            stretcher.freeze(at: 40_000)
            return render(&stretcher, source, frameCount: 20_000, nextBlock: { 512 })[0]
        }
        let fresh = frozen(after: nil)
        let reused = frozen(after: 0.7)
        let firstWrong = fresh.indices.first { fresh[$0] != reused[$0] }
        #expect(firstWrong == nil)
    }

    @Test("a frozen stretcher requests no more of the source, and refuses a speed")
    func staysThere() {
        let source = [tones([441], amplitude: 0.2, frameCount: 40_000)]
        var stretcher = Stretcher(channelCount: 1, sampleRate: 44100, maximumEmitFrames: 512)
        stretcher.freeze(at: 20_000)
        _ = render(&stretcher, source, frameCount: 4096, nextBlock: { 512 })
        var requests = 0
        _ = render(
            &stretcher, source, frameCount: 44_100, nextBlock: { 512 },
            glance: { (stretcher: inout Stretcher) in
                if stretcher.nextInput(toEmit: 512) != nil { requests += 1 }
            })
        #expect(requests == 0)
        let next = stretcher.emittedFrames + Int64(stretcher.leadFrames)
        let isChanged = stretcher.changeSpeed(atOutput: next, to: 0.5, over: 0)
        #expect(!isChanged)
        let place = stretcher.sourcePosition(atOutput: next)
        #expect(place == 20_000)
    }

    @Test(
        "frozen sines stay pure and keep their level, after seconds as well", .enabled(if: Workload.isWhole),
        arguments: [
            // Measured 101, 84 and 78 dB.
            ([997], 95), ([196.3, 441.7, 1003.1, 2517.9, 6011.3], 80), ([41.2, 82.4, 123.6, 164.8], 74),
        ] as [([Double], Double)])
    func sines(frequencies: [Double], limit: Double) {
        let source = tones(frequencies, amplitude: 0.12, frameCount: 60_000)
        let output = frozen([source], at: 30_000, frameCount: 200_000)[0]
        #expect(signalToNoise(output[30_000..<90_000], frequencies) > limit)
        #expect(signalToNoise(output[130_000..<190_000], frequencies) > limit)
        #expect(abs(decibels(power(output[130_000..<190_000]) / power(source[...]))) < 0.05)
    }

    @Test(
        "a frozen semitone from A4 on stays in tune", .enabled(if: Workload.isWhole), arguments: [440.0, 880, 1318.5])
    func semitones(hertz: Double) {
        let pair = [hertz, hertz * pow(2, 1.0 / 12)]
        let output = frozen([tones(pair, amplitude: 0.2, frameCount: 60_000)], at: 30_000, frameCount: 180_000)[0]
        let measured = HeldToneMeasure(Array(output[30_000...]), hertz: pair)
        // Measured 0.01 cents and 56 dB at A4.
        #expect(measured.cents < 0.1)
        #expect(measured.purity > 50)
    }

    @Test("frozen noise neither repeats itself nor fluctuates", .enabled(if: Workload.isWhole), arguments: 1...3)
    func noise(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let source = random.noise(60_000)
        let output = frozen([source], at: 30_000, frameCount: 200_000)[0]
        let measured = NoiseMeasure(Array(output[20_000...]))
        // Measured 0.10 and 0.44: many steady tones, which sound like noise. White noise has 0.04 and 0.52.
        #expect(measured.echo < 0.13)
        #expect(measured.variation < 0.5)
        // Measured -0.7 dB.
        #expect(abs(decibels(power(output[30_000...]) / power(source))) < 1)
    }

    @Test("a known drum attack 57 ms after the freeze is not heard", .enabled(if: Workload.isWhole))
    func laterAttack() {
        let (source, attacks) = chordWithDrum(at: 30_000)
        let output = frozen([source], at: 27_500, frameCount: 100_000, attacks: attacks)[0]
        // Measured 46 dB; 13 without known attacks.
        #expect(signalToNoise(output[40_000..<90_000], Self.chord) > 40)
    }

    @Test("the frozen sound of a drum is even, wherever it is frozen", arguments: [-900, -100, 0, 100, 900])
    func evenAttack(offset: Int) {
        let (source, attacks) = chordWithDrum(at: 30_000)
        let output = frozen([source], at: Int64(30_000 + offset), frameCount: 80_000, attacks: attacks)[0]
        let levels = stride(from: 20_000, to: 76_000, by: 2000).map { decibels(power(output[$0..<$0 + 2000])) }
        // Measured 1.5 dB.
        #expect((levels.max() ?? .infinity) - (levels.min() ?? 0) < 3)
    }

    private static let chord = [330.0, 495, 1320]

    /// A soft chord with a drum over it, and its attacks.
    private func chordWithDrum(at frame: Int) -> ([Float], AttackTable) {
        var source = tones(Self.chord, amplitude: 0.05, frameCount: 60_000)
        var random = SeededGenerator(seed: 3)
        for index in 0..<4000 { source[frame + index] += 0.8 * random.float() * Float(exp(-Double(index) / 500)) }
        let block = SourceBlock([source], firstFrame: 0, sampleRate: 44100)
        let onsets = OnsetMap.onsets(in: block, within: block.range)
        return (source, AttackTable([AttackMaterial(onsets: onsets, in: block.range, of: block)]))
    }
}
