// Signals that request the end, and watches that begin and end meanwhile.
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Terminal

@Suite("Requests of the end")
struct EndRequestTests {
    private func words(_ request: (order: EndRequests.Order, isWatched: Bool)) -> String {
        "\(request.order)" + (request.isWatched ? ", watched" : "")
    }

    @Test("a request is the first of its watch, also after requests of an earlier watch or an earlier part")
    func first() {
        let shared = Shared()
        var seen: [String] = []
        func add() { for time in [1, 1000] as [Int64] { seen.append(words(shared.requests.add(at: time))) } }
        add()
        for _ in 0..<2 {
            shared.requests.beginWatch()
            let (isRequested, isWatched) = (shared.requests.isRequested, shared.requests.isWatched)
            #expect(!isRequested && isWatched)
            add()
        }
        shared.requests.endWatch()
        let (isRequested, isWatched) = (shared.requests.isRequested, shared.requests.isWatched)
        #expect(isRequested && !isWatched)
        add()
        shared.requests.beginWatch()
        add()
        let watched = ["first, watched", "later, watched"]
        #expect(seen == ["first", "later"] + watched + watched + ["echo", "later"] + watched)
    }

    @Test("requests within a tenth of a second of the first are the first once more, however many come")
    func echoes() {
        let shared = Shared()
        shared.requests.beginWatch()
        let seen = ([500, 500, 599, 600, 601] as [Int64]).map { words(shared.requests.add(at: $0)) }
        #expect(seen == ["first, watched", "echo, watched", "echo, watched", "later, watched", "later, watched"])
    }

    @Test("a signal that nothing has read ends the process at the end of its watch, unlike a signal that was read")
    func unread() async {
        await #expect(processExitsWith: .exitCode(128 + SIGTERM)) {
            guard Signals.install() >= 0 else { exit(1) }
            Signals.beginWatching()
            raise(SIGTERM)
            Signals.endWatching()
            exit(2)
        }
        await #expect(processExitsWith: .success) {
            let descriptor = Signals.install()
            guard descriptor >= 0 else { exit(1) }
            for _ in 0..<2 {
                Signals.beginWatching()
                raise(SIGTERM)
                guard Signals.drain(descriptor) == [SIGTERM] else { exit(2) }
                Signals.endWatching()
            }
        }
    }

    private final class Shared: Sendable {
        let requests = EndRequests()
        let isOver = Atomic(false)
        let watchCount = Atomic(0)
    }

    @Test("a request that arrives while a watch begins is not taken for the repetition of a request before the watch")
    func threads() throws {
        let shared = Shared()
        BlockingThread.start {
            while !shared.isOver.load(ordering: .acquiring) {
                shared.requests.beginWatch()
                shared.requests.endWatch()
                shared.watchCount.add(1, ordering: .relaxed)
            }
        }
        defer { shared.isOver.store(true, ordering: .releasing) }
        // A busy machine may start the thread after all of the rounds.
        try #require(eventually { shared.watchCount.load(ordering: .relaxed) > 0 })
        var (wasWatched, lostCount, round) = (false, 0, 0)
        let limit = ContinuousClock.now + .seconds(300)
        while round < 100_000 || shared.watchCount.load(ordering: .relaxed) < 1000, ContinuousClock.now < limit {
            round += 1
            let (order, isWatched) = shared.requests.add(at: 1)
            // A repetition is dropped during a watch. The request before was one of the same watch.
            if isWatched, order != .first, !wasWatched { lostCount += 1 }
            wasWatched = isWatched
        }
        #expect(lostCount == 0 && shared.watchCount.load(ordering: .relaxed) >= 1000)
    }
}
