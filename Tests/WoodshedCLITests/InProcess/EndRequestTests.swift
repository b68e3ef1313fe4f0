// Signals that request the end, and watches that begin and end meanwhile.
import Synchronization
import Testing

@testable import Terminal

@Suite("Requests of the end")
struct EndRequestTests {
    @Test("a request is the first of its watch, also after requests of an earlier watch or an earlier part")
    func first() {
        let requests = EndRequests()
        #expect(requests.add() == (true, false))
        #expect(requests.add() == (false, false) && requests.isRequested && !requests.isWatched)
        for _ in 0..<2 {
            requests.beginWatch()
            #expect(!requests.isRequested && requests.isWatched)
            #expect(requests.add() == (true, true))
            #expect(requests.add() == (false, true))
        }
        requests.endWatch()
        #expect(requests.add() == (false, false) && requests.isRequested)
        requests.beginWatch()
        #expect(requests.add() == (true, true))
    }

    private final class Shared: Sendable {
        let requests = EndRequests()
        let isOver = Atomic(false)
        let watchCount = Atomic(0)
    }

    @Test("a request that arrives while a watch begins is not taken for the repetition of a request before the watch")
    func threads() {
        let shared = Shared()
        BlockingThread.start {
            while !shared.isOver.load(ordering: .acquiring) {
                shared.requests.beginWatch()
                shared.requests.endWatch()
                shared.watchCount.add(1, ordering: .relaxed)
            }
        }
        defer { shared.isOver.store(true, ordering: .releasing) }
        var (wasWatched, lostCount) = (false, 0)
        for round in 0..<1_000_000 where round < 100_000 || shared.watchCount.load(ordering: .relaxed) < 1000 {
            let (isFirst, isWatched) = shared.requests.add()
            // A repetition is dropped during a watch. The request before was one of the same watch.
            if isWatched, !isFirst, !wasWatched { lostCount += 1 }
            wasWatched = isWatched
        }
        #expect(lostCount == 0)
    }
}
