import Glibc
import Realtime
import Synchronization
import TestSupport
import Testing

/// The first answer about `work`, which runs again without an answer: a thread of the system may use the heap at any
/// moment.
private func answer(_ work: () -> Void) -> Bool? {
    for _ in 0..<100 {
        if let answer = HeapWitness.touchesHeap(work) { return answer }
    }
    return nil
}

/// Under a sanitizer, which has another allocator, the witness reports no answer.
@Suite("Heap witness", .serialized)
struct HeapWitnessTests {
    private final class Something {
        var number = 1
    }

    private final class Bursts: Sendable {
        let count = Atomic<Int>(0)
    }

    @Test(
        "the heap witness tells work that leaves the heap alone from work that allocates",
        .enabled(if: HeapTraffic.isCounted))
    func told() async {
        // In a separate process, where no other test allocates meanwhile.
        await #expect(processExitsWith: .success) {
            let numbers = UnsafeMutableBufferPointer<Int>.allocate(capacity: 1000)
            unsafe numbers.initialize(repeating: 1)
            var sum = 0
            func add() {
                sum = 0
                for index in 0..<1000 { unsafe sum += numbers[index] }
            }
            guard answer(add) == false, sum == 1000 else { exit(1) }
            var kept = 0
            // Called once before: the witness must find the object, not the type.
            func makeAndForget() { kept += [Something](repeating: Something(), count: 4)[2].number }
            makeAndForget()
            exit(answer(makeAndForget) == true && kept >= 2 ? 0 : 2)
        }
    }

    @Test("freeing memory that another thread allocated counts as heap traffic", .enabled(if: HeapTraffic.isCounted))
    func freeing() async {
        await #expect(processExitsWith: .success) {
            var found: Bool?
            for _ in 0..<100 where found == nil {
                let block = UnsafeMutablePointer<Int>.allocate(capacity: 8)
                found = HeapWitness.touchesHeap { unsafe block.deallocate() }
            }
            exit(found == true ? 0 : 1)
        }
    }

    @Test("a heap that shrank, or grew by neither a block nor a cache, gives no answer")
    func growth() {
        #expect([0, 32, 48].allSatisfy { HeapWitness.answer(growth: $0) == true })
        #expect([576, 672, 1200].allSatisfy { HeapWitness.answer(growth: $0) == false })
        #expect([-1, -4096, 128, 400].allSatisfy { HeapWitness.answer(growth: $0) == nil })
    }

    @Test("heap traffic of other threads is never attributed to the work", .enabled(if: HeapTraffic.isCounted))
    func busy() async {
        await #expect(processExitsWith: .success) {
            // Bursts of allocations with pauses in between, as of a busy program.
            let bursts = Bursts()
            let others = (0..<2).compactMap { _ in
                PlainThread(name: "busy") {
                    while true {
                        let blocks = (0..<200).map { _ in [UInt8](repeating: 1, count: .random(in: 16...4096)) }
                        withExtendedLifetime(blocks) { _ = usleep(700) }
                        bursts.count.add(1, ordering: .relaxed)
                        usleep(UInt32.random(in: 0...3000))
                    }
                }
            }
            guard others.count == 2, eventually({ bursts.count.load(ordering: .relaxed) > 2 }) else { exit(2) }
            var answers: [Bool?] = []
            // A busy machine may disturb each of the first attempts.
            for number in 0..<2000 where number < 20 || !answers.contains(false) {
                answers.append(HeapWitness.touchesHeap {})
            }
            exit(!answers.contains(true) && answers.contains(false) ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}
