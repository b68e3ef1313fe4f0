import Realtime
import Testing

@testable import Engine

@Suite("Requests on their way to the render side")
struct PlayerRequestTests {
    /// The control side of a player, and the render side's ends of its rings.
    private struct Rig: ~Copyable {
        var control: PlayerControl
        var now: RingConsumer<PlayerCommand>
        var later: RingConsumer<PlayerCommand>
        var spent: RingProducer<Int>

        init(capacity: Int) throws {
            let urgent = RingEnds<PlayerCommand>(capacity: capacity)
            let scheduled = RingEnds<PlayerCommand>(capacity: 4)
            let spent = RingEnds<Int>(capacity: 4)
            control = PlayerControl(
                urgent: urgent.producer, scheduled: scheduled.producer, spentScores: spent.consumer,
                storage: try PlayerRequestTests.storage(), at: 0)
            now = urgent.consumer
            later = scheduled.consumer
            self.spent = spent.producer
        }

        /// Takes the immediate requests that have arrived.
        mutating func arrived() -> [PlayerCommand] {
            var commands: [PlayerCommand] = []
            while let command = now.pop() { commands.append(command) }
            return commands
        }
    }

    private static func storage() throws -> ScoreStorage {
        let plan = PracticePlan(sections: [try Section(0..<6000)], joint: .hard)
        let score = try Score(plan, clipFrameCount: 6000, sampleRate: 8000)
        return ScoreStorage(score, Preparation(unknownPartsOf: score))
    }

    @Test("requests for later frames leave in the order of the frames, and for one frame in the order of the requests")
    func order() throws {
        var rig = try Rig(capacity: 4)
        for (value, frame) in [100_300, 100_100, 100_200, 100_100].enumerated() {
            rig.control.send(PlayerCommand(code: .gain, frame: Int64(frame), value: Int64(value)))
        }
        let (early, waiting) = (rig.later.pop(), rig.control.waitingCount)
        #expect(early == nil && waiting == 4)
        rig.control.serve(at: 90_000)
        var values: [Int64] = []
        while let command = rig.later.pop() { values.append(command.value) }
        #expect(values == [1, 3, 2, 0])
    }

    @Test("requests wait for room in their ring, and keep their order")
    func room() throws {
        var rig = try Rig(capacity: 4)
        for value in 0..<7 { rig.control.send(PlayerCommand(code: .gain, value: Int64(value))) }
        let waiting = rig.control.waitingCount
        let first = rig.arrived().map(\.value)
        rig.control.serve(at: 0)
        let rest = rig.arrived().map(\.value)
        #expect(waiting == 3 && first == [0, 1, 2, 3] && rest == [4, 5, 6])
    }

    @Test("of several scores before the next round of the pump, the first is sent at once and the last in the round")
    func scores() throws {
        var rig = try Rig(capacity: 64)
        let storages = try (0..<4).map { _ in try Self.storage() }
        for storage in storages { rig.control.replaceScore(storage, by: PlayerCommand(code: .replaceScore)) }
        let (first, waiting, newest) = (rig.arrived(), rig.control.waitingCount, rig.control.newest)
        #expect(first.map(\.score.address) == [storages[0].renderScore.address])
        #expect(waiting == 1 && newest === storages[3])
        rig.control.serve(at: 0)
        let last = rig.arrived().map(\.score.address)
        #expect(last == [storages[3].renderScore.address])
    }

    @Test("no more scores are under way than the render side can return; a returned score is freed")
    func underWay() throws {
        var rig = try Rig(capacity: 64)
        weak var kept: ScoreStorage?
        var address = 0
        for turn in 0..<5 {
            let storage = try Self.storage()
            if turn == 0 { (kept, address) = (storage, storage.renderScore.address) }
            rig.control.replaceScore(storage, by: PlayerCommand(code: .replaceScore))
            rig.control.send(PlayerCommand(code: .gain))
        }
        // With the first score, four are under way.
        let first = rig.arrived().map(\.code)
        #expect(first == [.replaceScore, .gain, .replaceScore, .gain, .replaceScore, .gain])
        #expect(kept != nil)
        _ = rig.spent.push(address)
        rig.control.serve(at: 0)
        #expect(kept == nil)
        let next = rig.arrived().map(\.code)
        #expect(next == [.replaceScore, .gain])
    }

    @Test("moves for the next block have numbers, moves for a frame have none")
    func moves() throws {
        var rig = try Rig(capacity: 64)
        rig.control.send(PlayerCommand(code: .seek, value: 500), movingTo: 500)
        rig.control.send(PlayerCommand(code: .seek, frame: 9000, value: 600), movingTo: 600)
        rig.control.send(PlayerCommand(code: .seek, value: 700), movingTo: 700)
        let (numbers, newest, timed) = (rig.arrived().map(\.moveNumber), rig.control.newestMove, rig.later.pop())
        #expect(numbers == [1, 2] && newest.number == 2 && newest.clipFrame == 700)
        #expect(timed?.moveNumber == 0)
    }
}
