import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Realtime

/// A word at an address of its own.
@safe
private final class Item: @unchecked Sendable {
    let address: UnsafeMutablePointer<Atomic<Int>>

    init(_ value: Int) {
        unsafe address = .allocate(capacity: 1)
        unsafe address.initialize(to: Atomic(value))
    }

    deinit { unsafe address.deallocate() }

    func overwrite(_ value: Int) { unsafe address.pointee.store(value, ordering: .relaxed) }

    static func value(at address: UnsafeRawPointer) -> Int {
        unsafe address.assumingMemoryBound(to: Atomic<Int>.self).pointee.load(ordering: .relaxed)
    }
}

/// The threads' reports; relaxed, so the report itself does not order the tested accesses.
private final class Tally: Sendable {
    let isOver = Atomic<Bool>(false)
    let wrong = Atomic<Int>(0)
    let seen = Atomic<Int>(0)
}

@Suite("Published store")
struct PublishedStoreTests {
    @Test("a withdrawn object is returned once every reader has been outside since, and not before")
    func retiring() throws {
        let store = try #require(PublishedStore(count: 3))
        let (inside, outside) = (ReadEpoch(), ReadEpoch())
        _ = (store.addReader(inside), store.addReader(outside))
        let reader = PublishedReader(store, epoch: inside, identifier: 0, waits: false)
        let item = Item(7)
        unsafe store.publish(2, item.address)
        inside.reader.enter()
        #expect(unsafe reader.address(at: 2).map { unsafe Item.value(at: $0) } == 7)
        #expect(unsafe reader.address(at: 1) == nil)
        var retired = RetiredList<Item>()
        retired.retire(2, item, from: store)
        #expect(!store.table.isPublished(2) && retired.takeFree() == nil && retired.count == 1)
        inside.reader.leave()
        #expect(retired.takeFree() === item && retired.count == 0)
    }

    @Test("a waiting reader holds no object of its store or of another store with the same epoch")
    func waitingOutside() throws {
        let (store, other) = (try #require(PublishedStore(count: 2)), try #require(PublishedStore(count: 1)))
        let epoch = ReadEpoch()
        _ = (store.addReader(epoch), other.addReader(epoch))
        let (near, far) = (Item(1), Item(2))
        unsafe store.publish(0, near.address)
        unsafe other.publish(0, far.address)
        let tally = Tally()
        let reader = PublishedReader(store, epoch: epoch, identifier: 0, waits: true)
        let thread = try #require(
            PlainThread(name: "test-reader") {
                reader.epoch.enter()
                if let address = unsafe reader.address(at: 1) {
                    tally.seen.store(unsafe Item.value(at: address), ordering: .relaxed)
                }
                reader.epoch.leave()
            })
        #expect(eventually { store.lock.withLock { store.awaited == [[1..<2]] && store.recentlyAwaited == [1] } })
        var retired = RetiredList<Item>()
        retired.retire(0, near, from: store)
        retired.retire(0, far, from: other)
        #expect(retired.takeFree() === near && retired.takeFree() === far)
        let item = Item(5)
        unsafe store.publish(1, item.address)
        thread.join()
        #expect(tally.seen.load(ordering: .relaxed) == 5)
        #expect(store.lock.withLock { store.awaited.isEmpty })
    }

    @Test("an unavailable object, and the end of the worker, end every wait", arguments: [false, true])
    func givingUp(closes: Bool) throws {
        let store = try #require(PublishedStore(count: 2))
        let epoch = ReadEpoch()
        _ = store.addReader(epoch)
        let reader = PublishedReader(store, epoch: epoch, identifier: 0, waits: true)
        let threads = [
            PlainThread(name: "test-reader") {
                reader.epoch.enter()
                #expect(unsafe reader.address(at: 1) == nil)
                reader.epoch.leave()
            },
            PlainThread(name: "test-waiter") {
                #expect(store.wait(for: [0..<2]) == (closes ? .closed : .unavailable(1)))
            },
        ]
        #expect(eventually { store.lock.withLock { store.awaited.count == 2 } })
        store.lock.withLock { if closes { store.close() } else { store.setUnavailable(1, true) } }
        for thread in threads { thread?.join() }
        if closes { return }
        // An object published again is found again.
        let (first, second) = (Item(1), Item(2))
        unsafe store.publish(0, first.address)
        unsafe store.publish(1, second.address)
        #expect(store.wait(for: [0..<2]) == .published)
    }

