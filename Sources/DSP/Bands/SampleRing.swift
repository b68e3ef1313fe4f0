/// The latest samples of every channel, at absolute indices and readable as runs without a seam.
///
/// The first `runCount` places are kept twice, the second time behind the last one, so that a run which wraps round lies in
/// one piece. Who writes sees to it that what is still to be read is not overwritten: the ring does not keep count.
@safe
struct SampleRing: ~Copyable {
    let channelCount: Int
    /// A power of two.
    let capacity: Int
    /// The longest run that can be read.
    let runCount: Int
    private let storage: FloatStorage

    /// A ring of at least `sampleCount` samples a channel.
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

    /// Writes eight samples, the first of them at a multiple of eight.
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

    /// Adds to eight samples, the first of them at a multiple of eight.
    @inline(__always)
    func add(_ value: Lanes, channel: Int, at index: Int64) {
        write(samples(channel)[lanes: place(index)] + value, channel: channel, at: index)
    }

    /// Adds to one sample.
    @inline(__always)
    func add(_ value: Float, channel: Int, at index: Int64) {
        write(samples(channel)[place(index)] + value, channel: channel, at: index)
    }

    /// The samples from an index on, `runCount` of them at most; the view also serves to change them where no run wraps.
    @inline(__always)
    func run(channel: Int, from index: Int64, count: Int) -> Floats {
        precondition(count <= runCount)
        return samples(channel).part(from: place(index), count: count)
    }

    /// Copies any number of samples, the ring's capacity at most, out of the ring.
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
