internal import CSampleLoops
internal import Samples

/// The latest samples of every channel, at absolute indices and readable as contiguous runs.
///
/// The first `runCount` samples of the storage are repeated after its last sample, so that a run that wraps around is
/// contiguous. The writer must not overwrite unread samples: the ring does not track readers.
@safe
struct SampleRing: ~Copyable {
    let channelCount: Int
    /// A power of two.
    let capacity: Int
    /// The longest run that can be read.
    let runCount: Int
    private let storage: FloatStorage

    /// A ring of at least `sampleCount` samples per channel.
    init(channelCount: Int, sampleCount: Int, runCount: Int) {
        var size = 64
        while size < max(sampleCount, runCount) { size *= 2 }
        self.channelCount = channelCount
        capacity = size
        self.runCount = runCount
        storage = FloatStorage(count: channelCount * (size + runCount))
    }

    @inline(__always)
    private func place(_ index: Int64) -> Int { Int(truncatingIfNeeded: index) & (capacity - 1) }

    @inline(__always)
    private func samples(_ channel: Int) -> Floats {
        storage.view.part(from: channel * (capacity + runCount), count: capacity + runCount)
    }

    /// Writes one sample.
    @inline(__always)
    func write(_ value: Float, channel: Int, at index: Int64) {
        let (target, first) = (samples(channel), place(index))
        target[first] = value
        if first < runCount { target[first + capacity] = value }
    }

    /// Writes eight samples, starting at a multiple of eight.
    @inline(__always)
    func write(_ value: Lanes, channel: Int, at index: Int64) {
        let (target, first) = (samples(channel), place(index))
        target[lanes: first] = value
        if first + Lanes.scalarCount <= runCount {
            target[lanes: first + capacity] = value
        } else if first < runCount {
            for lane in 0..<runCount - first { target[first + lane + capacity] = value[lane] }
        }
    }

    /// Adds to eight samples, starting at a multiple of eight.
    @inline(__always)
    func add(_ value: Lanes, channel: Int, at index: Int64) {
        write(samples(channel)[lanes: place(index)] + value, channel: channel, at: index)
    }

    /// Weights a window with its middle at index 0, from window sample `from` on. Adds the samples before window sample
    /// `added` to the ring's contents; the samples from `added` on overwrite the contents.
    ///
    /// - Parameter index: Index of the window's first sample in the ring, a multiple of eight.
    @inline(__always)
    func overlap(
        _ window: Floats, weights: Floats, from: Int, adding added: Int, channel: Int, at index: Int64
    ) {
        let target = samples(channel)
        precondition(window.count == weights.count && window.count % (2 * Lanes.scalarCount) == 0)
        precondition(from >= 0 && from % Lanes.scalarCount == 0 && index % Int64(Lanes.scalarCount) == 0)
        unsafe overlap_window(
            window.base, weights.base, window.count, from, added, target.base, capacity, runCount, place(index))
    }

    /// Adds the frames of an interpolated band; `count` is at most the distance to the ring's end.
    ///
    /// - Parameters:
    ///   - samples: The band; see ``BandInterpolator/fill(_:_:from:)``.
    ///   - index: Index of the first frame in the ring, a multiple of eight.
    @inline(__always)
    func add(
        _ samples: Floats, _ interpolator: borrowing BandInterpolator, from first: Int, count: Int, channel: Int,
        at index: Int64
    ) {
        let (target, begin, factor) = (self.samples(channel), place(index), interpolator.factor)
        precondition((factor | first | count | begin) % Lanes.scalarCount == 0 && first >= 0)
        precondition(begin + count <= capacity)
        precondition((first + count - 1) / factor + BandInterpolator.sampleCount <= samples.count)
        unsafe add_band(
            samples.base, interpolator.weights.view.base, factor, first, count, target.base, capacity, runCount, begin)
    }

    /// Adds to one sample.
    @inline(__always)
    func add(_ value: Float, channel: Int, at index: Int64) {
        write(samples(channel)[place(index)] + value, channel: channel, at: index)
    }

    /// Returns at most `runCount` samples from an index on; callers may also change samples through the view if no run
    /// wraps around.
    @inline(__always)
    func run(channel: Int, from index: Int64, count: Int) -> Floats {
        precondition(count <= runCount)
        return samples(channel).part(from: place(index), count: count)
    }

    /// Copies samples out of the ring; the count is at most the capacity.
    @inline(__always)
    func copy(channel: Int, from index: Int64, count: Int, to target: UnsafeMutablePointer<Float>) {
        precondition(count <= capacity)
        let (source, first) = (samples(channel), place(index))
        let untilWrap = min(count, capacity - first)
        let stride = MemoryLayout<Float>.stride
        let bytes = UnsafeMutableRawPointer(target)
        unsafe bytes.copyMemory(from: source.base + first, byteCount: untilWrap * stride)
        unsafe (bytes + untilWrap * stride).copyMemory(from: source.base, byteCount: (count - untilWrap) * stride)
    }
}
