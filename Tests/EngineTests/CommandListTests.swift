import Realtime
import Testing

@testable import Engine

@Suite("The commands of a player on the render side")
struct CommandListTests {
    private static func command(_ code: PlayerCommand.Code, at frame: Int64 = -1, value: Int64 = 0) -> PlayerCommand {
        PlayerCommand(code: code, frame: frame, value: value)
    }

    /// A list with commands for frames, collected in their order.
    private static func list(_ commands: [PlayerCommand]) -> CommandList {
        let urgent = RingEnds<PlayerCommand>(capacity: 4)
        let scheduled = RingEnds<PlayerCommand>(capacity: 64)
        var producer = scheduled.producer
        for command in commands { _ = producer.push(command) }
        var list = CommandList(urgent: urgent.consumer, scheduled: scheduled.consumer)
        list.collect()
        return list
    }

    @Test("immediate commands are due at the first frame of the block after their sending")
    func immediate() {
        let urgent = RingEnds<PlayerCommand>(capacity: 64)
        let scheduled = RingEnds<PlayerCommand>(capacity: 64)
        var producer = urgent.producer
        var list = CommandList(urgent: urgent.consumer, scheduled: scheduled.consumer)
        _ = producer.push(Self.command(.pause))
        list.beginBlock(at: 1000)
        // Sent within the block, and so not due before the next block.
        _ = producer.push(Self.command(.resume))
        list.collect()
        let (before, due, room) = (list.firstDue(at: 999), list.firstDue(at: 1000), list.room)
        #expect(before == nil && due == 0 && room == CommandList.capacity - 1)
        list.beginBlock(at: 1512)
        list.collect()
        let (first, second) = (list[0], list[1])
        #expect(first.code == .pause && first.frame == 1000)
        #expect(second.code == .resume && second.frame == 1512)
    }

    @Test("commands for later frames leave room for immediate commands")
    func room() {
        let urgent = RingEnds<PlayerCommand>(capacity: 64)
        let scheduled = RingEnds<PlayerCommand>(capacity: 128)
        var (sent, planned) = (Int64(0), Int64(0))
        var now = urgent.producer
        var later = scheduled.producer
        var list = CommandList(urgent: urgent.consumer, scheduled: scheduled.consumer)
        while later.push(Self.command(.gain, at: 9000 + planned)) { planned += 1 }
        list.collect()
        let left = list.room
        #expect(left == 16)
        while now.push(Self.command(.pause, value: sent)) { sent += 1 }
        list.beginBlock(at: 0)
        list.collect()
        let full = list.room
        #expect(full == 0)
        // Each removed command makes room for the next immediate command, in the order of sending.
        var taken: [Int64] = []
        while let due = list.firstDue(at: 0) {
            taken.append(list[due].value)
            list.remove(due)
            list.collect()
        }
        #expect(taken == Array(0..<sent))
    }

    @Test("a change of the score is dropped if a later change for its frame makes it inaudible")
    func superseded() {
        let glide = Self.command(.changeSpeed, at: 100, value: 50)
        let step = Self.command(.changeSpeed, at: 100)
        let score = Self.command(.replaceScore, at: 100)
        let pause = Self.command(.pause, at: 100)
        let cases: [([PlayerCommand], Bool)] = [
            ([glide, glide], true), ([step, glide], false), ([score, step], true), ([glide, score], true),
            ([glide, pause, score], false), ([glide, Self.command(.replaceScore, at: 101)], false), ([score], false),
        ]
        for (commands, isDropped) in cases {
            var list = Self.list(commands)
            let dropped = list.takeSuperseded(0, at: 100)
            let room = list.room
            #expect((dropped != nil) == isDropped, "\(commands.map(\.code))")
            #expect(room == CommandList.capacity - commands.count + (isDropped ? 1 : 0))
        }
        // The step stands in for the dropped score, which adds a layer.
        var list = Self.list([score, step])
        _ = list.takeSuperseded(0, at: 100)
        let code = list[0].code
        #expect(code == .replaceScore)
    }

    @Test("a change of speed scheduled in a voice comes due at its frame, and is an ordinary command once forgotten")
    func told() {
        var list = Self.list([Self.command(.changeSpeed, at: 0), Self.command(.pause, at: 500)])
        list.putOff(0, to: 400, toldLayer: 7)
        let (due, next) = (list.firstDue(at: 450), list.nextFrame(after: 0, limit: 999))
        let (early, told) = (list.firstTold(at: 399), list.firstTold(at: 400))
        #expect(due == nil && early == nil && told == 0 && next == 400)
        list.forgetTelling(0)
        let (ordinary, none) = (list.firstDue(at: 450), list.firstTold(at: 450))
        #expect(ordinary == 0 && none == nil)
    }
}
