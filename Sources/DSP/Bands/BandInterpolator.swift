/// Interpolates a decimated band to the source's rate, with twelve samples per frame.
///
/// The split at load time and playback share it, so that playback adds exactly what the split subtracted.
struct BandInterpolator: ~Copyable {
    /// Output frames per sample of the band.
    let factor: Int
    private let weights: FloatStorage

    /// Samples of the band that one frame depends on.
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

    /// One frame for each of eight consecutive samples: the band as if it had begun `frame` frames later.
    ///
    /// - Parameter samples: The band, starting `reach - 1` samples before the first of the eight.
    @inline(__always)
    func delayedLanes(_ samples: Floats, at index: Int, frame: Int) -> Lanes {
        var sum = Lanes()
        for offset in 0..<Self.sampleCount {
            sum += samples[lanes: index + offset] * weights.view[offset * factor + frame]
        }
        return sum
    }

    /// Eight consecutive frames, for factors of 8 or more; computes the same sums in the same order as ``value(_:frame:)``.
    @inline(__always)
    func lanes(_ samples: Floats, frame: Int) -> Lanes {
        var sum = Lanes()
        for offset in 0..<Self.sampleCount {
            sum += samples[offset] * weights.view[lanes: offset * factor + frame]
        }
        return sum
    }
}
