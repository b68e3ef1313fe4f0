internal import Glibc

/// A short frequency sweep: its autocorrelation has a single sharp peak, so a ``MatchedFilter`` can find it.
///
/// The frequency rises evenly from 500 Hz to 12 kHz, at rates below 34.3 kHz to 0.35 of the rate: above hum, below the
/// filters of converters. The chirp fades in and out over its whole length (Hann), so the autocorrelation has no side
/// lobes.
package struct Chirp: Sendable, Hashable {
    /// Frames a second.
    package let sampleRate: Int
    /// The peak, full scale being 1.
    package let amplitude: Double
    /// The length: 40 ms.
    package let frameCount: Int

    private static let seconds = 0.04
    private static let lowestHz = 500.0
    private static let highestHz = 12_000.0
    private static let highestShareOfRate = 0.35

    /// Describes a chirp.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames a second, 8000 or more.
    ///   - amplitude: The peak, full scale being 1.
    ///
    /// Real-time safe: yes.
    package init(sampleRate: Int, amplitude: Double) {
        precondition(sampleRate >= 8000, "A chirp takes a rate of 8000 Hz or more.")
        self.sampleRate = sampleRate
        self.amplitude = amplitude
        frameCount = Int(Self.seconds * Double(sampleRate))
    }

    /// Returns the sound at any place from its beginning, in frames; 0 before the beginning and after the end.
    ///
    /// Real-time safe: no.
    package func value(atFrame frame: Double) -> Double {
        guard frame > 0, frame < Double(frameCount) else { return 0 }
        let highest = min(Self.highestHz, Self.highestShareOfRate * Double(sampleRate))
        let share = frame / Double(frameCount)
        // The integral of the frequency over time.
        let periods = (Self.lowestHz + (highest - Self.lowestHz) * share / 2) * frame / Double(sampleRate)
        return amplitude * (0.5 - 0.5 * cos(2 * .pi * share)) * sin(2 * .pi * periods)
    }

    /// The sound, frame by frame.
    ///
    /// Real-time safe: no.
    package var samples: [Float] { (0..<frameCount).map { Float(value(atFrame: Double($0))) } }
}
