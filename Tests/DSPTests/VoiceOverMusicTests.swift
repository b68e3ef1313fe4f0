import DSPHarness
import Glibc
import SoundMeasures
import TestSupport
import Testing

@testable import Stretching

@Suite("Slowed voice over music", .enabled(if: Workload.isOptimised))
struct VoiceOverMusicTests {
    private static let rate = 44100

    /// Ranges in which a voice speaks, and the voice's period in each.
    private func periods(_ channels: [[Float]], in core: Range<Int64>? = nil) -> [VoicePeriod] {
        let block = SourceBlock(channels, firstFrame: 0, sampleRate: Self.rate)
        let whole = MaterialFeatures.seconds(in: block, within: block.range, of: block.range)
        let evidence = VoicePitch(block, within: block.range, seconds: whole).evidence
        let core = core ?? block.range
        let known = core.lowerBound - Int64(3 * Self.rate)..<core.upperBound + Int64(3 * Self.rate)
        let voice = VoicePitch(SourceBlock(block, in: known), within: core, seconds: whole)
        return VoicePeriod.audible(voice.periods, in: core, evidence: evidence, sampleRate: Self.rate)
    }

    @Test("shared voice points of pages are measured once, with the same result")
    func sharesPoints() {
        let sound = TestSignals.voice(seconds: 16)
        let block = SourceBlock([sound], firstFrame: 0, sampleRate: Self.rate)
        let seconds = MaterialFeatures.seconds(in: block, within: block.range, of: block.range)
        var points: VoicePoints?
        for begin in stride(from: Int64(0), to: 12 * 44100, by: 150_000) {
            let core = begin..<begin + 150_000
            let inside = seconds.filter { core.contains($0.range.lowerBound) }
            let alone = VoicePitch(block, within: core, seconds: inside)
            let following = VoicePitch(block, within: core, seconds: inside, points: &points)
            #expect(alone.evidence == following.evidence)
            #expect(alone.periods.map(\.frame) == following.periods.map(\.frame))
            #expect(alone.periods.map(\.period) == following.periods.map(\.period))
        }
    }

    private func isVoice(_ sound: [Float]) -> Bool { periods([sound]).contains { $0.period > 0 } }

    private func slowed(_ channels: [[Float]], _ voice: [VoicePeriod], speed: Double = 0.75, block: Int = 512)
        -> [[Float]]
    {
        let source = SourceBlock(channels, firstFrame: 0, sampleRate: Self.rate)
        let table = AttackTable([AttackMaterial(onsets: [], in: source.range, of: source, voice: voice)])
        let count = Int(Double(channels[0].count - 20_000) / speed)
        return stretched(channels, speed: speed, frameCount: count, block: block, attacks: table)
    }

    /// A chord with twelve partials on each note; a decibel value gives its loudness relative to a voice of full scale.
    private static func chord(seconds: Double, below: Double) -> [Float] {
        let partials = [220, 277.2, 329.6].flatMap { note in (1...12).map { note * Double($0) } }
        return tones(partials, amplitude: 0.022 * exp2(-below / 6.02), frameCount: Int(seconds * Double(rate)))
    }

    private static func mixed(_ one: [Float], _ other: [Float]) -> [Float] { zip(one, other).map { $0 + $1 } }

    @Test("a slowed voice over music keeps its pulses", arguments: [(12.0, -0.2), (6, -0.25)])
    func pulses(below: Double, least: Double) {
        let source = Self.mixed(TestSignals.voice(seconds: 12), Self.chord(seconds: 12, below: below))
        let found = periods([source])
        func change(_ voice: [VoicePeriod]) -> Double {
            PulseMeasure.logKurtosis(slowed([source], voice)[0]) - PulseMeasure.logKurtosis(source)
        }
        let (kept, lost) = (change(found), change([]))
        #expect(kept >= least)
        #expect(lost < -0.35)
    }

    @Test("gliding solos, chords, noise and silence do not count as a voice")
    func decision() {
        let solo = glidingSolo(seconds: 12)
        for below in [12.0, 0] { #expect(!isVoice(Self.mixed(solo, Self.chord(seconds: 12, below: below)))) }
        #expect(!isVoice(solo))
        #expect(!isVoice(Self.chord(seconds: 8, below: 0)))
        #expect(!isVoice(TestSignals.vibrato.samples(sampleRate: TestSignals.sampleRate)))
        #expect(!isVoice(TestSignals.noise(seconds: 6, seed: 3)))
        #expect(!isVoice([Float](repeating: 0, count: 300_000)))
        #expect(isVoice(TestSignals.voice(seconds: 12)))
    }

    @Test("music without a voice keeps all its bits")
    func musicKeepsItsBits() {
        let source = Self.mixed(glidingSolo(seconds: 8), Self.chord(seconds: 8, below: 6))
        #expect(slowed([source], periods([source])) == slowed([source], []))
    }

    @Test("a voice over music is found at the same places for any division of the recording")
    func division() {
        let source = Self.mixed(TestSignals.voice(seconds: 20), Self.chord(seconds: 20, below: 6))
        func places(_ list: [VoicePeriod], _ core: Range<Int64>) -> [Float] {
            stride(from: core.lowerBound, to: core.upperBound, by: 100).map { frame in
                list.last { $0.frame <= frame }?.period ?? 0
            }
        }
        let whole = periods([source])
        #expect(whole.contains { $0.period > 0 })
        for core in [Int64(0)..<262_144, 262_144..<524_288, 524_288..<Int64(source.count)] {
            #expect(places(periods([source], in: core), core) == places(whole, core))
        }
    }

    @Test("a slowed voice over music keeps its stereo place, and its bits at any block size")
    func channelsAndBlocks() {
        let source = Self.mixed(TestSignals.voice(seconds: 8), Self.chord(seconds: 8, below: 6))
        let channels = [source, source.map { -0.5 * $0 }]
        let found = periods(channels)
        let output = slowed(channels, found)
        #expect(output != slowed(channels, []))
        #expect(zip(output[0], output[1]).allSatisfy { abs(0.5 * $0 + $1) < 1e-5 })
        #expect(slowed(channels, found, block: 61) == output)
    }

    @Test("a slowed voice over music begins and ends without a click")
    func noClick() {
        // A chord alone, marked as a voice that comes and goes: nothing may be audible above the chord's partials.
        let source = Self.chord(seconds: 6, below: 0)
        let voice = (0..<12).map { (turn: Int) in
            VoicePeriod(frame: Int64(turn * 20_000), period: turn % 2 == 0 ? 0 : 300)
        }
        func treble(_ sound: [Float]) -> Double {
            // The third difference is steep: clicks stand out, and partials below 4 kHz hardly count.
            var steep = sound
            for _ in 0..<3 { steep = zip(steep.dropFirst(), steep).map { $0 - $1 } }
            return steep.reduce(0.0) { max($0, Double(abs($1))) }
        }
        #expect(treble(slowed([source], voice)[0]) < 1.6 * treble(slowed([source], [])[0]))
    }
}
