// The quality of a voice, alone and over music, and of plucked notes. The sounds are synthetic, so the figures are
// better than on recordings.
import Glibc
import SoundMeasures

/// The measurements of one contender's voices and notes at one speed.
struct VoiceRow: Sendable {
    /// Frames of a voice alone whose pitch is wrong by more than 200 cents, in percent.
    let grossErrors: Double
    let distance512: Double
    /// The change of the pulses' log2 kurtosis with a chord so many dB below the voice.
    let kurtosis12Below: Double
    let kurtosisAt0: Double
    /// The voice stretched, and brought back to the original speed.
    let backKurtosis: Double
    let backDistance512: Double
    let plucks: PluckMeasure

    init(_ contender: Contender, speed: Double) throws {
        func stretched(_ sound: [Float], speed: Double) throws -> [Float] {
            try contender.stretched([sound], speed: speed)[0]
        }
        func distance(_ sound: [Float], _ source: [Float], speed: Double) -> Double {
            let late = SpectralDistance.lateness(sound, source: source, speed: speed)
            return SpectralDistance.measure(sound, source: source, speed: speed, size: 512, offset: late)
        }
        let voice = TestSignals.voice()
        let kurtosis = PulseMeasure.logKurtosis(voice)
        let slow = try stretched(voice, speed: speed)
        grossErrors = PitchMeasure.grossErrors(slow, source: voice, speed: speed)
        distance512 = distance(slow, voice, speed: speed)
        let back = try stretched(slow, speed: 1 / speed)
        backKurtosis = PulseMeasure.logKurtosis(back) - kurtosis
        backDistance512 = distance(back, voice, speed: 1)
        // Long enough for the recognition of a voice.
        let speech = TestSignals.voice(seconds: 12)
        let chord = TestSignals.music(seconds: 12, drumLevel: 0)
        func change(below: Double) throws -> Double {
            let gain = Self.level(speech) / Self.level(chord) * Float(pow(10, -below / 20))
            let mix = zip(speech, chord).map { 0.5 * ($0 + gain * $1) }
            return PulseMeasure.logKurtosis(try stretched(mix, speed: speed)) - PulseMeasure.logKurtosis(mix)
        }
        kurtosis12Below = try change(below: 12)
        kurtosisAt0 = try change(below: 0)
        let slowNotes = try stretched(TestSignals.Plucks().samples, speed: speed)
        plucks = PluckMeasure(slowNotes, performance: TestSignals.Plucks(tempo: speed))
    }

    private static func level(_ sound: [Float]) -> Float {
        (sound.reduce(0) { $0 + $1 * $1 } / Float(sound.count)).squareRoot()
    }

    /// The rows of the table.
    static let quantities: [(Quantity, @Sendable (VoiceRow) -> Double)] = [
        (
            .init(name: "voice, pitch 200 cents wrong, %", key: "gross_percent", decimals: 2, better: .lower),
            { $0.grossErrors }
        ),
        (.init(name: "voice, LSD 512, dB", key: "voice_lsd512_db", decimals: 2, better: .lower), { $0.distance512 }),
        (
            .init(name: "chord 12 dB below, log2 kurtosis", key: "kurtosis_12", decimals: 2, better: .near(0)),
            { $0.kurtosis12Below }
        ),
        (
            .init(name: "chord at 0 dB, log2 kurtosis", key: "kurtosis_0", decimals: 2, better: .near(0)),
            { $0.kurtosisAt0 }
        ),
        (
            .init(name: "there and back, log2 kurtosis", key: "back_kurtosis", decimals: 2, better: .near(0)),
            { $0.backKurtosis }
        ),
        (
            .init(name: "there and back, LSD 512, dB", key: "back_lsd512_db", decimals: 2, better: .lower),
            { $0.backDistance512 }
        ),
        (
            .init(name: "plucked attacks, dB, median", key: "plucks_db", decimals: 1, better: .near(0)),
            { $0.plucks.level }
        ),
        (
            .init(name: "plucked attacks, dB, 10th percentile", key: "soft_plucks_db", decimals: 1, better: .near(0)),
            { $0.plucks.soft }
        ),
    ]
}
