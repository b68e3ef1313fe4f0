// Modulated tones drawn at random, and their errors after stretching.
internal import Glibc
internal import TestSupport

/// The errors of a stretcher on one draw; all but the beats are 0 for a slow performance of the same tones.
public struct ModulationErrors: Sendable {
    /// A tone with vibrato.
    public let vibrato: ModulationReader.Swing
    /// A tone with a tremolo of 50 %.
    public let tremolo: ModulationReader.Swing
    /// A trill of two semitones, in cents.
    public let trill: Double
    /// A glide of an octave, in cents.
    public let glide: Double
    /// A voice with vibrato below a voice without.
    public let duet: ModulationReader.Swing
    /// The voice without vibrato, in cents.
    public let steadyVoice: Double
    /// The pitch of the lowest note of a chord on an organ, whose tremulant moves pitch and level.
    public let tremulantPitch: ModulationReader.Swing
    /// The level of that note.
    public let tremulantLevel: ModulationReader.Swing
    /// Two strings some hertz apart: the level of their beats at their own rate over beats at the speed's rate, in dB.
    public let beats: Double
    /// Ten voices in unison, each with its own vibrato: the change of their level's variation, per cent of the slow
    /// performance's.
    public let sectionVariation: Double
    /// The same for the rate of the level's changes.
    public let sectionRate: Double
}

/// One draw of every modulation, for reading stretched sounds.
///
/// The same at every sample rate and, up to normal speed, at every speed; only the number of harmonics is limited by
/// the sample rate, and swings are limited to a fifth of the pitch.
public struct ModulationDraw: Sendable {
    private let speed: Double
    private let sampleRate: Int
    private let vibrato: ModulatedTone
    private let tremolo: ModulatedTone
    private let trill: ModulatedTone
    private let glide: ModulatedTone
    /// The voice that is read first.
    private let duet: [ModulatedTone]
    private let tremulant: [ModulatedTone]
    private let unison: [ModulatedTone]
    private let section: [ModulatedTone]

    /// Draws the tones.
    ///
    /// - Parameter number: The draw's number, below `count`: pitches are spread evenly over all draws.
    public init(_ number: Int, of count: Int, seed: UInt64, speed: Double, sampleRate: Int) {
        (self.speed, self.sampleRate) = (speed, sampleRate)
        var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
        func share() -> Double { Double.random(in: 0..<1, using: &random) }
        func between(_ low: Double, _ high: Double) -> Double { low * pow(high / low, share()) }
        func linear(_ low: Double, _ high: Double) -> Double { low + (high - low) * share() }
        // As long in the output at twice the speed as at normal speed.
        let seconds = 4 * max(1, speed)
        func pitch(_ low: Double = 80, _ high: Double = 880) -> Double {
            low * pow(high / low, (Double(number) + share()) / Double(count))
        }
        func swing(_ hertz: Double) -> Double { between(2, min(16, hertz / (5 * max(1, speed)))) }
        func tone(_ hertz: Double, _ pitch: ModulatedTone.Pitch, _ tremolo: ModulatedTone.Tremolo? = nil)
            -> ModulatedTone
        {
            var highest = hertz * 1.1
            switch pitch {
            case .trill(_, let cents), .glide(_, _, let cents): highest *= exp2(cents / 1200)
            default: break
            }
            let most = ModulatedTone.mostHarmonics(ofHertz: highest, sampleRate: sampleRate)
            return ModulatedTone(
                hertz: hertz, harmonics: min(most, 1 + Int(12 * share())), seconds: seconds, pitch: pitch,
                tremolo: tremolo)
        }
        var hertz = pitch()
        vibrato = tone(hertz, .vibrato(swingHertz: swing(hertz), cents: linear(20, 100)))
        hertz = pitch()
        tremolo = tone(hertz, .steady, .init(swingHertz: swing(hertz), depth: 0.5))
        trill = tone(pitch(), .trill(changesPerSecond: 6, cents: 200))
        glide = tone(pitch(), .glide(start: 0.25 * seconds, seconds: linear(0.4, 2), cents: 1200))
        // About a fifth apart, so that no harmonic lies near the other voice's first harmonic.
        hertz = pitch(220, 440)
        duet = [
            tone(hertz, .vibrato(swingHertz: between(4, 6.5), cents: linear(20, 50))),
            tone(hertz * linear(1.42, 1.54), .steady),
        ]
        hertz = pitch(200, 440)
        let (swings, cents, depth) = (between(5, 7), linear(5, 25), linear(0.1, 0.3))
        tremulant = [1, 1.26, 1.498].map {
            tone(hertz * $0, .vibrato(swingHertz: swings, cents: cents), .init(swingHertz: swings, depth: depth))
        }
        hertz = pitch()
        unison = [tone(hertz, .steady), tone(hertz + between(1, 8), .steady)]
        hertz = pitch(110, 660)
        section = (0..<10).map { _ in
            tone(
                hertz * exp2(linear(-10, 10) / 1200),
                .vibrato(swingHertz: linear(4, 7), cents: linear(20, 50), turns: share()))
        }
    }

