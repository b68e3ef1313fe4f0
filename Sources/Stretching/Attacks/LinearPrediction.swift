internal import CSampleLoops
internal import Samples

/// Continues a sound: each sample is a weighted sum of the samples before.
///
/// The weights are Burg's, from the known samples, one set for all channels so that the stereo image stays. Burg's
/// method keeps every reflection coefficient within ±1, so a prediction fades or lasts, and never grows. The prediction
/// continues sustained tones well, for as long as the tones would have lasted; noise becomes a short dying tail.
///
/// John Burg, "Maximum entropy spectral analysis" (1975); for gaps in audio Kauppinen and Roth, "Audio signal
/// extrapolation" (2002). Our deviation: the sums of products run over all channels.
@safe
struct LinearPrediction: Sendable {
    /// The weight of the latest sample first; empty if the sound was too soft or too short to learn from.
    let coefficients: [Double]

    /// Sound below a mean power of -140 dB full scale is too soft to learn from; silence continues such sound.
    private static let silentPower = 1e-14
    /// Level of the noise added for learning, 90 dB down. Without noise a few weights explain pure tones, and the other
    /// weights are large and differ by chance: rounding differences between two channels grew to -40 dB.
    private static let noiseRatio: Float = 5e-5
    /// An unexplained remainder below -130 dB is rounding.
    private static let explained = 1e-13
    /// Reflections stay just inside the unit circle; rounding would put them on the circle.
    private static let largestReflection = 1 - 1e-9

    /// Learns from samples.
    ///
    /// - Parameters:
    ///   - channels: One array a channel, all of one length.
    ///   - order: The largest number of weights; the number of weights is at most a third of the number of samples.
    init(learning channels: [[Float]], order: Int) {
        let count = channels[0].count
        let energy = channels.reduce(0) { $0 + $1.reduce(0) { $0 + Double($1) * Double($1) } }
        guard energy > Self.silentPower * Double(count * channels.count) else {
            coefficients = []
            return
        }
        let level = (energy / Double(count * channels.count)).squareRoot()
        let errors = BurgErrors(channels, noise: Float(level) * Self.noiseRatio)
        let limit = min(order, count / 3)
        guard limit > 0 else {
            coefficients = []
            return
        }
        var weights: [Double] = []
        weights.reserveCapacity(limit)
        var sums = errors.begin()
        while weights.count < limit {
            guard sums.power > energy * Self.explained else { break }
            let stage = weights.count
            let bound = Self.largestReflection
            let reflection = max(-bound, min(bound, 2 * sums.product / sums.power))
            Self.lengthen(&weights, reflection: reflection)
            if weights.count < limit { sums = errors.advance(stage: stage, reflection: Float(reflection)) }
        }
        coefficients = weights
    }

    /// Returns the samples after the last sample of `past`.
    ///
    /// The recursion runs in Double, because the recursion uses its own output for thousands of samples.
    /// - Parameters:
    ///   - past: One channel of the learnt sound; at least as many samples as weights.
    ///   - count: Number of samples.
    func continuation(of past: [Float], count: Int) -> [Float] {
        guard !coefficients.isEmpty, count > 0 else { return [Float](repeating: 0, count: max(count, 0)) }
        let width = SIMD8<Double>.scalarCount
        let padding = (width - coefficients.count % width) % width
        // Zeros before the oldest weight and sample complete the lanes.
        let weights = [Double](repeating: 0, count: padding) + coefficients.reversed()
        var samples = [Double](repeating: 0, count: padding) + past.suffix(coefficients.count).map(Double.init)
        samples.reserveCapacity(samples.count + count)
        samples += [Double](repeating: 0, count: count)
        unsafe weights.withUnsafeBufferPointer { weights in
            unsafe samples.withUnsafeMutableBufferPointer { samples in
                // Both arrays have an element, as there is a coefficient.
                guard let first = samples.baseAddress, let weight = weights.baseAddress else { return }
                unsafe continue_sound(weight, weights.count, first, count)
            }
        }
        return samples.suffix(count).map { Float($0) }
    }

    /// Computes the weights of the next order, in place: each weight and its mirror image change by each other.
    private static func lengthen(_ weights: inout [Double], reflection: Double) {
        let last = weights.count - 1
        for index in 0..<weights.count / 2 {
            let (near, far) = (weights[index], weights[last - index])
            weights[index] = near - reflection * far
            weights[last - index] = far - reflection * near
        }
        if weights.count % 2 == 1 { weights[weights.count / 2] -= reflection * weights[weights.count / 2] }
        weights.append(reflection)
    }
}

/// The errors of predicting every sample from earlier samples, and from later samples, at the current order.
///
/// At stage `m` the forward error of sample `i` meets the backward error of sample `i - 1`, which is kept at index
/// `i - m - 1`: so each stage writes both errors in place.
@safe
private struct BurgErrors: ~Copyable {
    private let channelCount: Int
    private let count: Int
    /// Samples of one array, with room for lanes that begin within the array and end beyond.
    private let stride: Int
    private let forward: FloatStorage
    private let backward: FloatStorage
    /// Weight of each sample's errors.
    ///
    /// Burg's own sums weight all errors alike. Such sums bend the frequencies of sines by amounts that depend on the
    /// sines' phases; sums that fade at both ends hardly do (Kaveh and Lippert, "An optimum tapered Burg algorithm",
    /// 1983; our taper is the square of their parabola). Measured on five sines over a floor of -80 dB, 2278 samples
    /// on: -64 dB of error in place of -25 dB. On music the taper makes no difference.
    private let weights: FloatStorage

    /// - Parameter noise: The peak of the added noise.
    init(_ channels: [[Float]], noise: Float) {
        channelCount = channels.count
        count = channels[0].count
        stride = channels[0].count + 2 * Lanes.scalarCount
        forward = FloatStorage(count: channels.count * stride)
        backward = FloatStorage(count: channels.count * stride)
        weights = FloatStorage(count: stride)
        for index in 0..<count {
            let offset = 2 * (Double(index) + 0.5) / Double(count) - 1
            let arch = 1 - offset * offset
            weights.view[index] = Float(arch * arch)
        }
        // A linear congruential sequence (Numerical Recipes): any noise is suitable, but must be the same each time.
        var state: UInt32 = 1
        for (channel, samples) in channels.enumerated() {
            for (index, sample) in samples.enumerated() {
                state = state &* 1_664_525 &+ 1_013_904_223
                let noisy = sample + noise * Float(Int32(bitPattern: state)) / Float(Int32.max)
                forward.view[channel * stride + index] = noisy
                backward.view[channel * stride + index] = noisy
            }
        }
    }

    /// Returns the sums of the errors' products and squares at order 0.
    func begin() -> BurgSums {
        unsafe burg_begin(forward.view.base, backward.view.base, weights.view.base, stride, channelCount, count)
    }

    /// Goes on to the next order, and returns the order's sums. `stage` must be below `count - 2`.
    func advance(stage: Int, reflection: Float) -> BurgSums {
        precondition(stage < count - 2)
        return unsafe burg_advance(
            forward.view.base, backward.view.base, weights.view.base, stride, channelCount, count, stage, reflection)
    }
}
