import TestSupport
import Testing

@testable import AudioDevices

@Suite("The distribution of render times")
struct RenderTimeTests {
    @Test("every render time lies in its bucket, below the upper edge and at most a sixteenth under it")
    func buckets() {
        var generator = SeededGenerator(printedFor: "buckets")
        var durations: [UInt64] = Array(0...4096)
        for bits in 12..<40 {
            durations += [1 << bits, (1 << bits) - 1, UInt64.random(in: 0..<(1 << bits), using: &generator)]
        }
        for duration in durations {
            let bucket = RenderTimeBucket.index(ofNanoseconds: duration)
            let edge = RenderTimeBucket.upperEdge(of: bucket)
            #expect(duration < edge)
            #expect(bucket == 0 || duration >= RenderTimeBucket.upperEdge(of: bucket - 1))
            #expect(Double(edge) <= Double(max(duration, 1)) * 1.0625 + 1)
        }
    }

    @Test("median, 99.9 % and maximum of render times are those of the sorted times, to a sixteenth")
    func quantiles() {
        var generator = SeededGenerator(printedFor: "quantiles")
        let histogram = RenderTimeHistogram()
        let durations = (0..<10_000).map { _ in UInt64.random(in: 100...2_000_000, using: &generator) }
        for duration in durations { histogram.record(nanoseconds: duration) }
        let sorted = durations.sorted().map { Double($0) / 1000 }
        let summary = histogram.summary()
        #expect((1.0...1.0626).contains(summary.medianMicroseconds / sorted[4999]))
        #expect((1.0...1.0626).contains(summary.p999Microseconds / sorted[9989]))
        #expect(summary.maximumMicroseconds == sorted[9999])
    }

    @Test("a histogram without render times gives 0, and a time beyond the last bucket is the maximum")
    func edges() {
        let histogram = RenderTimeHistogram()
        #expect(histogram.summary() == RenderTime(medianMicroseconds: 0, p999Microseconds: 0, maximumMicroseconds: 0))
        histogram.record(nanoseconds: .max)
        #expect(histogram.summary().maximumMicroseconds == Double(UInt64.max) / 1000)
    }
}
