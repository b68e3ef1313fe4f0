// The ring on one thread: content, order, and refusals.
import Realtime
import TestSupport
import Testing

@Suite("Ring on one thread")
struct RingTests {
    @Test(
        "every slot of a ring of any capacity is usable, and full and empty are distinct",
        arguments: [1, 2, 3, 7, 8, 100])
    func fullAndEmpty(capacity: Int) {
        let ends = RingEnds<Int>(capacity: capacity)
        var producer = ends.producer
        var consumer = ends.consumer
        #expect(producer.capacity == capacity && consumer.capacity == capacity)
        // More rounds than slots, so the wrap falls at every slot.
        for round in 0..<(2 * capacity + 1) {
            #expect(consumer.pop() == nil)
            #expect(consumer.readableCount == 0)
            #expect(producer.writableCount == capacity)
            // A single element passed through moves the start of the next round on by one slot.
            #expect(producer.push(round) && consumer.pop() == round)
            for value in 0..<capacity { #expect(producer.push(value) == true) }
            #expect(producer.push(-1) == false)
            #expect(producer.writableCount == 0)
            #expect(consumer.readableCount == capacity)
            for value in 0..<capacity { #expect(consumer.pop() == value) }
        }
        #expect(consumer.pop() == nil)
    }

    @Test("a ring behaves as a queue with a limit, by every operation", arguments: [1, 3, 5, 8, 13])
    func againstReference(capacity: Int) {
        var random = SeededGenerator(printedFor: "againstReference(\(capacity))")
        let ends = RingEnds<Int32>(capacity: capacity)
        var producer = ends.producer
        var consumer = ends.consumer
        var reference: [Int32] = []
        var next: Int32 = 0
        for step in 0..<5000 {
            let size = Int.random(in: 0...(capacity + 2), using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                let fits = reference.count < capacity
                #expect(producer.push(next) == fits, "step \(step), \(random)")
                if fits { reference.append(next) }
                next &+= 1
            case 1:
                #expect(
                    consumer.pop() == (reference.isEmpty ? nil : reference.removeFirst()), "step \(step), \(random)")
            case 2:
                let block = (0..<size).map { next &+ Int32($0) }
                let written = unsafe block.withUnsafeBufferPointer { unsafe producer.write(from: $0) }
                #expect(written == min(size, capacity - reference.count), "step \(step), \(random)")
                reference += block.prefix(written)
                next &+= Int32(size)
            case 3:
                var block = [Int32](repeating: -7, count: size)
                let read = unsafe block.withUnsafeMutableBufferPointer { unsafe consumer.read(into: $0) }
                let expected = Array(reference.prefix(size))
                reference.removeFirst(expected.count)
                let rest = [Int32](repeating: -7, count: size - expected.count)
                #expect(read == expected.count && block == expected + rest, "step \(step), \(random)")
            case 4:
                let committed = fill(&producer, lending: size, from: next, using: &random)
                reference += (0..<committed).map { next &+ Int32($0) }
                next &+= Int32(committed)
                #expect(reference.count <= capacity, "step \(step), \(random)")
            default:
                let (seen, used) = drain(&consumer, lending: size, using: &random)
                #expect(seen == Array(reference.prefix(size)), "step \(step), \(random)")
                reference.removeFirst(used)
            }
            #expect(consumer.readableCount == reference.count)
            #expect(producer.writableCount == capacity - reference.count)
        }
    }

    /// Fills a random part of the lent space with ascending values.
    private func fill(
        _ producer: inout RingProducer<Int32>, lending size: Int, from next: Int32, using random: inout SeededGenerator
    ) -> Int {
        let lent = min(size, producer.writableCount)
        let count = Int.random(in: 0...lent, using: &random)
        return unsafe producer.withWritable(size) { first, second in
            #expect(first.count + second.count == lent)
            for index in 0..<count {
                if index < first.count {
                    unsafe first[index] = next &+ Int32(index)
                } else {
                    unsafe second[index - first.count] = next &+ Int32(index)
                }
            }
            return count
        }
    }

    /// Reads all lent elements, uses a random part of them.
    private func drain(
        _ consumer: inout RingConsumer<Int32>, lending size: Int, using random: inout SeededGenerator
    ) -> (seen: [Int32], used: Int) {
        var seen: [Int32] = []
        let used = Int.random(in: 0...min(size, consumer.readableCount), using: &random)
        let freed = unsafe consumer.withReadable(size) { first, second in
            seen = unsafe Array(first) + Array(second)
            return used
        }
        #expect(freed == used)
        return (seen, used)
    }

    @Test(
        "held elements become visible in order when they are shown, or at the next write", arguments: [2, 3, 8])
    func holding(capacity: Int) {
        let ends = RingEnds<Int>(capacity: capacity)
        var producer = ends.producer
        var consumer = ends.consumer
        for round in 0..<(2 * capacity + 1) {
            #expect(producer.hold(round) == true)
            #expect(consumer.pop() == nil && consumer.readableCount == 0 && producer.writableCount == capacity - 1)
            if round.isMultiple(of: 2) {
                producer.showHeld()
                #expect(consumer.pop() == round)
            } else {
                #expect(producer.push(-round) == true)
                #expect(consumer.pop() == round && consumer.pop() == -round)
            }
            #expect(consumer.pop() == nil)
        }
        for value in 0..<capacity { #expect(producer.hold(value) == true) }
        #expect(producer.hold(-1) == false && producer.push(-1) == false && consumer.pop() == nil)
        producer.showHeld()
        for value in 0..<capacity { #expect(consumer.pop() == value) }
    }

    @Test("a body that throws passes no element on and frees no slot")
    func throwingBody() {
        struct Stop: Error {}
        let ends = RingEnds<Int>(capacity: 4)
        var producer = ends.producer
        var consumer = ends.consumer
        #expect(throws: Stop.self) { try unsafe producer.withWritable(3) { _, _ in throw Stop() } }
        #expect(consumer.readableCount == 0)
        #expect(producer.push(5) == true)
        #expect(throws: Stop.self) { try unsafe consumer.withReadable(1) { _, _ in throw Stop() } }
        #expect(consumer.pop() == 5)
    }

    @Test("an empty or absent buffer writes and reads no element of a ring")
    func emptyBuffers() {
        let ends = RingEnds<Int>(capacity: 2)
        var producer = ends.producer
        var consumer = ends.consumer
        let pushed = producer.push(1)
        #expect(pushed)
        #expect(unsafe producer.write(from: UnsafeBufferPointer(start: nil, count: 0)) == 0)
        #expect(unsafe consumer.read(into: UnsafeMutableBufferPointer(start: nil, count: 0)) == 0)
        #expect(unsafe producer.withWritable(-3) { first, second in first.count + second.count } == 0)
        #expect(consumer.readableCount == 1)
    }

    @Test("a ring passes elements of any layout whole")
    func layouts() {
        struct Odd: BitwiseCopyable, Sendable, Equatable { var a: UInt8, b: Int64, c: UInt8 }
        struct Nothing: BitwiseCopyable, Sendable, Equatable {}
        func check<Element: BitwiseCopyable & Sendable & Equatable>(_ values: [Element]) {
            let ends = RingEnds<Element>(capacity: 3)
            var producer = ends.producer
            var consumer = ends.consumer
            for value in values {
                #expect(producer.push(value) == true)
                #expect(consumer.pop() == value)
            }
        }
        check((0..<9).map { UInt8($0) })
        check((0..<9).map { Odd(a: $0, b: -Int64($0), c: 255 - $0) })
        check((0..<9).map { SIMD16<Double>(repeating: Double($0)) })
        check((0..<9).map { _ in Nothing() })
    }

    @Test("the memory of a ring lives until both of its ends are released")
    func halvesOutliveEachOther() {
        func consumerAlone() -> RingConsumer<Int> {
            let ends = RingEnds<Int>(capacity: 4)
            var producer = ends.producer
            for value in 0..<4 { _ = producer.push(value) }
            return ends.consumer
        }
        var consumer = consumerAlone()
        for value in 0..<4 { #expect(consumer.pop() == value) }
        #expect(consumer.pop() == nil)
    }
}
