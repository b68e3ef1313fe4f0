// The quality of a stretcher's sound, measured on signals whose every detail is known.
import Glibc
import SoundMeasures

/// All measurements of one contender at one speed.
struct SoundRow: Sendable {
    let sine: ToneMeasure
    let fiveSines: ToneMeasure
    let vibrato: ModulationReader.Swing
    /// Semitones from A3 to E6, held.
    let semitones: [HeldToneMeasure]
    /// The same semitones, with one tone left and another right.
    let splitSemitones: [HeldToneMeasure]
    /// Notes from E1 to B2, and the power of their beats over the power of beats at the speed's rate, in dB.
    let lowNotes: [HeldToneMeasure]
    let beats: [Double]
    /// Four channels with tones 100 Hz apart.
    let channels: [HeldToneMeasure]
    let clicks: AttackMeasure
    let clicksInChord: AttackMeasure
    let edges: EdgeMeasure
    let noise: NoiseMeasure
    let coherence: Double
    let sideGain: Double
    let startLevel: Double
    let distance512: Double
    let distance4096: Double
    let kurtosis: Double
    /// The peak of music limited at full scale, in dB above full scale.
    let overload: Double

    /// The lower tones of the semitones, in Hz.
    private static let roots = [220.0, 277.2, 349.2, 440, 554.4, 698.5, 880, 1108.7, 1318.5]

    init(_ contender: Contender, speed: Double) throws {
        func stretched(_ sound: [Float]) throws -> [Float] { try contender.stretched([sound], speed: speed)[0] }
        let tone = TestSignals.sine()
        let stretchedTone = try stretched(tone)
        sine = ToneMeasure(stretchedTone, hertz: [997])
        startLevel = StartLevel.measure(stretchedTone, source: tone, speed: speed)
        fiveSines = ToneMeasure(try stretched(TestSignals.fiveSines()), hertz: TestSignals.fiveFrequencies)
        let swinging = TestSignals.vibrato
        let rate = TestSignals.sampleRate
        vibrato = ModulationReader(swinging, speed: speed, sampleRate: rate)
            .vibrato(try stretched(swinging.samples(sampleRate: rate)))
        semitones = try Self.roots.map { root in
            let tones = [root, root * TestSignals.semitone]
            return HeldToneMeasure(try stretched(TestSignals.dyad(tones[0], tones[1])), hertz: tones)
        }
        splitSemitones = try Self.roots.flatMap { root in
            let tones = [root, root * TestSignals.semitone]
            let sides = try contender.stretched(
                tones.map { TestSignals.sine(hertz: $0, seconds: 3, amplitude: 0.4) }, speed: speed)
            return zip(sides, tones).map { HeldToneMeasure($0, hertz: [$1]) }
        }
        let notes = [41.2, 61.7, 82.4, 123.5]
        let slowNotes = try notes.map { try stretched(TestSignals.lowNote($0)) }
        lowNotes = zip(notes, slowNotes).map { note, sound in
            HeldToneMeasure(sound, hertz: (1...Int(5000 / note)).map { note * Double($0) })
        }
        beats = zip(notes, slowNotes).map { note, sound in
            HeldToneMeasure.beats(sound, note: note, slowed: note * speed)
        }
        let apart = (0..<4).map { 611.3 + 100 * Double($0) }
        let slowTones = try contender.stretched(
            apart.map { TestSignals.sine(hertz: $0, seconds: 3) }, speed: speed)
        channels = zip(apart, slowTones).map { HeldToneMeasure($1, hertz: [$0]) }
        let alone = TestSignals.Clicks()
        clicks = AttackMeasure(
            try stretched(alone.samples), places: alone.frames.map { Double($0) / speed }, peak: alone.peak)
        let chord = TestSignals.Clicks(seed: 7, chordDecibels: -14)
        clicksInChord = AttackMeasure(
            try stretched(chord.samples), places: chord.frames.map { Double($0) / speed },
            peak: chord.peak(aboveHertz: 2000), aboveHertz: 2000)
        let gates = TestSignals.Gates()
        edges = EdgeMeasure(try stretched(gates.samples), of: gates, speed: speed)
        noise = NoiseMeasure(try stretched(TestSignals.noise()))
        coherence = StereoMeasure(try contender.stretched(TestSignals.delayedMusic(), speed: speed)).coherence
        let wide = TestSignals.wideMusic()
        sideGain = StereoMeasure.sideGain(try contender.stretched(wide, speed: speed), source: wide)
        // As records are made: much louder than would fit, and limited at full scale.
        let highest = wide.joined().reduce(0) { max($0, abs($1)) }
        let limited = wide.map { $0.map { min(1, max(-1, 4 * $0 / highest)) } }
        let loud = try contender.stretched(limited, speed: speed)
        overload = 20 * log10(Double(loud.joined().reduce(0) { max($0, abs($1)) }))
        let music = TestSignals.music()
        let slow = try stretched(music)
        let late = SpectralDistance.lateness(slow, source: music, speed: speed)
        distance512 = SpectralDistance.measure(slow, source: music, speed: speed, size: 512, offset: late)
        distance4096 = SpectralDistance.measure(slow, source: music, speed: speed, size: 4096, offset: late)
        let voice = TestSignals.voice()
        kurtosis = PulseMeasure.logKurtosis(try stretched(voice)) - PulseMeasure.logKurtosis(voice)
    }

