import Clips
import Realtime
import TestSupport
import Testing

@testable import Engine
@testable import Stretching

@Suite("Attacks kept within a budget")
struct AttackCacheTests {
    private static let rate = 8000
    private static let pageFrames: Int64 = 8192

    private static let pages = (0..<10).map { AttackPage($0, .three) }

    /// A burst in the middle of a page of noise, prepared.
    private static func material() -> AttackMaterial {
        var random = SeededGenerator(seed: 3)
        let samples = (0..<Int(pageFrames)).map { frame in
            Float.random(in: -0.01...0.01, using: &random)
                + ((4000..<4300).contains(frame) ? Float.random(in: -0.5...0.5, using: &random) : 0)
        }
        let onset = Onset(cut: 4000, attack: 4000, strength: 20)
        return AttackMaterial(
            onsets: [onset], in: 0..<pageFrames, of: SourceBlock([samples], firstFrame: 0, sampleRate: rate))
    }

    /// A cache over a table of ten pages, all kept and published.
    private func withFullCache(
        budget: (_ bytesOfOne: Int) -> Int, _ body: (inout AttackCache, PublishedStore) throws -> Void
    ) throws {
        let store = try #require(PublishedStore(count: 20))
        let material = Self.material()
        try #require(material.byteCount > 0)
        var cache = AttackCache(store: store, budget: budget(material.byteCount))
        for page in Self.pages { cache.keep(material, of: page) }
        for page in Self.pages { cache.show(page) }
        try body(&cache, store)
    }

    @Test("all attack lists within the budget are kept")
    func roomy() throws {
        try withFullCache(budget: { 10 * $0 }) { cache, store in
            cache.tidy(keeping: [])
            #expect(Self.pages.allSatisfy { cache.holds($0) && store.table.isPublished($0.index) })
            #expect(cache.retiredCount == 0)
        }
    }

    @Test("the attack lists farthest from a player are freed first, and no more than necessary")
    func farthest() throws {
        try withFullCache(budget: { 7 * $0 }) { cache, store in
            cache.tidy(keeping: [Self.pages[2]])
            #expect(Self.pages.map { cache.holds($0) } == (0..<10).map { $0 < 7 })
            // Page 6 is published with its neighbour 7, which has gone.
            #expect(Self.pages.map { store.table.isPublished($0.index) } == (0..<10).map { $0 < 6 })
        }
    }

    @Test("attacks near a player are kept, however small the budget")
    func near() throws {
        try withFullCache(budget: { _ in 0 }) { cache, store in
            cache.tidy(keeping: [Self.pages[1], Self.pages[8]])
            let kept = [true, true, true, true, false, false, true, true, true, true]
            #expect(Self.pages.map { cache.holds($0) } == kept)
            // Pages near lists are complete, with their neighbours.
            for page in [0, 1, 2, 7, 8, 9] { #expect(store.table.isPublished(Self.pages[page].index)) }
            for page in [3, 4, 5, 6] { #expect(!store.table.isPublished(Self.pages[page].index)) }
        }
    }

    @Test("attacks for other bands than a player's are freed first")
    func otherBands() throws {
        try withFullCache(budget: { 10 * $0 }) { cache, _ in
            let light = AttackPage(9, .one)
            cache.keep(Self.material(), of: light)
            cache.tidy(keeping: [Self.pages[0]])
            #expect(!cache.holds(light) && Self.pages.allSatisfy { cache.holds($0) })
        }
    }

    @Test("the memory of a freed attack list is kept until every reader has been outside a block")
    func readersInside() throws {
        try withFullCache(budget: { _ in 0 }) { cache, store in
            let (inside, outside) = (ReadEpoch(), ReadEpoch())
            _ = (store.addReader(inside), store.addReader(outside))
            inside.reader.enter()
            let address = unsafe try #require(store.table.address(at: Self.pages[9].index))
            let held = unsafe address.assumingMemoryBound(to: AttackList.self).pointee
            cache.tidy(keeping: [Self.pages[0]])
            #expect(!store.table.isPublished(Self.pages[9].index))
            cache.tidy(keeping: [Self.pages[0]])
            #expect(cache.retiredCount > 0)
            // The recording's beginning has a record, too.
            #expect((0..<held.count).map { held[$0].cut } == [0, 4000])
            inside.reader.leave()
            cache.tidy(keeping: [Self.pages[0]])
            #expect(cache.retiredCount == 0)
        }
    }

    @Test("attacks that were freed are made again, identically, when a player returns", .enabled(if: Workload.isWhole))
    func returning() throws {
        var random = SeededGenerator(seed: 5)
        let rate = 8000
        let pageFrames = Analyst.pageFrames(sampleRate: rate, channelCount: 1)
        let samples = (0..<Int(pageFrames) * 8).map { frame in
            frame % 30_000 < 200 ? Float.random(in: -0.5...0.5, using: &random) : 0.001
        }
        let clip = try Clip.inMemory([samples], sampleRate: rate)
        let analyst = try #require(Analyst(clip, attackBudget: 0))
        let work = PlainThread(name: "test-analysis") { analyst.run() }
        let thread = try #require(work)
        defer { thread.detach() }
        defer { analyst.stop() }
        let epoch = ReadEpoch()
        let reader = analyst.requests.makeReader(waits: true, epoch: epoch)
        defer { analyst.requests.release(reader) }

        func cuts(in page: Int) -> [Int64] {
            epoch.reader.enter()
            defer { epoch.reader.leave() }
            guard let list = reader.list(around: Int64(page) * pageFrames, for: .three) else { return [] }
            return (0..<list.count).map { list[$0].cut }
        }
        let first = cuts(in: 0)
        #expect(first.count > 8)
        #expect(cuts(in: 7) != first)
        // The worker tidies up after its job, before taking the next: the second tidying is over once this is answered.
        #expect(cuts(in: 6).isEmpty == false)
        #expect(!analyst.requests.store.table.isPublished(0))
        #expect(cuts(in: 0) == first)
    }
}
