import Glibc
import Realtime
import Synchronization
import TestSupport
import Testing

@Suite("Work shared by threads")
struct SharedWorkTests {
    private struct Refusal: Error {}

    @Test("shared work gives its results in order, for any number of threads", arguments: [0, 1, 2, 7, 64])
    func order(threads: Int) {
        for count in [0, 1, 2, 63, 64, 200] {
            var taken: [Int] = []
            let begun = SharedWork.inOrder(count, threads: threads) { number in
                // Later items often finish first.
                if number % 3 == 0 { for _ in 0..<2000 { _ = SharedWork.processorCount } }
                return number * number
            } take: { number, value in
                taken.append(value)
                return number == taken.count - 1
            }
            #expect(taken == (0..<count).map { $0 * $0 })
            #expect(begun == count)
        }
    }

    @Test(
        "shared work begins no item after it is told to end, and gives the results of begun items",
        arguments: [1, 2, 5])
    func enough(threads: Int) {
        let counter = Counter()
        var taken: [Int] = []
        let begun = SharedWork.inOrder(100_000, threads: threads) { number in
            counter.count.add(1, ordering: .relaxed)
            return number
        } take: { number, value in
            taken.append(value)
            return number < 20
        }
        #expect(begun == counter.count.load(ordering: .relaxed), "each that was begun is worked on")
        #expect(taken == Array(0..<begun))
        #expect((21..<100_000).contains(begun))
    }

    @Test("shared work ends its threads if the caller throws", arguments: [1, 2, 5])
    func failing(threads: Int) throws {
        let counter = Counter()
        #expect(throws: Refusal.self) {
            try SharedWork.inOrder(100_000, threads: threads) { _ in
                counter.count.add(1, ordering: .relaxed)
            } take: { number, _ in
                if number == 3 { throw Refusal() }
                return true
            }
        }
        // No thread is left to count on.
        let after = counter.count.load(ordering: .relaxed)
        #expect((4..<100_000).contains(after))
        #expect(after == counter.count.load(ordering: .relaxed))
    }

    @Test("shared work gives a result in its turn, even while every later item still runs", arguments: [1, 2, 5])
    func turns(threads: Int) {
        let (counter, late) = (Counter(), Counter())
        let begun = SharedWork.inOrder(50, threads: threads) { number in
            // Each item waits until the previous result was passed on.
            if !eventually({ counter.count.load(ordering: .acquiring) >= number }) {
                late.count.add(1, ordering: .relaxed)
            }
            return number
        } take: { number, _ in
            counter.count.store(number + 1, ordering: .releasing)
            return true
        }
        #expect(begun == 50 && late.count.load(ordering: .relaxed) == 0)
    }

    @Test("shared work begins no item while a thousand results wait", arguments: [2, 5])
    func backlog(threads: Int) {
        let (begun, given) = (Counter(), Counter())
        SharedWork.inOrder(10_000, threads: threads) { number in
            begun.count.add(1, ordering: .relaxed)
            // The first item lasts as long as all items that may run meanwhile, except items held by other threads.
            if number == 0 { _ = eventually { begun.count.load(ordering: .relaxed) >= 1000 } }
        } take: { number, _ in
            #expect(begun.count.load(ordering: .relaxed) <= number + 1000 + 1)
            given.count.add(1, ordering: .relaxed)
            return true
        }
        #expect(given.count.load(ordering: .relaxed) == 10_000)
    }

    private final class Counter: Sendable {
        let count = Atomic(0)
    }
}
