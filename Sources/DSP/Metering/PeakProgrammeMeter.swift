internal import Glibc

/// A quasi-peak meter, which reads short peaks lower than long ones (IEC 60268-10, types I and IIa).
///
/// The rectified signal charges two integrators, a fast and a slow one, which discharge evenly; the reading is their
/// weighted sum. Adriaensen found this way to meet the standard's table (jmeters, 2008). The constants here are our
/// own, fitted by least squares to the table of tone bursts of 5 kHz; from 32 kHz up they meet the table within a third
/// of the tolerances. At lower rates 5 kHz is too close to half the rate for the table to apply.
///
/// Readings are relative to the reading of a steady full-scale sine, 0 dB at every frequency. Samples that are not
/// finite, or beyond ±2^40, count as silence.
public struct PeakProgrammeMeter: Sendable {
    /// Speed of the rise and of the fall.
    public struct Ballistics: Sendable, Equatable {
        /// Charging rates of the slow and the quick store, per second.
        let slow, quick: Double
        /// The slow store's share of the reading.
        let slowShare: Double
        /// Speed of the fall, in dB a second.
        package let fallDecibelsPerSecond: Double

        /// Type I, as used in Germany and Scandinavia: a burst of 10 ms reads -1 dB; falls 20 dB in 1.7 s.
        public static let typeI = Ballistics(slow: 350, quick: 1010, slowShare: 0.34, fallDecibelsPerSecond: 20 / 1.7)
        /// Type IIa, of the BBC: a burst of 10 ms reads -2.5 dB; falls 24 dB in 2.8 s.
        public static let typeIIa = Ballistics(slow: 78, quick: 750, slowShare: 0.31, fallDecibelsPerSecond: 24 / 2.8)

        /// Discharging rate of the integrators, per second.
        var leak: Double { fallDecibelsPerSecond * log(10) / 20 }

        /// The unscaled reading for a steady full-scale sine; readings are divided by this value.
        var steadyReading: Double {
            slowShare * steadyReading(of: slow) + (1 - slowShare) * steadyReading(of: quick)
        }

        /// Returns a store's reading of a steady full-scale sine: the level where the gain at the tops equals the
        /// steady loss.
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
    package let channelCount: Int
    /// The stores have room for two meters; both are this meter.
    private var stores: QuasiPeaks

    /// Allocates all memory.
    ///
    /// - Parameters:
    ///   - ballistics: Speed of the rise and of the fall.
    ///   - channelCount: 1 to 64.
    ///   - sampleRate: 1 Hz or more; the meter meets the standard's table from 32 kHz up.
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

    /// Returns the reading of a channel at this moment, in dB relative to a steady full-scale sine; minus infinity for
    /// silence.
    ///
    /// - Parameter channel: 0 to one less than the number of channels.
    ///
    /// Real-time safe: no.
    public func decibels(channel: Int) -> Double {
        precondition(channel >= 0 && channel < channelCount, "There is no such channel.")
        return 20 * log10(stores.readings(channel: channel)[0])
    }

    /// The highest reading of any channel so far, in dB relative to a steady full-scale sine. Real-time safe: no.
    public var maximumDecibels: Double { 20 * log10(stores.highest[0]) }

    /// Returns the meter to its state after `init`. Real-time safe: no.
    public mutating func reset() { stores.reset() }
}
