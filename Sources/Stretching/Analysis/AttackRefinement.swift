internal import Glibc
internal import Samples

/// Finds the frame of an attack, and the frame up to which the attack is silent, near a candidate place.
///
/// Linear prediction learns the sound before; the prediction error separates an attack from the continuing sound, at
/// any levels. The attack is the point where the error rises most steeply, traced back to the attack's first frame.
///
/// The search runs twice: on the whole sound, where almost every attack is found to the frame, and below 2 kHz, for a
/// soft string under a cymbal.
struct AttackRefinement {
    /// The result for one attack.
    struct Attack {
        let cut: Int64
        let attack: Int64
        /// The rise of the prediction error over the attack's first 8 ms, in dB.
        let rise: Double
        /// Level of the attack's first 15 ms below the loudest moment of the 60 ms after the attack, in dB.
        let shortfall: Double
    }

    private let sampleRate: Int
    private let decimation: Int
    private let lowPass: [Double]

    /// Half the range of the search.
    private static let reachSeconds = 0.014
    private static let trainingSeconds = 0.028
    private static let lowTrainingSeconds = 0.045
    private static let followingSeconds = 0.075
    private static let order = 32
    /// Largest rise of the whole sound for which the low band is searched too, in dB.
    private static let clearRise = 10.0
    /// Distance of the cut before the first frame of the attack, for parts hidden in the noise.
    private static let guardSeconds = 0.00025

    init(sampleRate: Int) {
        self.sampleRate = sampleRate
        let decimation = max(1, Int((Double(sampleRate) / 5500).rounded()))
        self.decimation = decimation
        // A sinc under a Hann window, four low-rate samples on either side.
        let half = 4 * decimation
        let raw = (-half...half).map { index -> Double in
            let angle = 0.8 * .pi * Double(index) / Double(decimation)
            let window = 0.5 + 0.5 * cos(.pi * Double(index) / Double(half + 1))
            return window * (index == 0 ? 1 : sin(angle) / angle)
        }
        let sum = raw.reduce(0, +)
        lowPass = raw.map { $0 / sum }
    }

    /// Returns the attack within about 14 ms of `frame`; nil if there is only silence.
    func attack(in block: SourceBlock, near frame: Int64) -> Attack? {
        let all = attack(in: block, near: frame, step: 1, trainingSeconds: Self.trainingSeconds)
        guard decimation > 1, (all?.rise ?? 0) < Self.clearRise else { return all }
        let low = attack(in: block, near: frame, step: decimation, trainingSeconds: Self.lowTrainingSeconds)
        guard let low, low.rise > all?.rise ?? 0 else { return all }
        return low
    }

    /// Returns the attack found in every `step`-th frame of the low-passed sound.
    private func attack(in block: SourceBlock, near frame: Int64, step: Int, trainingSeconds: Double) -> Attack? {
        let scale = Scale(sampleRate: Double(sampleRate) / Double(step))
        let (reach, training, following) = (
            scale.frames(Self.reachSeconds), scale.frames(trainingSeconds), scale.frames(Self.followingSeconds)
        )
        let first = frame - Int64((reach + training + Self.order) * step)
        let count = Self.order + training + 2 * reach + following
        let channels = block.channels.indices.map { channel -> [Double] in
            guard step > 1 else { return segment(block, channel, from: first, count: count) }
            let half = lowPass.count / 2
            let wide = segment(block, channel, from: first - Int64(half), count: (count - 1) * step + lowPass.count)
            return wide.decimated(from: 0, by: step, filter: lowPass, count: count)
        }
        let predictor = LinearPredictor(
            order: Self.order, learningFrom: channels, in: Self.order..<Self.order + training)
        let errors = predictor.errors(in: channels, at: Self.order..<count)
        let unforeseen = RunningSum(errors)
        guard unforeseen.sum(0..<errors.count) > 1e-12 else { return nil }
        let steepest = Self.steepest(unforeseen, in: training..<training + 2 * reach, scale)
        let base = unforeseen.mean(0..<training)
        let traced = Self.trace(errors, unforeseen, from: steepest, base: base, scale)
        let origin = first + Int64(Self.order * step)
        // The low-pass filter spreads an attack over half the filter's length to either side.
        let ringing = step > 1 ? lowPass.count / 2 : 0
        return Attack(
            cut: origin + Int64(traced.cut * step - ringing), attack: origin + Int64(traced.attack * step),
            rise: traced.rise, shortfall: traced.shortfall)
    }