    /// The rows of the table, in the order of the targets.
    static let quantities: [(Quantity, @Sendable (SoundRow) -> Double)] = [
        (.init(name: "sine SNR, dB", key: "sine_snr_db", decimals: 1, better: .higher), { $0.sine.snr }),
        (
            .init(name: "five sines SNR, dB", key: "five_sines_snr_db", decimals: 1, better: .higher),
            { $0.fiveSines.snr }
        ),
        (
            .init(name: "vibrato wobble, cents", key: "wobble_cents", decimals: 3, better: .lower),
            { $0.vibrato.shape }
        ),
        (
            .init(name: "a held semitone, cents, median", key: "semitone_cents", decimals: 2, better: .lower),
            { middle($0.semitones.map(\.cents)) }
        ),
        (
            .init(name: "a held semitone, cents, worst", key: "worst_semitone_cents", decimals: 2, better: .lower),
            { $0.semitones.map(\.cents).max() ?? .nan }
        ),
        (
            .init(name: "left and right, cents, median", key: "split_semitone_cents", decimals: 2, better: .lower),
            { middle($0.splitSemitones.map(\.cents)) }
        ),
        (
            .init(name: "left and right, cents, worst", key: "worst_split_semitone_cents", decimals: 2, better: .lower),
            { $0.splitSemitones.map(\.cents).max() ?? .nan }
        ),
        (
            .init(name: "low notes, beats, dB, median", key: "beats_db", decimals: 1, better: .higher),
            { middle($0.beats) }
        ),
        (
            .init(name: "low notes, beats, dB, worst", key: "worst_beats_db", decimals: 1, better: .higher),
            { $0.beats.min() ?? .nan }
        ),
        (
            .init(name: "low notes, purity, dB, median", key: "low_purity_db", decimals: 1, better: .higher),
            { middle($0.lowNotes.map(\.purity)) }
        ),
        (
            .init(name: "low notes, purity, dB, worst", key: "worst_low_purity_db", decimals: 1, better: .higher),
            { $0.lowNotes.map(\.purity).min() ?? .nan }
        ),
        (
            .init(name: "four channels, purity, dB, median", key: "apart_db", decimals: 1, better: .higher),
            { middle($0.channels.map(\.purity)) }
        ),
        (
            .init(name: "four channels, purity, dB, worst", key: "worst_apart_db", decimals: 1, better: .higher),
            { $0.channels.map(\.purity).min() ?? .nan }
        ),
        (
            .init(name: "peak of limited music, dB", key: "overload_db", decimals: 2, better: .least),
            { $0.overload }
        ),
        (.init(name: "pre-echo, dB", key: "pre_echo_db", decimals: 1, better: .least), { $0.clicks.preEcho }),
        (
            .init(name: "pre-echo in a chord, dB", key: "chord_pre_echo_db", decimals: 1, better: .least),
            { $0.clicksInChord.preEcho }
        ),
        (.init(name: "attack time error, ms rms", key: "jitter_ms", decimals: 3, better: .lower), { $0.clicks.jitter }),
        (
            .init(name: "attack peak, dB", key: "peak_db", decimals: 2, better: .near(0)), { $0.clicks.peak }
        ),
        (
            .init(name: "attacks doubled or lost", key: "doubled_or_lost", decimals: 0, better: .lower),
            { row in
                let counts = [row.clicks, row.clicksInChord].map { $0.doubled + $0.missing }
                return Double(counts.reduce(0, +))
            }
        ),
        (.init(name: "edge leak, dB", key: "edge_leak_db", decimals: 1, better: .least), { $0.edges.leak }),
        (.init(name: "edge rise, ms", key: "rise_ms", decimals: 1, better: .lower), { $0.edges.rise }),
        (.init(name: "noise CV (0.523)", key: "noise_cv", decimals: 3, better: .near(0.523)), { $0.noise.variation }),
        (.init(name: "noise echo", key: "noise_echo", decimals: 3, better: .lower), { $0.noise.echo }),
        (.init(name: "stereo coherence", key: "coherence", decimals: 4, better: .higher), { $0.coherence }),
        (.init(name: "side level, dB", key: "side_db", decimals: 2, better: .near(0)), { $0.sideGain }),
        (.init(name: "first 5 ms, dB", key: "first_5ms_db", decimals: 2, better: .near(0)), { $0.startLevel }),
        (.init(name: "LSD 512, music, dB", key: "lsd512_db", decimals: 2, better: .lower), { $0.distance512 }),
        (.init(name: "LSD 4096, music, dB", key: "lsd4096_db", decimals: 2, better: .lower), { $0.distance4096 }),
        (
            .init(name: "voice, log2 kurtosis", key: "log2_kurtosis", decimals: 2, better: .near(0)), { $0.kurtosis }
        ),
    ]
}

/// The upper of the two in the middle.
private func middle(_ values: [Double]) -> Double { values.isEmpty ? .nan : values.sorted()[values.count / 2] }
