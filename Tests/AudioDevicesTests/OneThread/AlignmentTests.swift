import TestSupport
import Testing

@testable import AudioDevices

@Suite("The offset of a duplex stream by the drivers' delays")
struct AlignmentTests {
    typealias Alignment = ALSALoop.Alignment

    /// The answers to looks so many nanoseconds apart.
    private func answers(to told: [Int64], every nanoseconds: Int64, hasDelays: Bool = true) -> [Int64?] {
        var alignment = Alignment(isMeasured: true, difference: -432, hasDelays: hasDelays)
        var answers: [Int64?] = []
        for (turn, difference) in told.enumerated() {
            answers.append(alignment.take(difference, now: Int64(turn) * nanoseconds))
        }
        return answers
    }

    /// The reports of a USB card while the true offset does not change; see Tests/Kernel/README.md.
    @Test(
        "the offset is the smallest difference reported twice, apart from a twentieth of all readings",
        arguments: [
            (told: [288, 240, 192, 144, 96, 48], offset: 48), (told: [0], offset: 0), (told: [300, 48], offset: 48),
            (told: [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5, -6], offset: -6),
        ] as [(told: [Int64], offset: Int64)], [0, 1, 12])
    func smallest(row: (told: [Int64], offset: Int64), wrongLooks: Int) {
        var generator = SeededGenerator(printedFor: "AlignmentTests.smallest")
        var pairs = (0..<Alignment.looks).map { turn in
            turn < wrongLooks ? row.offset - 48 : row.told[turn % row.told.count]
        }
        pairs.shuffle(using: &generator)
        // Between two equal readings lies a reading taken between the ends of two transfers.
        let told = pairs.flatMap { [$0, $0, -1000 - Int64($0)] }
        let answers = answers(to: told, every: Alignment.interval)
        #expect(answers.compactMap(\.self) == [row.offset])
    }

    @Test("simultaneous or contradictory readings of the drivers, or none at all, give no offset")
    func nothing() {
        let many = 4 * Alignment.looks
        #expect(answers(to: Array(repeating: 5, count: many), every: 1).allSatisfy { $0 == nil })
        #expect(answers(to: (0..<Int64(many)).map { $0 % 2 }, every: Alignment.interval).allSatisfy { $0 == nil })
        let none = answers(to: Array(repeating: 5, count: many), every: Alignment.interval, hasDelays: false)
        #expect(none.allSatisfy { $0 == nil })
    }

    @Test("a better known round trip counts from the start of the device on")
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

    @Test("hundreds of changes of one start keep the round trips of earlier starts")
    func manyChanges() {
        let history = RoundTripHistory()
        history.note(7, atOutputFrame: 0)
        for frames in (0..<200).reversed() { history.note(Int64(frames), atOutputFrame: 5_000) }
        #expect(history.frames(ofOutputFrame: 4_000) == 7 && history.frames(ofOutputFrame: 5_000) == 0)
    }
}
