// BandShape: the split of a recording into three bands, and the filters for the split.
//
// Low notes need long windows and attacks short windows, so music is stretched in three bands: below 300 Hz, up to 800
// Hz, and above. The two lower bands run at a fraction of the sample rate. Two steps make the split cheap: one short
// filter down to the middle band's rate, then the sharp filters at that rate. The reconstruction is exact for any
// filters: each band is the source minus the lower bands as interpolated in playback, so the sum of the bands is the
// source.
internal import Samples
internal import Transforms

/// One of the three frequency bands into which music is split.
enum StretchBand: Int, Sendable, CaseIterable {
    /// Below 300 Hz, at a sixteenth of 44.1 kHz.
    case low
    /// 300 to 800 Hz, at an eighth of 44.1 kHz.
    case middle
    /// Everything above, at the source's own rate.
    case high
}

/// Factors, filter lengths and coefficients of the split at a sample rate. Pure and tested alone.
struct BandShape: Sendable {
    /// Source frames per sample of the middle band: 8 at 44.1 and 48 kHz. A sample of the low band has twice as many.
    let factor: Int
    /// Half the length of the low band's filter, in samples of the middle band's rate; the filter has `2 * half + 1`
    /// coefficients.
    let lowHalf: Int
    /// Half the length of the middle band's filter, in samples of the middle band.
    let middleHalf: Int
    /// Decimation filter from the source to the middle band's rate: `2 * reach * factor` coefficients, the first of
    /// which is 0.
    let decimation: [Float]
    /// The low-pass filter for the lower crossover, with leading zeros up to whole lanes.
    let lowPass: [Float]
    /// The low-pass filter for the upper crossover, with leading zeros up to whole lanes.
    let middlePass: [Float]

    /// Samples of a decimated band that an interpolated frame needs on either side.
    static let reach = 6
    static let lowCrossoverHz = 300.0
    /// Narrow transitions: in a wide transition a partial lies in two bands, and the phases of both parts drift apart.
    static let lowTransitionHz = 80.0
    static let middleCrossoverHz = 800.0
    static let middleTransitionHz = 100.0
    /// Kaiser beta of the sharp filters: 80 dB of stopband attenuation.
    private static let sharpBeta = 8.0
    /// Kaiser beta of the rate changes: 104 dB. Twelve coefficients per phase suffice, as the bands fill a third of
    /// their rate.
    private static let rateBeta = 10.5

    init(sampleRate: Int) {
        // With this factor, the middle band's window has 512 samples at every rate.
        factor = StretchShape.windowFrames(sampleRate: sampleRate) / 256
        let rate = Double(sampleRate) / Double(factor)
        lowHalf = Self.halfLength(transition: Self.lowTransitionHz / rate)
        middleHalf = Self.halfLength(transition: Self.middleTransitionHz / rate)
        let half = Self.reach * factor
        decimation =
            [0] + Self.lowPass(cutoff: 0.5 / Double(factor), half: half - 1, beta: Self.rateBeta).map(Float.init)
        lowPass = Self.inLanes(Self.lowPass(cutoff: Self.lowCrossoverHz / rate, half: lowHalf, beta: Self.sharpBeta))
        middlePass = Self.inLanes(
            Self.lowPass(cutoff: Self.middleCrossoverHz / rate, half: middleHalf, beta: Self.sharpBeta))
    }

    /// Source frames per sample of a band.
    func factor(of band: StretchBand) -> Int {
        switch band {
        case .low: 2 * factor
        case .middle: factor
        case .high: 1
        }
    }

    /// Ringing of the sharp filters on either side of an event in a band, in source frames.
    func ringingFrames(of band: StretchBand) -> Int {
        factor * (band == .low ? lowHalf : max(lowHalf, middleHalf))
    }

    /// Source frames needed on either side of a sample of a band, a multiple of 16.
    func contextFrames(of band: StretchBand) -> Int {
        // Sum of whole lanes of filter, both rate changes, and a sample for rounding at each step.
        let low = lowHalf + Self.reach + Lanes.scalarCount + 2
        let samples =
            switch band {
            case .low: low
            case .middle: low + middleHalf + 2 * Self.reach + Lanes.scalarCount + 2
            case .high: low + middleHalf + 3 * Self.reach + Lanes.scalarCount + 4
            }
        return (samples * factor + 15) / 16 * 16
    }

    /// Returns the coefficients that interpolate a band with the given factor to the source's rate, ordered by offset,
    /// then by frame.
    ///
    /// Value `offset * factor + frame` is the weight of sample `q + offset - reach + 1` in frame `q * factor + frame`.
    static func interpolation(factor: Int) -> [Float] {
        let half = reach * factor
        let filter = [0] + lowPass(cutoff: 0.5 / Double(factor), half: half - 1, beta: rateBeta) + [0]
        return (0..<2 * reach).flatMap { offset in
            (0..<factor).map { frame in
                Float(Double(factor) * filter[frame - (offset - reach + 1) * factor + half])
            }
        }
    }

    /// Returns a Kaiser low-pass of `2 * half + 1` coefficients with a sum of 1; the cutoff is in cycles per sample.
    private static func lowPass(cutoff: Double, half: Int, beta: Double) -> [Double] {
        let window = KaiserWindow.values(count: 2 * half + 1, beta: beta)
        let values = window.indices.map { index in
            let angle = 2 * Double.pi * cutoff * Double(index - half)
            return window[index] * (index == half ? 1 : sine(angle) / angle)
        }
        let sum = values.reduce(0, +)
        return values.map { $0 / sum }
    }

    /// Returns half the length of a sharp filter for a transition in cycles per sample: 80 dB need a filter of 5.4
    /// periods of the transition.
    private static func halfLength(transition: Double) -> Int {
        Int(2.7 / transition) + 1
    }

    private static func inLanes(_ values: [Double]) -> [Float] {
        let missing = (Lanes.scalarCount - values.count % Lanes.scalarCount) % Lanes.scalarCount
        return [Float](repeating: 0, count: missing) + values.map(Float.init)
    }

    /// Returns the sine by its power series, after whole periods are subtracted; accurate to about 1e-15.
    private static func sine(_ radians: Double) -> Double {
        let periods = (radians / (2 * .pi)).rounded()
        let angle = radians - periods * 2 * .pi
        var (term, sum, order) = (angle, angle, 1.0)
        while abs(term) > 1e-18 {
            order += 2
            term *= -angle * angle / (order * (order - 1))
            sum += term
        }
        return sum
    }
}
