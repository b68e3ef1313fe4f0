internal import Samples

/// Samples of all channels at absolute indices, as 16-bit integers with one scale for every 32 samples; silence
/// elsewhere.
///
/// The error is at most 1/65,534 of the largest sample among the 32, or 96 dB below that sample. The memory is half the
/// memory of Float32, and a quiet part beside a loud part keeps its detail. The memory belongs to a `PackedStorage`,
/// which must outlive the view. Nothing writes to a view's memory after the view was made; so the view is sendable.
@safe
struct PackedSamples: BitwiseCopyable, @unchecked Sendable {
    /// The index of the first sample.
    let first: Int64
    /// Samples of one channel.
    let count: Int
    private let values: UnsafePointer<Int16>
    private let scales: UnsafePointer<Float>

    /// Number of samples that share a scale.
    static let blockCount = 32

    fileprivate init(first: Int64, count: Int, values: UnsafePointer<Int16>, scales: UnsafePointer<Float>) {
        self.first = first
        self.count = count
        unsafe self.values = values
        unsafe self.scales = scales
    }

    /// One past the last index.
    var end: Int64 { first + Int64(count) }

    /// Writes the samples from an index on to all of `target`, and silence outside the stored samples.
    ///
    /// Real-time safe: yes.
    func read(channel: Int, from index: Int64, into target: Floats) {
        let (lower, upper) = overlap(index, target.count)
        for place in 0..<lower { target[place] = 0 }
        for place in upper..<target.count { target[place] = 0 }
        transfer(channel: channel, from: index, lower, upper, target, adding: false)
    }

    /// Adds the stored samples from an index on to `target`.
    ///
    /// Real-time safe: yes.
    func add(channel: Int, from index: Int64, to target: Floats) {
        let (lower, upper) = overlap(index, target.count)
        transfer(channel: channel, from: index, lower, upper, target, adding: true)
    }

    /// Returns the places with samples in a target that begins at `index`.
    @inline(__always)
    private func overlap(_ index: Int64, _ targetCount: Int) -> (lower: Int, upper: Int) {
        let lower = max(0, min(Int64(targetCount), first - index))
        return (Int(lower), Int(max(lower, min(Int64(targetCount), end - index))))
    }

    /// Writes or adds, scale by scale.
    @inline(__always)
    private func transfer(
        channel: Int, from index: Int64, _ lower: Int, _ upper: Int, _ target: Floats, adding: Bool
    ) {
        let channelBlocks = (count + Self.blockCount - 1) / Self.blockCount
        let firstBlock = channel * channelBlocks
        var place = lower
        while place < upper {
            let sample = Int(index - first) + place
            let block = sample / Self.blockCount
            let run = min(upper - place, (block + 1) * Self.blockCount - sample)
            precondition(sample >= 0 && sample + run <= count)
            // In bounds of the channel's samples, as just checked; a channel begins at a whole block.
            let source = unsafe values + firstBlock * Self.blockCount + sample
            let scale = unsafe scales[firstBlock + block]
            let whole = run / Lanes.scalarCount * Lanes.scalarCount
            for offset in stride(from: 0, to: whole, by: Lanes.scalarCount) {
                let integers = unsafe UnsafeRawPointer(source + offset).loadUnaligned(as: SIMD8<Int16>.self)
                let samples = Lanes(integers) * scale
                target[lanes: place + offset] = adding ? target[lanes: place + offset] + samples : samples
            }
            for offset in whole..<run {
                let value = unsafe Float(source[offset]) * scale
                target[place + offset] = adding ? target[place + offset] + value : value
            }
            place += run
        }
    }
}

/// The memory of many `PackedSamples`, filled once and immutable thereafter.
@safe
struct PackedStorage: ~Copyable {
    private let values: UnsafeMutablePointer<Int16>
    private let scales: UnsafeMutablePointer<Float>
    private let capacity: Int
    private var used = 0

    /// Room for samples.
    ///
    /// - Parameter capacity: In blocks of 32 samples, see ``blocks(count:channelCount:)``.
    init(capacity: Int) {
        self.capacity = capacity
        unsafe values = .allocate(capacity: max(1, capacity) * PackedSamples.blockCount)
        unsafe scales = .allocate(capacity: max(1, capacity))
        unsafe values.initialize(repeating: 0, count: max(1, capacity) * PackedSamples.blockCount)
        unsafe scales.initialize(repeating: 0, count: max(1, capacity))
    }

    deinit {
        unsafe values.deallocate()
        unsafe scales.deallocate()
    }

    /// Bytes of memory.
    var byteCount: Int { capacity * (2 * PackedSamples.blockCount + 4) }

    /// Returns the number of blocks needed for samples.
    static func blocks(count: Int, channelCount: Int) -> Int {
        channelCount * ((count + PackedSamples.blockCount - 1) / PackedSamples.blockCount)
    }

    /// Stores samples; all channels have one length.
    mutating func store(_ channels: [[Float]], first: Int64) -> PackedSamples {
        let count = channels.first?.count ?? 0
        let begin = used
        for samples in channels {
            for start in stride(from: 0, to: count, by: PackedSamples.blockCount) {
                precondition(used < capacity, "More samples than there is room for.")
                let block = samples[start..<min(start + PackedSamples.blockCount, count)]
                let peak = block.reduce(0) { max($0, abs($1)) }
                // A block too soft for a normal scale becomes silence; nothing audible is lost.
                if peak > 1e-30 {
                    let factor = 32_767 / peak
                    unsafe scales[used] = peak / 32_767
                    for (offset, sample) in block.enumerated() {
                        unsafe values[used * PackedSamples.blockCount + offset] = Int16(
                            sample * factor + (sample < 0 ? -0.5 : 0.5))
                    }
                }
                used += 1
            }
        }
        return unsafe PackedSamples(
            first: first, count: count, values: values + begin * PackedSamples.blockCount, scales: scales + begin)
    }
}

// One owner at a time; once shared, the storage is only read.
extension PackedStorage: @unchecked Sendable {}
