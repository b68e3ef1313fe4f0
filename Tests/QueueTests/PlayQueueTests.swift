import AudioDevices
import Clips
import EngineHarness
import SoundFileSupport
import Synchronization
import TestSupport
import Testing

@testable import Engine
@testable import Queue

@Suite("Queue of recordings")
struct PlayQueueTests {
    static let fade = FadeLengths(sampleRate: SteppedQueue.rate).crossfade

    @Test(
        "a queue plays its items without a frame between them, in blocks of any length",
        arguments: [1, 17, 64, 4096])
    func inARow(block: Int) throws {
        let sources = ["4000#1", "3#2", "1#3", "2500#4", "17#5", "900#6"]
        let run = try SteppedQueue(sources)
        try run.start()
        let output = run.render(100_000, block: block)
        let expected = try sources.flatMap { try SteppedQueue.sound($0)[0] }
        #expect(output == expected)
        #expect(run.output.hasEnded)
        var (frame, events) = (0, [String]())
        for source in sources {
            let count = try SteppedQueue.sound(source)[0].count
            events += ["start \(source) @\(frame)", "end \(source) @\(frame + count) completed"]
            frame += count
        }
        // The end at a frame comes before the beginning there.
        #expect(run.events() == events + ["finished"])
    }

    @Test(
        "a queue plays the same under the real and the virtual clock, with a crossfade or without",
        arguments: [0, 700])
    func clocks(crossfade: Int64) throws {
        let outputs = try [StreamClock.virtual, .real].map { clock in
            let scratch = try Scratch()
            let request = try StreamRequest(
                sampleRate: SteppedQueue.rate, channelCount: 1, periodFrames: clock == .real ? 200 : 1024, clock: clock,
                realtimePriority: nil)
            let engine = try Engine(output: .file(path: scratch.file("out.wav")), request: request)
            let queue = try PlayQueue(on: engine) { item, _ in
                QueueSound(try Clip.inMemory(try SteppedQueue.sound(item.source), sampleRate: SteppedQueue.rate))
            }
            queue.crossfadeFrames = crossfade
            queue.append(["3000#1", "2000#2", "2500#3"])
            try queue.start()
            try engine.start()
            try engine.waitUntilFinished()
            return try decode(scratch.file("out.wav"))[0]
        }
        #expect(outputs[0].count == 7500 - 2 * Int(crossfade) && outputs[0] == outputs[1])
    }

    @Test("a queue passes over items that cannot be opened, and reports each")
    func skips() throws {
        let run = try SteppedQueue(["-", "100#1", "-", "-", "200#2", "-"])
        try run.start()
        #expect(run.render(10_000) == (try SteppedQueue.sound("100#1")[0] + SteppedQueue.sound("200#2")[0]))
        #expect(run.events().filter { $0 == "skip -" }.count == 4)
        #expect(run.events().last == "finished")
    }

    @Test(
        "a queue ends with the reason if no item can be opened, also when it is repeated",
        arguments: QueueRepeat.allCases)
    func nothing(repeats: QueueRepeat) throws {
        let run = try SteppedQueue(["-", "-"])
        run.queue.repeats = repeats
        #expect(throws: QueueError.self) { try run.queue.start() }
        #expect(run.events() == ["skip -", "skip -", "failed"])
        #expect(throws: QueueError.self) { try SteppedQueue([]).queue.start() }
    }

    @Test("a queue repeats one item, or all items, without a frame between them")
    func repeated() throws {
        let one = try SteppedQueue(["700#1", "300#2"])
        one.queue.repeats = .one
        try one.start()
        let (first, second) = (try SteppedQueue.sound("700#1")[0], try SteppedQueue.sound("300#2")[0])
        #expect(one.render(2100) == first + first + first)
        #expect(one.opened == 1)
        let all = try SteppedQueue(["700#1", "300#2"])
        all.queue.repeats = .all
        try all.start()
        #expect(all.render(2900) == (first + second + first + second + first + second).dropLast(100))
        all.queue.repeats = .off
        #expect(all.render(5000, block: 64) == second.suffix(100))
        #expect(all.events().last == "finished")
    }

