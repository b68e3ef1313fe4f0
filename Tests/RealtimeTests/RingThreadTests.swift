// The ring between two threads: nothing lost, repeated or torn, and neither side ever waits for the other.
import Glibc
import Realtime
import Synchronization
import TestSupport
import Testing

@Suite("Ring between two threads")
struct RingThreadTests {
    /// Two words that belong together: a torn element's halves do not match.
    struct Pair: BitwiseCopyable, Sendable, Equatable {
        var value: Int
        var complement: Int

        init(_ value: Int) {
            self.value = value
            complement = ~value
        }
    }

    @Test(
        "no element of a ring is lost, repeated or torn, for any capacity and block sizes", arguments: [1, 3, 64, 1000])
    func ramp(capacity: Int) throws {
        let random = SeededGenerator(printedFor: "ramp(\(capacity))")
        let total = capacity < 10 ? 20_000 : 100_000
        let ends = RingEnds<Pair>(capacity: capacity)
        let producer = Parcel(ends.producer)
        let consumer = Parcel(ends.consumer)
        let findings = Findings()
        try onTwoThreads(
            { produce(total, into: producer.take(), using: random) },
            { consume(total, from: consumer.take(), using: SeededGenerator(seed: ~random.seed), findings) })
        #expect(findings.all.isEmpty, "\(random)")
    }

    @Test("either end of a ring proceeds at once while the other end is stopped amid its work")
    func waitFree() throws {
        let ends = RingEnds<Int>(capacity: 5)
        let producerParcel = Parcel(ends.producer)
        let consumerParcel = Parcel(ends.consumer)
        let findings = Findings()
        let stage = Stage()
        // Each thread stands inside a bulk access while the other works on. If either needed the other's progress, the
        // test would never end.
        try onTwoThreads(
            {
                var producer = producerParcel.take()
                for value in 0..<3 { findings.check(producer.push(value), "no room in an empty ring") }
                _ = unsafe producer.withWritable(2) { _, _ in
                    stage.reach(1)
                    stage.wait(for: 2)
                    return 0
                }
                stage.wait(for: 3)
                for value in 3..<7 { findings.check(producer.push(value), "no room for what fits") }
                findings.check(!producer.push(7), "room in a ring whose elements are still lent")
                findings.check(producer.writableCount == 0, "lent elements count as free")
                stage.reach(4)
            },
            {
                var consumer = consumerParcel.take()
                stage.wait(for: 1)
                for value in 0..<2 { findings.check(consumer.pop() == value, "not \(value)") }
                findings.check(consumer.readableCount == 1, "slots being written count as readable")
                stage.reach(2)
                _ = unsafe consumer.withReadable(5) { first, second in
                    stage.reach(3)
                    stage.wait(for: 4)
                    findings.check(unsafe first.count + second.count == 1 && first[0] == 2, "a lent element changed")
                    return 0
                }
                findings.check(consumer.readableCount == 5, "elements went missing")
            })
        #expect(findings.all.isEmpty)
    }

    @Test("a reader of a held element sees the value published before the element was shown, or a newer one")
    func heldAfterSnapshot() throws {
        let total = 50_000
        let ends = RingEnds<Int>(capacity: 64)
        let snapshot = SnapshotEnds(initial: -1)
        let producerParcel = Parcel(ends.producer)
        let consumerParcel = Parcel(ends.consumer)
        let writerParcel = Parcel(snapshot.writer)
        let readerParcel = Parcel(snapshot.reader)
        let findings = Findings()
        try onTwoThreads(
            {
                var producer = producerParcel.take()
                var writer = writerParcel.take()
                for value in 0..<total {
                    while !producer.hold(value) { sched_yield() }
                    writer.write(value)
                    producer.showHeld()
                }
            },
            {
                var consumer = consumerParcel.take()
                var reader = readerParcel.take()
                var next = 0
                while next < total {
                    guard let value = consumer.pop() else {
                        sched_yield()
                        continue
                    }
                    findings.check(value == next, "not \(next)")
                    findings.check(reader.read() >= value, "a value from before the element")
                    next += 1
                }
            })
        #expect(findings.all.isEmpty)
    }
}

/// Writes 0, 1, 2 … by a random mix of all ways to write.
private func produce(
    _ total: Int, into producer: consuming RingProducer<RingThreadTests.Pair>, using generator: SeededGenerator
) {
    var random = generator
    var next = 0
    while next < total {
        let size = Int.random(in: 1...min(100, total - next), using: &random)
        var written = 0
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            written = producer.push(.init(next)) ? 1 : 0
        case 1:
            let block = (0..<size).map { RingThreadTests.Pair(next + $0) }
            written = unsafe block.withUnsafeBufferPointer { unsafe producer.write(from: $0) }
        default:
            written = unsafe producer.withWritable(size) { first, second in
                for index in first.indices { unsafe first[index] = .init(next + index) }
                for index in second.indices { unsafe second[index] = .init(next + first.count + index) }
                return first.count + second.count
            }
        }
        next += written
        if written == 0 { sched_yield() }
    }
}

/// Reads by a random mix of all ways to read and expects 0, 1, 2 …
private func consume(
    _ total: Int, from consumer: consuming RingConsumer<RingThreadTests.Pair>, using generator: SeededGenerator,
    _ findings: Findings
) {
    var random = generator
    var expected = 0
    var block = [RingThreadTests.Pair](repeating: .init(-1), count: 100)
    while expected < total, findings.all.isEmpty {
        var taken: ArraySlice<RingThreadTests.Pair> = []
        let size = Int.random(in: 1...block.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            if let pair = consumer.pop() { taken = [pair] }
        case 1:
            let read = unsafe block.withUnsafeMutableBufferPointer { buffer in
                unsafe consumer.read(into: UnsafeMutableBufferPointer(rebasing: buffer[..<size]))
            }
            taken = block[..<read]
        default:
            _ = unsafe consumer.withReadable(size) { first, second in
                taken = unsafe ArraySlice(first) + ArraySlice(second)
                return taken.count
            }
        }
        for pair in taken {
            findings.check(pair == .init(expected), "\(pair) where \(expected) was due")
            expected += 1
        }
        if taken.isEmpty { sched_yield() }
    }
    findings.check(consumer.pop() == nil, "more came out than went in")
}
