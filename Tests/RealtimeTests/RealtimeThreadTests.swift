// The real-time thread: the report agrees with the real state, granted or refused.
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Realtime

/// Runs a thread that observes itself, and returns the observation with the thread's report.
private func observe(
    _ configuration: RealtimeThread.Configuration, name: String = "observed", pages: Int = 0
) throws -> (seen: ThreadObservation, report: RealtimeReport) {
    // The first use of a generic type makes the runtime create the type, which takes more stack than some of these
    // threads have.
    _ = ThreadObservation()
    let box = Mutex<ThreadObservation?>(nil)
    let holder = Holder(box)
    let thread = try RealtimeThread(name: name, configuration: configuration) {
        let seen = ThreadObservation(pages: pages)
        holder.value.withLock { $0 = seen }
    }
    thread.join()
    return (try #require(holder.value.withLock { $0 }), thread.report)
}

private final class Holder<Value: ~Copyable & Sendable>: Sendable {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
}

/// Gives up every privilege and sets the deciding limits; only in a child process. Returns the priority limit in force:
/// on a system where even the superuser may not raise the limit, the former limit stays, often 0.
private func becomeUnprivileged(priorityLimit: UInt, lockLimitBytes: UInt) -> Int {
    var priority = rlimit(rlim_cur: priorityLimit, rlim_max: priorityLimit)
    var lock = rlimit(rlim_cur: lockLimitBytes, rlim_max: lockLimitBytes)
    let priorityResource = __rlimit_resource_t(__RLIMIT_RTPRIO.rawValue)
    unsafe setrlimit(priorityResource, &priority)
    unsafe setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &lock)
    Privileges.giveUp()
    unsafe getrlimit(priorityResource, &priority)
    return Int(priority.rlim_cur)
}

