import Clips
import EngineHarness
import TestSupport
import Testing

@testable import Engine

@Suite("A player that follows another one")
struct FollowTests {
    typealias Desk = MixerTests.Desk
    static let rate = MixerTests.rate
    static let clips = (0..<3).map { testClip(channels: 1, frames: 4000, rate: rate, seed: UInt64($0) + 60) }
    static let blocks = [1, 17, 64, 4096]

    static func score(
        _ range: Range<Int64> = 0..<4000, speed: Double = 1, passes: Int = 1, joint: Joint = .hard
    ) throws -> Score {
        let plan = PracticePlan(
            sections: [try Section(range)], passes: .count(passes), speeds: .constant(try Speed(factor: speed)),
            joint: joint)
        return try Score(plan, clipFrameCount: 4000, sampleRate: rate)
    }

    static func press(_ player: Player, seed: UInt64, before limit: Int64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<8 {
            let frame = Int64.random(in: 0..<limit, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                player.pause(at: frame)
                player.resume(at: frame + Int64.random(in: 0..<500, using: &generator))
            case 1: try player.seek(toClipFrame: Int64.random(in: 0..<4000, using: &generator), at: frame)
            case 2:
                let speed = try Speed(factor: Double.random(in: 0.5...2, using: &generator))
                try player.setSpeed(speed, at: frame)
            default: player.setGain(decibels: Double.random(in: -6...0, using: &generator), at: frame)
            }
        }
    }

    @Test(
        "a following player begins at the frame after the last sample of the first player",
        arguments: blocks)
    func joint(block: Int) async throws {
        var generator = SeededGenerator(printedFor: "\(#function) \(block)")
        for _ in 0..<cases(block == 1 ? 10 : 40, few: 4) {
            let seed = generator.next()
            let (speed, passes) = (Bool.random(using: &generator) ? 1 : 0.8, Int.random(in: 1...2, using: &generator))
            let (alone, desk) = (Desk(), Desk())
            let single = try alone.add(Self.clips[0], try Self.score(speed: speed, passes: passes))
            single.start(at: 0)
            try Self.press(single, seed: seed, before: 3000)
            let expected = alone.render(100_000) + Self.clips[1][0]
            // A pause after the end would be a pause of the following player.
            if expected.count - 4000 < 3500 { continue }

            let first = try desk.add(Self.clips[0], try Self.score(speed: speed, passes: passes))
            let second = try desk.add(Self.clips[1], try Self.score(joint: .crossfade), after: first)
            let (ends, begins) = (first.events, second.events)
            first.start(at: 0)
            try Self.press(first, seed: seed, before: 3000)
            let output = desk.render(100_000, block: block)
            #expect(output == expected, "\(generator)")
            let end = await ends.compactMap { $0.kind == .finished(.completed) ? $0.frame : nil }.first { _ in true }
            let begin = await begins.compactMap { $0.kind == .playbackStarted ? $0.frame : nil }.first { _ in true }
            #expect(end == Int64(expected.count - 4000) && begin == end, "\(generator)")
        }
    }

    @Test(
        "as many following players as there is room for play one after another, however short",
        arguments: [17, 4096])
    func chain(block: Int) throws {
        let desk = Desk()
        var last = try desk.add(Self.clips[0], try Self.score(0..<3))
        last.start(at: 0)
        var expected = Array(Self.clips[0][0][0..<3])
        for index in 1..<Mixer.capacity {
            let range = Int64(index)..<Int64(index + 1 + index % 5)
            last = try desk.add(Self.clips[index % 3], try Self.score(range), after: last)
            expected += Self.clips[index % 3][0][Int(range.lowerBound)..<Int(range.upperBound)]
        }
        #expect(desk.render(10_000, block: block) == expected)
    }

    @Test("two players in a row pass above full scale unchanged, like a player alone", arguments: blocks)
    func loud(block: Int) throws {
        let desk = Desk()
        let loud = (0..<2).map { [Self.clips[$0][0].map { $0 * 4 }] }
        let first = try desk.add(loud[0], try Self.score())
        _ = try desk.add(loud[1], try Self.score(), after: first)
        first.start(at: 5)
        let output = desk.render(9000, block: block)
        #expect(Array(output.dropFirst(5)) == loud[0][0] + loud[1][0])
        #expect(output.contains { abs($0) > 1.5 })
    }

    @Test("a following player does not begin when the first is stopped, and keeps no stream open")
    func stopped() throws {
        let desk = Desk()
        let first = try desk.add(Self.clips[0], try Self.score())
        let second = try desk.add(Self.clips[1], try Self.score(), after: first)
        first.start(at: 0)
        first.stop(at: 1000)
        let output = desk.render(9000)
        #expect(output.count == 1000 + FadeLengths(sampleRate: Self.rate).crossfade)
        #expect(second.status.state == .idle)
    }

