// Checks whether a voice still consists of pulses.
internal import Glibc

/// Peakedness of a voice without its formants.
///
/// A voice is a train of sharp pulses through the mouth's resonances. Linear prediction removes the resonances; the
/// kurtosis of the residual measures the sharpness of the pulses. A stretcher that lets phases drift smears the pulses
/// and sounds as if in a bathroom. Only loud and voiced frames of 40 ms count, below 7 kHz.
public enum PulseMeasure {
    /// The base-2 logarithm of the kurtosis, mean over all counted frames. Compare the values of two sounds: a
    /// difference of 0 is a perfect copy, -1 is pulses half as peaked. Differences of the same voice at another speed
    /// stay within 0.05.
    public static func logKurtosis(_ sound: [Float]) -> Double {
        let samples = Filter.thirdOfTheRate(sound.map { Double($0) })
        let rate = TestSignals.rate / 3
        let length = Int(0.04 * rate)
        var found: [(level: Double, value: Double)] = []
        for start in stride(from: 0, to: samples.count - length, by: length / 2) {
            let frame = Array(samples[start..<start + length])
            let windowed = frame.indices.map {
                frame[$0] * (0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(length - 1)))
            }
            let correlation = (0..<length).map { lag in
                (0..<length - lag).reduce(0.0) { $0 + windowed[$1] * windowed[$1 + lag] }
            }
            guard correlation[0] >= 1e-6 else { continue }
            let pitches = Int(rate / 400)..<Int(rate / 70)
            let periodic = pitches.reduce(0) { max($0, correlation[$1]) } / correlation[0] > 0.4
            guard periodic else { continue }
            let rest = residual(frame, prediction(correlation))
            let square = rest.reduce(0) { $0 + $1 * $1 } / Double(rest.count)
            let fourth = rest.reduce(0) { $0 + $1 * $1 * $1 * $1 } / Double(rest.count)
            found.append((correlation[0], log2(fourth / max(square * square, 1e-30))))
        }
        let loudest = found.reduce(0) { max($0, $1.level) }
        let counted = found.filter { $0.level > loudest * 1e-3 }
        return counted.isEmpty ? .nan : counted.reduce(0) { $0 + $1.value } / Double(counted.count)
    }

    private static let order = 20

    /// Levinson's recursion, with a ten-thousandth of noise so that silence between partials does not matter.
    private static func prediction(_ correlation: [Double]) -> [Double] {
        var error = correlation[0] * 1.0001
        var weights: [Double] = []
        for step in 0..<order {
            let known = weights.indices.reduce(0.0) { $0 + weights[$1] * correlation[step - $1] }
            let reflection = (correlation[step + 1] - known) / error
            weights = weights.indices.map { weights[$0] - reflection * weights[step - 1 - $0] } + [reflection]
            error *= 1 - reflection * reflection
        }
        return weights
    }

    private static func residual(_ frame: [Double], _ weights: [Double]) -> [Double] {
        (order..<frame.count).map { index in
            frame[index] - weights.indices.reduce(0.0) { $0 + weights[$1] * frame[index - 1 - $1] }
        }
    }
}
