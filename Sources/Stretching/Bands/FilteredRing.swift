internal import Samples

/// The latest samples of a ring, filtered and decimated by a whole factor.
///
/// Sample `m` is the filter's sum of products with the source's samples around sample `m * step`. Real-time safe: all
/// but `init`.
struct FilteredRing: ~Copyable {
    let samples: SampleRing
    private let filter: FloatStorage
    /// Source samples from one sample to the next.
    private let step: Int64
    /// Index of the first source sample that makes sample 0.
    private let first: Int64

    /// - Parameters:
    ///   - samples: The memory for the filtered samples.
    ///   - coefficients: The filter, in whole lanes, the coefficient for the oldest sample first.
    ///   - half: Number of source samples that the filter needs after sample `m * step`.
    ///   - step: Source samples from one sample to the next, 1 or more.
    init(_ samples: consuming SampleRing, coefficients: [Float], half: Int, step: Int) {
        self.samples = samples
        filter = FloatStorage(coefficients)
        self.step = Int64(step)
        first = Int64(half + 1 - coefficients.count)
    }

    /// Makes samples of one channel; the source must hold all samples that the filter needs.
    func make(_ range: Range<Int64>, from source: borrowing SampleRing, channel: Int) {
        let filter = filter.view
        var index = range.lowerBound
        while index < range.upperBound {
            let around = source.run(channel: channel, from: index * step + first, count: filter.count)
            samples.write(dotProduct(around, filter), channel: channel, at: index)
            index += 1
        }
    }
}
