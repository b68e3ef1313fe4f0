import CProcessors
import Files
import Glibc
import Realtime
import Synchronization

/// A time during which a processor did not run a due thread, in nanoseconds of the monotonic clock.
struct WakeGap: Sendable, BitwiseCopyable {
    /// The due time of the thread's wake-up.
    let due: Int64
    /// The actual time of the wake-up.
    let woken: Int64

    var microseconds: Int64 { (woken - due) / 1000 }
}

/// Threads that only sleep and wake, one on each processor, before all other real-time threads: a late wake-up of such
/// a thread is a delay that the machine causes for every thread. On a virtual machine the cause is mostly the host,
/// which runs another program.
final class WakeWitness: Sendable {
    /// Latenesses below this are not recorded; a fifth of the lateness that a device with two periods of 128 frames
    /// tolerates.
    static let threshold: Int64 = 500_000
    private static let interval: Int64 = 500_000

    private let watches: [WakeWatch]
    private let threads: [RealtimeThread]

    /// - Parameter priority: Of the threads, above the priority of the observed threads.
    init(priority: Int) throws {
        let watches = allowedProcessors().map { WakeWatch(processor: $0) }
        self.watches = watches
        threads = try watches.map { watch in
            try RealtimeThread(name: "witness", configuration: .init(priority: priority, stackBytes: 64 * 1024)) {
                watch.run(interval: Self.interval, threshold: Self.threshold)
            }
        }
    }

    /// Ends the threads and returns the gaps of all processors, unordered, and the number of gaps without room.
    func stop() -> (gaps: [WakeGap], missed: Int) {
        for watch in watches { watch.stop() }
        for thread in threads { thread.join() }
        return (watches.flatMap(\.gaps), watches.reduce(0) { $0 + $1.missed })
    }
}

/// The witness on one processor.
private final class WakeWatch: @unchecked Sendable {
    // Unchecked: the notes are written by the thread alone, and read once the thread has ended.
    private let processor: UInt32
    private var notes: [WakeGap] = []
    private(set) var missed = 0
    private let isEnding = Atomic<Bool>(false)

    init(processor: UInt32) {
        self.processor = processor
        // Room for hours on a bad machine, so that the thread allocates nothing.
        notes.reserveCapacity(1 << 20)
    }

    var gaps: [WakeGap] { notes }

    func stop() { isEnding.store(true, ordering: .relaxed) }

    func run(interval: Int64, threshold: Int64) {
        // If binding is refused, the thread observes the processor on which it runs.
        _ = processor_bind(processor)
        var due = MonotonicTime.now()
        while !isEnding.load(ordering: .relaxed) {
            due += interval
            var time = timespec(tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
            while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
            let woken = MonotonicTime.now()
            guard woken - due > threshold else { continue }
            note(WakeGap(due: due, woken: woken))
            due = woken
        }
    }

    private func note(_ gap: WakeGap) {
        if notes.count < notes.capacity { notes.append(gap) } else { missed += 1 }
    }
}

/// Threads that compute and walk through memory without end, two for each processor, as ordinary programs do.
final class BusyMachine: Sendable {
    private final class Flag: Sendable { let isSet = Atomic<Bool>(false) }

    private let flag = Flag()
    private let threads: [RealtimeThread]

    init() throws {
        threads = try (0..<2 * allowedProcessors().count).map { [flag] number in
            try RealtimeThread(
                name: "busy", configuration: .init(priority: nil, locksMemory: false, stackBytes: 64 * 1024)
            ) {
                // Larger than a core's cache.
                var memory = [UInt64](repeating: UInt64(number), count: 1 << 20)
                var place = number
                while !flag.isSet.load(ordering: .relaxed) {
                    for _ in 0..<10_000 {
                        place = (place &* 1_664_525 &+ 1_013_904_223) & (memory.count - 1)
                        memory[place] &+= UInt64(truncatingIfNeeded: place)
                    }
                }
            }
        }
    }

    func stop() {
        flag.isSet.store(true, ordering: .relaxed)
        for thread in threads { thread.join() }
    }
}

/// The processors on which this process may run.
private func allowedProcessors() -> [UInt32] {
    let bits = processors_allowed()
    return (0..<64).filter { bits & (1 << UInt64($0)) != 0 }
}
