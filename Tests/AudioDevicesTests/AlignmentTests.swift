import Testing

@testable import AudioDevices

@Suite("The offset of a duplex stream, by the drivers' delays")
struct AlignmentTests {
    /// What a USB card tells, while the true offset does not change; see Tests/Kernel/README.md.
    @Test(
        "the smallest difference that is told twice counts, and only changes for the better are told",
        arguments: [
            (told: [288, 288, 240, 240, 48, 48, 288, 240, 48], better: [288, 240, 48]),
            // A look between the ends of two transfers.
            (told: [48, 48, 0, 48, 0, 96], better: [48]),
            (told: [0, 0, 0], better: [0]), (told: [96, 48, 48, 48], better: [48]),
            (told: [-5, 3, 3, -6, -6, -6], better: [3, -6]), (told: [7], better: []),
        ] as [(told: [Int64], better: [Int64])])
    func smallest(told: [Int64], better: [Int64]) {
        var alignment = ALSALoop.Alignment(isMeasured: true, difference: -432, blocksLeft: 64)
        var found: [Int64] = []
        for (turn, difference) in told.enumerated()
        where alignment.improves(difference, now: Int64(turn) * ALSALoop.Alignment.leastNanoseconds) {
            found.append(difference)
        }
        #expect(found == better)
    }

    @Test("two looks at one moment are one, and waits are short while something is looked for")
    func moments() {
        var alignment = ALSALoop.Alignment(isMeasured: true, blocksLeft: 2)
        let wait = alignment.longestWait
        let first = alignment.improves(5, now: 0)
        let second = alignment.improves(5, now: 99_999)
        #expect(!first && !second && wait == 1_000_000 && alignment.longestWait == 200_000)
        let third = alignment.improves(5, now: 100_000)
        #expect(third && alignment.longestWait == 1_000_000)
        alignment.blocksLeft = 0
        #expect(alignment.longestWait == nil && ALSALoop.Alignment().longestWait == nil)
    }

    @Test("a round trip that becomes known better holds since the device was started")
    func history() {
        let history = RoundTripHistory()
        #expect(history.frames(ofOutputFrame: 0) == nil)
        history.note(500, atOutputFrame: 0)
        #expect(history.frames(ofOutputFrame: 300) == 500)
        history.note(452, atOutputFrame: 0)
        history.note(452, atOutputFrame: 0)
        #expect(history.frames(ofOutputFrame: 0) == 452)
        // The device is started again.
        history.note(600, atOutputFrame: 10_000)
        history.note(480, atOutputFrame: 10_000)
        #expect(history.frames(ofOutputFrame: 9_999) == 452 && history.frames(ofOutputFrame: 10_000) == 480)
    }

    @Test("hundreds of changes of one start leave the round trips of earlier starts")
    func manyChanges() {
        let history = RoundTripHistory()
        history.note(7, atOutputFrame: 0)
        for frames in (0..<200).reversed() { history.note(Int64(frames), atOutputFrame: 5_000) }
        #expect(history.frames(ofOutputFrame: 4_000) == 7 && history.frames(ofOutputFrame: 5_000) == 0)
    }
}