    @Test("a following player does not begin if the other player fails in the fade of a stop")
    func failedWhileStopping() throws {
        let desk = Desk()
        let first = try desk.add(Self.clips[0], try Self.score())
        let second = try desk.add(Self.clips[1], try Self.score(), after: first)
        first.start(at: 0)
        first.stop(at: 1000)
        first.send(PlayerCommand(code: .stop, frame: 1010, value: Int64(FinishReason.failed.rawValue)))
        let output = desk.render(9000)
        #expect(output.count == 1000 + FadeLengths(sampleRate: Self.rate).crossfade)
        #expect(second.status.state == .idle)
    }

    @Test("a player added after the end of the player it follows begins with the next block")
    func late() throws {
        let desk = Desk(endsWithPlayers: false)
        let first = try desk.add(Self.clips[0], try Self.score(0..<100))
        first.start(at: 0)
        var output = desk.render(256, block: 64)
        _ = try desk.add(Self.clips[1], try Self.score(), after: first)
        output += desk.render(4256, block: 64)
        #expect(output[100..<256].allSatisfy { $0 == 0 })
        #expect(output[256..<4256] == Self.clips[1][0][...])
    }

    @Test("removing a following player lets the first one end without a crossfade")
    func removed() throws {
        let desk = Desk()
        let first = try desk.add(Self.clips[0], try Self.score())
        let second = try desk.add(Self.clips[1], try Self.score(), after: first, fade: 500)
        let third = try desk.add(Self.clips[2], try Self.score(), after: second)
        first.start(at: 0)
        var output = desk.render(64)
        for player in [second, third] {
            player.stop()
            desk.registry.removeWhenFinished(player)
        }
        output += desk.render(9000)
        #expect(output == Self.clips[0][0])
    }

    @Test("a following player that is stopped at the very joint does not begin", arguments: blocks)
    func stoppedAtJoint(block: Int) throws {
        let desk = Desk()
        let first = try desk.add(Self.clips[0], try Self.score())
        let second = try desk.add(Self.clips[1], try Self.score(), after: first)
        first.start(at: 0)
        second.stop(at: 4000)
        #expect(desk.render(9000, block: block) == Self.clips[0][0])
    }

    // MARK: - Crossfades

    /// The weight of a crossfade's beginning player at a frame of the crossfade, in Double.
    func rise(_ frame: Int, of length: Int) -> Double { sine((Double(frame) + 0.5) / Double(length)) }
    func fall(_ frame: Int, of length: Int) -> Double { sine((Double(length - frame) - 0.5) / Double(length)) }
    /// The sine of a fraction of a quarter turn, by power series.
    private func sine(_ share: Double) -> Double {
        let angle = share * Double.pi / 2
        var (term, sum) = (angle, angle)
        for power in stride(from: 2.0, through: 20, by: 2) {
            term *= -angle * angle / (power * (power + 1))
            sum += term
        }
        return sum
    }

    /// Both recordings around a crossfade of `length` frames before frame `end` of the first.
    func reference(end: Int, fade length: Int) -> [Double] {
        let (first, second) = (Self.clips[0][0], Self.clips[1][0])
        return (0..<end - length + 4000).map { frame in
            let within = frame - (end - length)
            let one = frame < end ? Double(first[frame]) * (within < 0 ? 1 : fall(within, of: length)) : 0
            let two = within >= 0 ? Double(second[within]) * (within < length ? rise(within, of: length) : 1) : 0
            return one + two
        }
    }

    func isClose(_ output: some Sequence<Float>, _ expected: some Sequence<Double>) -> Bool {
        zip(output, expected).allSatisfy { abs(Double($0) - $1) < 1e-6 }
    }

    @Test("a following player crosses over with equal power", arguments: blocks)
    func crossfade(block: Int) throws {
        for fade in [1, 2, 400, 3999, 4000, 4001, 100_000] {
            let desk = Desk()
            let first = try desk.add(Self.clips[0], try Self.score())
            _ = try desk.add(Self.clips[1], try Self.score(), after: first, fade: Int64(fade))
            first.start(at: 0)
            let output = desk.render(20_000, block: block)
            let expected = reference(end: 4000, fade: min(fade, 4000))
            #expect(output.count == expected.count && isClose(output, expected), "\(fade)")
        }
    }

    @Test("a crossfade to the following player fits into the sound that a seek leaves", arguments: blocks)
    func soughtPast(block: Int) throws {
        let desk = Desk()
        let first = try desk.add(Self.clips[0], try Self.score())
        _ = try desk.add(Self.clips[1], try Self.score(), after: first, fade: 500)
        first.start(at: 0)
        try first.seek(toClipFrame: 3700, at: 1000)
        let output = desk.render(20_000, block: block)
        #expect(output.count == 5000)
        // The seek fades too, over 5 ms of its own.
        let seek = FadeLengths(sampleRate: Self.rate).crossfade
        #expect(output[..<1000] == Self.clips[0][0][..<1000])
        let expected = reference(end: 4000, fade: 300)[3700...]
        #expect(isClose(output[(1000 + seek)...], expected.dropFirst(seek)))
    }

