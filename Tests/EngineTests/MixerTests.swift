import AudioDevices
import AudioFiles
import Clips
import EngineHarness
import Realtime
import Samples
import TestSupport
import Testing

@testable import Engine

@Suite("A mix of players")
struct MixerTests {
    static let rate = 8000

    /// A mixer with its control side, without a device.
    final class Desk {
        let mixer: MixerBox
        var registry: PlayerRegistry
        private var frame: Int64 = 0
        var ended: Int64?

        init(endsWithPlayers: Bool = true) {
            let commands = RingEnds<Mixer.Command>(capacity: 2 * Mixer.capacity)
            let released = RingEnds<Int>(capacity: Mixer.capacity)
            mixer = MixerBox(
                Mixer(commands: commands.consumer, released: released.producer, endsWithPlayers: endsWithPlayers))
            registry = PlayerRegistry(commands: commands.producer, released: released.consumer)
        }

        func add(_ clip: [[Float]], _ score: Score) throws -> Player {
            let player = Player(
                try Clip.inMemory(clip, sampleRate: MixerTests.rate), score: score, waitsForPages: true, listens: false)
            registry.add(player)
            return player
        }

        func render(_ total: Int, block: Int = 64) -> [Float] {
            let buffer = PlanarBuffer(channelCount: 1, frameCount: block)
            var output: [Float] = []
            while output.count < total && ended == nil {
                registry.serve()
                let count = min(block, total - output.count)
                let valid = unsafe mixer.render(
                    RenderBlock(channels: buffer.channels, channelCount: 1, frameCount: count, outputFrame: frame))
                for index in 0..<valid { unsafe output.append(buffer.channel(0)[index]) }
                frame += Int64(count)
                if valid < count { ended = frame - Int64(count - valid) }
            }
            registry.serve()
            return output
        }
    }

    func score(_ range: Range<Int64>, passes: Int = 1) throws -> Score {
        let plan = PracticePlan(sections: [try Section(range)], passes: .count(passes), joint: .hard)
        return try Score(plan, clipFrameCount: 4000, sampleRate: Self.rate)
    }

    let clips = (0..<3).map { testClip(channels: 1, frames: 4000, rate: rate, seed: UInt64($0) + 40) }

    @Test("a mix is the sum of its players, each by its own score, and ends with the last player")
    func sum() throws {
        let desk = Desk()
        let first = try desk.add(clips[0], try score(0..<1000, passes: 3))
        let second = try desk.add(clips[1], try score(500..<1500))
        first.start(at: 0)
        second.start(at: 777)
        let output = desk.render(5000)
        #expect(output.count == 3000)
        for frame in 0..<3000 {
            var expected = clips[0][0][frame % 1000]
            if frame >= 777 && frame < 1777 { expected += clips[1][0][500 + frame - 777] }
            #expect(output[frame] == expected)
        }
    }

    @Test("a mix adds and removes players while it plays, without a step in the others' sound")
    func comeAndGo() throws {
        let desk = Desk()
        let steady = try desk.add(clips[0], try score(0..<4000))
        steady.start(at: 0)
        var output = desk.render(640)
        let loud = [[Float](repeating: 0.5, count: 4000)]
        let guest = try desk.add(loud, try score(0..<4000))
        guest.start(at: 700)
        guest.stop(at: 1500)
        output += desk.render(1280)
        desk.registry.removeWhenFinished(guest)
        output += desk.render(2080)
        for frame in 0..<4000 {
            let other = output[frame] - clips[0][0][frame]
            let expected: ClosedRange<Float> =
                frame < 700 ? 0...0 : frame < 1500 ? 0.5...0.5 : frame < 1540 ? 0...0.5 : 0...0
            #expect(other >= expected.lowerBound - 1e-6 && other <= expected.upperBound + 1e-6, "frame \(frame)")
        }
    }

    @Test("a mix is turned down where it would exceed full scale, and only there", arguments: [1, 64, 999])
    func overload(block: Int) async throws {
        let desk = Desk()
        let loud = [[Float](repeating: 0.75, count: 4000)]
        let steady = try desk.add(loud, try score(0..<4000))
        let guest = try desk.add(loud, try score(0..<500))
        let events = steady.events
        steady.start(at: 0)
        guest.start(at: 1000)
        // To the frame after the last, at which the players' events end.
        let output = desk.render(5000, block: block)
        #expect(output.count == 4000)
        #expect(output[..<1000].allSatisfy { $0 == 0.75 })
        #expect(output[1000..<1500].allSatisfy { $0 > 0.99 && $0 <= 1 })
        // The gain returns without a step, and fully after enough time.
        let steps = (1501..<4000).map { output[$0] - output[$0 - 1] }
        #expect(steps.allSatisfy { $0 >= 0 && $0 < 0.001 })
        #expect(output[1500] < 0.51)
        let reduction = try await withPatience {
            await events.compactMap { event in
                if case .limited(let decibels) = event.kind { decibels } else { nil }
            }.first { _ in true }
        }
        #expect(abs((reduction ?? 0) - 3.52) < 0.02)
    }

    @Test("a mix of players near the largest sample reports a finite reduction")
    func overloadBeyondNumbers() async throws {
        let desk = Desk()
        let loud = [[Float](repeating: 1e38, count: 4000)]
        let players = [try desk.add(loud, try score(0..<4000)), try desk.add(loud, try score(0..<4000))]
        let events = players[0].events
        for player in players { player.start(at: 0) }
        #expect(desk.render(5000, block: 64).allSatisfy { $0 <= 1 })
        let reduction = try await withPatience {
            await events.compactMap { event in
                if case .limited(let decibels) = event.kind { decibels } else { nil }
            }.first { _ in true }
        }
        #expect((700...800).contains(reduction ?? 0))
    }

    @Test("a removed player is freed only after the mixer has returned it")
    func lifetime() throws {
        let desk = Desk(endsWithPlayers: false)
        weak var seen: Player?
        try {
            let player = try desk.add(clips[0], try score(0..<4000))
            seen = player
            player.start()
            _ = desk.render(100)
            player.stop()
            desk.registry.removeWhenFinished(player)
        }()
        #expect(seen != nil)
        _ = desk.render(1000)
        #expect(seen == nil)
    }

    @Test("a mix that is not set to end with its players continues with silence after the last")
    func endless() throws {
        let desk = Desk(endsWithPlayers: false)
        let player = try desk.add(clips[0], try score(0..<100))
        player.start(at: 0)
        let output = desk.render(1000)
        #expect(output.count == 1000)
        #expect(output[100...].allSatisfy { $0 == 0 })
    }

    @Test("a mix plays the documented number of players, and refuses one more")
    func full() throws {
        let desk = Desk()
        // All players together are exactly full scale.
        let level = 1 / Float(Mixer.capacity)
        for index in 0..<Mixer.capacity {
            let hasRoom = desk.registry.hasRoom
            #expect(hasRoom)
            let player = try desk.add([[Float](repeating: level, count: 4000)], try score(0..<200))
            player.start(at: Int64(index))
        }
        let hasRoom = desk.registry.hasRoom
        #expect(!hasRoom)
        let output = desk.render(1000)
        #expect(output.count == 200 + Mixer.capacity - 1)
        // One more player with each frame, and after a player's 200 frames one fewer.
        let expected = output.indices.map { level * Float(min($0 + 1, Mixer.capacity, output.count - $0)) }
        #expect(output == expected)
    }
}