    /// Times at the rate of the examined samples.
    private struct Scale {
        let sampleRate: Double
        func frames(_ seconds: Double) -> Int { max(1, Int((seconds * sampleRate).rounded())) }
    }

    /// Returns the frame with the largest difference between the prediction errors before and after: 4 ms on either
    /// side.
    private static func steepest(_ unforeseen: RunningSum, in range: Range<Int>, _ scale: Scale) -> Int {
        let side = scale.frames(0.004)
        let floor = 3e-4 * unforeseen.sum(range) / Double(range.count) + 1e-18
        var (best, bestRatio) = (range.lowerBound, 0.0)
        for index in range {
            let after = unforeseen.mean(index..<index + side)
            let ratio = (after + floor) / (unforeseen.mean(index - side..<index) + floor) * (after + floor).squareRoot()
            if ratio > bestRatio { (best, bestRatio) = (index, ratio) }
        }
        return best
    }

    private static func trace(
        _ errors: [Double], _ unforeseen: RunningSum, from steepest: Int, base: Double, _ scale: Scale
    ) -> (cut: Int, attack: Int, rise: Double, shortfall: Double) {
        let (millisecond, side) = (scale.frames(0.001), scale.frames(0.008))
        let top = unforeseen.mean(steepest..<steepest + 4 * millisecond)
        // The level just before matters as much as the level of the training block: a decay may have lowered the level,
        // another beginning raised it.
        let before = unforeseen.mean(steepest - 6 * millisecond..<steepest - 2 * millisecond)
        let quiet = min(max(base, before), 0.05 * top)
        let threshold = max(16 * quiet, 2e-3 * top)
        var attack = steepest
        // A click of a single frame is as steep at each of the 4 ms before the click, and the first of these frames is
        // taken.
        for index in max(0, steepest - 3 * millisecond)...steepest + 4 * millisecond where errors[index] >= threshold {
            if unforeseen.mean(index..<index + millisecond) >= threshold / 2 {
                attack = index
                break
            }
        }
        // Back to the point where half a millisecond is as quiet as the sound before.
        let half = max(1, millisecond / 2)
        var cut = attack
        let lower = max(3 * quiet, 1e-5 * top)
        while cut > max(millisecond, attack - side), unforeseen.mean(cut - half..<cut) > lower { cut -= 1 }
        cut = max(0, cut - scale.frames(guardSeconds))
        let floor = 1e-6 * top + 1e-18
        let after = unforeseen.mean(attack..<attack + side)
        let earlier = unforeseen.mean(max(0, cut - side)..<max(1, cut))
        var (early, late) = (0.0, 0.0)
        let end = min(attack + scale.frames(0.06), errors.count - 3 * millisecond)
        for index in stride(from: attack, to: end, by: millisecond) {
            let level = unforeseen.mean(index..<index + 3 * millisecond)
            if index < attack + scale.frames(0.015) { early = max(early, level) }
            late = max(late, level)
        }
        return (
            cut, attack, 10 * log10((after + floor) / (earlier + floor)), 10 * log10((late + floor) / (early + floor))
        )
    }

    private func segment(_ block: SourceBlock, _ channel: Int, from first: Int64, count: Int) -> [Double] {
        var result = [Double](repeating: 0, count: count)
        let offset = Int(first - block.firstFrame)
        let samples = block.channels[channel]
        for index in max(0, -offset)..<max(max(0, -offset), min(count, samples.count - offset)) {
            result[index] = Double(samples[offset + index])
        }
        return result
    }
}

/// Sums over any range of a list, in constant time.
struct RunningSum {
    private let sums: [Double]

    init(_ values: [Double]) {
        var sums = [0.0]
        sums.reserveCapacity(values.count + 1)
        var sum = 0.0
        for value in values {
            sum += value
            sums.append(sum)
        }
        self.sums = sums
    }

    func sum(_ range: Range<Int>) -> Double { sums[range.upperBound] - sums[range.lowerBound] }
    func mean(_ range: Range<Int>) -> Double { max(0, sum(range)) / Double(range.count) }
}