    @Test("a reader whose waits were ended returns nothing, now and later, and other readers still wait")
    func endedWaits() throws {
        let store = try #require(PublishedStore(count: 2))
        let (epoch, other) = (ReadEpoch(), ReadEpoch())
        let (first, second) = (store.addReader(epoch), store.addReader(other))
        let tally = Tally()
        func look(_ epoch: ReadEpoch, _ identifier: Int) -> PlainThread? {
            let reader = PublishedReader(store, epoch: epoch, identifier: identifier, waits: true)
            return PlainThread(name: "test-reader") {
                reader.epoch.enter()
                if let address = unsafe reader.address(at: 1) {
                    tally.seen.add(unsafe Item.value(at: address), ordering: .relaxed)
                }
                reader.epoch.leave()
            }
        }
        let threads = [look(epoch, first), look(other, second)]
        let waiter = PlainThread(name: "test-waiter") {
            #expect(store.wait(for: [0..<2], reader: first) == .closed)
        }
        #expect(eventually { store.lock.withLock { store.awaited.count == 3 } })
        store.endWaits(of: first)
        threads[0]?.join()
        waiter?.join()
        look(epoch, first)?.join()
        #expect(store.lock.withLock { store.awaited } == [[1..<2]])
        let item = Item(5)
        unsafe store.publish(1, item.address)
        threads[1]?.join()
        #expect(tally.seen.load(ordering: .relaxed) == 5)
    }

    @Test("readers that begin while an object is released never hold freed memory")
    func newReaders() throws {
        let store = try #require(PublishedStore(count: 1))
        let tally = Tally()
        let threads = (0..<3).map { _ in
            PlainThread(name: "test-reader") {
                while !tally.isOver.load(ordering: .relaxed) {
                    let epoch = ReadEpoch()
                    let identifier = store.addReader(epoch)
                    epoch.reader.enter()
                    if let address = unsafe store.table.address(at: 0) {
                        let first = unsafe Item.value(at: address)
                        // Long enough for a thread that frees the object too early.
                        for _ in 0..<50 where unsafe Item.value(at: address) != first || first < 0 {
                            tally.wrong.add(1, ordering: .relaxed)
                        }
                        tally.seen.add(1, ordering: .relaxed)
                    }
                    epoch.reader.leave()
                    store.removeReader(identifier)
                }
            }
        }
        var (retired, kept) = (RetiredList<Item>(), [Item]())
        for round in 0..<2_300_000 where round < 20_000 || tally.seen.load(ordering: .relaxed) < 20_000 {
            // On a busy machine the readers may come late: from here on the test waits for the readers, for two
            // minutes at most.
            if round >= 1_000_000, round % 1000 == 0 { usleep(100_000) }
            let item = Item(round)
            unsafe store.publish(0, item.address)
            retired.retire(0, item, from: store)
            while let free = retired.takeFree() {
                // Kept allocated for a while: the test then detects a late read instead of crashing.
                free.overwrite(-1)
                kept.append(free)
                if kept.count > 1000 { kept.removeFirst(500) }
            }
        }
        tally.isOver.store(true, ordering: .relaxed)
        for thread in threads { thread?.join() }
        #expect(tally.wrong.load(ordering: .relaxed) == 0)
        #expect(tally.seen.load(ordering: .relaxed) >= 20_000)
    }
}
