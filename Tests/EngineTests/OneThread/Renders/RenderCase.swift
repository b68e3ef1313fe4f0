import AudioFiles
import SoundMeasures
import TestSupport

@testable import Clips
@testable import Engine

/// A recording and a plan whose sound `RenderTableTests` compares with the table.
struct RenderCase: Sendable {
    let name: String
    let sound: Sound
    /// Frames per second of the recording, in Hz.
    var fileRate = 44_100
    /// Frames per second of the clip; a recording of another rate is converted.
    var rate = 44_100
    var plan: @Sendable (inout PracticePlan) throws -> Void = { _ in }

    enum Sound: String, CaseIterable, Sendable {
        /// Two channels of chords and drums; noise in one, a tone in the other.
        case music
        /// A channel of speech.
        case voice
        /// Five held sines.
        case tones
        /// Speech, then music.
        case both

        var samples: [[Float]] { Self.made[self] ?? [] }

        private static let made: [Sound: [[Float]]] = [
            .music: TestSignals.wideMusic(seconds: 2.5), .voice: [TestSignals.voice(seconds: 2.5)],
            .tones: [TestSignals.fiveSines(seconds: 2)], .both: PassageTests.clip,
        ]
    }

    /// Two passes of most of the recording at 75 %, changed by `plan`.
    func render() throws -> RenderedSound {
        let samples = sound.samples
        let clip =
            fileRate == rate
            ? try Clip.inMemory(samples, sampleRate: rate)
            : try Clip(MemoryDecoder(samples, sampleRate: fileRate), sampleRate: rate, memoryBudget: 64 << 20)
        var plan = PracticePlan(
            sections: [try Section(clip.frameCount / 16..<clip.frameCount * 15 / 16)], passes: 2,
            speeds: .constant(try Speed(factor: 0.75)))
        try self.plan(&plan)
        return try RenderedSound(
            of: clip, score: Score(plan, for: clip))
    }
}

extension RenderCase {
    static let all = speeds + pitches + choices + joints + rates

    private static let speeds: [RenderCase] = [Sound.music, .voice, .tones].flatMap { sound in
        [0.25, 0.5, 0.6, 0.9, 1, 1.25, 2, 4].map { factor in
            RenderCase(name: "\(sound) at \(factor)", sound: sound) {
                $0.speeds = .constant(try Speed(factor: factor))
            }
        }
    }

    private static let pitches: [RenderCase] = [Sound.music, .voice].flatMap { sound in
        [-12, -0.3, 3, 7].map { semitones in
            RenderCase(name: "\(sound) by \(semitones) semitones", sound: sound) {
                $0.pitch = try Pitch(semitones: semitones)
                $0.passes = 1
            }
        }
    }

    private static let choices: [RenderCase] =
        [Sound.music, .voice].flatMap { sound in
            MaterialChoice.allCases.map { material in
                RenderCase(name: "\(sound) as \(material)", sound: sound) { $0.material = material }
            } + [
                RenderCase(name: "\(sound), light", sound: sound) { $0.quality = .light },
                RenderCase(name: "\(sound), varispeed", sound: sound) { $0.varispeed = true },
                RenderCase(name: "\(sound), reversed", sound: sound) { $0.reversed = true },
            ]
                + FormantChoice.allCases.map { formants in
                    RenderCase(name: "\(sound), formants: \(formants)", sound: sound) {
                        $0.formants = formants
                        $0.pitch = try Pitch(semitones: -4)
                        $0.passes = 1
                    }
                }
        } + [
            RenderCase(name: "both", sound: .both, fileRate: PassageTests.rate, rate: PassageTests.rate) {
                $0.passes = 1
            }
        ]

    private static let joints: [RenderCase] =
        Joint.allCases.map { joint in
            RenderCase(name: "joint: \(joint)", sound: .music) {
                $0.joint = joint
                $0.gap = .none
            }
        } + [
            RenderCase(name: "gap", sound: .voice) { $0.gap = .passLengths(0.25) },
            RenderCase(name: "ramp", sound: .music) {
                $0.speeds = .ramp(from: try Speed(factor: 0.6), to: try Speed(factor: 1), step: 0.2)
                $0.passes = 3
            },
            RenderCase(name: "glide", sound: .music) {
                $0.speeds = .glide(from: try Speed(factor: 0.5), to: try Speed(factor: 1.5))
            },
            RenderCase(name: "curve", sound: .voice) {
                $0.speeds = .curve(
                    [
                        SpeedPoint(at: 0, try Speed(factor: 0.5)), SpeedPoint(at: 20_000, .normal),
                        SpeedPoint(at: 50_000, try Speed(factor: 0.7), .glide),
                    ], repeatingEvery: 70_000)
            },
            RenderCase(name: "steps", sound: .tones) {
                $0.steps = [
                    PassStep(passes: 1, speed: try Speed(factor: 0.5)),
                    PassStep(passes: 2, speed: .normal, gap: .frames(4410)),
                ]
            },
        ]

    private static let rates: [RenderCase] =
        [Sound.music, .voice].flatMap { sound in
            [8000, 22_050, 48_000, 96_000, 192_000].map { rate in
                RenderCase(name: "\(sound) at \(rate) Hz", sound: sound, fileRate: rate, rate: rate)
            } + [
                RenderCase(name: "\(sound) from 44100 to 48000 Hz", sound: sound, rate: 48_000),
                RenderCase(name: "\(sound) from 96000 to 44100 Hz", sound: sound, fileRate: 96_000),
            ]
        }
}
