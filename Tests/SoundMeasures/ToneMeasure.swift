// Purity of steady sines.
internal import Glibc

/// Level of the sound beside the original sines, and errors of the sines' frequencies.
///
/// Windows of 0.2 s: long enough for a frequency to a thousandth of a cent, short enough that an inaudible drift of the
/// phase does not count as noise. The first and last 0.4 s are left to ``StartLevel``. A perfect copy in Float gives
/// about 150 dB; rounding is never the limit.
public struct ToneMeasure: Sendable {
    /// Level of the sines over the rest, in dB: the middle of all windows.
    public let snr: Double
    /// The same for the worst window.
    public let worstSNR: Double
    /// The largest error of a frequency, in cents.
    public let cents: Double

    /// Measures a sound that should hold only these sines.
    ///
    /// - Parameter windowSeconds: Shorter for a sound with changes of speed, which then spoil fewer windows.
    public init(_ sound: [Float], hertz: [Double], windowSeconds: Double = 0.2) {
        let rate = TestSignals.rate
        let margin = Int(0.4 * rate)
        let length = Int(windowSeconds * rate)
        let wanted = hertz.map { $0 / rate }
        var ratios: [Double] = []
        var errors = [[Double]](repeating: [], count: hertz.count)
        for start in stride(from: margin, to: sound.count - margin - length, by: length) {
            let window = sound[start..<start + length].map { Double($0) }
            let frequencies = Self.refined(wanted, window)
            let fit = LeastSquares(window, columns: LeastSquares.sines(frequencies, count: length))
            ratios.append(decibels(dot(window, window) / max(fit.residualEnergy, 1e-20)))
            for index in wanted.indices { errors[index].append(1200 * log2(frequencies[index] / wanted[index])) }
        }
        snr = median(ratios)
        worstSNR = ratios.min() ?? .nan
        cents = errors.map { abs(median($0)) }.max() ?? .nan
    }

    /// The frequencies at which the phases of both halves fit together; four rounds settle the result.
    private static func refined(_ frequencies: [Double], _ window: [Double]) -> [Double] {
        let half = window.count / 2
        let first = Array(window[..<half])
        let second = Array(window[half...].prefix(half))
        var current = frequencies
        for _ in 0..<4 {
            let columns = LeastSquares.sines(current, count: half)
            let before = LeastSquares(first, columns: columns).coefficients
            let after = LeastSquares(second, columns: columns).coefficients
            for index in current.indices {
                let turn =
                    atan2(-after[2 * index + 1], after[2 * index]) - atan2(-before[2 * index + 1], before[2 * index])
                let excess = remainder(turn - 2 * .pi * current[index] * Double(half), 2 * .pi)
                current[index] += excess / (2 * .pi * Double(half))
            }
        }
        return current
    }
}
