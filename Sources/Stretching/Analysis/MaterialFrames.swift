internal import Glibc
internal import Samples
@_spi(Benchmarks) internal import Transforms

/// Features that separate speech from music, every 10 ms, at about 11 kHz: level, periodicity, pitch, brightness,
/// steady partials.
///
/// Frames lie on a grid of the recording, so they do not depend on the beginning of a block.
package struct MaterialFrames: Sendable {
    struct Frame: Sendable {
        /// Mean square under the Hann window of 46 ms, summed over all channels.
        var power = 0.0
        /// The highest similarity of the sound with itself one period later, 0 to 1; near 1 for one voice.
        var periodicity = 0.0
        /// The pitch of the most similar period in Hz; 0 without a period.
        var pitch = 0.0
        /// The power above 2.5 kHz over the power below 1 kHz in dB.
        var brightness = 0.0
        /// The similarity of the fine structure of the spectrum now and 100 ms ago, -1 to 1: held partials are similar.
        var steadiness = 0.0
    }

    /// Frames of the recording between two frames of the analysis.
    let step: Int64
    let first: Int64
    let frames: [Frame]

    static let stepSeconds = 0.01
    static let pitches = 60.0...450.0

    /// Measures the frames of the grid whose centres lie in `range`.
    ///
    /// - Parameter known: Frames of the same recording that need not be measured again.
    init(_ block: SourceBlock, in range: Range<Int64>, knowing known: MaterialFrames? = nil) {
        let decimation = Self.decimation(sampleRate: block.sampleRate)
        let lowStep = Int64((Self.stepSeconds * Double(block.sampleRate / decimation)).rounded())
        let step = lowStep * Int64(decimation)
        self.step = step
        let first = (range.lowerBound - 1).gridIndex(step: step) + 1
        self.first = first
        let last = (range.upperBound - 1).gridIndex(step: step)
        guard last >= first else {
            frames = []
            return
        }
        let kept = known.map { $0.slice(from: first, through: last) } ?? []
        let begin = first + Int64(kept.count)
        guard begin <= last else {
            frames = kept
            return
        }
        // The windows and their distance reach less far than a quarter of a second.
        let reach = Int64(block.sampleRate / 4)
        let sound = Self.decimated(block, in: begin * step - reach..<range.upperBound + reach, by: decimation)
        var periods = PeriodMeasure(sampleRate: sound.sampleRate)
        var partials = PartialMeasure(sampleRate: sound.sampleRate)
        // The fine structure is taken at every other frame of the grid.
        let lag: Int64 = 10
        var structures: [Int64: [Float]] = [:]
        for index in stride(from: (begin - lag - 1).gridIndex(step: 2) * 2, through: last, by: 2) {
            structures[index] = partials.structure(of: sound, at: index * lowStep)
        }
        frames =
            kept
            + (begin...last).map { index in
                var frame = periods.measure(sound, at: index * lowStep)
                let even = index.gridIndex(step: 2) * 2
                if let now = structures[even], let before = structures[even - lag] {
                    frame.steadiness = PartialMeasure.likeness(now, before)
                }
                return frame
            }
    }

    /// Returns the known frames from a number on; none if the first of these frames is unknown.
    private func slice(from begin: Int64, through last: Int64) -> [Frame] {
        let end = min(last + 1, first + Int64(frames.count))
        return begin >= first && begin < end ? Array(frames[Int(begin - first)..<Int(end - first)]) : []
    }

    private static func decimation(sampleRate: Int) -> Int { max(1, Int((Double(sampleRate) / 11025).rounded())) }

    /// Returns every `factor`-th frame of a range of the recording, low-passed; index `m` of the result is frame
    /// `m * factor`.
    private static func decimated(_ block: SourceBlock, in range: Range<Int64>, by factor: Int) -> SourceBlock {
        guard factor > 1 else { return SourceBlock(block, in: range) }
        let half = 6 * factor
        let raw = (-half...half).map { tap -> Double in
            let angle = 0.9 * .pi * Double(tap) / Double(factor)
            return (0.5 + 0.5 * cos(.pi * Double(tap) / Double(half + 1))) * (tap == 0 ? 1 : sin(angle) / angle)
        }
        let sum = raw.reduce(0, +)
        let filter = raw.map { Float($0 / sum) }
        let frames = range.clamped(to: block.range)
        let first = (frames.lowerBound - 1).gridIndex(step: Int64(factor)) + 1
        let count = Int(max(0, (frames.upperBound - 1).gridIndex(step: Int64(factor)) + 1 - first))
        let begin = Int(first * Int64(factor) - block.firstFrame) - half
        let channels = block.channels.map { $0.decimated(from: begin, by: factor, filter: filter, count: count) }
        return SourceBlock(channels, firstFrame: first, sampleRate: block.sampleRate / factor)
    }
}

