import Synchronization
import TestSupport
import Testing

@testable import Realtime

@Suite("The event pump")
struct EventPumpTests {
    /// Calls of the work, for a separate thread.
    private final class Calls: Sendable {
        let count = Atomic<Int>(0)
    }

    @Test("is stopped in one thread and started in another, without an end that never comes")
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
        #expect(calls.count.load(ordering: .relaxed) > 0)
    }

    @Test("begins once, and again after its end")
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
