// Nothing in this module's real-time code touches the heap, and the checking tools detect planted faults.
import Glibc
import Realtime
import Synchronization
import TestSupport
import Testing

/// Memory obtained in a way no optimiser removes.
@inline(never)
func allocateSomething() -> Int { [Int](repeating: 1, count: 1000 + Int(getpid() & 1)).count }

@Suite("Real-time safety")
struct RealtimeSafetyTests {
    /// A render path with its control side, which keeps everything moving.
    struct Rig: ~Copyable {
        var path: RenderPath
        var commands: RingProducer<Command>
        var events: RingConsumer<Command>
        var settings: SnapshotWriter<Command>
        let epoch = ReadEpoch()

        init() {
            let commandEnds = RingEnds<Command>(capacity: 7)
            let eventEnds = RingEnds<Command>(capacity: 7)
            let soundEnds = RingEnds<Float>(capacity: 100)
            let levelEnds = SnapshotEnds(initial: SIMD4<Float>())
            let settingEnds = SnapshotEnds(initial: Command(frame: 0, value: 0))
            commands = commandEnds.producer
            events = eventEnds.consumer
            settings = settingEnds.writer
            path = RenderPath(
                commands: commandEnds.consumer, events: eventEnds.producer, sound: soundEnds.producer,
                echo: soundEnds.consumer, levels: levelEnds.writer,
                settings: settingEnds.reader, pages: epoch.reader)
        }

        mutating func control(_ round: Int) {
            for frame in 0..<5 { _ = commands.push(Command(frame: Int64(frame), value: 1)) }
            settings.write(Command(frame: 0, value: Double(round)))
            while events.pop() != nil {}
        }
    }

    @Test(
        "a render path of rings, snapshots and epochs leaves the heap alone",
        .enabled(if: HeapTraffic.isCounted))
    func noHeapTraffic() {
        var rig = Rig()
        let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 64)
        unsafe block.initialize(repeating: 0.5)
        defer { unsafe block.deallocate() }
        var sum = 0
        for round in 0..<100 {
            rig.control(round)
            let traffic = HeapTraffic.measure { sum += unsafe rig.path.render(block) }
            // The first rounds of an unoptimised build make the metadata of generic types.
            if round > 2 { #expect(traffic == .none, "round \(round)") }
        }
        #expect(sum != 0)
    }

    @Test("the heap counter counts allocations and frees", .enabled(if: HeapTraffic.isCounted))
    func counterCounts() {
        var count = 0
        let traffic = HeapTraffic.measure { count += allocateSomething() }
        #expect(count >= 1000)
        #expect(traffic.allocations >= 1 && traffic.frees >= 1)
        #expect(HeapTraffic.measure {} == .none)
    }

    @Test(
        "the real-time sanitizer ends a program that allocates in a scope",
        .enabled(if: RealtimeScope.isChecked))
    func sanitizerCatches() async {
        await #expect(processExitsWith: .exitCode(43)) {
            RealtimeScope.enter()
            let count = allocateSomething()
            RealtimeScope.leave()
            exit(count > 0 ? 0 : 1)
        }
    }

    @Test("the real-time sanitizer finds no fault in a render path", .enabled(if: RealtimeScope.isChecked))
    func sanitizerPasses() async {
        await #expect(processExitsWith: .success) {
            var rig = Rig()
            let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 64)
            unsafe block.initialize(repeating: 0.5)
            for round in 0..<100 {
                rig.control(round)
                _ = unsafe rig.path.render(block)
            }
            unsafe block.deallocate()
        }
    }

    @Test(
        "a thread may allocate again after it leaves the outermost of its nested real-time scopes",
        .enabled(if: RealtimeScope.isChecked))
    func scopesNest() async {
        await #expect(processExitsWith: .success) {
            RealtimeScope.enter()
            RealtimeScope.enter()
            RealtimeScope.leave()
            RealtimeScope.leave()
            #expect(allocateSomething() >= 1000)
        }
        await #expect(processExitsWith: .exitCode(43)) {
            RealtimeScope.enter()
            RealtimeScope.enter()
            RealtimeScope.leave()
            exit(allocateSomething() >= 1000 ? 0 : 1)
        }
    }

    @Test("a contended Mutex is no race to the thread sanitizer")
    func mutexUnderThreadSanitizer() throws {
        let box = Counter()
        let count: @Sendable () -> Void = {
            for _ in 0..<2000 {
                // Yielding inside makes the other thread run into the lock.
                box.value.withLock {
                    $0 += 1
                    yieldThread()
                }
            }
        }
        try onTwoThreads(count, count)
        #expect(box.value.withLock { $0 } == 4000)
    }
}

private final class Counter: Sendable {
    let value = Mutex(0)
}
