import Synchronization
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

    /// Sends an event to a stream that is released without reading the event.
    private static func tellUnread(_ broadcast: EventBroadcast<Token>) -> Token? {
        let stream = broadcast.stream
        let token = Token()
        broadcast.tell(token)
        withExtendedLifetime(stream) {}
        return token
    }
}
