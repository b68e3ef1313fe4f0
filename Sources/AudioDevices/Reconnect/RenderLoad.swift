/// The load of the render function: render time divided by the duration of the block; 1 is a dropout.
///
/// Quantiles are upper edges of logarithmic buckets: at most 6.3 % above the true value. The maximum is exact.
package struct RenderLoad: Sendable, Hashable {
    /// Half of the blocks took no more.
    package let median: Double
    /// 99.9 % of the blocks took no more.
    package let p999: Double
    /// The worst block.
    package let maximum: Double

    /// Makes a load, for custom streams. Real-time safe: yes.
    package init(median: Double, p999: Double, maximum: Double) {
        self.median = median
        self.p999 = p999
        self.maximum = maximum
    }

    /// Computes the load of blocks of equal length.
    package init(_ time: RenderTime, periodFrames: Int, sampleRate: Int) {
        let blockMicroseconds = Double(periodFrames) / Double(sampleRate) * 1_000_000
        self.init(
            median: time.medianMicroseconds / blockMicroseconds, p999: time.p999Microseconds / blockMicroseconds,
            maximum: time.maximumMicroseconds / blockMicroseconds)
    }
}