    @Test("both players are paused during their crossfade, which goes on afterwards", arguments: blocks)
    func pausedWithin(block: Int) throws {
        let desk = Desk()
        let first = try desk.add(Self.clips[0], try Self.score())
        let second = try desk.add(Self.clips[1], try Self.score(), after: first, fade: 1000)
        first.start(at: 0)
        first.pause(at: 3300)
        first.resume(at: 6000)
        let fade = FadeLengths(sampleRate: Self.rate).crossfade
        var output = desk.render(5001, block: block)
        #expect(second.status.state == .paused && first.status.state == .paused)
        output += desk.render(20_000, block: block)
        let expected = reference(end: 4000, fade: 1000)
        #expect(output.count == expected.count + 2700)
        #expect(isClose(output[..<3300], expected))
        #expect(output[(3300 + fade)..<6000].allSatisfy { $0 == 0 })
        #expect(isClose(output[(6000 + fade)...], expected[(3300 + fade)...]))
    }

    @Test("a following player takes over a pause after the end of the first player", arguments: blocks)
    func pausedAfter(block: Int) throws {
        let desk = Desk()
        let first = try desk.add(Self.clips[0], try Self.score())
        let second = try desk.add(Self.clips[1], try Self.score(), after: first)
        first.start(at: 0)
        first.pause(at: 4500)
        first.resume(at: 5000)
        let output = desk.render(20_000, block: block)
        #expect(output.count == 8500 && second.status.state == .finished)
        #expect(output[(4500 + 40)..<5000].allSatisfy { $0 == 0 })
        #expect(output[5040...] == Self.clips[1][0][540...])
    }

    @Test("a following player begins at the place chosen for it before the joint", arguments: blocks)
    func chosen(block: Int) throws {
        let desk = Desk()
        let first = try desk.add(Self.clips[0], try Self.score())
        let second = try desk.add(Self.clips[1], try Self.score(), after: first)
        first.start(at: 0)
        try second.seek(toClipFrame: 1500)
        let output = desk.render(20_000, block: block)
        #expect(output.count == 4000 + 2500)
        // After the fade of 5 ms, with which a start inside a section begins.
        #expect(output[4040...] == Self.clips[1][0][1540...])
    }

    @Test("a following player takes over any number of pauses in a block, each at its frame", arguments: blocks)
    func manyPauses(block: Int) throws {
        func sound(block: Int) throws -> [Float] {
            let desk = Desk()
            let first = try desk.add(Self.clips[0], try Self.score())
            let second = try desk.add(Self.clips[1], try Self.score(), after: first)
            let third = try desk.add(Self.clips[2], try Self.score(), after: second)
            first.start(at: 0)
            for index in 0..<20 {
                first.pause(at: Int64(4100 + 100 * index))
                first.resume(at: Int64(4150 + 100 * index))
            }
            // A pause that reaches the last player through both earlier players.
            first.pause(at: 9500)
            first.resume(at: 9600)
            let output = desk.render(30_000, block: block)
            #expect(third.status.state == .finished)
            return output
        }
        let output = try sound(block: block)
        // Each pause of the second player is 50 frames long.
        #expect(output.count == 13_100)
        #expect(try sound(block: 333) == output)
    }

    @Test("a following player takes over any number of pauses at one frame in their order", arguments: blocks)
    func pausesAtOnce(block: Int) throws {
        func sound(block: Int) throws -> [Float] {
            let desk = Desk()
            let first = try desk.add(Self.clips[0], try Self.score())
            let second = try desk.add(Self.clips[1], try Self.score(), after: first)
            first.start(at: 0)
            for _ in 0..<20 {
                first.pause(at: 4500)
                first.resume(at: 4500)
            }
            first.pause(at: 4500)
            let output = desk.render(8000, block: block)
            #expect(second.status.state == .paused)
            return output
        }
        #expect(try sound(block: block) == sound(block: 333))
    }

    @Test(
        "a crossfade to the following player moves with the new end when the speed changes",
        arguments: [17, 64, 4096])
    func speedWithin(block: Int) throws {
        for (frame, speed) in [(1000, 0.5), (1000, 2.0), (3500, 0.5), (3500, 1.7)] {
            var outputs: [[Float]] = []
            for block in [block, 1] {
                let desk = Desk()
                let first = try desk.add(Self.clips[0], try Self.score())
                let second = try desk.add(Self.clips[1], try Self.score(), after: first, fade: 800)
                first.start(at: 0)
                try first.setSpeed(try Speed(factor: speed), over: 0, at: Int64(frame))
                outputs.append(desk.render(20_000, block: block))
                #expect(second.status.state == .finished)
            }
            #expect(outputs[0] == outputs[1])
            // The joint belongs to the end known when the joint began.
            let end = frame == 1000 ? 1000 + Int(3000 / speed) : 4000
            #expect(abs(outputs[0].count - (end - 800 + 4000)) <= 1, "\(frame) \(speed)")
            #expect(isClose(outputs[0].suffix(3000), Self.clips[1][0].suffix(3000).map(Double.init)))
        }
    }
}

extension MixerTests.Desk {
    func add(_ clip: [[Float]], _ score: Score, after leader: Player, fade: Int64 = 0) throws -> Player {
        let player = Player(
            try Clip.inMemory(clip, sampleRate: MixerTests.rate), score: score, waitsForPages: true, listens: false)
        registry.add(player, after: leader, fade: fade)
        return player
    }
}