    @Test("a queue goes to the next and the previous item, or to the beginning after three seconds")
    func nextAndPrevious() throws {
        let run = try SteppedQueue(["40000#1", "40000#2", "40000#3"])
        try run.start()
        _ = run.render(1024)
        #expect(run.queue.next())
        _ = run.render(1024)
        #expect(run.queue.current?.index == 1)
        run.queue.previous()
        _ = run.render(1024)
        #expect(run.queue.current?.index == 0)
        _ = run.render(24_064)
        run.queue.previous()
        let output = run.render(1024)
        #expect(run.queue.current?.index == 0)
        #expect(output[Self.fade...] == (try SteppedQueue.sound("40000#1")[0][Self.fade..<1024]))
        // Nothing is before the first one.
        run.queue.previous()
        _ = run.render(512)
        #expect(run.queue.current?.index == 0)
        #expect(run.queue.next() && run.queue.next() && !run.queue.next())
        _ = run.render(1024)
        #expect(run.output.hasEnded)
        #expect(run.events().last == "stopped")
    }

    @Test("a paused queue stays paused when another item is chosen, and then begins at its first frame")
    func pausedNext() throws {
        let run = try SteppedQueue(["4000#1", "4000#2", "4000#3"])
        try run.start()
        _ = run.render(512)
        run.queue.pause()
        _ = run.render(512)
        run.queue.next()
        run.queue.next()
        #expect(run.render(5120).allSatisfy { $0 == 0 })
        #expect(run.queue.current?.index == 2 && run.queue.isPaused)
        #expect(run.events().filter { $0.hasPrefix("chosen") } == ["chosen 4000#2", "chosen 4000#3"])
        run.queue.resume()
        #expect(run.render(4000) == (try SteppedQueue.sound("4000#3")[0]))
    }

    @Test("a paused queue stays paused when its last item is chosen, which is already open")
    func pausedLast() throws {
        for sources in [["4000#1", "4000#3"], ["4000#1", "4000#2", "4000#3"]] {
            let run = try SteppedQueue(sources)
            try run.start()
            _ = run.render(512)
            run.queue.pause()
            _ = run.render(512)
            for _ in 1..<sources.count {
                run.queue.next()
                // The following item is opened.
                run.settle()
            }
            #expect(run.render(5120) == [Float](repeating: 0, count: 5120))
            #expect(run.queue.isPaused && !run.events().contains("finished"))
            run.queue.resume()
            #expect(run.render(4000) == (try SteppedQueue.sound("4000#3")[0]))
            _ = run.render(512)
            #expect(run.output.hasEnded && run.events().last == "finished")
        }
    }

    @Test("a queue is paused and sought like one player, and its joint stays exact")
    func pausedAndSought() throws {
        let run = try SteppedQueue(["9000#1", "4000#2"])
        try run.start()
        _ = run.render(1024)
        run.queue.pause()
        _ = run.render(1024)
        try run.queue.seek(toClipFrame: 8000)
        run.queue.resume()
        let output = run.render(20_000, block: 64)
        let expected = try Array(SteppedQueue.sound("9000#1")[0][8000...]) + SteppedQueue.sound("4000#2")[0]
        #expect(output.count == 5000 && output[Self.fade...] == expected[Self.fade...])
        #expect(throws: ScoreError.self) { try SteppedQueue(["9#1"]).queue.seekOpened(to: 99) }
    }

    @Test("a queue plays its changed order, and opens the next item in time")
    func changes() throws {
        let run = try SteppedQueue(["20000#1", "300#2", "500#3"])
        try run.start()
        _ = run.render(512)
        let items = run.queue.items
        run.queue.remove(items[1].id)
        let added = run.queue.insert(["600#4"], at: 1)
        run.queue.move(items[2].id, to: 1)
        #expect(run.queue.items.map(\.source) == ["20000#1", "500#3", "600#4"])
        let output = run.render(100_000)
        let tail = try SteppedQueue.sound("500#3")[0] + SteppedQueue.sound("600#4")[0]
        #expect(output.suffix(1100) == tail[...] && output.count == 20_000 - 512 + 1100)
        #expect(run.events().last == "finished" && added.count == 1)
    }

    @Test("a queue plays the next item when the playing one is removed, and ends with the last item")
    func removeCurrent() throws {
        let run = try SteppedQueue(["20000#1", "3000#2"])
        try run.start()
        _ = run.render(512)
        run.queue.remove(run.queue.items[0].id)
        let output = run.render(3000)
        #expect(output[Self.fade...] == (try SteppedQueue.sound("3000#2")[0][Self.fade...]))
        let other = try SteppedQueue(["20000#1"])
        try other.start()
        _ = other.render(512)
        other.queue.remove(other.queue.items[0].id)
        #expect(other.render(512).count < 512)
        #expect(other.events().last == "finished")
    }

