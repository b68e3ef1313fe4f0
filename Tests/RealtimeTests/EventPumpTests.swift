import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Realtime

@Suite("Event pump")
struct EventPumpTests {
    /// Calls of the work, for a separate thread.
    private final class Calls: Sendable {
        let count = Atomic<Int>(0)
    }

    @Test("an event pump is stopped in one thread and started in another without waiting for ever")
    func twoThreads() throws {
        let (pump, calls) = (EventPump(), Calls())
        for _ in 0..<30 {
            try pump.start { calls.count.add(1, ordering: .relaxed) }
            let stopper = try #require(PlainThread(name: "test-stopper") { pump.stop() })
            _ = try pump.start { calls.count.add(1, ordering: .relaxed) }
            stopper.join()
            pump.stop()
            #expect(!pump.isRunning)
        }
        // On a busy machine each thread above may see its stop before its first call.
        let before = calls.count.load(ordering: .relaxed)
        try pump.start { calls.count.add(1, ordering: .relaxed) }
        #expect(eventually { calls.count.load(ordering: .relaxed) > before })
        pump.stop()
    }

    @Test("an event pump stopped by its own work ends after this call")
    func fromWork() throws {
        let (pump, calls) = (EventPump(), Calls())
        try pump.start {
            calls.count.add(1, ordering: .relaxed)
            pump.stop()
        }
        #expect(eventually { !pump.isRunning })
        try pump.start {}
        pump.stop()
        #expect(calls.count.load(ordering: .relaxed) == 1)
    }

    @Test("stops of an event pump in two threads return after the last call of its work")
    func twoStops() throws {
        let (pump, calls, stopped) = (EventPump(), Calls(), Calls())
        try pump.start {
            calls.count.add(1, ordering: .relaxed)
            usleep(50_000)
            if stopped.count.load(ordering: .relaxed) == 0 { calls.count.add(1, ordering: .relaxed) }
        }
        #expect(eventually { calls.count.load(ordering: .relaxed) > 0 })
        let stopper = try #require(
            PlainThread(name: "test-stopper") {
                pump.stop()
                stopped.count.add(1, ordering: .relaxed)
            })
        pump.stop()
        stopped.count.add(1, ordering: .relaxed)
        stopper.join()
        // The work counts before and after its pause.
        #expect(calls.count.load(ordering: .relaxed) % 2 == 0)
        #expect(!pump.isRunning)
    }

    @Test("an event pump begins once, and again after its end")
    func again() throws {
        let pump = EventPump()
        #expect(try pump.start {} && pump.isRunning)
        #expect(try !pump.start {})
        pump.stop()
        pump.stop()
        #expect(try !pump.isRunning && pump.start {})
        pump.stop()
    }
}
