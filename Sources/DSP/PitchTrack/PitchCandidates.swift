internal import Glibc

/// A possible pitch of a sound at one place.
struct PitchCandidate: BitwiseCopyable {
    /// In octaves above 1 Hz.
    let octaves: Float
    /// Probability from 0 to 1; the probabilities at a place sum to 1 at most.
    let probability: Float
}

/// The possible pitches of 10 ms of sound, with their probabilities: the first half of pYIN.
///
/// YIN takes the shortest lag with a difference below a threshold. pYIN (Mauch and Dixon, "pYIN: a fundamental
/// frequency estimator using probabilistic threshold distributions", 2014) repeats this for 100 beta-distributed
/// thresholds; each lag's probability is the sum of the probabilities of the thresholds which choose the lag. Exactly
/// the thresholds between a lag's own difference and the lowest difference of all shorter lags choose the lag. So the
/// sums for infinitely many thresholds are differences of the distribution's closed form, and no thresholds are
/// enumerated here.
///
/// One deviation: pYIN's thresholds also decide the probability of any pitch, so in noise, where every dip is shallow,
/// pYIN finds no pitch. Here thresholds are measured from the deepest dip up, and choose among lags only. The presence
/// of a pitch follows from the share of the power which does not repeat: the depth of the deepest dip.
///
/// Low notes need long windows, and fast glides of high notes need short windows. So the difference at a lag comes from
/// one of three windows, with a gradual change between neighbouring windows.
struct PitchCandidates: ~Copyable {
    /// The most candidates kept for a place.
    static let most = 8

    private var windows: [PitchWindowBox]
    /// For each lag, the first of its two windows and the share of the second.
    private let shares: [(window: Int, second: Float)]
    private let lags: ClosedRange<Int>
    private let rate: Double
    private var differences: [[Float]]
    private var spliced: [Float]
    private var normalised: [Float]

    /// Number of samples from a window's middle to its end.
    let reach: Int

    /// Seconds of a window for lags up to `longest` seconds.
    private static let plans: [(seconds: Double, longest: Double)] = [
        (0.032, 1 / 500.0), (0.05, 1 / 140.0), (0.085, 1),
    ]

    /// - Parameters:
    ///   - rate: Samples a second, in Hz.
    ///   - range: The lowest and highest pitch in Hz.
    init(rate: Double, range: ClosedRange<Double>) {
        self.rate = 2 * rate
        let longest = Int((2 * rate / range.lowerBound).rounded(.up)) + 2
        lags = max(3, Int(2 * rate / range.upperBound))...longest
        let plans = Self.plans
        // The last window reaches only as far as needed for the lowest pitch.
        var used = plans.indices.filter { $0 == 0 || plans[$0 - 1].longest * 0.8 < 1 / range.lowerBound }
        used = used.filter { $0 == used.last || plans[$0].longest * 1.25 > 1 / range.upperBound }
        windows = used.map { index in
            let reach = min(1 / range.lowerBound + 2 / rate, 1.25 * plans[index].longest)
            let seconds = max(3.4 * reach, min(plans[index].seconds, 0.05))
            let lagCount = min(longest + 2, Int(2 * rate * reach) + 4)
            return PitchWindowBox(PitchWindow(count: Int(seconds * rate) / 2 * 2 + 1, lagCount: lagCount))
        }
        shares = (0..<longest + 2).map { lag in
            let seconds = Double(lag) / (2 * rate)
            for (place, index) in used.enumerated().dropLast() where seconds < 1.25 * plans[index].longest {
                let position = log(seconds / (0.8 * plans[index].longest)) / log(1.25 / 0.8)
                return (place, Float(max(0, min(1, position))))
            }
            return (used.count - 1, 0)
        }
        differences = windows.map { [Float](repeating: 0, count: $0.window.lagCount) }
        spliced = [Float](repeating: 0, count: longest + 2)
        normalised = spliced
        reach = windows.reduce(0) { max($0, $1.window.count / 2 + 1) }
    }

    /// Returns the candidates at one place, by rising lag.
    mutating func candidates(in samples: [Float], at middle: Int) -> [PitchCandidate] {
        for index in windows.indices {
            windows[index].window.differences(of: samples, around: middle, into: &differences[index])
        }
        var sum: Float = 0
        for lag in 1..<spliced.count {
            let (window, second) = shares[lag]
            var value = differences[window][min(lag, differences[window].count - 1)]
            if second > 0 { value += second * (differences[window + 1][lag] - value) }
            spliced[lag] = value
            sum += value
            // YIN's step 3: the difference against the mean of all shorter lags.
            normalised[lag] = sum > 0 ? value * Float(lag) / sum : 1
        }
        return chosen()
    }

    /// Returns the dips chosen by thresholds.
    private func chosen() -> [PitchCandidate] {
        // Dips deeper than every dip at a shorter lag.
        var dips: [(lag: Int, value: Float)] = []
        for lag in lags where normalised[lag] < normalised[lag - 1] && normalised[lag] <= normalised[lag + 1] {
            let value = max(0, normalised[lag] - Self.depth(normalised, lag))
            if value < dips.last?.value ?? 1 { dips.append((lag, value)) }
        }
        guard let deepest = dips.last else { return [] }
        let voiced = 1 / (1 + exp((spliced[deepest.lag] - Self.evenNoise) / Self.noiseStep))
        var result: [PitchCandidate] = []
        var above: Float = 1
        for dip in dips {
            let share = Self.share(below: dip.value - deepest.value)
            let place = Float(dip.lag) + Self.shift(spliced, dip.lag)
            result.append(PitchCandidate(octaves: log2(Float(rate) / place), probability: voiced * (above - share)))
            above = share
        }
        if result.count > Self.most {
            let least = result.map(\.probability).sorted(by: >)[Self.most - 1]
            result = [PitchCandidate](result.filter { $0.probability >= least }.prefix(Self.most))
        }
        return result
    }

    /// The difference at the deepest dip for which a pitch is as probable as none: half of the power repeats.
    private static let evenNoise: Float = 0.5
    /// Width of the change of the probability with the difference. Found by trial, like ``evenNoise``; see
    /// docs/comparing.md.
    private static let noiseStep: Float = 0.05
    /// The second parameter of the beta distribution. The first parameter is 2, so the mean is 0.1.
    private static let beta: Float = 18

    /// Returns the share of thresholds below a value: the beta distribution's integral, which has a closed form if its
    /// first parameter is 2.
    private static func share(below value: Float) -> Float {
        let rest = max(0, 1 - value)
        return 1 - powf(rest, beta) * (1 + beta * value)
    }

    /// Returns the distance from a dip's lowest sample to its parabola's minimum, in samples.
    private static func shift(_ values: [Float], _ lag: Int) -> Float {
        let (before, here, after) = (values[lag - 1], values[lag], values[lag + 1])
        let bend = before - 2 * here + after
        return bend > 0 ? max(-1, min(1, 0.5 * (before - after) / bend)) : 0
    }

    /// Returns the depth of a dip's parabola below its lowest sample.
    private static func depth(_ values: [Float], _ lag: Int) -> Float {
        let shift = max(-0.5, min(0.5, shift(values, lag)))
        return 0.25 * (values[lag - 1] - values[lag + 1]) * shift
    }
}

/// A window in an array.
private final class PitchWindowBox {
    var window: PitchWindow
    init(_ window: consuming PitchWindow) { self.window = window }
}
