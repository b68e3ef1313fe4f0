import Synchronization
import TestSupport
import Testing

@testable import Realtime

@Suite("Broadcast of events")
struct EventBroadcastTests {
    private final class Token: Sendable {}

    private final class Count: Sendable {
        let events = Atomic<Int>(0)
    }

    @Test("a released stream keeps no events, and the other readers go on")
    func goneStreams() {
        let (broadcast, count) = (EventBroadcast<Token>(), Count())
        broadcast.follow { if $0 != nil { count.events.add(1, ordering: .relaxed) } }
        for _ in 0..<3 {
            weak var unread: Token?
            unread = Self.tellUnread(broadcast)
            let isReleased = unread == nil
            #expect(isReleased)
        }
        #expect(count.events.load(ordering: .relaxed) == 3)
    }

    @Test("a stream that nobody reads keeps its newest events, and counts the lost ones")
    func unreadStream() async throws {
        let (broadcast, count, surplus) = (EventBroadcast<Int>(), Count(), 7)
        let unread = broadcast.stream
        broadcast.follow { if $0 != nil { count.events.add(1, ordering: .relaxed) } }
        let (capacity, total) = (EventBroadcast<Int>.streamCapacity, EventBroadcast<Int>.streamCapacity + surplus)
        for event in 0..<capacity { broadcast.tell(event) }
        #expect(broadcast.lostEvents == 0)
        for event in capacity..<total { broadcast.tell(event) }
        #expect(broadcast.lostEvents == Int64(surplus))
        broadcast.end()
        var events: [Int] = []
        try await withPatience { for await event in unread { events.append(event) } }
        #expect(events == Array(surplus..<total))
        // A reader that takes each event at once loses none.
        #expect(count.events.load(ordering: .relaxed) == total)
    }

    @Test("periodic events fill half of an unread stream, and the other events stay")
    func periodicEvents() async throws {
        let broadcast = EventBroadcast<Int> { $0 < 0 }
        let unread = broadcast.stream
        let (capacity, surplus) = (EventBroadcast<Int>.periodicCapacity, 9)
        broadcast.tell(1)
        for _ in 0..<EventBroadcast<Int>.streamCapacity { broadcast.tell(-1) }
        let lost = EventBroadcast<Int>.streamCapacity - capacity
        #expect(broadcast.lostEvents == Int64(lost))
        broadcast.tell(2)
        var reader = unread.makeAsyncIterator()
        try await withPatience {
            #expect(await reader.next() == 1)
            for _ in 0..<surplus { #expect(await reader.next() == -1) }
        }
        // Reading makes room for as many.
        for _ in 0..<2 * surplus { broadcast.tell(-2) }
        broadcast.tell(3)
        broadcast.end()
        #expect(broadcast.lostEvents == Int64(lost + surplus))
        var counts: [Int: Int] = [:]
        try await withPatience { while let event = await reader.next() { counts[event, default: 0] += 1 } }
        #expect(counts == [-1: capacity - surplus, -2: surplus, 2: 1, 3: 1])
    }

    @Test(
        "a released stream of a broadcast with periodic events has no reader left, nor has one after a cancelled reader"
    )
    func gonePeriodicStreams() async throws {
        let broadcast = EventBroadcast<Int> { $0 < 0 }
        do {
            let stream = broadcast.stream
            #expect(broadcast.hasReaders)
            withExtendedLifetime(stream) {}
        }
        #expect(!broadcast.hasReaders)
        let task = Task { [stream = broadcast.stream] in for await _ in stream {} }
        task.cancel()
        try await withPatience { await task.value }
        #expect(!broadcast.hasReaders)
    }

    /// Sends an event to a stream that is released without reading the event.
    private static func tellUnread(_ broadcast: EventBroadcast<Token>) -> Token? {
        let stream = broadcast.stream
        let token = Token()
        broadcast.tell(token)
        withExtendedLifetime(stream) {}
        return token
    }
}
