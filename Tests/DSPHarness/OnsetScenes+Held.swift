// Sounds without onsets, however much they move.
internal import Glibc
import Stretching
import TestSupport

extension OnsetScenes {
    /// Vibrato, tremolo, swells, glissando, bowed notes, beating chords, noise: the only onset is at the start.
    mutating func held(seconds: Double) -> [LabelledSound] {
        let rate = Double(sampleRate)
        let noise = random.noise(Int(seconds * rate), amplitude: 0.3)
        func sound(_ name: String, permitted: [Double] = [0], _ make: (inout Track) -> Void) -> LabelledSound {
            var track = Track(seconds: seconds, sampleRate: sampleRate)
            make(&track)
            return LabelledSound(
                name: name, family: .none,
                block: SourceBlock([track.samples], firstFrame: 0, sampleRate: sampleRate), onsets: [],
                permitted: permitted.map { track.frame($0) })
        }
        func tone(
            _ track: inout Track, at start: Double = 0, seconds length: Double? = nil, harmonics: Int = 12,
            rise: Double = 0.1, pitch: @escaping (Double) -> Double, swell: @escaping (Double) -> Double = { _ in 1 }
        ) {
            track.sustained(
                at: track.frame(start), seconds: length ?? seconds, level: 0.1, rise: rise, fall: rise,
                harmonics: harmonics, pitch: pitch, swell: swell)
        }
        return [
            sound("sine") { tone(&$0, harmonics: 1, pitch: { _ in 997 }) },
            sound("five sines") { track in
                for pitch in [196.3, 441.7, 1003.1, 2517.9, 6011.3] {
                    tone(&track, harmonics: 1, pitch: { _ in pitch })
                }
            },
            sound("vibrato") { tone(&$0, pitch: { 440 * exp2(0.5 / 12 * sin(2 * .pi * 5.5 * $0)) }) },
            sound("wide vibrato") { tone(&$0, pitch: { 330 * exp2(1 / 12 * sin(2 * .pi * 6.5 * $0)) }) },
            sound("tremolo") { tone(&$0, pitch: { _ in 294 }, swell: { 0.6 + 0.4 * sin(2 * .pi * 6 * $0) }) },
            sound("swells") { tone(&$0, pitch: { _ in 220 }, swell: { 0.51 - 0.49 * cos(2 * .pi * 1.5 * $0) }) },
            sound("glissando") { tone(&$0, pitch: { 220 * exp2(min(2, $0)) }) },
            sound("fast glissando") {
                tone(&$0, pitch: { 220 * exp2(abs(($0 * 2).truncatingRemainder(dividingBy: 2) - 1)) })
            },
            sound("bowed notes") { track in
                for (index, pitch) in [220.0, 247, 262, 294, 330, 294].enumerated() {
                    tone(&track, at: Double(index), seconds: 1.05, rise: 0.12, pitch: { _ in pitch })
                }
            },
            sound("legato") { track in
                // A whole tone up every half second, over 60 ms.
                tone(
                    &track,
                    pitch: {
                        262 * exp2((floor($0 / 0.5) + min(1, $0.truncatingRemainder(dividingBy: 0.5) / 0.06)) / 6)
                    })
            },
            sound("beating chord") { track in
                for pitch in [110, 111.3, 138.6, 164.8, 166, 220.5] { tone(&track, pitch: { _ in pitch }) }
            },
            sound("noise") { $0.samples = noise },
            sound("noise with swells") { track in
                for index in noise.indices {
                    track.samples[index] = noise[index] * Float(0.5 - 0.5 * cos(2 * .pi * 4 * Double(index) / rate))
                }
            },
        ]
    }
}
