// Sounds for the tests of the search for phrases: syllables, noise and rooms. Not beside the tests, because those
// compile without optimisation: a loop over samples takes a hundred times as long there.
package import DSP
internal import Glibc
internal import Samples
package import TestSupport

/// A syllable of a voice, or of breath, that rises within 12 ms and falls within 35 ms.
///
/// - Parameters:
///   - pitch: In Hz; breath has none.
///   - sampleRate: Frames a second.
package func syllable(
    frameCount: Int, pitch: Double, level: Double, isBreath: Bool, sampleRate: Int, by random: inout SeededGenerator
) -> [Float] {
    let rate = Double(sampleRate)
    let (attack, decay) = (0.012 * rate, 0.035 * rate)
    var samples: [Float] = []
    samples.reserveCapacity(frameCount)
    for frame in 0..<frameCount {
        let envelope = min(1, Double(frame) / attack, Double(frameCount - frame) / decay)
        var value = 0.0
        if isBreath {
            value = Double.random(in: -0.5...0.5, using: &random)
        } else {
            for harmonic in 1...8 {
                let phase = 2 * .pi * pitch * Double(harmonic) * Double(frame) / rate
                value += sin(phase) / Double(harmonic)
            }
        }
        samples.append(Float(value * envelope * level))
    }
    return samples
}

/// Disturbances of a recording of speech.
package enum SpeechCondition: String, CaseIterable, Sendable {
    case clean, quiet, white, pink, hum, offset

    /// The recording in this condition; noise and hum are 20 dB below the speech.
    ///
    /// - Parameters:
    ///   - speech: The frames of speech in `samples`, the measure of the noise.
    ///   - sampleRate: Frames a second.
    package func spoilt(
        _ samples: [Float], speech: [Range<Int>], sampleRate: Int, by random: inout SeededGenerator
    ) -> [Float] {
        let speech = speech.flatMap { samples[$0] }
        let level = (speech.reduce(0) { $0 + $1 * $1 } / Float(speech.count)).squareRoot()
        var slow: Float = 0
        return samples.enumerated().map { frame, sample in
            let white = Float.random(in: -1...1, using: &random) * Float(3).squareRoot()
            switch self {
            case .clean: return sample
            case .quiet: return sample * 0.01
            case .white: return sample + white * level * 0.1
            case .pink:
                slow = 0.95 * slow + 0.3 * white
                return sample + slow * level * 0.1
            case .hum: return sample + sin(2 * .pi * 50 * Float(frame) / Float(sampleRate)) * level * 0.1
            case .offset: return sample + 0.2
            }
        }
    }
}

/// Speech at 16 kHz in a room with a reverberation time (60 dB) of 0.2 s.
package func reverberant(_ samples: [Float], by random: inout SeededGenerator) -> [Float] {
    var tail: Float = 0
    return samples.map { sample in
        tail = max(abs(sample), tail * 0.9978)
        return sample + Float.random(in: -1.7...1.7, using: &random) * tail * 0.05
    }
}

/// The levels of one channel, measured in one block.
package func phraseLevels(of samples: [Float], sampleRate: Int) -> PhraseLevels {
    var levels = PhraseLevels(sampleRate: sampleRate, channelCount: 1)
    let block = PlanarBuffer(channelCount: 1, frameCount: max(1, samples.count))
    for (index, sample) in samples.enumerated() { unsafe block.channel(0)[index] = sample }
    unsafe levels.process(UnsafePointer(block.channels), frameCount: samples.count)
    return levels
}
