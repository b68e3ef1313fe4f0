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

    /// Both stores of two channels: slow and slow, quick and quick.
    typealias Stores = SIMD4<Double>

    private struct Coefficients: Sendable {
        /// What is left of a store after a frame without sound, and with; and what of the sample is added.
        let kept, charged, added: Stores

        init(_ ballistics: Ballistics, sampleRate: Int) {
            let rate = Double(sampleRate)
            let steady =
                ballistics.slowShare * ballistics.steadyReading(of: ballistics.slow)
                + (1 - ballistics.slowShare) * ballistics.steadyReading(of: ballistics.quick)
            let leak = exp(-ballistics.leak / rate)
            let (slow, quick) = (exp(-ballistics.slow / rate), exp(-ballistics.quick / rate))
            kept = Stores(repeating: leak)
            charged = Stores(slow, slow, quick, quick) * leak
            // The stores are kept as shares of the reading, so that it is their plain sum.
            let (slowPart, quickPart) = (
                (1 - slow) * ballistics.slowShare / steady, (1 - quick) * (1 - ballistics.slowShare) / steady
            )
            added = Stores(slowPart, slowPart, quickPart, quickPart)
        }
    }

    private struct State: Sendable {
        var stores = Stores()
        var highest = SIMD2<Double>()
    }

    /// Number of channels, 1 to 64.
    public let channelCount: Int
    private let coefficients: Coefficients
    private var pairs: [State]

    /// The interval at which nearly discharged integrators are set to zero: arithmetic on subnormal numbers takes a hundred
    /// times as long.
    private static let pieceFrames = 4096

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
        coefficients = Coefficients(ballistics, sampleRate: sampleRate)
        pairs = [State](repeating: State(), count: (channelCount + 1) / 2)
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
        unsafe forEachPair(input, channelCount, frameCount, pieceFrames: PeakProgrammeMeter.pieceFrames) {
            unsafe read($1, $2, $3, &pairs[$0])
        }
    }

    private func read(
        _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, _ count: Int, _ state: inout State
    ) {
        let (kept, charged, added) = (coefficients.kept, coefficients.charged, coefficients.added)
        var (stores, highest) = (state.stores, state.highest)
        for index in 0..<count {
            let first = unsafe Double(measurable(left[index]).magnitude)
            let second = unsafe Double(measurable(right[index]).magnitude)
            // A store that stands higher than the sample is not charged: the larger of both ways is the right one.
            let (leaking, charging) = (kept * stores, charged * stores + added * Stores(first, second, first, second))
            stores = leaking.replacing(with: charging, where: charging .> leaking)
            let reading = stores.lowHalf + stores.highHalf
            highest.replace(with: reading, where: reading .> highest)
        }
        for lane in 0..<Stores.scalarCount where stores[lane] < 1e-30 { stores[lane] = 0 }
        (state.stores, state.highest) = (stores, highest)
    }

    /// The reading of a channel at this moment, in dB of that of a steady full-scale sine; minus infinity for silence.
    ///
    /// - Parameter channel: 0 to one less than ``channelCount``.
    ///
    /// Real-time safe: no.
    public func decibels(channel: Int) -> Double {
        precondition(channel >= 0 && channel < channelCount, "There is no such channel.")
        let stores = pairs[channel / 2].stores
        return 20 * log10(stores[channel % 2] + stores[channel % 2 + 2])
    }

    /// The highest reading of any channel so far, in dB of that of a steady full-scale sine. Real-time safe: no.
    public var maximumDecibels: Double { 20 * log10(pairs.reduce(0) { max($0, $1.highest.max()) }) }

    /// Begins anew: as after `init`. Real-time safe: no.
    public mutating func reset() { for pair in pairs.indices { pairs[pair] = State() } }
}
