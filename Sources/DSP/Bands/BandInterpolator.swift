/// Takes a decimated band back to the source's rate, twelve samples for every frame.
///
/// The load-time split and playback share it, so that what playback gives back is what the split took away.
struct BandInterpolator: ~Copyable {
    /// Frames of output a sample of the band.
    let factor: Int
    private let weights: FloatStorage

    /// Samples of the band that one frame depends on.
    static let sampleCount = 2 * BandShape.reach

    init(factor: Int) {
        self.factor = factor
        weights = FloatStorage(BandShape.interpolation(factor: factor))
    }

    /// One frame.
    ///
    /// - Parameters:
    ///   - samples: ``sampleCount`` samples of the band, from the one at `q - reach + 1` on.
    ///   - frame: The place after sample `q`, 0 to `factor - 1`.
    @inline(__always)
    func value(_ samples: Floats, frame: Int) -> Float {
        var sum: Float = 0
        for offset in 0..<Self.sampleCount { sum += samples[offset] * weights.view[offset * factor + frame] }
        return sum
    }

    /// One frame for each of eight samples in a row: the band as it would be, had it begun `frame` frames later.
    ///
    /// - Parameter samples: The band from the sample `reach - 1` before the first of the eight on.
    @inline(__always)
    func delayedLanes(_ samples: Floats, at index: Int, frame: Int) -> Lanes {
        var sum = Lanes()
        for offset in 0..<Self.sampleCount {
            sum += samples[lanes: index + offset] * weights.view[offset * factor + frame]
        }
        return sum
    }

    /// Eight frames in a row, where the factor is 8 or more; the same sums in the same order as ``value(_:frame:)``.
    @inline(__always)
    func lanes(_ samples: Floats, frame: Int) -> Lanes {
        var sum = Lanes()
        for offset in 0..<Self.sampleCount {
            sum += samples[offset] * weights.view[lanes: offset * factor + frame]
        }
        return sum
    }
}
