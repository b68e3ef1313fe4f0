internal import Glibc
internal import Samples

/// One-sidedness of a voice's pulses: a high value means that the voice still has its pulses, a low value that the
/// pulses are lost.
///
/// The vocal folds close more abruptly than they open, so the error of a linear prediction has a spike in each period,
/// always towards the same side. The error's skewness reveals a recording's polarity (Drugman, "Residual excitation
/// skewness for automatic speech polarity detection", 2013). A phase vocoder moves the phases of partials apart, and
/// loud reverberation adds pulses of other phases: the spikes then point to both sides, and the mean of the skewness is
/// near 0. Such a voice has nothing left for splices to protect.
///
/// Voices processed before (raised in pitch, or very breathy) may have no one-sided pulses either.
struct PulseSkewness: Sendable {
    /// One window of 40 ms.
    struct Window: Sendable {
        /// The skewness of the prediction error; nil without a pitch.
        let skewness: Float?
        /// Mean square.
        let level: Float
    }

    /// Distance of windows in cells of the recording; windows begin at multiples of this distance, every 20 ms.
    private static let stepCells = 20
    private static let windowCells = 40
    /// The order of the prediction, at about 11 kHz.
    private static let order = 16
    /// Least similarity of the sound with itself one period later for a pitch, from 70 to 400 Hz.
    private static let leastSimilarity: Float = 0.4
    private static let pitches: ClosedRange<Float> = 70...400
    /// Windows softer than the loudest window by more than this, 30 dB, do not count.
    private static let leastLevel: Float = 0.001
    /// Windows softer than this, −75 dB of full scale, have no pitch.
    private static let silence: Float = 3e-8
    /// Minimum number of windows with a pitch, 1.5 seconds; fewer windows decide nothing.
    private static let leastWindows = 75
    /// The mean skewness above which a voice has pulses. Voices as recorded have 0.08 to 1.1; after a phase vocoder at
    /// 150 % 22 of 25 had 0 to 0.05. See docs/stretching.md.
    static let leastOfPulses: Float = 0.065

    /// Returns the mean skewness of the windows with a pitch, as an amount without a sign; nil if too few windows have
    /// a pitch.
    static func mean(_ windows: some Sequence<Window>) -> Float? {
        let loudest = windows.reduce(0) { max($0, $1.level) }
        let counted = windows.compactMap { $0.level > loudest * leastLevel ? $0.skewness : nil }
        guard counted.count >= leastWindows else { return nil }
        return abs(counted.reduce(0, +)) / Float(counted.count)
    }

    /// Returns the windows that begin in some cells of a signal, counted from the signal's first cell.
    static func windows(of signal: borrowing SpeechSignal, cells: Range<Int>) -> [Window] {
        let first = firstCell(from: signal.firstCell + Int64(cells.lowerBound)) - signal.firstCell
        return stride(from: Int(first), to: cells.upperBound, by: stepCells).map { window(of: signal, atCell: $0) }
    }

    /// Returns the number of windows that begin in some cells of the recording.
    static func windowCount(_ cells: Range<Int64>) -> Int {
        Int((firstCell(from: cells.upperBound) - firstCell(from: cells.lowerBound)) / Int64(stepCells))
    }

    /// Returns the first cell, from `cell` on, in which a window begins.
    private static func firstCell(from cell: Int64) -> Int64 {
        (floorDivided(cell - 1, Int64(stepCells)) + 1) * Int64(stepCells)
    }

    private static func window(of signal: borrowing SpeechSignal, atCell cell: Int) -> Window {
        let shape = signal.shape
        let start = cell * shape.cell / shape.coarse
        let count = min(windowCells * shape.cell / shape.coarse, signal.coarse.view.count - start)
        let samples = signal.coarse.view.part(from: start, count: count)
        let rate = Float(shape.cell) / Float(shape.coarse) * 1000
        let (shortest, longest) = (Int(rate / pitches.upperBound), Int(rate / pitches.lowerBound))
        let level = innerProduct(samples, samples) / Float(count)
        guard level > silence && longest < count else { return Window(skewness: nil, level: level) }
        let products = correlation(samples, longest: longest)
        guard let best = products[shortest...].max(), best > leastSimilarity * products[0] else {
            return Window(skewness: nil, level: level)
        }
        return Window(skewness: skewness(samples, predictor(products)), level: level)
    }

    /// Returns the autocorrelation of a window shaped by Hann's window.
    private static func correlation(_ samples: Floats, longest: Int) -> [Float] {
        let shaped = FloatStorage(count: samples.count)
        for index in 0..<samples.count {
            shaped.view[index] =
                samples[index] * Fade.weight(at: 2 * min(index, samples.count - 1 - index), of: samples.count)
        }
        return (0...longest).map { lag in
            innerProduct(
                shaped.view.part(from: 0, count: samples.count - lag),
                shaped.view.part(from: lag, count: samples.count - lag))
        }
    }

    /// Returns the weights of the samples before, by Durbin's recursion.
    private static func predictor(_ products: [Float]) -> [Float] {
        var weights: [Float] = []
        var error = products[0] * 1.001
        for lag in 1...order {
            var rest = products[lag]
            for (index, weight) in weights.enumerated() { rest -= weight * products[lag - 1 - index] }
            let reflection = rest / error
            weights = weights.indices.map { weights[$0] - reflection * weights[weights.count - 1 - $0] } + [reflection]
            error *= 1 - reflection * reflection
        }
        return weights
    }

    private static func skewness(_ samples: Floats, _ weights: [Float]) -> Float {
        var (squares, cubes): (Float, Float) = (0, 0)
        for index in order..<samples.count {
            var error = samples[index]
            for lag in weights.indices { error -= weights[lag] * samples[index - 1 - lag] }
            squares += error * error
            cubes += error * error * error
        }
        let count = Float(samples.count - order)
        let variance = squares / count
        return cubes / count / (variance * variance.squareRoot() + 1e-20)
    }
}
