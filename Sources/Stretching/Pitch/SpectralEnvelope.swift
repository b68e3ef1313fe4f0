// SpectralEnvelope: the smooth curve over the peaks of a spectrum, which describes the effect of a throat or a body on
// a sound.
//
// The "true envelope" of Imai and Abe (1979), in the form of Röbel and Rodet (DAFx 2005). The spectrum is smoothed in
// the cepstrum. The result is raised to the spectrum wherever the spectrum lies above, and smoothed again. Smoothing
// only once would run halfway between a voice's harmonics and the gaps between them. The cepstrum ends before the
// voice's period, so the curve cannot follow single harmonics.

internal import Glibc
internal import Samples
@_spi(Benchmarks) internal import Transforms

/// The spectral envelope of a piece of sound, on a grid from 0 to half the sample rate.
///
///     envelope.begin()
///     // for up to two groups of channels: add(samples) for each channel, then addGroup()
///     envelope.trace()
///     // read `curve`
///
/// Real-time safe: all but the initialiser.
@safe
struct SpectralEnvelope: ~Copyable {
    /// Samples analysed together: 32 to 64 ms, so that the harmonics of low voices lie apart.
    let windowFrames: Int
    /// One less than the number of points of ``curve``, which lie `sampleRate / 2 / pointCount` apart.
    let pointCount: Int
    /// The result: the natural logarithm of the envelope's amplitude at `pointCount + 1` frequencies.
    let curve: FloatStorage

    private let window: FloatStorage
    private var analysis: RealFourierTransform
    private var cepstrum: RealFourierTransform
    private let power: FloatStorage
    /// The logarithmic spectrum, and the spectrum as raised by the rounds.
    private let spectrum: FloatStorage
    private let raised: FloatStorage

    /// Number of spectrum bins that make one point.
    private static var pooledBins: Int { 2 }
    /// Number of rounds of raising the curve. More rounds change the curve by less than half a decibel.
    private static var rounds: Int { 8 }
    /// End of the cepstrum if no period is found, in seconds.
    private static let longestSeconds = 0.0035
    /// The shortest period searched for, in seconds.
    private static let shortestPeriod = 0.001
    /// Share of a period that the cepstrum keeps, and the height of a cepstrum peak that counts as a period.
    private static var keptShare: Float { 0.7 }
    private static var periodPeak: Float { 0.25 }
    /// Depth below the highest point in nepers (100 dB); lower points are raised to this depth.
    private static var depth: Float { 11.5 }
    /// Below the quietest sound that 24 bits can hold, and above the least normal number.
    private static var leastPower: Float { 1e-12 }

    /// Limits for a voice's lowest harmonic: below this frequency in Hz, and at most this many nepers (26 dB) below the
    /// highest point there.
    private static let firstPeakEnd = 450.0
    private static var firstPeakDepth: Float { 3 }
    private let lowPoints: Int

    /// Ends of the cepstrum and of the search for a period, in frames.
    private let longestEnd: Int
    private let firstPeriod: Int
    private let lastPeriod: Int

    /// - Parameter sampleRate: 8000 to 768000 Hz.
    init(sampleRate: Int) {
        precondition((8000...768_000).contains(sampleRate), "An envelope takes rates of 8000 to 768000 Hz.")
        var frames = 256
        while Double(frames) * 1.4 < 0.046 * Double(sampleRate) { frames *= 2 }
        windowFrames = frames
        pointCount = frames / 2 / Self.pooledBins
        // Hann's window: its sidelobes fall fast, as the treble of a voice lies 60 dB and more below its bass.
        window = FloatStorage(HannWindow.values(count: frames))
        analysis = RealFourierTransform(size: frames)
        cepstrum = RealFourierTransform(size: 2 * pointCount)
        power = FloatStorage(count: frames / 2 + 1)
        // Whole lanes: values beyond the last point are never read alone.
        let lanes = pointCount + Lanes.scalarCount
        spectrum = FloatStorage(count: lanes)
        raised = FloatStorage(count: lanes)
        curve = FloatStorage(count: lanes)
        lowPoints = max(2, Int(Self.firstPeakEnd / (Double(sampleRate) / 2) * Double(pointCount)))
        longestEnd = Int(Self.longestSeconds * Double(sampleRate))
        firstPeriod = Int(Self.shortestPeriod * Double(sampleRate))
        lastPeriod = min(pointCount - 2, Int(Self.longestSeconds / Double(Self.keptShare) * Double(sampleRate)))
    }

    /// Clears the previous sound.
    mutating func begin() {
        for index in 0..<power.view.count { power.view[index] = 0 }
        clearFrames()
    }

    /// Adds a channel to the current group.
    ///
    /// - Parameter samples: ``windowFrames`` samples.
    mutating func add(_ samples: Floats) {
        let frames = analysis.frameStorage.view
        for index in stride(from: 0, to: windowFrames, by: Lanes.scalarCount) {
            frames[lanes: index] += samples[lanes: index]
        }
    }

