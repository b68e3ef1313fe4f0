internal import Glibc

/// A volume indicator (VU meter), whose needle moves slowly enough for the eye to follow speech (IEC 60268-17).
///
/// The rectified signal moves a needle with mass, spring and damping: it reaches 99 % of a sudden tone in 300 ms and
/// goes 1.25 % beyond, in the middle of what the standard allows (1 to 1.5 %). The needle's equation is solved exactly
/// from frame to frame, so the rate does not matter. Readings are relative to that of a steady full-scale sine; where 0
/// VU lies (+4 dBu, often -18 or -20 dB of full scale) is for the caller to say. Samples that are not finite, or beyond
/// ±2^40, count as silence.
public struct VolumeUnitMeter: Sendable {
    private typealias Pair = SIMD2<Double>

    /// The needle from one frame to the next: its place and pace, by those before and by the force.
    private struct Coefficients: Sendable {
        let placeByPlace, placeByPace, placeByForce, paceByPlace, paceByPace, paceByForce: Double

        /// Radians a second of the free needle, and its damping, for the values above: overshoot is exp(-πd / √(1 -
        /// d²)).
        static let (pulse, damping) = (13.511912562532716, 0.8127169864286775)

        init(sampleRate: Int) {
            let (pulse, damping) = (Coefficients.pulse, Coefficients.damping)
            let step = 1 / Double(sampleRate)
            let swing = pulse * (1 - damping * damping).squareRoot()
            let decay = exp(-damping * pulse * step)
            let (sine, cosine) = (decay * sin(swing * step) / swing, decay * cos(swing * step))
            placeByPlace = cosine + damping * pulse * sine
            placeByPace = sine
            paceByPlace = -pulse * pulse * sine
            paceByPace = cosine - damping * pulse * sine
            // A steady force moves it to where the force points; a rectified sine's mean is 2/π of its peak.
            placeByForce = (1 - placeByPlace) * .pi / 2
            paceByForce = -paceByPlace * .pi / 2
        }
    }

    private struct State: Sendable {
        var (place, pace, highest) = (Pair(), Pair(), Pair())
    }

    /// Number of channels, 1 to 64.
    public let channelCount: Int
    private let coefficients: Coefficients
    private var pairs: [State]

    /// The interval at which nearly resting needles are set to zero, because subnormal numbers are slow.
    private static let pieceFrames = 4096

    /// Allocates all it needs.
    ///
    /// - Parameters:
    ///   - channelCount: 1 to 64.
    ///   - sampleRate: 1 Hz or more.
    ///
    /// Real-time safe: no.
    public init(channelCount: Int, sampleRate: Int) {
        precondition((1...64).contains(channelCount), "A volume indicator takes 1 to 64 channels.")
        precondition(sampleRate > 0, "There is no such rate.")
        self.channelCount = channelCount
        coefficients = Coefficients(sampleRate: sampleRate)
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
        unsafe forEachPair(input, channelCount, frameCount, pieceFrames: VolumeUnitMeter.pieceFrames) {
            unsafe read($1, $2, $3, &pairs[$0])
        }
    }

    private func read(
        _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, _ count: Int, _ state: inout State
    ) {
        let by = coefficients
        var (place, pace, highest) = (state.place, state.pace, state.highest)
        for index in 0..<count {
            let force = unsafe Pair(
                Double(measurable(left[index]).magnitude), Double(measurable(right[index]).magnitude))
            let next = by.placeByPlace * place + (by.placeByPace * pace + by.placeByForce * force)
            pace = by.paceByPlace * place + (by.paceByPace * pace + by.paceByForce * force)
            place = next
            highest.replace(with: place, where: place .> highest)
        }
        for lane in 0..<Pair.scalarCount where Swift.abs(place[lane]) + Swift.abs(pace[lane]) < 1e-30 {
            (place[lane], pace[lane]) = (0, 0)
        }
        (state.place, state.pace, state.highest) = (place, pace, highest)
    }

    /// The reading of a channel at this moment, in dB of that of a steady full-scale sine; minus infinity for silence.
    ///
    /// - Parameter channel: 0 to one less than ``channelCount``.
    ///
    /// Real-time safe: no.
    public func decibels(channel: Int) -> Double {
        precondition(channel >= 0 && channel < channelCount, "There is no such channel.")
        // Coming to rest the needle swings a little below zero.
        return 20 * log10(max(0, pairs[channel / 2].place[channel % 2]))
    }

    /// The highest reading of any channel so far, in dB of that of a steady full-scale sine. Real-time safe: no.
    public var maximumDecibels: Double { 20 * log10(pairs.reduce(0) { max($0, $1.highest.max()) }) }

    /// Begins anew: as after `init`. Real-time safe: no.
    public mutating func reset() { for pair in pairs.indices { pairs[pair] = State() } }
}
