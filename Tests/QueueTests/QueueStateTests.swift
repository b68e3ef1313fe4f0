import Clips
import TestSupport
import Testing

@testable import Engine
@testable import Queue

@Suite("Notes of a queue's players")
struct QueueStateTests {
    @Test(
        "a queue of more items of one frame than there are players ahead plays them all, whatever the repeat mode",
        arguments: QueueRepeat.allCases)
    func oneFrameEach(repeats: QueueRepeat) throws {
        let sources = (1...40).map { "1#\($0)" }
        let run = try SteppedQueue(sources)
        run.queue.repeats = repeats
        try run.start()
        // A block plays the current item and those ahead, and is silent afterwards.
        let output = run.render(5 * 4096, block: 4096)
        let starts = run.events().filter { $0.hasPrefix("start ") }
        let frames = (0..<5).flatMap { block in (0..<17).map { 4096 * block + $0 } }
        let played = frames.indices.map { sources[repeats == .one ? 0 : $0 % 40] }
        let expected = zip(played, frames).map { "start \($0) @\($1)" }
        #expect(starts == (repeats == .off ? Array(expected.prefix(40)) : expected))
        #expect(run.output.hasEnded == (repeats == .off) && run.events().contains("finished") == (repeats == .off))
        for (source, frame) in zip(played, frames).prefix(starts.count) {
            #expect(try output[frame] == SteppedQueue.sound(source)[0][0], "\(source) \(frame)")
        }
    }

    @Test(
        "the notes of a queue report each item's start before its end, in any order of the players", arguments: 0..<50)
    func anyOrder(seed: UInt64) throws {
        let run = try SteppedQueue([], endsWithPlayers: false)
        let inbox = QueueInbox()
        var state = QueueState(run.engine, inbox)
        // Half of the shortest item, so starts and ends come close together.
        state.setCrossfade(1000)
        let items = (1...6).map { state.makeItem("\($0 % 3 == 0 ? 3000 : 12)#\($0)") }
        state.order.insert(items.map(\.id), at: 0)
        let begins = state.begin()
        #expect(begins)
        while let item = state.nextToOpen() {
            try state.add(
                item, QueueSound(try Clip.inMemory(SteppedQueue.sound(item.source), sampleRate: SteppedQueue.rate)))
        }
        try run.engine.start()
        _ = run.render(20_000)
        // Each player's notes stay in order.
        var notes = Dictionary(grouping: try #require(inbox.take()), by: \.serial)
        #expect(notes.count == items.count)
        var generator = SeededGenerator(seed: seed)
        var told: [String] = []
        while let serial = notes.keys.sorted().randomElement(using: &generator) {
            var rest = try #require(notes[serial])
            state.take([rest.removeFirst()])
            notes[serial] = rest.isEmpty ? nil : rest
            for event in state.takeEvents() {
                switch event {
                case .itemStarted(let item, _, _): told.append("start \(item.source)")
                case .itemEnded(let item, _, _): told.append("end \(item.source)")
                default: break
                }
            }
        }
        state.take([])
        #expect(told.filter { $0.hasPrefix("start") } == items.map { "start \($0.source)" })
        for item in items {
            let places = told.indices.filter { told[$0].hasSuffix(" \(item.source)") }
            #expect(places.map { told[$0] } == ["start \(item.source)", "end \(item.source)"])
        }
        #expect(state.chain.isEmpty)
    }

    /// Opens the items that the queue's thread would open.
    private func open(_ state: inout QueueState) throws {
        while let item = state.nextToOpen() {
            try state.add(
                item, QueueSound(try Clip.inMemory(SteppedQueue.sound(item.source), sampleRate: SteppedQueue.rate)))
        }
    }

    @Test("the stream still runs if the order was changed in its last block, before the queue's thread")
    func lateOrder() throws {
        let run = try SteppedQueue([])
        let inbox = QueueInbox()
        var state = QueueState(run.engine, inbox)
        let items = ["3000#1", "3000#2"].map { state.makeItem($0) }
        state.order.insert([items[0].id], at: 0)
        let begins = state.begin()
        #expect(begins)
        try open(&state)
        try run.engine.start()
        _ = run.render(2900)
        state.order.insert([items[1].id], at: 1)
        state.noteOrder()
        _ = run.render(1000)
        #expect(!run.output.hasEnded)
        state.take(try #require(inbox.take()))
        try open(&state)
        #expect(run.render(20_000).contains { $0 != 0 })
        #expect(run.output.hasEnded)
    }

    @Test("a queue that is stopped while an unplayable item opens reports a single end")
    func stoppedWhileOpening() throws {
        let run = try SteppedQueue([])
        var state = QueueState(run.engine, QueueInbox())
        let item = state.makeItem("-")
        state.order.insert([item.id], at: 0)
        let begins = state.begin()
        #expect(begins)
        let opened = state.nextToOpen()
        #expect(opened == item)
        state.end(.stopped)
        state.pass(over: item, because: SteppedQueue.NoSound())
        let ends = state.takeEvents().filter { if case .finished = $0 { true } else { false } }
        #expect(ends.count == 1)
        #expect(state.failure == nil)
        // The item gets another chance at the next start.
        let beginsAgain = state.begin()
        #expect(beginsAgain)
        let openedAgain = state.nextToOpen()
        #expect(openedAgain == item)
    }

    @Test("every item gets another chance at the next start after no item could be opened")
    func anotherChance() throws {
        let run = try SteppedQueue([])
        var state = QueueState(run.engine, QueueInbox())
        let items = ["-#1", "-#2"].map { state.makeItem($0) }
        state.order.insert(items.map(\.id), at: 0)
        for _ in 0..<2 {
            let begins = state.begin()
            #expect(begins)
            for item in items {
                let opened = state.nextToOpen()
                #expect(opened == item)
                state.pass(over: item, because: SteppedQueue.NoSound())
            }
            #expect(state.failure != nil && !state.isUnderWay)
        }
    }

    @Test("the key for the previous item counts a seek of the same block")
    func previousAfterSeek() throws {
        let run = try SteppedQueue(["40000#1", "40000#2"])
        try run.start()
        _ = run.render(1024)
        #expect(run.queue.next())
        _ = run.render(1024)
        try run.queue.seek(toClipFrame: 30_000)
        for index in [1, 0] {
            run.queue.previous()
            _ = run.render(1024)
            #expect(run.queue.current?.index == index)
        }
    }

    @Test("a crossfade lasts at most half of either item at the speed of the queue")
    func halfOfEither() throws {
        func sound(_ frames: Int, range: Range<Int64>? = nil) throws -> QueueSound {
            QueueSound(
                try Clip.inMemory([[Float](repeating: 0, count: frames)], sampleRate: SteppedQueue.rate), range: range)
        }
        var settings = QueueSettings()
        settings.crossfade = 10_000
        #expect(settings.fade(from: nil, to: try sound(3000)) == 1500)
        #expect(settings.fade(from: try sound(3000), to: try sound(1000)) == 500)
        #expect(settings.fade(from: try sound(3000, range: 100..<500), to: try sound(1000)) == 200)
        settings.speed = try Speed(factor: 2)
        #expect(settings.fade(from: try sound(3000), to: try sound(1000)) == 250)
        settings.crossfade = 100
        #expect(settings.fade(from: try sound(3000), to: try sound(1000)) == 100)
    }
}