    @Test("a shuffled queue plays each item once a round, the current item first", arguments: [1, 2, 3])
    func shuffled(seed: UInt64) throws {
        let run = try SteppedQueue((1...12).map { "\(100 + $0)#\($0)" })
        run.queue.shuffleSeed = seed
        run.queue.repeats = .all
        try run.start()
        _ = run.render(2 * (1...12).reduce(0) { $0 + 100 + $1 } + 50)
        let started = run.events().filter { $0.hasPrefix("start") }.map { $0.split(separator: " ")[1] }
        #expect(Set(started[..<12]).count == 12 && Set(started[12..<24]).count == 12)
        #expect(Array(started[..<12]) != (1...12).map { Substring("\(100 + $0)#\($0)") })
        for index in 1..<24 { #expect(started[index] != started[index - 1]) }
    }

    @Test("a queue crossfades consecutive items for the given number of frames", arguments: [64, 4096])
    func crossfaded(block: Int) throws {
        let run = try SteppedQueue(["9000#1", "9000#2", "9000#3"])
        run.queue.crossfadeFrames = 1000
        try run.start()
        let output = run.render(100_000, block: block)
        #expect(output.count == 25_000)
        let sounds = try (1...3).map { try SteppedQueue.sound("9000#\($0)")[0] }
        #expect(output[..<8000] == sounds[0][..<8000])
        #expect(output[9000..<16_000] == sounds[1][1000..<8000])
        #expect(output[17_000...] == sounds[2][1000...])
        #expect(
            run.events() == [
                "start 9000#1 @0", "start 9000#2 @8000", "end 9000#1 @9000 completed", "start 9000#3 @16000",
                "end 9000#2 @17000 completed", "end 9000#3 @25000 completed", "finished",
            ])
    }

    @Test(
        "a crossfade takes at most half of either item, so at most two items sound together", arguments: [64, 4096])
    func crossfadedShort(block: Int) throws {
        let run = try SteppedQueue(["9000#1", "500#2", "300#3", "1#4", "9000#5"])
        run.queue.crossfadeFrames = .max
        try run.start()
        #expect(run.render(100_000, block: block).count == 18_401)
        let events = run.events()
        // Events of several items in one block come in any order.
        #expect(try (1...5).map { try Self.frame("start", $0, events) } == [0, 8750, 9100, 9400, 9401])
        #expect(try (1...5).map { try Self.frame("end", $0, events) } == [9000, 9250, 9400, 9401, 18_401])
    }

    @Test("after a change of speed, too, at most two items sound together", arguments: [0.5, 4])
    func crossfadedFaster(factor: Double) throws {
        let run = try SteppedQueue((1...6).map { "3000#\($0)" })
        run.queue.crossfadeFrames = 100_000
        try run.start()
        _ = run.render(100)
        run.queue.setSpeed(try Speed(factor: factor))
        run.settle()
        _ = run.render(100_000)
        let events = run.events()
        for number in 3...6 {
            #expect(try Self.frame("start", number, events) >= Self.frame("end", number - 2, events), "\(events)")
        }
    }