    /// The errors of stretchers, each a function from a sound to the stretched sound.
    public func errors(of stretchers: [([Float]) throws -> [Float]]) throws -> [ModulationErrors] {
        try errors { tones in
            let source = ModulatedTone.sum(tones, sampleRate: sampleRate)
            return try stretchers.map { try $0(source) }
        }
    }

    /// The errors of a performance at the tempo of the speed; at normal speed, of an unchanged copy. The measure is
    /// right if all are 0.
    public func errorsOfPerformance() -> ModulationErrors? {
        errors { [performed($0)] }.first
    }

    private func performed(_ tones: [ModulatedTone]) -> [Float] {
        ModulatedTone.sum(tones, sampleRate: sampleRate, tempo: speed)
    }

    /// The errors of several stretchers, given the sounds that they make of tones.
    private func errors<Failure: Error>(
        _ play: ([ModulatedTone]) throws(Failure) -> [[Float]]
    ) throws(Failure) -> [ModulationErrors] {
        func reader(_ tone: ModulatedTone, neighbours: [Double] = []) -> ModulationReader {
            ModulationReader(tone, speed: speed, sampleRate: sampleRate, neighbours: neighbours)
        }
        let vibratos = try play([vibrato]).map(reader(vibrato).vibrato)
        let tremolos = try play([tremolo]).map(reader(tremolo).tremolo)
        let trills = try play([trill]).map(reader(trill).trill)
        let glides = try play([glide]).map(reader(glide).glide)
        let moving = reader(duet[0], neighbours: [duet[1].hertz])
        let steady = reader(duet[1], neighbours: [duet[0].hertz, 2 * duet[0].hertz])
        let duets = try play(duet).map { (moving.vibrato($0), steady.steadiness($0)) }
        let lowest = reader(tremulant[0], neighbours: [tremulant[1].hertz])
        let tremulants = try play(tremulant).map { (lowest.vibrato($0), lowest.tremolo($0)) }
        let middle = reader(ModulatedTone(hertz: unison[0].hertz, harmonics: 1, seconds: unison[0].seconds))
        let beats = try play(unison).map { middle.beats($0, beatHertz: unison[1].hertz - unison[0].hertz) }
        let sections = try play(section).map(sectionError())
        return sections.indices.map { index in
            ModulationErrors(
                vibrato: vibratos[index], tremolo: tremolos[index], trill: trills[index], glide: glides[index],
                duet: duets[index].0, steadyVoice: duets[index].1, tremulantPitch: tremulants[index].0,
                tremulantLevel: tremulants[index].1, beats: beats[index], sectionVariation: sections[index].0,
                sectionRate: sections[index].1)
        }
    }

    /// The change of the level's variation and of its rate.
    private func sectionError() -> ([Float]) -> (Double, Double) {
        let middle = pow(section.reduce(1) { $0 * $1.hertz }, 1 / Double(section.count))
        let reader = ModulationReader(
            ModulatedTone(hertz: middle, harmonics: 1, seconds: section[0].seconds), speed: speed,
            sampleRate: sampleRate)
        let truth = reader.fluctuation(performed(section))
        return { sound in
            guard let truth, let found = reader.fluctuation(sound) else { return (.infinity, .infinity) }
            return (
                abs(100 * (found.variation / truth.variation - 1)), abs(100 * (found.rate / truth.rate - 1))
            )
        }
    }
}
