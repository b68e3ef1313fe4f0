internal import Samples

/// Half spectra of all channels, with real and imaginary parts separate so that the loops over bins vectorise.
///
/// Each part is padded with zeros to whole lanes and one more lane, so that the neighbour of any lane is readable.
@safe
struct Spectra: ~Copyable {
    let channelCount: Int
    let binCount: Int
    let stride: Int
    private let storage: FloatStorage

    init(channelCount: Int, binCount: Int) {
        self.channelCount = channelCount
        self.binCount = binCount
        stride = Self.paddedCount(binCount)
        storage = FloatStorage(count: 2 * channelCount * Self.paddedCount(binCount))
    }

    /// Returns the bins rounded up to whole lanes, and one lane more.
    static func paddedCount(_ binCount: Int) -> Int {
        (binCount + Lanes.scalarCount - 1) / Lanes.scalarCount * Lanes.scalarCount + Lanes.scalarCount
    }

    @inline(__always)
    func real(_ channel: Int) -> Floats {
        storage.view.part(from: 2 * channel * stride, count: stride)
    }

    @inline(__always)
    func imaginary(_ channel: Int) -> Floats {
        storage.view.part(from: (2 * channel + 1) * stride, count: stride)
    }
}
