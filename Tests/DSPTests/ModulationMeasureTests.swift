// The measure of modulations against slow performances, which are right, and against faults of known size.
import DSPHarness
import Glibc
import SoundMeasures
import TestSupport
import Testing

@Suite("Measures of modulations", .enabled(if: Workload.isWhole))
struct ModulationMeasureTests {
    private static let rate = TestSignals.sampleRate
    private static let speed = 0.75

    /// A tone as performed at the speed, with silence before.
    private func performed(_ tone: ModulatedTone, delayFrames: Int = 0) -> [Float] {
        [Float](repeating: 0, count: delayFrames) + tone.samples(sampleRate: Self.rate, tempo: Self.speed)
    }

    private func reader(_ tone: ModulatedTone) -> ModulationReader {
        ModulationReader(tone, speed: Self.speed, sampleRate: Self.rate)
    }

    private func swinging(cents: Double, hertz: Double = 220) -> ModulatedTone {
        ModulatedTone(hertz: hertz, harmonics: 6, seconds: 4, pitch: .vibrato(swingHertz: 5.5, cents: cents))
    }

    private func trembling(depth: Double) -> ModulatedTone {
        ModulatedTone(hertz: 220, harmonics: 3, seconds: 4, tremolo: .init(swingHertz: 7, depth: depth))
    }

    private let gliding = ModulatedTone(
        hertz: 220, harmonics: 3, seconds: 4, pitch: .glide(start: 1, seconds: 1, cents: 1200))

    private func trilling(hertz: Double) -> ModulatedTone {
        ModulatedTone(hertz: hertz, harmonics: 4, seconds: 4, pitch: .trill(changesPerSecond: 6, cents: 200))
    }

    @Test("slow performances read 0.00 in every row", arguments: [(8000, 0.5), (22_050, 1), (48_000, 0.75)])
    func slowPerformances(sampleRate: Int, speed: Double) throws {
        for number in 0..<3 {
            let draw = ModulationDraw(number, of: 3, seed: 5, speed: speed, sampleRate: sampleRate)
            let error = try #require(draw.errorsOfPerformance())
            for swing in [error.vibrato, error.tremolo, error.duet, error.tremulantPitch, error.tremulantLevel] {
                #expect(swing.depthLost < 0.005 && swing.shape < 0.005, "draw \(number): \(swing)")
            }
            for value in [
                error.trill, error.glide, error.steadyVoice, error.sectionVariation, error.sectionRate,
            ] { #expect(value < 0.005, "draw \(number)") }
            #expect(error.beats > 60, "draw \(number)")
        }
    }

    @Test("a vibrato that lost a tenth of its depth reads 10 %, and a disturbed vibrato wobbles")
    func vibrato() {
        let wanted = reader(swinging(cents: 50))
        let shallow = wanted.vibrato(performed(swinging(cents: 45)))
        #expect(abs(shallow.depthLost - 10) < 0.05 && shallow.shape < 0.01, "\(shallow)")
        let deep = wanted.vibrato(performed(swinging(cents: 55)))
        #expect(abs(deep.depthLost - 10) < 0.05, "\(deep)")
        let sound = performed(swinging(cents: 50))
        let disturbed = sound.indices.map { sound[max(0, $0 - ($0 / 4410) % 2)] }
        #expect(wanted.vibrato(disturbed).shape > 0.2)
    }

    @Test("a tremolo that lost ten points reads 10 points")
    func tremolo() {
        let shallow = reader(trembling(depth: 0.5)).tremolo(performed(trembling(depth: 0.4)))
        #expect(abs(shallow.depthLost - 10) < 0.01 && shallow.shape < 0.01, "\(shallow)")
        // A clipped envelope keeps the rate and loses the shape.
        let sound = performed(ModulatedTone(hertz: 220, harmonics: 1, seconds: 4))
        let square = sound.indices.map { frame in
            sound[frame] * (sin(2 * .pi * 5.25 * Double(frame) / Double(Self.rate)) > 0 ? 1.5 : 0.5)
        }
        #expect(reader(trembling(depth: 0.5)).tremolo(square).shape > 10)
    }

    @Test("a trill that is a cent out reads one cent, and an uneven glide reads its error")
    func trillAndGlide() {
        let trill = trilling(hertz: 330)
        #expect(abs(reader(trill).trill(performed(trilling(hertz: 330 * exp2(1.0 / 1200)))) - 1) < 0.01)
        let sound = performed(gliding)
        let disturbed = sound.indices.map { sound[max(0, $0 - ($0 / 4410) % 2)] }
        #expect(reader(gliding).glide(disturbed) > 0.2)
    }

    @Test("a constant delay costs nothing")
    func delay() {
        let vibrato = swinging(cents: 100, hertz: 110)
        for frames in [44, 400, 1500] {
            let late = reader(vibrato).vibrato(performed(vibrato, delayFrames: frames))
            #expect(late.depthLost < 0.01 && late.shape < 0.01, "\(frames) frames: \(late)")
        }
        for frames in [4, 44, 400] {
            #expect(reader(gliding).glide(performed(gliding, delayFrames: frames)) < 0.05, "\(frames) frames")
        }
        #expect(reader(gliding).glide(performed(gliding, delayFrames: 1500)) > 5, "34 ms are more than 10 ms")
    }

    @Test("beats at the speed's rate read as slowed beats")
    func beats() {
        let low = ModulatedTone(hertz: 440, harmonics: 2, seconds: 4)
        let apart = [443.0, 440 + 3 * Self.speed].map { upper in
            let tones = [low, ModulatedTone(hertz: upper, harmonics: 2, seconds: 4)]
            let sound = ModulatedTone.sum(tones, sampleRate: Self.rate, tempo: Self.speed)
            return reader(low).beats(sound, beatHertz: 3)
        }
        #expect(apart[0] > 60 && apart[1] < -60, "\(apart)")
    }

    @Test("silence, half of a sound and noise do not read as an exact performance")
    func nothing() {
        let vibrato = swinging(cents: 50)
        let sound = performed(vibrato)
        for wrong in [[Float](repeating: 0, count: sound.count), Array(sound.prefix(sound.count / 2))] {
            let swing = reader(vibrato).vibrato(wrong)
            #expect(swing.depthLost == .infinity && swing.shape == .infinity)
            #expect(reader(gliding).glide(wrong) == .infinity)
            #expect(reader(trilling(hertz: 330)).trill(wrong) == .infinity)
            #expect(reader(trembling(depth: 0.5)).tremolo(wrong).depthLost == .infinity)
        }
        #expect(reader(vibrato).vibrato(TestSignals.noise(seconds: 6)).shape > 10)
    }
}
