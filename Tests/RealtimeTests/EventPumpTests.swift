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
        #expect(calls.count.load(ordering: .relaxed) > 0)
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