@Suite("Real-time thread")
struct RealtimeThreadTests {
    @Test(
        "a real-time thread reports its scheduling and its memory lock, whether granted or refused",
        .disabled(if: Sanitizers.watchThreads))
    func truthful() async {
        // In a child, because the memory lock is the whole process's.
        await #expect(processExitsWith: .success) {
            let (seen, report) = try observe(.init(priority: 12, locksMemory: true))
            switch report.scheduling {
            case .fifo(let priority):
                #expect(seen.policy == ThreadObservation.fifoResetOnFork)
                #expect(seen.priority == priority && (1...12).contains(priority))
            case .ordinary:
                #expect(seen.policy == SCHED_OTHER && seen.priority == 0)
            }
            switch report.memoryLock {
            case .everything: Issue.record("locks the memory of a host")
            case .buffers: #expect(seen.lockedKilobytes >= report.touchedStackBytes / 1024)
            case .stackOnly: #expect((1...report.touchedStackBytes / 1024).contains(seen.lockedKilobytes))
            case .nothing: #expect(seen.lockedKilobytes == 0)
            }
            let isAllGranted = report.scheduling == .fifo(priority: 12) && report.memoryLock == .buffers
            #expect(report.isComplete == isAllGranted)
            #expect(lockedMemoryKilobytes() == 0, "it has ended")
        }
    }

    @Test(
        "a real-time thread locks all memory of the command's own process until the thread ends",
        .disabled(if: Sanitizers.watchThreads))
    func command() async {
        await #expect(processExitsWith: .success) {
            ProcessOwner.declareCommand()
            let (seen, report) = try observe(.init(priority: nil, locksMemory: true))
            if report.memoryLock == .everything {
                #expect(seen.lockedKilobytes > 1024 && lockedMemoryKilobytes() > 1024)
            }
            #expect(report.memoryLock != .buffers)
        }
    }

    @Test(
        "a real-time thread in a host's process locks its own buffers, and no memory of the host",
        .disabled(if: Sanitizers.watchThreads))
    func host() async {
        await #expect(processExitsWith: .success) {
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
            let reserved = unsafe mmap(nil, 1 << 30, PROT_READ | PROT_WRITE, flags, -1, 0)
            #expect(unsafe reserved != MAP_FAILED)
            let early = SharedMemory(byteCount: 4 << 20)
            let lockedKilobytes = Mutex<Int>(0)
            let holder = Holder(lockedKilobytes)
            let configuration = RealtimeThread.Configuration(priority: nil, locksMemory: true)
            let thread = try RealtimeThread(name: "host's", configuration: configuration) {
                // Allocated while the thread runs; a real render thread leaves allocation to others.
                let late = SharedMemory(byteCount: 4 << 20)
                withExtendedLifetime(late) { holder.value.withLock { $0 = lockedMemoryKilobytes() } }
            }
            thread.join()
            let locked = holder.value.withLock { $0 }
            if thread.report.memoryLock == .buffers { #expect(locked >= 8 << 10) }
            #expect(locked < 30 << 10)
            withExtendedLifetime(early) { #expect(lockedMemoryKilobytes() == 0, "the thread has ended") }
        }
    }

    @Test(
        "the memory of a host that locks all of its memory stays locked after the end of a real-time thread",
        .disabled(if: Sanitizers.watchThreads))
    func lockingHost() async {
        await #expect(processExitsWith: .success) {
            // Without the right to lock, there is nothing to test.
            guard mlockall(MCL_CURRENT | MCL_FUTURE) == 0 else { return }
            let early = SharedMemory(byteCount: 4 << 20)
            let before = lockedMemoryKilobytes()
            #expect(before >= 4 << 10)
            for _ in 0..<3 {
                try RealtimeThread(name: "host's", configuration: .init(priority: nil, locksMemory: true)) {}.join()
            }
            // The C library may unmap the stacks of ended threads; the buffer has 4 MiB.
            withExtendedLifetime(early) { #expect(lockedMemoryKilobytes() > before - (2 << 10)) }
        }
    }

    @Test(
        "a real-time thread without any permission runs, and reports each refusal with a remedy",
        .disabled(if: Sanitizers.watchThreads))
    func refused() async {
        await #expect(processExitsWith: .success) {
            _ = becomeUnprivileged(priorityLimit: 0, lockLimitBytes: 0)
            let (seen, report) = try observe(.init(priority: 70, locksMemory: true))
            #expect(seen.policy == SCHED_OTHER && seen.lockedKilobytes == 0)
            #expect(report.scheduling == .ordinary && report.memoryLock == .nothing)
            #expect(report.refusals.count == 2 && !report.isComplete)
            for refusal in report.refusals {
                #expect(refusal.message.contains("refused") && refusal.remedy.contains("limits.d"))
                #expect(refusal.remedy.contains(AudioGroup.joining))
            }
        }
    }

    @Test(
        "a real-time thread takes the permitted priority, locks only its stack, and reports both",
        .disabled(if: Sanitizers.watchThreads))
    func partlyRefused() async {
        await #expect(processExitsWith: .success) {
            let allowed = becomeUnprivileged(priorityLimit: 10, lockLimitBytes: 1 << 20)
            let (seen, report) = try observe(.init(priority: 70, locksMemory: true, stackBytes: 1 << 18))
            #expect(report.scheduling == (allowed > 0 ? .fifo(priority: allowed) : .ordinary))
            #expect(seen.policy == (allowed > 0 ? ThreadObservation.fifoResetOnFork : SCHED_OTHER))
            #expect(seen.priority == allowed)
            #expect(report.memoryLock == .stackOnly)
            #expect((1...(1 << 8)).contains(seen.lockedKilobytes))
            #expect(lockedMemoryKilobytes() == 0, "it has ended")
            #expect(report.refusals.count == 2)
            let outcome = allowed > 0 ? "runs at \(allowed) instead" : "runs with ordinary scheduling"
            #expect(report.refusals.contains { $0.message.contains(outcome) })
        }
    }

    @Test("a thread without real-time requests has ordinary scheduling, and nothing locked or refused")
    func nothingAsked() throws {
        let (seen, report) = try observe(.init(priority: nil, locksMemory: false))
        #expect(seen.policy == SCHED_OTHER)
        #expect(report.scheduling == .ordinary && report.memoryLock == .nothing && report.isComplete)
    }

    @Test("a real-time thread flushes subnormals to zero from the first line of its body")
    func flushes() throws {
        let (seen, report) = try observe(.init(priority: nil, locksMemory: false))
        #expect(report.flushesToZero == FlushToZero.isSupported)
        #expect(seen.subnormalIsZero == FlushToZero.isSupported)
    }

    @Test("a real-time thread has its whole stack in memory before its body runs")
    func stack() throws {
        let pages = 200
        let (seen, report) = try observe(.init(priority: nil, locksMemory: false, stackBytes: 1 << 20), pages: pages)
        #expect(seen.residentPagesBelow == pages)
        #expect(report.touchedStackBytes >= (1 << 20) - (1 << 16), "all but a guard")
    }

    @Test("a real-time thread leaves signals of the process to other threads, but not its own faults")
    func signals() throws {
        let (seen, _) = try observe(.init(priority: nil, locksMemory: false))
        #expect(seen.blocksInterrupts && !seen.blocksFaults)
    }

    @Test(
        "a real-time thread has its name, cut to 15 bytes at a character",
        arguments: [
            ("render", "render"), ("a name longer than that", "a name longer t"), ("ππππππππ", "πππππππ"), ("", ""),
        ])
    func name(given: String, kept: String) throws {
        let (seen, report) = try observe(.init(priority: nil, locksMemory: false), name: given)
        #expect(seen.name == kept)
        #expect(report.isComplete)
    }

    @Test("a tiny stack is rounded up, and a stack beyond all memory is refused with a remedy")
    func stackSizes() throws {
        _ = try observe(.init(priority: nil, locksMemory: false, stackBytes: 1))
        let error = #expect(throws: RealtimeThreadError.self) {
            _ = try RealtimeThread(name: "huge", configuration: .init(priority: nil, stackBytes: .max)) {}
        }
        #expect(error?.message.isEmpty == false && error?.remedy.contains("smaller stack") == true)
    }

    @Test("a real-time thread can be joined repeatedly, by several threads and by itself")
    func joining() throws {
        let stage = Stage()
        let ordinary = RealtimeThread.Configuration(priority: nil, locksMemory: false)
        let waited = try RealtimeThread(name: "waited-for", configuration: ordinary) { stage.wait(for: 1) }
        let waiter = try RealtimeThread(name: "waiter", configuration: ordinary) { waited.join() }
        stage.reach(1)
        waited.join()
        waited.join()
        waiter.join()

        let own = Mutex<RealtimeThread?>(nil)
        let isSet = Stage()
        let returned = Stage()
        let itself = try RealtimeThread(name: "itself", configuration: ordinary) {
            isSet.wait(for: 1)
            own.withLock { $0 }?.join()
            returned.reach(1)
        }
        own.withLock { $0 = itself }
        isSet.reach(1)
        try #require(eventually { returned.hasReached(1) })
        itself.join()
        own.withLock { $0 = nil }

        let left = Stage()
        _ = try RealtimeThread(name: "left", configuration: ordinary) { left.reach(1) }
        #expect(eventually { left.hasReached(1) })
    }
}

