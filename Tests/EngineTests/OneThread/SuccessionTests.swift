import Testing

@testable import Engine

@Suite("The handover between players")
struct SuccessionTests {
    @Test("the squares of both weights of a crossfade add up to 1 at each frame", arguments: [1, 2, 3, 64, 1001])
    func equalPower(length: Int64) {
        let fall = CrossfadeEdge(start: 500, length: length, rises: false)
        let rise = CrossfadeEdge(start: 500, length: length, rises: true)
        for frame in 500 - 3..<500 + length + 3 {
            let (out, into) = (fall.weight(at: frame), rise.weight(at: frame))
            // Two Floats of at most 1, each rounded to 6e-8 and squared.
            #expect(abs(out * out + into * into - 1) < 3e-7, "frame \(frame)")
        }
    }

    @Test("a player starts once, at the joint with the previous player")
    func start() {
        var succession = Succession()
        succession.expectStart(at: 300, fade: 40)
        #expect(succession.nextChange(after: 100, limit: 1000) == 300)
        let early = succession.takeStart(at: 299)
        let joint = succession.takeStart(at: 300)
        let again = succession.takeStart(at: 300)
        #expect(early == nil && joint == 40 && again == nil)
    }

    @Test("a pause holds the crossfade, which then takes as long as without the pause")
    func pause() {
        var succession = Succession()
        succession.begin(at: 0, fade: 0)
        succession.endFade = 100
        #expect(succession.fadeStart(before: 1000) == 900)
        succession.beginFade(at: 900, before: 1000)
        #expect(succession.isOver && succession.joint?.frame == 900 && succession.joint?.fade == 100)
        succession.follow(isPaused: true, at: 950)
        #expect(!succession.isFaded(at: 1000))
        succession.follow(isPaused: false, at: 1500)
        #expect(!succession.isFaded(at: 1549) && succession.isFaded(at: 1550))
    }

    @Test("pauses concern the next player from the joint on, as many as it has room for")
    func passedOn() {
        var succession = Succession()
        let pause = PlayerCommand(code: .pause)
        succession.beginPiece()
        succession.noteFollower(room: 2)
        succession.note(pause, at: 10)
        #expect(succession.passedCount == 0)
        succession.end(at: 20)
        for frame in [30, 30, 30] as [Int64] where !succession.mustWait(pause) { succession.note(pause, at: frame) }
        #expect(succession.passedCount == 2 && succession.mustWait(pause))
        #expect(!succession.mustWait(PlayerCommand(code: .seek)))
        #expect(succession.passedCommand(1).code == .pause && succession.passedCommand(1).frame == 30)
        succession.beginPiece()
        #expect(succession.passedCount == 0 && succession.joint == nil && !succession.mustWait(pause))
    }
}
