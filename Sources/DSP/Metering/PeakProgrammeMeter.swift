internal import Glibc

/// A quasi-peak meter, which reads short peaks lower than long ones (IEC 60268-10, types I and IIa).
///
/// The rectified signal charges two integrators, a fast and a slow one, which discharge evenly; the reading is their weighted
/// sum. This way to meet the standard's table is Adriaensen's (jmeters, 2008). The constants here are our own, fitted by
/// least squares to the table of tone bursts of 5 kHz; from 32 kHz up they meet it within a third of its
/// tolerances. At lower rates 5 kHz is too close to half the rate for the table to apply.
///
/// Readings are relative to that of a steady full-scale sine, which is 0 dB at every frequency. Samples that are not
/// finite, or beyond ±2^40, count as silence.
public struct PeakProgrammeMeter: Sendable {
    /// How quickly it rises, and how it falls.
    public struct Ballistics: Sendable, Equatable {
        /// The rates at which the slow and the quick store are charged, a second.
        let slow, quick: Double
        /// The slow store's share of the reading.
        let slowShare: Double
        /// How fast the reading falls, in dB a second.
        package let fallDecibelsPerSecond: Double

        /// Type I, as used in Germany and Scandinavia: a burst of 10 ms reads -1 dB; falls 20 dB in 1.7 s.
        public static let typeI = Ballistics(slow: 350, quick: 1010, slowShare: 0.34, fallDecibelsPerSecond: 20 / 1.7)
        /// Type IIa, of the BBC: a burst of 10 ms reads -2.5 dB; falls 24 dB in 2.8 s.
        public static let typeIIa = Ballistics(slow: 78, quick: 750, slowShare: 0.31, fallDecibelsPerSecond: 24 / 2.8)

        /// How fast the integrators discharge, a second.
        var leak: Double { fallDecibelsPerSecond * log(10) / 20 }

        /// What the meter reads of a steady full-scale sine, before it is scaled to 1.
        var steadyReading: Double {
            slowShare * steadyReading(of: slow) + (1 - slowShare) * steadyReading(of: quick)
        }

        /// What a store reads of a steady full-scale sine: where it gains as much at the tops as it loses all the time.
        func steadyReading(of charge: Double) -> Double {
            var (low, high) = (0.0, 1.0)
            for _ in 0..<60 {
                let middle = (low + high) / 2
                let gained = charge * ((1 - middle * middle).squareRoot() - middle * acos(middle)) * 2 / .pi
                if gained > leak * middle { low = middle } else { high = middle }
            }
            return (low + high) / 2
        }
    }

    /// Number of channels, 1 to 64.
    public let channelCount: Int
    /// They have room for two meters; both are this one.
    private var stores: QuasiPeaks

    /// Allocates all it needs.
    ///
    /// - Parameters:
    ///   - ballistics: How it moves.
    ///   - channelCount: 1 to 64.
    ///   - sampleRate: 1 Hz or more; the standard's table is met from 32 kHz up.
    ///
    /// Real-time safe: no.
    public init(_ ballistics: Ballistics, channelCount: Int, sampleRate: Int) {
        precondition((1...64).contains(channelCount), "A programme meter takes 1 to 64 channels.")
        precondition(sampleRate > 0, "There is no such rate.")
        self.channelCount = channelCount
        stores = QuasiPeaks(ballistics, ballistics, channelCount: channelCount, sampleRate: sampleRate)
    }

    /// Reads the next frames; blocks of any length give the same result.
    ///
    /// - Parameters:
    ///   - input: A pointer to the samples of each channel.
    ///   - frameCount: Frames of each channel, 0 or more.
    ///
    /// Real-time safe: no.
    public mutating func process(_ input: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) {
        precondition(frameCount >= 0, "A block has no negative length.")
        unsafe stores.process(input, frameCount: frameCount)
    }

    /// The reading of a channel at this moment, in dB of that of a steady full-scale sine; minus infinity for silence.
    ///
    /// - Parameter channel: 0 to one less than ``channelCount``.
    ///
    /// Real-time safe: no.
    public func decibels(channel: Int) -> Double {
        precondition(channel >= 0 && channel < channelCount, "There is no such channel.")
        return 20 * log10(stores.readings(channel: channel)[0])
    }

    /// The highest reading of any channel so far, in dB of that of a steady full-scale sine. Real-time safe: no.
    public var maximumDecibels: Double { 20 * log10(stores.highest[0]) }

    /// Begins anew: as after `init`. Real-time safe: no.
    public mutating func reset() { stores.reset() }
}
