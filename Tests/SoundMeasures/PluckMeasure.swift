// Compares plucked notes with a truly slow performance of the same score.
internal import Glibc
internal import TestSupport

extension TestSignals {
    /// Overlapping plucked notes: sixteen partials that begin at once and die away, the higher partials sooner.
    public struct Plucks: Sendable {
        /// The first frame of each note.
        public let frames: [Int]
        /// The sound.
        public let samples: [Float]

        /// Twenty-four notes, as a player plays them at a tempo: the notes begin later, and die away at an unchanged
        /// rate.
        ///
        /// - Parameter tempo: 1, or less for a slow performance.
        public init(tempo: Double = 1, seed: UInt64 = 12) {
            var generator = SeededGenerator(seed: seed)
            var time = 0.3
            var notes: [(frame: Int, hertz: Double, level: Double)] = []
            for _ in 0..<24 {
                let hertz = 110 * exp2(Double(Int.random(in: 0...28, using: &generator)) / 12)
                notes.append((Int(time / tempo * rate), hertz, Double.random(in: 0.1..<0.3, using: &generator)))
                time += Double.random(in: 0.18..<0.36, using: &generator)
            }
            var sound = [Double](repeating: 0, count: Int((time / tempo + 1) * rate))
            for note in notes {
                for partial in 1...16 {
                    let frequency = note.hertz * Double(partial)
                    guard frequency < 16_000 else { break }
                    let decay = exp(-(2 + frequency / 700) / rate)
                    let phase = Double.random(in: 0..<2 * .pi, using: &generator)
                    var level = note.level / Double(partial)
                    for frame in note.frame..<min(sound.count, note.frame + Int(1.5 * rate)) {
                        sound[frame] += level * sin(2 * .pi * frequency * Double(frame - note.frame) / rate + phase)
                        level *= decay
                    }
                }
            }
            frames = notes.map(\.frame)
            samples = sound.map { Float($0) }
        }
    }
}

/// Strength of the attacks of stretched notes.
public struct PluckMeasure: Sendable {
    /// The level above 1 kHz in the 6 ms around each attack, over the slow performance's level, in dB: the middle of
    /// all.
    public let level: Double
    /// The tenth percentile of the same.
    public let soft: Double

    /// Compares a stretched sound with a slow performance.
    ///
    /// - Parameter performance: The notes at the tempo of the stretched sound.
    public init(_ sound: [Float], performance: TestSignals.Plucks) {
        let ours = Filter.highPass(sound.map { Double($0) }, hertz: 1000)
        let theirs = Filter.highPass(performance.samples.map { Double($0) }, hertz: 1000)
        let (before, after) = (Int(0.001 * TestSignals.rate), Int(0.005 * TestSignals.rate))
        let levels = performance.frames.filter { $0 - before >= 0 && $0 + after <= min(ours.count, theirs.count) }
            .map { frame in
                let near = frame - before..<frame + after
                let (energy, expected) = (
                    near.reduce(0) { $0 + ours[$1] * ours[$1] }, near.reduce(0) { $0 + theirs[$1] * theirs[$1] }
                )
                return decibels(energy / max(expected, 1e-20))
            }.sorted()
        level = levels.isEmpty ? .nan : levels[levels.count / 2]
        soft = levels.isEmpty ? .nan : levels[levels.count / 10]
    }
}
