import AudioDevices
import Clips
import EngineHarness
import Foundation
import Realtime
import Samples
import Synchronization
import TestSupport
import Testing

@testable import Engine

@Suite("An engine whose sound a program pulls on its own thread")
struct PulledOutputTests {
    static let rate = 8000
    static let clip = testClip(channels: 2, frames: 5000, rate: rate, seed: 12)

    private func score() throws -> Score {
        let plan = PracticePlan(
            sections: [try Section(100..<1200), try Section(3000..<3900)], passes: 3,
            speeds: .constant(try Speed(factor: 0.8)), gap: .frames(123))
        return try Score(plan, clipFrameCount: 5000, sampleRate: Self.rate)
    }

    private func engine(_ clock: StreamClock, period: Int = 64, ends: Bool = true) throws -> (Engine, PulledOutput) {
        let output = PulledOutput(
            try StreamRequest(sampleRate: Self.rate, channelCount: 2, periodFrames: period, clock: clock))
        return (Engine(pulled: output, endsWithPlayers: ends), output)
    }

    /// Takes blocks of these lengths until a block has less sound than requested.
    private func pull(_ output: PulledOutput, _ lengths: () -> Int) -> [[Float]] {
        var sound: [[Float]] = [[], []]
        while true {
            let count = lengths()
            let buffer = PlanarBuffer(channelCount: 2, frameCount: max(1, count))
            let valid = unsafe output.render(into: UnsafePointer(buffer.channels), frameCount: count)
            for channel in 0..<2 {
                for frame in 0..<valid { unsafe sound[channel].append(buffer.channel(channel)[frame]) }
                for frame in max(0, valid)..<max(1, count) where count > 0 {
                    #expect(unsafe buffer.channel(channel)[frame] == 0, "after the end there is silence")
                }
            }
            if valid < count { return sound }
        }
    }

    @Test("a pulled engine gives the same samples as a file, for every length of blocks")
    func blocks() throws {
        var expected: [[Float]]?
        for period in [64, 1, 512] {
            for seed in [1, 2, 3] as [UInt64] {
                var random = SeededGenerator(seed: seed)
                let (engine, output) = try engine(.virtual, period: period)
                let player = try engine.makePlayer(try Clip.inMemory(Self.clip, sampleRate: Self.rate), score: score())
                player.start(at: 0)
                try engine.start()
                let sound = pull(output) { Int.random(in: 0...(seed == 1 ? 64 : 700), using: &random) }
                #expect(sound[0].count == Int(try score().length))
                #expect(expected == nil || expected == sound)
                expected = expected ?? sound
                #expect(output.position.framesWritten == Int64(sound[0].count))
                try engine.waitUntilFinished()
                engine.stop()
            }
        }
        let file = try EngineStreamTests().played(score(), period: 64, of: Self.clip)
        #expect(expected == file)
    }

    @Test(
        "a player added to a pulled engine begins at its frame, however long the blocks are",
        arguments: [1, 64, 8192])
    func addedLater(period: Int) throws {
        let (engine, output) = try engine(.virtual, period: period, ends: false)
        try engine.start()
        // Longer than the time by which requests are sent ahead.
        let buffer = PlanarBuffer(channelCount: 2, frameCount: 3 * 8192)
        _ = unsafe output.render(into: UnsafePointer(buffer.channels), frameCount: 3 * 8192)
        let player = try engine.makePlayer(try Clip.inMemory(Self.clip, sampleRate: Self.rate), score: score())
        player.start(at: 3 * 8192 + 100)
        _ = unsafe output.render(into: UnsafePointer(buffer.channels), frameCount: 8192)
        // The first frame of the section is the clip's own.
        let firstHeard = (0..<8192).first { unsafe buffer.channel(0)[$0] != 0 }
        #expect(firstHeard == 100)
        #expect(unsafe buffer.channel(0)[100] == Self.clip[0][100])
        engine.stop()
    }

    @Test("a pulled engine frees removed players before the start, after the end, and without any block")
    func removedUnheard() throws {
        let (engine, output) = try engine(.real, ends: false)
        let clip = try Clip.inMemory(Self.clip, sampleRate: Self.rate)
        weak var freed: Player?
        /// Makes more players than the mix has room for, and removes each.
        func comeAndGo() throws {
            let count = engine.playerCount
            for _ in 0..<Mixer.capacity / 4 {
                let players = try (0..<5).map { _ in try engine.makePlayer(clip, score: score()) }
                freed = players[0]
                for player in players { engine.remove(player) }
                try #require(engine.playerCount == count)
            }
        }
        try comeAndGo()
        #expect(freed == nil)
        let stays = try engine.makePlayer(clip, score: score())
        let leader = try engine.makePlayer(clip, score: score())
        let follower = try engine.makePlayer(clip, score: score(), after: leader)
        stays.waitUntilPrepared()
        stays.start(at: 0)
        engine.remove(leader)
        engine.remove(follower)
        #expect(engine.playerCount == 1)
        try engine.start()
        engine.remove(try engine.makePlayer(clip, score: score()))
        #expect(eventually { engine.playerCount == 1 })
        let length = Int(try score().length)
        let buffer = PlanarBuffer(channelCount: 2, frameCount: 64)
        var sound: [Float] = []
        while sound.count < length {
            // A block during a removal of players is silent, and the next block continues the sound at the same place.
            let before = output.position.framesWritten
            _ = unsafe output.render(into: UnsafePointer(buffer.channels), frameCount: 64)
            guard output.position.framesWritten > before else { continue }
            for frame in 0..<64 { unsafe sound.append(buffer.channel(0)[frame]) }
        }
        #expect(try sound.prefix(length) == EngineStreamTests().played(score(), period: 64, of: Self.clip)[0][...])
        // The player has played to its end, and nobody takes blocks any more.
        engine.remove(stays)
        #expect(eventually { engine.playerCount == 0 })
        engine.stop()
        try comeAndGo()
        #expect(freed == nil && engine.playerCount == 0)
    }

