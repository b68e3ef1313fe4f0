import Realtime
import Synchronization
import TestSupport
import Testing

@Suite("Threads that take events")
struct EventThreadTests {
    /// The events taken by a thread, and a wait for the thread's end.
    private final class Record: Sendable {
        private let state = Mutex((taken: [Int](), isOver: false))

        func take(_ number: Int) { state.withLock { $0.taken.append(number) } }

        func end() { state.withLock { $0.isOver = true } }

        /// The events taken until the end.
        func wait() -> [Int] {
            _ = eventually { state.withLock { $0.isOver } }
            return taken
        }

        var taken: [Int] { state.withLock { $0.taken } }
    }

    @Test("an event thread takes every event in order, also those from before its start, and then ends")
    func order() throws {
        let thread = try #require(EventThread<Int>(name: "test"))
        let (record, second) = (Record(), Record())
        for number in 0..<100 { thread.put(number) }
        thread.start({ record.take($0) }, end: { record.end() })
        thread.start({ second.take($0) }, end: { second.end() })
        for number in 100..<1000 { thread.put(number) }
        thread.put(nil)
        thread.put(1000)
        #expect(record.wait() == Array(0..<1000))
        #expect(second.taken == [])
    }

    @Test("a released event thread ends after the events that were put before")
    func release() throws {
        let record = Record()
        var thread = EventThread<Int>(name: "test")
        let put = try #require(thread).put
        thread?.start({ record.take($0) }, end: { record.end() })
        for number in 0..<100 { put(number) }
        thread = nil
        #expect(record.wait() == Array(0..<100))
        // No thread is left to take the event.
        put(100)
    }
}