/// Measures period, power and brightness of 46 ms.
private struct PeriodMeasure: ~Copyable {
    private let sampleRate: Double
    private let windowSize: Int
    private var spectrum: PowerSpectrum
    private var inverse: RealFourierTransform
    private var power: [Float]

    init(sampleRate: Int) {
        self.sampleRate = Double(sampleRate)
        windowSize = PowerSpectrum.size(seconds: 0.0464, sampleRate: sampleRate)
        // Twice as long as the window, so that the correlation does not wrap around.
        spectrum = PowerSpectrum(size: 2 * windowSize, windowSize: windowSize)
        inverse = RealFourierTransform(size: 2 * windowSize)
        power = [Float](repeating: 0, count: spectrum.binCount)
    }

    mutating func measure(_ sound: SourceBlock, at frame: Int64) -> MaterialFrames.Frame {
        var result = MaterialFrames.Frame()
        spectrum.measure(sound, at: frame, into: &power)
        let bin = sampleRate / Double(spectrum.size)
        var (total, low, high) = (0.0, 1e-12, 1e-12)
        for index in power.indices {
            let value = Double(power[index])
            total += value
            if Double(index) * bin < 1000 { low += value } else if Double(index) * bin > 2500 { high += value }
        }
        result.power = total * 2 / Double(spectrum.size)
        result.brightness = 10 * log10(high / low)
        guard total > 1e-9 else { return result }
        let values = inverse.spectrumStorage.view
        for index in power.indices {
            // Partials above 1.5 kHz say little about the period and are the first to become noise.
            let frequency = Double(index) * bin
            values[2 * index] = frequency < 50 ? 0 : frequency < 1500 ? power[index] : 0.3 * power[index]
            values[2 * index + 1] = 0
        }
        inverse.inverse()
        let lags = inverse.frameStorage.view
        let whole = lags[0]
        guard whole > 0 else { return result }
        let (shortest, longest) = (
            Int(sampleRate / MaterialFrames.pitches.upperBound), Int(sampleRate / MaterialFrames.pitches.lowerBound)
        )
        for lag in shortest...min(longest, windowSize / 2) {
            let value = lags[lag]
            guard value > lags[lag - 1], value >= lags[lag + 1] else { continue }
            let similarity = Double(value / whole) / Self.window(lag, windowSize)
            // Selects the first of several equal periods, not a period twice as long.
            if similarity > result.periodicity + 0.02 {
                let (left, right) = (Double(lags[lag - 1]), Double(lags[lag + 1]))
                let bend = left - 2 * Double(value) + right
                let shift = bend < 0 ? 0.5 * (left - right) / bend : 0
                result.periodicity = min(1, similarity)
                result.pitch = sampleRate / (Double(lag) + shift)
            }
        }
        return result
    }

    /// Returns the autocorrelation of a Hann window, in closed form; the sound's autocorrelation is divided by this
    /// value (Boersma 1993).
    private static func window(_ lag: Int, _ size: Int) -> Double {
        let share = Double(lag) / Double(size)
        return (1 - share) * (2.0 / 3 + cos(2 * .pi * share) / 3) + sin(2 * .pi * share) / (2 * .pi)
    }
}

/// Measures the fine structure of 93 ms: the spectrum in dB between 80 Hz and 2.5 kHz, minus its own smooth shape.
private struct PartialMeasure: ~Copyable {
    private var spectrum: PowerSpectrum
    private var power: [Float]
    private let bins: Range<Int>

    init(sampleRate: Int) {
        spectrum = PowerSpectrum(size: PowerSpectrum.size(seconds: 0.0929, sampleRate: sampleRate))
        power = [Float](repeating: 0, count: spectrum.binCount)
        let bin = Double(sampleRate) / Double(spectrum.size)
        bins = Int(80 / bin)..<Int(2500 / bin)
    }

    mutating func structure(of sound: SourceBlock, at frame: Int64) -> [Float] {
        spectrum.measure(sound, at: frame, into: &power)
        let loudest = bins.reduce(Float(0)) { max($0, power[$1]) }
        let levels = bins.map { log10(power[$0] + loudest * 1e-4 + 1e-14) }
        let reach = 8
        return levels.indices.map { index in
            let around = levels[max(0, index - reach)...min(levels.count - 1, index + reach)]
            return levels[index] - around.reduce(0, +) / Float(around.count)
        }
    }

    static func likeness(_ first: [Float], _ second: [Float]) -> Double {
        var (cross, one, other): (Float, Float, Float) = (0, 0, 0)
        for index in first.indices {
            cross += first[index] * second[index]
            one += first[index] * first[index]
            other += second[index] * second[index]
        }
        return one > 0 && other > 0 ? Double(cross / (one * other).squareRoot()) : 0
    }
}