    @Test("a pulled engine under the virtual clock frees players removed unheard, and all after the end")
    func removedVirtually() throws {
        let (engine, output) = try engine(.virtual)
        let clip = try Clip.inMemory(Self.clip, sampleRate: Self.rate)
        let plays = try engine.makePlayer(clip, score: score())
        plays.start(at: 0)
        try engine.start()
        let buffer = PlanarBuffer(channelCount: 2, frameCount: 64)
        _ = unsafe output.render(into: UnsafePointer(buffer.channels), frameCount: 64)
        var sound: [Float] = []
        for frame in 0..<64 { unsafe sound.append(buffer.channel(0)[frame]) }
        weak var freed: Player?
        func comeAndGo(_ others: Int) throws {
            for _ in 0...Mixer.capacity {
                let player = try engine.makePlayer(clip, score: score())
                freed = player
                engine.remove(player)
                try #require(engine.playerCount == others)
            }
        }
        try comeAndGo(1)
        #expect(freed == nil)
        sound += pull(output) { 64 }[0]
        #expect(try sound == EngineStreamTests().played(score(), period: 64, of: Self.clip)[0])
        // The player has ended, and nobody waits for the end.
        engine.remove(plays)
        #expect(engine.playerCount == 0)
        try comeAndGo(0)
        #expect(freed == nil)
        engine.stop()
    }

    @Test("a pulled engine has room for another player, however many came and went since the last block")
    func startedAndRemoved() throws {
        let (engine, output) = try engine(.virtual, ends: false)
        let clip = try Clip.inMemory(Self.clip, sampleRate: Self.rate)
        // Without voices, as there are many players at once.
        let score = try Score(
            PracticePlan(sections: [try Section(100..<4900)]), clipFrameCount: 5000, sampleRate: Self.rate)
        let first = try engine.makePlayer(clip, score: score)
        try engine.start()
        for turn in 0..<3 * Mixer.capacity {
            let player =
                try turn % 2 == 0
                ? engine.makePlayer(clip, score: score) : engine.makePlayer(clip, score: score, after: first)
            player.start()
            engine.remove(player)
        }
        #expect(engine.playerCount <= Mixer.capacity)
        engine.remove(first)
        let buffer = PlanarBuffer(channelCount: 2, frameCount: 64)
        for _ in 0..<10 { _ = unsafe output.render(into: UnsafePointer(buffer.channels), frameCount: 64) }
        engine.serve()
        #expect(engine.playerCount == 0)
        engine.stop()
    }

    @Test("an engine frees players after its end, even if its end is not waited for")
    func endedByItself() throws {
        let request = try StreamRequest(
            sampleRate: Self.rate, channelCount: 2, periodFrames: 64, clock: .virtual, realtimePriority: nil)
        let engine = try Engine(output: .null, request: request)
        let clip = try Clip.inMemory(Self.clip, sampleRate: Self.rate)
        let player = try engine.makePlayer(clip, score: score())
        player.start(at: 0)
        try engine.start()
        #expect(eventually { player.status.state == .finished })
        engine.remove(player)
        #expect(eventually { engine.playerCount == 0 })
        try engine.waitUntilFinished()
    }

    @Test("a pulled engine under the real clock never waits, and has every prepared frame")
    func realClock() throws {
        let (engine, output) = try engine(.real, ends: false)
        let player = try engine.makePlayer(try Clip.inMemory(Self.clip, sampleRate: Self.rate), score: score())
        player.waitUntilPrepared()
        player.start(at: 0)
        try engine.start()
        let shared = Shared()
        // Under the real-time sanitizer the process ends if this thread allocates, locks or calls the system in a
        // block.
        let thread = PlainThread(name: "host") {
            let buffer = PlanarBuffer(channelCount: 2, frameCount: 64)
            for _ in 0..<200 {
                shared.frames.add(
                    unsafe output.render(into: UnsafePointer(buffer.channels), frameCount: 64, delayFrames: 100),
                    ordering: .relaxed)
            }
        }
        try #require(thread).join()
        #expect(shared.frames.load(ordering: .relaxed) == 200 * 64)
        #expect(output.position.framesWritten == 200 * 64 && output.position.delayFrames == 164)
        #expect(output.statistics.blocks == 200)
        #expect(player.status.starvedFrames == 0)
        engine.stop()
    }

