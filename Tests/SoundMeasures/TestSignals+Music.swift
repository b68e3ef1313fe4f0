internal import Glibc
internal import TestSupport

extension TestSignals {
    /// Chords that die away and drum-like bursts over the chords, four to the second.
    ///
    /// - Parameter drumLevel: Level of the bursts; 0 leaves the chords alone.
    public static func music(seconds: Double = 6, seed: UInt64 = 5, drumLevel: Double = 0.5) -> [Float] {
        var generator = SeededGenerator(seed: seed)
        let length = Int(seconds * rate)
        var sound = [Double](repeating: 0, count: length)
        let roots = [220.0, 174.6, 196.0]
        let chordFrames = 2 * sampleRate
        for (index, start) in stride(from: 0, to: length, by: chordFrames).enumerated() {
            let end = min(start + chordFrames, length)
            for interval in [1, 1.26, 1.498, 2] {
                for partial in 1..<8 {
                    let step = 2 * .pi * roots[index % 3] * interval * Double(partial) / rate
                    let phase = Double.random(in: 0..<6, using: &generator)
                    for frame in start..<end {
                        let envelope = exp(-Double(frame - start) / (1.2 * rate))
                        sound[frame] += envelope * sin(step * Double(frame) + phase) / Double(partial) / 10
                    }
                }
            }
        }
        for time in stride(from: 0.1, to: seconds - 0.2, by: 0.25) {
            let start = Int(time * rate)
            for index in 0..<Int(0.12 * rate) {
                sound[start + index] += drumLevel * generator.gaussian() * exp(-Double(index) / (0.02 * rate))
            }
        }
        let peak = sound.reduce(1e-9) { max($0, abs($1)) }
        return sound.map { Float(0.5 * $0 / peak) }
    }

    /// The delay in frames of the right channel of `delayedMusic()`, and its level.
    public static let delay = (frames: 7, gain: 0.7)

    /// Music heard from the left: the right channel is the left one, later and softer.
    public static func delayedMusic() -> [[Float]] {
        let left = music()
        let silence = [Float](repeating: 0, count: delay.frames)
        return [left, silence + left.dropLast(delay.frames).map { Float(delay.gain) * $0 }]
    }

    /// Music in the middle, noise on the left only, a tone on the right only.
    public static func wideMusic(seconds: Double = 6) -> [[Float]] {
        let middle = music(seconds: seconds)
        let side = noise(seconds: seconds, seed: 9, amplitude: 0.05)
        let tone = sine(hertz: 523.25, seconds: seconds, amplitude: 0.05)
        return [middle.indices.map { middle[$0] + side[$0] }, middle.indices.map { middle[$0] + tone[$0] }]
    }
}
