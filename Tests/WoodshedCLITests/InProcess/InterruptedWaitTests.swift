// Signals during a wait for a descriptor.
import Files
import Glibc
import Synchronization
import Testing

@testable import Terminal

@Suite("Interrupted waits for a descriptor")
struct InterruptedWaitTests {
    /// The waiting thread, which another thread interrupts until `isOver`.
    private static let waiter = Atomic<UInt>(0)
    private static let isOver = Atomic<Bool>(false)
    private static let interruptions = Atomic<Int>(0)

    @Test("a signal is not taken for room in a full pipe, and does not shorten a wait for a descriptor")
    func signals() throws {
        let (empty, full) = (try WakePipe(), try WakePipe())
        defer { for pipe in [empty, full] { pipe.closeBoth() } }
        let block = [UInt8](repeating: 0, count: 4096)
        while unsafe write(full.writeEnd, block, block.count) > 0 {}
        #expect(StandardStream(descriptor: empty.writeEnd).takesMore())

        _ = Self.interruptions.load(ordering: .relaxed)
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { _ in
            InterruptedWaitTests.interruptions.add(1, ordering: .relaxed)
        }
        unsafe sigemptyset(&action.sa_mask)
        #expect(unsafe sigaction(SIGUSR2, &action, nil) == 0)
        // Threads of the test library block signals.
        var (number, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&number)
        unsafe sigaddset(&number, SIGUSR2)
        unsafe pthread_sigmask(SIG_UNBLOCK, &number, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        Self.waiter.store(UInt(pthread_self()), ordering: .releasing)
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil,
            { _ in
                let waiter = pthread_t(InterruptedWaitTests.waiter.load(ordering: .acquiring))
                // One at a time: signals without a pause would interrupt every repetition of a wait.
                while !InterruptedWaitTests.isOver.load(ordering: .acquiring) {
                    let seen = InterruptedWaitTests.interruptions.load(ordering: .relaxed)
                    pthread_kill(waiter, SIGUSR2)
                    while InterruptedWaitTests.interruptions.load(ordering: .relaxed) == seen,
                        !InterruptedWaitTests.isOver.load(ordering: .acquiring)
                    { sched_yield() }
                    usleep(20)
                }
                return nil
            }, nil)
        try #require(code == 0)
        defer {
            Self.isOver.store(true, ordering: .releasing)
            pthread_join(thread, nil)
        }

        let begin = MonotonicTime.now()
        #expect(DescriptorEvents.wait(for: POLLIN, of: empty.readEnd, milliseconds: 200) == 0)
        #expect(MonotonicTime.now() - begin >= 200_000_000)
        // Enough signals that some come within the call. A machine with few idle cores delivers one signal at each
        // change of threads.
        let reader = StandardStream(descriptor: full.writeEnd)
        var falseEvents = 0
        let first = Self.interruptions.load(ordering: .relaxed)
        let limit = MonotonicTime.now() + 300_000_000_000
        while Self.interruptions.load(ordering: .relaxed) < first + 200, MonotonicTime.now() < limit {
            for _ in 0..<1000 where reader.takesMore() { falseEvents += 1 }
        }
        #expect(Self.interruptions.load(ordering: .relaxed) >= first + 200 && falseEvents == 0)
    }
}
