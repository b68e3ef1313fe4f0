internal import Glibc
internal import SoundMeasures
internal import TestSupport
import Testing

@testable import DSP

/// A melody on one instrument, played anew for each take: in another key, with other timing, and with its own
/// randomness.
struct PlayedTune: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let timbre: PitchedSound.Timbre
    /// The pitch of step 0 in Hz.
    let hertz: Double
    let steps: [Int]
    /// The length of each note.
    let seconds: Double
    /// The swing of the pitch within a note, in semitones.
    var vibrato = 0.0

    private static let figure = [0, 4, 7, 12, 7, 4, 2, -5, 0, 3, 7, 10, 9, 5, 2, 0]
    private static let octaves = [0, 2, 4, 5, 7, 9, 11, 12, 14, 16, 17, 19, 21, 23, 24]
    static let sung = PlayedTune(
        testDescription: "sung", timbre: .voice, hertz: 220, steps: [0, 2, 4, 5, 7, 4, 2, 0, -1, 0, 4, 7, 9, 7, 5, 0],
        seconds: 0.4, vibrato: 0.35)
    static let plucked = PlayedTune(
        testDescription: "plucked", timbre: .plucked, hertz: 220, steps: figure, seconds: 0.35)
    static let blown = PlayedTune(
        testDescription: "blown", timbre: .blown, hertz: 440, steps: [0, 2, 4, 5, 7, 4, 0, 7, 9, 7, 5, 4, 2, 0, -1, 0],
        seconds: 0.3)
    static let bass = PlayedTune(
        testDescription: "bass", timbre: .plucked, hertz: 73.4,
        steps: [0, 0, 12, 7, 5, 5, 10, 12, 2, 2, 7, 9, 7, 5, 3, 0],
        seconds: 0.4)
    static let scale = PlayedTune(
        testDescription: "a fast scale", timbre: .plucked, hertz: 196, steps: octaves + octaves.dropLast().reversed(),
        seconds: 0.13)
    static let all = [sung, plucked, blown, bass, scale]

    static let rate = 16_000

    /// Each tune as it is written, played and analysed once for all tests.
    private static let models = all.map { tune in
        let (sound, starts) = tune.take()
        return (starts: starts, sound: tune.compared(sound))
    }

    /// One of `all` as it is written: the beginning of each note in seconds, and the analysed sound.
    func model() throws -> (starts: [Double], sound: ComparedSound) {
        let index = Self.all.firstIndex { $0.testDescription == testDescription }
        return Self.models[try #require(index)]
    }

    /// A take, and the beginning of each note, in seconds.
    ///
    /// - Parameters:
    ///   - cents: Distance of all pitches above the original.
    ///   - ratio: Factor by which the take is slower.
    ///   - unevenness: Largest distance of a note from its time, in seconds.
    func take(
        cents: Double = 0, ratio: Double = 1, unevenness: Double = 0, seed: UInt64 = 1, rest: Double = 0.3,
        steps: [Int]? = nil
    ) -> (sound: PitchedSound, starts: [Double]) {
        var random = SeededGenerator(seed: seed)
        var sound = PitchedSound(sampleRate: Self.rate)
        sound.rest(rest)
        var (starts, end): ([Double], Double) = ([], rest)
        for step in steps ?? self.steps {
            starts.append(end)
            end += ratio * seconds + Double.random(in: -unevenness...unevenness, using: &random)
            let pitch = hertz * exp2((Double(step) + cents / 100) / 12)
            let length = end - Double(sound.samples.count) / Double(Self.rate)
            let vibrato = self.vibrato
            sound.play(timbre, seconds: length, random: &random) { pitch * exp2(vibrato * sin(35 * $0) / 12) }
        }
        sound.rest(rest)
        return (sound, starts)
    }

    func compared(_ sound: PitchedSound) -> ComparedSound {
        ComparedSound(sound.noisy(decibels: 50, seed: 3), sampleRate: Self.rate)
    }
}
