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

    @Test("events without room are dropped or replace the last event, and are counted, until the thread takes events")
    func bounded() throws {
        // Negative numbers are kept, numbers below 1000 replace such a number, and all other numbers are dropped.
        let thread = try #require(
            EventThread<Int>(name: "test", limit: 100) { number, last in
                if number < 0 { return .kept }
                if number >= 1000 { return .dropped }
                return (0..<1000).contains(last) ? .replacesLast : .kept
            })
        let record = Record()
        for number in 1000..<1100 { thread.put(number) }
        for round in 0..<10 {
            for number in 0..<500 { thread.put(number) }
            for number in 0..<500 { thread.put(1000 + number) }
            thread.put(-1 - round)
        }
        // Of each round, the last of the first 500 numbers waits, and the number that is kept.
        #expect(thread.takeLost() == 10 * 999 && thread.takeLost() == 0)
        thread.start({ record.take($0) }, end: { record.end() })
        thread.put(nil)
        #expect(record.wait() == Array(1000..<1100) + (0..<10).flatMap { [499, -1 - $0] })
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
