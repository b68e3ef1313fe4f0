internal import CSampleLoops
internal import Samples

/// Interpolates a decimated band to the source's rate, with twelve samples per frame.
///
/// The split at load time and playback share the interpolator, so that playback adds exactly the samples that the split
/// subtracted.
struct BandInterpolator: ~Copyable {
    /// Output frames per sample of the band.
    let factor: Int
    let weights: FloatStorage

    /// Number of band samples that determine one frame.
    static let sampleCount = 2 * BandShape.reach

    init(factor: Int) {
        self.factor = factor
        weights = FloatStorage(BandShape.interpolation(factor: factor))
    }

    /// Interpolates one frame.
    ///
    /// - Parameters:
    ///   - samples: ``sampleCount`` samples of the band, starting with sample `q - reach + 1`.
    ///   - frame: The offset in frames after sample `q`, 0 to `factor - 1`.
    @inline(__always)
    func value(_ samples: Floats, frame: Int) -> Float {
        var sum: Float = 0
        for offset in 0..<Self.sampleCount { sum += samples[offset] * weights.view[offset * factor + frame] }
        return sum
    }

    /// Writes a window of the band, delayed by `frame` frames and weighted, with the window's middle at index 0 of
    /// `target`.
    ///
    /// - Parameter samples: The band, from `reach - 1` samples before the window to as many samples after the window.
    @inline(__always)
    func delayWindow(_ samples: Floats, frame: Int, weights shape: Floats, into target: Floats) {
        let window = shape.count
        precondition(target.count == window && samples.count >= window + Self.sampleCount && frame < factor)
        unsafe delay_window(samples.base, weights.view.base + frame, factor, shape.base, window, target.base)
    }

    /// Writes consecutive frames, for factors of 8 or more; computes the same sums in the same order as
    /// ``value(_:frame:)``.
    ///
    /// - Parameters:
    ///   - samples: The band, starting `reach - 1` samples before the sample at frame 0.
    ///   - first: The first frame to write, counted from the sample at frame 0; a multiple of eight.
    ///   - target: Whole lanes, overwritten.
    @inline(__always)
    func fill(_ target: Floats, _ samples: Floats, from first: Int) {
        precondition((factor | first | target.count) % Lanes.scalarCount == 0 && first >= 0)
        precondition((first + target.count - 1) / factor + Self.sampleCount <= samples.count)
        unsafe interpolate_band(samples.base, weights.view.base, factor, first, target.count, target.base)
    }

    /// Returns eight consecutive frames, for factors of 8 or more; computes the same sums in the same order as
    /// ``value(_:frame:)``.
    @inline(__always)
    func lanes(_ samples: Floats, frame: Int) -> Lanes {
        var sum = Lanes()
        for offset in 0..<Self.sampleCount {
            sum += samples[offset] * weights.view[lanes: offset * factor + frame]
        }
        return sum
    }
}
