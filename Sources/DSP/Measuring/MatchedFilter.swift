internal import Glibc
@_spi(Benchmarks) internal import Transforms

/// Finds a known sound in a recording: its place, level and polarity, and the clarity of the match.
///
/// The cross-correlation of the sound with the recording (computed by spectra) is highest at the sound's place; no
/// linear filter is better in noise (Turin, "An introduction to matched filters", 1960). Between two frames the
/// correlation is the band-limited curve through its values; Newton's method finds its maximum. A sound whose pitch or
/// shape has changed on the way is not found.
package struct MatchedFilter: Sendable {
    /// The sound to find.
    let pattern: [Float]

    private let energy: Double
    /// The width of the peak itself to either side, in frames; similar sounds inside this width do not count.
    private let guardFrames: Int

    /// Share of the highest correlation at whole frames. Beside a lower value there is no higher maximum, if the
    /// sound's waves are four frames long or more. A maximum between two frames has at least 0.7 of its height at one
    /// neighbouring frame.
    private static let leastShare: Float = 0.65

    /// Place, level and clarity of the best match.
    package struct Match: Sendable, Hashable {
        /// Beginning of the sound in frames from the beginning of the recording, to a fraction of a frame.
        package let frame: Double
        /// Excess of the correlation over the rest of the recording (root mean square), in dB; noise alone gives about
        /// 12.
        package let clarityDecibels: Double
        /// Level of the sound in the recording, in dB relative to the pattern.
        package let gainDecibels: Double
        /// True if the sound is inverted.
        package let isInverted: Bool
    }

    /// Prepares a search for a sound.
    ///
    /// - Parameter pattern: Not silent, and at most 2^20 frames.
    ///
    /// Real-time safe: no.
    package init(_ pattern: [Float]) {
        self.pattern = pattern
        energy = pattern.reduce(0.0) { $0 + Double($1) * Double($1) }
        guardFrames = pattern.count / 8
        precondition(energy > 0 && pattern.count <= 1 << 20, "The pattern is silent, or too long.")
    }

    /// Returns the most likely place of the whole sound in a recording of at most 2^23 frames; nil if the recording is
    /// shorter than the sound, silent, or not finite.
    ///
    /// There is always a most likely place; `clarityDecibels` tells whether the sound is really there. Real-time safe:
    /// no.
    package func bestMatch(in recording: ArraySlice<Float>) -> Match? {
        let places = recording.count - pattern.count + 1
        guard places > 0 else { return nil }
        var curve = LikenessCurve(of: recording, to: pattern)
        let values = curve.values(count: places)
        var peak = 0
        for place in values.indices where abs(values[place]) > abs(values[peak]) { peak = place }
        guard values[peak] != 0 else { return nil }
        let top = top(of: curve, values, around: peak)
        guard top.height.isFinite else { return nil }
        let noise = rest(values, around: peak)
        return Match(
            frame: top.frame, clarityDecibels: noise > 0 ? 20 * log10(top.height / noise) : .infinity,
            gainDecibels: 20 * log10(top.height / energy), isInverted: top.sign < 0)
    }

    /// Returns the highest maximum of the curve, of either sign, around its highest whole frame.
    ///
    /// A maximum halfway between two frames may look lower at those frames than a neighbouring maximum, half a wave
    /// beside, at its own frame.
    private func top(of curve: borrowing LikenessCurve, _ values: [Float], around peak: Int) -> LikenessCurve.Top {
        let least = Self.leastShare * abs(values[peak])
        func height(_ place: Int) -> Float { values.indices.contains(place) ? abs(values[place]) : 0 }
        var highest = curve.top(near: peak, sign: values[peak] < 0 ? -1 : 1)
        for place in peak - guardFrames...peak + guardFrames where place != peak && height(place) >= least {
            guard height(place) >= height(place - 1), height(place) >= height(place + 1) else { continue }
            let other = curve.top(near: place, sign: values[place] < 0 ? -1 : 1)
            if other.height > highest.height { highest = other }
        }
        return highest
    }

    /// Returns the root mean square of all values outside the peak.
    private func rest(_ values: [Float], around peak: Int) -> Double {
        var (sum, count) = (0.0, 0)
        for (place, value) in values.enumerated() where abs(place - peak) > guardFrames {
            sum += Double(value) * Double(value)
            count += 1
        }
        return count > 0 ? (sum / Double(count)).squareRoot() : 0
    }
}

/// The correlation of a recording with a pattern, as a function of the place.
private struct LikenessCurve: ~Copyable {
    /// Number of Newton steps: from half a frame away each step at least doubles the digits.
    private static let steps = 6

    struct Top {
        let frame: Double
        /// Above 0, also for an inverted sound.
        let height: Double
        let sign: Double
    }

    private let size: Int
    private var transform: RealFourierTransform
    /// The cross-spectrum, as pairs of real and imaginary part.
    private let spectrum: [Float]

    init(of recording: ArraySlice<Float>, to pattern: [Float]) {
        // Places at which the whole pattern fits into the recording do not wrap around.
        var size = 2
        while size < recording.count { size *= 2 }
        self.size = size
        transform = RealFourierTransform(size: size)
        let known = Self.spectrum(of: pattern[...], &transform)
        var product = Self.spectrum(of: recording, &transform)
        for bin in 0..<transform.binCount {
            let (a, b) = (known[2 * bin], known[2 * bin + 1])
            let (c, d) = (product[2 * bin], product[2 * bin + 1])
            product[2 * bin] = a * c + b * d
            product[2 * bin + 1] = a * d - b * c
        }
        spectrum = product
    }

    private static func spectrum(of sound: ArraySlice<Float>, _ transform: inout RealFourierTransform) -> [Float] {
        let frames = unsafe transform.frames
        unsafe frames.update(repeating: 0)
        _ = unsafe frames.update(fromContentsOf: sound)
        transform.forward()
        return unsafe Array(transform.spectrum)
    }

    /// Returns the correlation at the whole frames from 0 on.
    mutating func values(count: Int) -> [Float] {
        _ = unsafe transform.spectrum.update(fromContentsOf: spectrum)
        transform.inverse()
        let scale = 1 / Float(size)
        return unsafe transform.frames.prefix(count).map { $0 * scale }
    }

    /// Returns the maximum of `sign` times the curve near a whole frame, no further than a frame away.
    func top(near peak: Int, sign: Double) -> Top {
        var frame = Double(peak)
        for _ in 0..<Self.steps {
            let here = derivatives(at: frame, sign)
            guard here.second < 0 else { break }
            frame = min(max(frame - here.first / here.second, Double(peak) - 1), Double(peak) + 1)
        }
        return Top(frame: frame, height: derivatives(at: frame, sign).value, sign: sign)
    }

    /// Returns the curve's value and first two derivatives at a place between frames, in frames.
    private func derivatives(at frame: Double, _ sign: Double) -> (value: Double, first: Double, second: Double) {
        var (value, first, second) = (0.0, 0.0, 0.0)
        let step = 2 * Double.pi / Double(size)
        // Without the two bins at the ends: no converter passes sound there.
        for bin in 1..<size / 2 {
            let radiansPerFrame = step * Double(bin)
            let (c, s) = (cos(radiansPerFrame * frame), sin(radiansPerFrame * frame))
            let (a, b) = (Double(spectrum[2 * bin]), Double(spectrum[2 * bin + 1]))
            let real = a * c - b * s
            value += real
            first -= radiansPerFrame * (a * s + b * c)
            second -= radiansPerFrame * radiansPerFrame * real
        }
        let scale = 2 * sign / Double(size)
        return (scale * value, scale * first, scale * second)
    }
}
