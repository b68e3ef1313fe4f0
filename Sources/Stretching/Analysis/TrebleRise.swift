internal import Glibc

/// The rise of the sound above 1 kHz at an attack.
///
/// The novelty of an onset is a mean over all bands. A bass note under the ringing of the note before therefore has a
/// weak novelty, even where its pluck is clearly heard. A stretcher would soften the pluck, and the pluck lies above 1
/// kHz.
struct TrebleRise {
    private let sampleRate: Double
    /// The two sections of a high-pass of order four at 1 kHz (Butterworth): one gain for both,
    /// `b = gain * (1, -2, 1)`.
    private let sections: [(gain: Double, a1: Double, a2: Double)]

    /// Length of the compared parts of the sound.
    private static let partSeconds = 0.006
    /// Range of memory before the cut: the attack must exceed parts that end within this time, as a listener does not
    /// forget them.
    private static let memorySeconds = 0.012
    /// An attack's loudest part begins within this time.
    private static let beginningSeconds = 0.003
    private static let warmUpSeconds = 0.006

    init(sampleRate: Int) {
        self.sampleRate = Double(sampleRate)
        let tangent = tan(.pi * min(0.2, 1000 / self.sampleRate))
        sections = [1.847759, 0.765367].map { damping in
            let scale = 1 / (1 + damping * tangent + tangent * tangent)
            return (
                scale, 2 * (tangent * tangent - 1) * scale, (1 - damping * tangent + tangent * tangent) * scale
            )
        }
    }

    /// Returns the rise in dB over the loudest 6 ms shortly before.
    func rise(in block: SourceBlock, cut: Int64, attack: Int64) -> Double {
        func frames(_ seconds: Double) -> Int { max(1, Int(seconds * sampleRate)) }
        let (part, memory, beginning) = (
            frames(Self.partSeconds), frames(Self.memorySeconds), frames(Self.beginningSeconds)
        )
        let lead = frames(Self.warmUpSeconds) + memory + part
        let first = cut - Int64(lead)
        let count = Int(attack - first) + beginning + part
        var power = [Double](repeating: 0, count: count)
        for samples in block.channels {
            var states = sections.map { _ in (0.0, 0.0) }
            for index in 0..<count {
                let place = first + Int64(index) - block.firstFrame
                var value = place >= 0 && place < Int64(samples.count) ? Double(samples[Int(place)]) : 0
                for (number, section) in sections.enumerated() {
                    let input = section.gain * value
                    value = input + states[number].0
                    states[number] = (states[number].1 - 2 * input - section.a1 * value, input - section.a2 * value)
                }
                power[index] += value * value
            }
        }
        let sums = RunningSum(power)
        func loudest(_ starts: ClosedRange<Int>) -> Double { starts.reduce(0) { max($0, sums.mean($1..<$1 + part)) } }
        let before = loudest(lead - memory - part...lead - part)
        let after = loudest(count - beginning - part...count - part)
        return 10 * log10((after + 1e-14) / (before + 1e-14))
    }
}
