internal import Glibc

/// Clicks before the first pass, so that a player can join in time.
public struct CountIn: Sendable, Hashable {
    /// Number of clicks, from 1 to 32.
    package let clicks: Int
    /// Clicks per minute, from 20 to 400.
    package let tempo: Double

    /// The permitted numbers of clicks.
    package static let clickRange = 1...32
    /// The permitted tempos, in clicks per minute.
    package static let tempoRange = 20.0...400.0

    /// Creates a count-in after checking the numbers.
    ///
    /// - Returns: nil if a number is out of range.
    public init?(clicks: Int = 4, tempo: Double = 100) {
        guard Self.clickRange.contains(clicks), Self.tempoRange.contains(tempo) else { return nil }
        (self.clicks, self.tempo) = (clicks, tempo)
    }

    /// Returns the length from the first click to the first sound, in frames.
    func frameCount(sampleRate: Int) -> Int { Int((Double(clicks) * 60 / tempo * Double(sampleRate)).rounded()) }

    /// Returns the clicks as samples of one channel: 25 ms each, a decaying tone, the first higher.
    func samples(sampleRate: Int) -> [Float] {
        let rate = Double(sampleRate)
        var samples = [Float](repeating: 0, count: frameCount(sampleRate: sampleRate))
        for click in 0..<clicks {
            let start = Int((Double(click) * 60 / tempo * rate).rounded())
            let frequency = click == 0 ? 1760.0 : 1175.0
            for offset in 0..<Int(0.025 * rate) where start + offset < samples.count {
                let seconds = Double(offset) / rate
                // An attack of a millisecond, so that the tone begins as a click and not as a crack.
                let level = min(1, seconds / 0.001) * exp(-seconds / 0.006) * 0.5
                samples[start + offset] = Float(level * sin(2 * .pi * frequency * seconds))
            }
        }
        return samples
    }
}