    /// The frame of an item's event.
    private static func frame(_ word: String, _ number: Int, _ events: [String]) throws -> Int {
        let event = try #require(
            events.first { $0.hasPrefix("\(word) ") && $0.contains("#\(number) @") }, "\(word) \(number): \(events)")
        return try #require(event.split(separator: "@").last.flatMap { Int($0.prefix { $0.isNumber }) })
    }

    @Test("a queue waits for a lost device, also in a crossfade, and resumes in place")
    func lost() throws {
        for frame in [3000, 7500] {
            var outputs: [[Float]] = []
            for isLost in [false, true] {
                let run = try SteppedQueue(["9000#1", "9000#2"])
                run.queue.crossfadeFrames = 2000
                try run.start()
                var output = run.render(frame)
                if isLost {
                    run.lose()
                    #expect(run.render(2500).allSatisfy { $0 == 0 })
                    run.regain()
                }
                output += run.render(50_000)
                outputs.append(output)
            }
            #expect(outputs[0].count == 16_000 && outputs[1].count == 16_000)
            #expect(outputs[0][..<frame] == outputs[1][..<frame])
            #expect(outputs[0][(frame + Self.fade)...] == outputs[1][(frame + Self.fade)...])
        }
    }

    @Test("a queue gives all items one speed and one gain, and each item its own level")
    func speedAndGain() throws {
        let run = try SteppedQueue(["8000#1", "8000#2"], decibels: -6)
        run.queue.setGain(decibels: -6)
        try run.start()
        let gain = Float(Decibels.factor(-12))
        let output = run.render(9000)
        let second = try SteppedQueue.sound("8000#2")[0]
        let expected = try (SteppedQueue.sound("8000#1")[0] + second[..<1000]).map { $0 * gain }
        #expect(output == expected)
        run.queue.setSpeed(try Speed(factor: 2))
        let rest = run.render(20_000)
        #expect(abs(rest.count - 3500) < 1200)
        #expect(run.events().last == "finished")
    }

    @Test("a queue can be stopped and restarted, and takes items after its end")
    func again() throws {
        let run = try SteppedQueue(["1000#1"], endsWithPlayers: false)
        try run.start()
        _ = run.render(2048)
        #expect(run.events().last == "finished")
        run.queue.append(["500#2"])
        #expect(run.queue.next())
        #expect(run.render(500) == (try SteppedQueue.sound("500#2")[0]))
        run.queue.stop()
        _ = run.render(1024)
        try run.queue.start()
        #expect(run.render(500) == (try SteppedQueue.sound("500#2")[0]))
    }

    @Test("a queue survives a thousand random presses, and accounts for every frame of every item")
    func presses() throws {
        var generator = SeededGenerator(printedFor: #function)
        let run = try SteppedQueue((1...6).map { "\($0 * 700)#\($0)" }, endsWithPlayers: false)
        try run.start()
        let seconds = cases(1000, few: 100)
        for _ in 0..<seconds {
            let items = run.queue.items
            let item = items.randomElement(using: &generator)
            switch Int.random(in: 0..<16, using: &generator) {
            case 0: run.queue.next()
            case 1: run.queue.previous()
            case 2: run.queue.pause()
            case 3, 4: run.queue.resume()
            case 5: try? run.queue.seek(toClipFrame: Int64.random(in: 0..<5000, using: &generator))
            case 6: run.queue.setSpeed(try Speed(factor: [0.7, 1, 1, 1.4].randomElement(using: &generator) ?? 1))
            case 7: run.queue.shuffleSeed = Bool.random(using: &generator) ? generator.next() : nil
            case 8: if let item, items.count > 3 { run.queue.remove(item.id) }
            case 9:
                run.queue.insert(
                    ["\(Int.random(in: 1...4000, using: &generator))#7", "-"],
                    at: Int.random(in: 0...8, using: &generator))
            case 10: if let item { run.queue.move(item.id, to: Int.random(in: 0...8, using: &generator)) }
            case 11: run.queue.repeats = QueueRepeat.allCases.randomElement(using: &generator) ?? .off
            case 13: run.lose()
            case 14: run.regain()
            case 12: run.queue.crossfadeFrames = Int64.random(in: 0...1500, using: &generator)
            default: if let item { run.queue.play(item.id) }
            }
            let frames = Int.random(in: 1...2000, using: &generator)
            let output = run.render(frames, block: Int.random(in: 1...700, using: &generator))
            #expect(output.count == frames)
        }
        run.regain()
        run.queue.stop()
        _ = run.render(4096)
        #expect(run.queue.worker.state.withLock { $0.chain.count } == 0, "\(generator)")
        // Each heard item has an end, and each player has left the mix.
        let events = run.events()
        let (starts, ends) = (events.count { $0.hasPrefix("start") }, events.count { $0.hasPrefix("end") })
        #expect(starts > seconds / 50 && ends == starts, "\(generator)")
        if ends != starts { print("EVENTS", events.joined(separator: "\nEVENTS ")) }
        #expect(run.engine.playerCount == 0, "\(generator)")
    }

    @Test("a queue of a thousand items keeps few clips open")
    func many() throws {
        let run = try SteppedQueue((1...1000).map { "\(400 + $0 % 7)#\($0 % 5)" })
        try run.start()
        var most = 0
        while !run.output.hasEnded {
            _ = run.render(4096)
            most = max(most, run.engine.playerCount, run.clipsAlive)
        }
        #expect(run.opened == 1000)
        // The waiting players, the players of the last blocks, and the players made meanwhile.
        #expect(most <= 3 * QueueState.mostAhead)
        #expect(run.events().count == 2001)
        run.engine.stop()
        // An ended mix returns nothing any more; the engine frees the rest.
        #expect(run.clipsAlive <= QueueState.mostAhead)
    }
}

extension PlayQueue {
    /// Opens the first item and seeks in it.
    func seekOpened(to frame: Int64) throws {
        try start()
        try seek(toClipFrame: frame)
    }
}
