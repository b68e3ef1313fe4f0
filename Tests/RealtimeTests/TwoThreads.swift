// Two threads for a test: a body each, both waited for.
import Glibc
import Realtime
import Synchronization
import TestSupport
import Testing

/// Runs both bodies at the same time, each on a separate thread, and returns when both have returned. Throws, and
/// leaves the threads behind, if they wait for each other in vain.
func onTwoThreads(_ first: @escaping @Sendable () -> Void, _ second: @escaping @Sendable () -> Void) throws {
    // Ordinary scheduling: first-in first-out threads that wait for each other would starve the rest of a small
    // machine.
    let ordinary = RealtimeThread.Configuration(priority: nil, locksMemory: false)
    let returns = Turns()
    let threads = try [("test-first", first), ("test-second", second)].map { name, body in
        try RealtimeThread(name: name, configuration: ordinary) {
            body()
            returns.take()
        }
    }
    try #require(eventually(seconds: 600) { returns.taken == 2 }, "a thread has not returned after ten minutes")
    for thread in threads { thread.join() }
}

/// Carries a noncopyable half into a thread: closures cannot capture a noncopyable value by ownership.
final class Parcel<Half: ~Copyable & Sendable>: Sendable {
    private let half: Mutex<Half?>

    init(_ half: consuming sending Half) { self.half = Mutex(half) }

    /// The half, once.
    func take() -> Half {
        guard let half = half.withLock({ $0.take() }) else { preconditionFailure("a parcel is opened once") }
        return half
    }
}

/// The findings of a test's thread, read after joining the thread.
final class Findings: Sendable {
    private let faults = Mutex<[String]>([])

    /// Notes a fault unless `isSo`; keeps the first few.
    func check(_ isSo: Bool, _ message: @autoclosure () -> String) {
        if !isSo { faults.withLock { if $0.count < 5 { $0.append(message()) } } }
    }

    /// The findings, empty if all is well.
    var all: [String] { faults.withLock { $0 } }
}

/// The stages of a test, for threads to agree on an order.
final class Stage: Sendable {
    private let current = Atomic<Int>(0)

    /// Releases threads that wait for `stage`, or for an earlier stage; a later stage reached by another thread stays.
    func reach(_ stage: Int) { current.max(stage, ordering: .acquiringAndReleasing) }

    /// True once `stage` is reached.
    func hasReached(_ stage: Int) -> Bool { current.load(ordering: .acquiring) >= stage }

    /// Waits until `stage` is reached.
    func wait(for stage: Int) {
        while !hasReached(stage) { sched_yield() }
    }
}

/// The turns of a thread, for another thread to wait for: otherwise a busy machine may run the two one after the other.
/// Relaxed, so that the count orders none of the tested accesses.
final class Turns: Sendable {
    private let count = Atomic<Int>(0)

    /// The number of turns so far.
    var taken: Int { count.load(ordering: .relaxed) }

    /// Counts a turn of the one thread.
    func take() { count.add(1, ordering: .relaxed) }

    /// Lets the other thread wait for two turns, of which the second begins after this call.
    func waitForNext() {
        let before = count.load(ordering: .relaxed)
        while count.load(ordering: .relaxed) < before + 2 { sched_yield() }
    }
}

/// Lets another thread run.
func yieldThread() { sched_yield() }

/// A number that distinguishes the calling thread from other live threads.
func currentThread() -> UInt { UInt(pthread_self()) }
