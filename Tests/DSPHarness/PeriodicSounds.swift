// Periodic sounds that the tests of speech distinguish.
internal import Glibc
import TestSupport

private let periodicRate = 44100

/// Six seconds at 120 Hz, with a spectrum that falls by 6 dB per octave. The partials have the common phase of a pulse,
/// or drift apart by some hertz, as after a phase vocoder.
package func partialsVoice(hasPulses: Bool, polarity: Float = 1) -> [Float] {
    var random = SeededGenerator(seed: 3)
    let steps = (1...40).map { partial in
        let drift = hasPulses ? 0 : Double.random(in: -6...6, using: &random)
        return 2 * Double.pi * (Double(120 * partial) + drift) / Double(periodicRate)
    }
    return (0..<6 * periodicRate).map { frame in
        let sound = steps.enumerated().reduce(0.0) { sum, partial in
            sum + cos(partial.element * Double(frame)) / Double(partial.offset + 1)
        }
        return 0.1 * polarity * Float(sound)
    }
}

/// A saw that plays notes, gliding into each from a tone below, with vibrato.
package func glidingSolo(seconds: Double) -> [Float] {
    var random = SeededGenerator(seed: 4)
    var (pitch, target, phase, since, length) = (440.0, 440.0, 0.0, 0.0, 0.0)
    let step = 1 / Double(periodicRate)
    return (0..<Int(seconds * Double(periodicRate))).map { _ -> Float in
        if since >= length {
            (since, length) = (0, .random(in: 0.2...0.9, using: &random))
            target = 440 * exp2(Double(Int.random(in: -5...7, using: &random)) / 12)
            pitch = target * 0.9
        }
        since += step
        pitch += (target - pitch) * step / 0.05
        let vibrato: Double = exp2(0.02 * sin(2 * Double.pi * 5.5 * since) * min(1, since / 0.3))
        phase += pitch * vibrato * step
        let turn: Double = 2 * Double.pi * phase
        var sum = 0.0
        for partial in 1...20 { sum += sin(turn * Double(partial)) / Double(partial) }
        return Float(0.2 * sum)
    }
}

/// Four seconds of twelve equal harmonics, in phase: a pulse in each period.
///
/// - Parameter hertz: The pitch at a time in seconds.
package func pulseTrain(_ hertz: (Double) -> Double) -> [Float] {
    var phase = 0.0
    return (0..<4 * periodicRate).map { frame in
        phase += hertz(Double(frame) / Double(periodicRate)) / Double(periodicRate)
        let turn = 2 * Double.pi * phase
        return Float(0.1 * (1...12).reduce(0) { $0 + cos(Double($1) * turn) })
    }
}

/// A sound whose pulses are spread: 7 ms of noise as an echo turn every phase.
package func smeared(_ sound: [Float]) -> [Float] {
    var generator = SeededGenerator(seed: 5)
    let taps = (0..<300).map { _ in Float.random(in: -0.1...0.1, using: &generator) }
    return sound.indices.map { index in
        taps.indices.reduce(Float(0)) { index >= $1 ? $0 + taps[$1] * sound[index - $1] : $0 }
    }
}