    /// Adds the power of the group's sum to the spectrum, and begins another group.
    mutating func addGroup() {
        let frames = analysis.frameStorage.view
        for index in stride(from: 0, to: windowFrames, by: Lanes.scalarCount) {
            frames[lanes: index] *= window.view[lanes: index]
        }
        analysis.forward()
        let (bins, sums) = (analysis.spectrumStorage.view, power.view)
        for index in 0...windowFrames / 2 {
            let (real, imaginary) = (bins[2 * index], bins[2 * index + 1])
            sums[index] += real * real + imaginary * imaginary
        }
        clearFrames()
    }

    private mutating func clearFrames() {
        let frames = analysis.frameStorage.view
        for index in stride(from: 0, to: windowFrames, by: Lanes.scalarCount) { frames[lanes: index] = Lanes() }
    }

    /// Makes ``curve`` from the added sound.
    mutating func trace() {
        pool()
        copy(spectrum.view, to: raised.view)
        var end = 0
        for _ in 0..<Self.rounds {
            transformToCepstrum()
            if end == 0 { end = cepstrumEnd() }
            smooth(end: end)
            raise()
        }
    }

    private func copy(_ source: Floats, to target: Floats) {
        for index in stride(from: 0, through: pointCount, by: Lanes.scalarCount) {
            target[lanes: index] = source[lanes: index]
        }
    }

    /// Computes the logarithm of the mean power around each point.
    private func pool() {
        let (bins, points) = (power.view, spectrum.view)
        let reach = Self.pooledBins / 2
        for point in 0...pointCount {
            let first = max(0, Self.pooledBins * point - reach)
            let last = min(windowFrames / 2, Self.pooledBins * point + reach - 1)
            var sum: Float = 0
            for bin in first...last { sum += bins[bin] }
            points[point] = sum / Float(last - first + 1) + Self.leastPower
        }
        for index in pointCount + 1..<points.count { points[index] = Self.leastPower }
        var highest = Lanes(repeating: -100)
        for index in stride(from: 0, through: pointCount, by: Lanes.scalarCount) {
            let logarithm = naturalLogarithm(points[lanes: index]) * 0.5
            points[lanes: index] = logarithm
            highest = select(logarithm .> highest, logarithm, highest)
        }
        let lowest = Lanes(repeating: highest.max() - Self.depth)
        for index in stride(from: 0, through: pointCount, by: Lanes.scalarCount) {
            let value = points[lanes: index]
            points[lanes: index] = select(value .> lowest, value, lowest)
        }
        levelBelowFirstPeak()
    }

    /// Levels the spectrum below a voice's lowest harmonic. The voice has no sound there to show the envelope, but a
    /// lowered voice will have sound there.
    private func levelBelowFirstPeak() {
        let points = spectrum.view
        var highest = points[0]
        for index in 1..<lowPoints { highest = max(highest, points[index]) }
        for index in 1..<lowPoints where points[index] > highest - Self.firstPeakDepth {
            guard points[index] >= points[index + 1] else { continue }
            for below in 0..<index { points[below] = points[index] }
            return
        }
    }

    /// Computes the cepstrum of the raised spectrum, times the transform's size.
    private mutating func transformToCepstrum() {
        let bins = cepstrum.spectrumStorage.view
        for point in 0...pointCount {
            bins[2 * point] = raised.view[point]
            bins[2 * point + 1] = 0
        }
        cepstrum.inverse()
    }

    /// Returns the end of the cepstrum that leaves a voice's harmonics out: before the voice's period, which is a peak.
    private func cepstrumEnd() -> Int {
        let frames = cepstrum.frameStorage.view
        var (peak, place) = (Self.periodPeak * Float(2 * pointCount), 0)
        for index in firstPeriod...lastPeriod where frames[index] > peak { (peak, place) = (frames[index], index) }
        return place > 0 ? Int(Self.keptShare * Float(place)) : min(longestEnd, pointCount - 1)
    }

    /// Computes the curve of the cepstrum up to its end; the last quarter of the cepstrum fades out.
    private mutating func smooth(end: Int) {
        let frames = cepstrum.frameStorage.view
        let scale = 1 / Float(2 * pointCount)
        let slope = 4 / Float(end)
        for index in 0...pointCount {
            let weight = index < end ? min(1, Float(end - index) * slope) * scale : 0
            frames[index] *= weight
            if index > 0, index < pointCount { frames[2 * pointCount - index] *= weight }
        }
        cepstrum.forward()
        let bins = cepstrum.spectrumStorage.view
        for point in 0...pointCount { curve.view[point] = bins[2 * point] }
    }

    private func raise() {
        for index in stride(from: 0, through: pointCount, by: Lanes.scalarCount) {
            let (below, above) = (curve.view[lanes: index], spectrum.view[lanes: index])
            raised.view[lanes: index] = select(above .> below, above, below)
        }
    }
}
