internal import CSampleLoops
internal import Glibc

/// The integrators of one or two quasi-peak meters, for each channel: the arithmetic of ``PeakProgrammeMeter``.
///
/// A sample above an integrator charges the integrator; without such samples the integrator falls evenly. Here nothing
/// falls: an integrator is stored as a share of a scale which rises by the same factor, and samples are compared on the
/// same scale. So a sample changes an integrator only if the sample is higher. Samples not above the lowest integrator
/// of a channel can be skipped, sixteen frames at a time. Music and noise consist mostly of such samples; the result is
/// bit-identical. The scale begins anew every 256 frames.
///
/// Allocates in `init` only. A steady full-scale tone, a third of whose samples charge, takes 3 ns a sample for two
/// meters.
struct QuasiPeaks: Sendable {
    /// A slow and a quick integrator of two meters: slow and slow, quick and quick.
    private typealias Stores = SIMD4<Double>

    /// The state of a channel in `charge_stores`.
    private struct Channel: BitwiseCopyable, Sendable {
        var stores = Stores()
        /// The highest readings.
        var highest = SIMD2<Double>()
        /// Samples up to this value change nothing until the cycle ends.
        var threshold = 0.0
    }

    /// Constants for all channels.
    private struct Constants: BitwiseCopyable, Sendable {
        /// The share of a sample's excess taken by an integrator, an integrator's share of the reading, and the
        /// remainder of an integrator after a cycle without sound.
        let charge, share, cycleFall: Stores
    }

    /// The scale of both meters after a frame, and its reciprocal.
    private struct Scale: BitwiseCopyable, Sendable {
        let rise, fall: SIMD2<Double>
    }

    /// Frames until the scale begins anew.
    private static let cycleFrames = 256

    private let constants: Constants
    /// The scale for each frame of a cycle.
    private let scales: [Scale]
    private var channels: [Channel]
    /// Frames since the cycle began.
    private var phase = 0

    init(
        _ first: PeakProgrammeMeter.Ballistics, _ second: PeakProgrammeMeter.Ballistics, channelCount: Int,
        sampleRate: Int
    ) {
        func left(_ first: Double, _ second: Double, after frames: Int) -> SIMD2<Double> {
            let seconds = Double(frames) / Double(sampleRate)
            return SIMD2(exp(-first * seconds), exp(-second * seconds))
        }
        let charge =
            1
            - Stores(
                lowHalf: left(first.slow, second.slow, after: 1), highHalf: left(first.quick, second.quick, after: 1))
        let slow = SIMD2(first.slowShare, second.slowShare)
        let steady = SIMD2(first.steadyReading, second.steadyReading)
        let fall = left(first.leak, second.leak, after: QuasiPeaks.cycleFrames)
        constants = Constants(
            charge: charge, share: Stores(lowHalf: slow / steady, highHalf: (1 - slow) / steady),
            cycleFall: Stores(lowHalf: fall, highHalf: fall))
        scales = (1...QuasiPeaks.cycleFrames).map { frames in
            let fall = left(first.leak, second.leak, after: frames)
            return Scale(rise: 1 / fall, fall: fall)
        }
        channels = [Channel](repeating: Channel(), count: channelCount)
    }

    /// Reads the next frames; blocks of any length give the same result.
    mutating func process(_ input: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) {
        var done = 0
        while done < frameCount {
            let count = min(QuasiPeaks.cycleFrames - phase, frameCount - done)
            for channel in channels.indices { unsafe charge(&channels[channel], input[channel] + done, count) }
            done += count
            phase += count
            if phase == QuasiPeaks.cycleFrames { beginCycle() }
        }
    }

    /// Reads frames of one cycle.
    private func charge(_ channel: inout Channel, _ samples: UnsafePointer<Float>, _ count: Int) {
        precondition(phase + count <= scales.count)
        unsafe scales.withUnsafeBytes { scales in
            unsafe withUnsafeBytes(of: constants) { constants in
                unsafe withUnsafeMutableBytes(of: &channel) { channel in
                    guard let scales = unsafe scales.bindMemory(to: Double.self).baseAddress,
                        let constants = unsafe constants.bindMemory(to: Double.self).baseAddress,
                        let state = unsafe channel.bindMemory(to: Double.self).baseAddress
                    else { return }
                    unsafe charge_stores(samples, count, constants, scales + 4 * phase, state)
                }
            }
        }
    }

    /// Scales the integrators back.
    private mutating func beginCycle() {
        phase = 0
        for channel in channels.indices {
            var stores = channels[channel].stores * constants.cycleFall
            // Arithmetic on subnormal numbers takes a hundred times as long.
            stores.replace(with: 0, where: stores .< 1e-30)
            channels[channel].stores = stores
            // The lowest integrator at the end of the cycle, less a margin for rounding; `charge_stores` does the same.
            channels[channel].threshold = (stores * constants.cycleFall).min() * (1 - 1e-6)
        }
    }

    /// Returns the readings of both meters for a channel at this moment; 1 is the reading of a steady full-scale sine.
    func readings(channel: Int) -> SIMD2<Double> {
        let shares = constants.share * channels[channel].stores
        let sums = shares.lowHalf + shares.highHalf
        return phase == 0 ? sums : sums * scales[phase - 1].fall
    }

    /// The highest readings of both meters so far, of all channels.
    var highest: SIMD2<Double> {
        channels.reduce(into: SIMD2()) { $0.replace(with: $1.highest, where: $1.highest .> $0) }
    }

    /// Returns the integrators to their state after `init`.
    mutating func reset() {
        for channel in channels.indices { channels[channel] = Channel() }
        phase = 0
    }
}
