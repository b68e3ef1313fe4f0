// The snapshot: the newest value, whole, without waiting.
import Glibc
import Realtime
import TestSupport
import Testing

@Suite("Snapshot")
struct SnapshotTests {
    @Test("a snapshot reads its initial value until the first write, then always the newest value")
    func newest() {
        let ends = SnapshotEnds(initial: 7)
        var writer = ends.writer
        var reader = ends.reader
        #expect(reader.hasNewValue == false)
        #expect(reader.read() == 7)
        #expect(reader.read() == 7)
        for value in 0..<20 {
            // 0, 1, 2 … writes between two reads: all but the last are lost, never the last.
            for extra in 0...(value % 5) { writer.write(100 * value + extra) }
            #expect(reader.hasNewValue == true)
            #expect(reader.read() == 100 * value + value % 5)
            #expect(reader.hasNewValue == false)
            #expect(reader.read() == 100 * value + value % 5)
        }
    }

    /// Larger than a cache line, so a torn copy is likely if possible at all.
    struct Wide: BitwiseCopyable, Sendable {
        var words: InlineArray<40, Int>

        init(_ value: Int) { words = InlineArray(repeating: value) }

        var isWhole: Bool { words.indices.allSatisfy { words[$0] == words[0] } }
    }

    @Test("a snapshot between two threads is never torn, never goes back, and ends at the last value")
    func twoThreads() throws {
        let last = 20_000
        let ends = SnapshotEnds(initial: Wide(0))
        let writerParcel = Parcel(ends.writer)
        let readerParcel = Parcel(ends.reader)
        let findings = Findings()
        let (stage, reads) = (Stage(), Turns())
        try onTwoThreads(
            {
                var writer = writerParcel.take()
                for value in 1...last {
                    writer.write(Wide(value))
                    if value % 64 == 0 { sched_yield() }
                    if value % 500 == 0 { reads.waitForNext() }
                }
                stage.reach(1)
            },
            {
                var reader = readerParcel.take()
                var newest = 0
                while !stage.hasReached(1) {
                    let value = reader.read()
                    findings.check(value.isWhole, "torn: \(value)")
                    findings.check(value.words[0] >= newest, "\(value.words[0]) after \(newest)")
                    newest = value.words[0]
                    reads.take()
                }
                findings.check(reader.read().words[0] == last, "the last value was lost")
            })
        #expect(findings.all.isEmpty)
    }
}