@Suite("Flush to zero")
struct FlushToZeroTests {
    @Test(
        "a subnormal times one is zero while flush-to-zero is on, and unchanged afterwards",
        .enabled(if: FlushToZero.isSupported))
    func onAndOff() {
        // Bits, because a comparison also reads its operands as zero while the mode is on.
        let subnormal = Float.leastNonzeroMagnitude
        #expect(product(subnormal, 1).bitPattern == subnormal.bitPattern)
        let outer = FlushToZero()
        let flushed = product(subnormal, 1).bitPattern
        let inner = FlushToZero()
        inner.restore()
        let stillFlushed = product(subnormal, 1).bitPattern
        let result = product(.leastNormalMagnitude, 0.5).bitPattern
        outer.restore()
        #expect(flushed == 0, "as an operand")
        #expect(result == 0, "as a result")
        #expect(stillFlushed == 0, "the inner one put back what it found")
        #expect(product(subnormal, 1).bitPattern == subnormal.bitPattern)
    }
}

@Suite("Mark of a thread")
struct ThreadMarkTests {
    /// The fault of telling threads apart by the system's handle alone: the next thread may have the same handle.
    @Test("a mark stands for one running thread, and for no later thread with the same handle")
    func oneThread() throws {
        // The C library reuses the stacks of ended threads for the next threads. Another test's thread may get the
        // stack of a first thread before, and keep it: then other threads follow.
        let isShown = try (0..<1000).contains { _ in try nextThreadGetsHandleOfMarked() }
        #expect(isShown, "no thread got the handle of a first thread: nothing was shown")
    }

    /// Marks a thread, and tries a few threads after its end; returns whether a later thread had the same handle.
    private func nextThreadGetsHandleOfMarked() throws -> Bool {
        let configuration = RealtimeThread.Configuration(priority: nil, locksMemory: false)
        let mark = ThreadMark()
        let handles = Mutex<[pthread_t]>([])
        let first = try RealtimeThread(name: "first", configuration: configuration) {
            mark.set()
            handles.withLock { $0.append(pthread_self()) }
            #expect(mark.isCurrent)
            mark.clear()
        }
        first.join()
        #expect(!mark.isCurrent)
        for _ in 0..<10 {
            let next = try RealtimeThread(name: "next", configuration: configuration) {
                handles.withLock { $0.append(pthread_self()) }
                #expect(!mark.isCurrent)
                first.join()
            }
            next.join()
            if handles.withLock({ $0.last == $0.first }) { return true }
        }
        return false
    }
}