    @Test("a pulled engine is silent before the start, and after the stop")
    func silence() throws {
        let (engine, output) = try engine(.real, ends: false)
        let buffer = PlanarBuffer(channelCount: 2, frameCount: 64)
        func frames() -> Int { unsafe output.render(into: UnsafePointer(buffer.channels), frameCount: 64) }
        unsafe buffer.channel(1)[63] = 1
        #expect(frames() == 0)
        #expect(unsafe buffer.channel(1)[63] == 0)
        try engine.start()
        #expect(frames() == 64)
        #expect(throws: DeviceError.self) { try output.start(StreamCallbacks(render: { _ in 0 })) }
        engine.stop()
        #expect(frames() == 0)
        try engine.waitUntilFinished()
        // A stopped output does not start.
        let (other, late) = try self.engine(.real)
        other.stop()
        #expect(throws: DeviceError.self) { try other.start() }
        #expect(unsafe late.render(into: UnsafePointer(buffer.channels), frameCount: 64) == 0)
    }

    @Test("a pulled engine that is stopped during a block completes the block")
    func stopping() throws {
        for turn in 0..<50 {
            let (engine, output) = try engine(.real, ends: false)
            try engine.start()
            let shared = Shared()
            let thread = PlainThread(name: "host") {
                let buffer = PlanarBuffer(channelCount: 2, frameCount: 64)
                while unsafe output.render(into: UnsafePointer(buffer.channels), frameCount: 64) == 64 {
                    shared.frames.add(64, ordering: .relaxed)
                }
            }
            if turn % 2 == 0 { try #require(eventually { shared.frames.load(ordering: .relaxed) > 0 }) }
            engine.stop()
            try #require(thread).join()
            #expect(output.position.framesWritten >= Int64(shared.frames.load(ordering: .relaxed)))
        }
    }

    @Test("one thread pulls the sound while another thread sends every kind of request to the player")
    func commands() throws {
        let (engine, output) = try engine(.real, ends: false)
        let plan = PracticePlan(sections: [try Section(100..<4900)], passes: .endless)
        let player = try engine.makePlayer(
            try Clip.inMemory(Self.clip, sampleRate: Self.rate),
            score: Score(plan, clipFrameCount: 5000, sampleRate: Self.rate))
        player.start(at: 0)
        try engine.start()
        let shared = Shared()
        let host = PlainThread(name: "host") {
            let buffer = PlanarBuffer(channelCount: 2, frameCount: 64)
            while unsafe output.render(into: UnsafePointer(buffer.channels), frameCount: 64) == 64 {
                shared.frames.add(64, ordering: .relaxed)
            }
        }
        let thread = try #require(host)
        var random = SeededGenerator(printedFor: "PulledOutputTests.commands")
        let plans = try [plan, PracticePlan(sections: [Section(100..<900), Section(2000..<4900)], passes: .endless)]
        for _ in 0..<300 {
            // Two in a row: the second request may come while the block begins the first.
            for _ in 0..<2 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<3: try player.setSpeed(Speed(factor: Double.random(in: 0.5...1.5, using: &random)))
                case 3..<5: try player.seek(toClipFrame: Int64.random(in: 2000..<4900, using: &random))
                case 5: try player.setPitch(Pitch(semitones: Double.random(in: -5...5, using: &random)))
                case 6: try player.setReversed(Bool.random(using: &random))
                case 7: Bool.random(using: &random) ? player.freeze() : player.unfreeze()
                case 8: Bool.random(using: &random) ? player.pause() : player.resume()
                default:
                    let other = plans[Int.random(in: 0..<2, using: &random)]
                    try player.setScore(Score(other, clipFrameCount: 5000, sampleRate: Self.rate))
                }
            }
            _ = (player.status, player.takePeaks(), player.score, player.clipFrame(heardAt: 0))
            // Relaxed, so that the sanitizer sees no order between the threads.
            let frames = shared.frames.load(ordering: .relaxed)
            try #require(eventually { shared.frames.load(ordering: .relaxed) >= frames + 128 })
        }
        engine.stop()
        thread.join()
        #expect(player.failure == nil)
    }

    @Test("a start after the end fails, and leaves no thread")
    func startAfterStop() throws {
        let (engine, _) = try engine(.real)
        try engine.start()
        #expect(throws: DeviceError.self) { try engine.start() }
        #expect(engine.isServing)
        engine.stop()
        #expect(throws: DeviceError.self) { try engine.start() }
        #expect(!engine.isServing)
    }

    private final class Shared: Sendable {
        let frames = Atomic(0)
    }
}
