import Synchronization

/// Counts of render times, in 16 logarithmic buckets per octave, from 1 ns to 18 minutes.
///
/// One thread records, any thread reads. A summary reads the counts in sequence, so it may be inconsistent by one
/// block.
@safe
struct RenderTimeHistogram: ~Copyable, @unchecked Sendable {
    private let bucketCount = 16 * 37
    // Unchecked because of the pointer: its memory is atomic and lives as long as the histogram.
    private let buckets: UnsafeMutablePointer<Atomic<UInt64>>
    private let maximum = Atomic<UInt64>(0)

    init() {
        unsafe buckets = .allocate(capacity: bucketCount)
        for index in 0..<bucketCount { unsafe (buckets + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe buckets.deinitialize(count: bucketCount)
        unsafe buckets.deallocate()
    }

    /// Counts one block.
    ///
    /// Wait-free; the recording thread only. Real-time safe: yes.
    func record(nanoseconds: UInt64) {
        // All relaxed: there is one writer, and no reader draws conclusions about other memory.
        let index = min(RenderTimeBucket.index(ofNanoseconds: nanoseconds), bucketCount &- 1)
        let count = unsafe buckets[index].load(ordering: .relaxed)
        unsafe buckets[index].store(count &+ 1, ordering: .relaxed)
        if nanoseconds > maximum.load(ordering: .relaxed) { maximum.store(nanoseconds, ordering: .relaxed) }
    }

    /// Returns the quantiles so far; zeros if nothing was recorded.
    func summary() -> RenderTime {
        let counts = (0..<bucketCount).map { unsafe buckets[$0].load(ordering: .relaxed) }
        let longest = maximum.load(ordering: .relaxed)
        return RenderTime(
            medianMicroseconds: quantile(counts, perMille: 500, longest: longest),
            p999Microseconds: quantile(counts, perMille: 999, longest: longest),
            maximumMicroseconds: Double(longest) / 1000)
    }

    private func quantile(_ counts: [UInt64], perMille: UInt64, longest: UInt64) -> Double {
        let total = counts.reduce(0, +)
        let rank = max(1, (total * perMille + 999) / 1000)
        var seen: UInt64 = 0
        for (bucket, count) in counts.enumerated() {
            seen += count
            if seen >= rank, count > 0 { return Double(min(RenderTimeBucket.upperEdge(of: bucket), longest)) / 1000 }
        }
        return 0
    }
}

/// Assigns durations to buckets: exactly below 16 ns, then by the octave and the four bits below the leading bit.
enum RenderTimeBucket {
    /// Returns the bucket of a duration.
    ///
    /// Real-time safe: yes.
    static func index(ofNanoseconds nanoseconds: UInt64) -> Int {
        guard nanoseconds >= 16 else { return Int(truncatingIfNeeded: nanoseconds) }
        let octave = 63 &- nanoseconds.leadingZeroBitCount
        let mantissa = Int(truncatingIfNeeded: (nanoseconds &>> UInt64(truncatingIfNeeded: octave &- 4)) & 15)
        return (octave &- 3) &* 16 &+ mantissa
    }

    /// Returns the first duration above a bucket.
    static func upperEdge(of bucket: Int) -> UInt64 {
        guard bucket >= 16 else { return UInt64(bucket) + 1 }
        return UInt64(17 + bucket % 16) << UInt64(bucket / 16 - 1)
    }
}
