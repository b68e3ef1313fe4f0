// The queue of reports for the main loop, when reports come faster than the loop takes them.
import Testing
import Woodshed

@testable import WoodshedCLI

@Suite("Inbox")
struct InboxTests {
    @Test("news beyond the limit are counted, and every other report is kept, in order")
    func bounded() throws {
        let inbox = try Inbox<Int>()
        let limit = Inbox<Int>.newsLimit
        for number in 0..<limit + 100 {
            inbox.put(number, isNews: true)
            if number.isMultiple(of: 1000) { inbox.put(-1 - number) }
        }
        inbox.put(-limit)
        let taken = inbox.take()
        #expect(taken.filter { $0 >= 0 }.elementsEqual(0..<limit))
        #expect(taken.count { $0 < 0 } == (limit + 99) / 1000 + 2 && taken.last == -limit)
        #expect(inbox.takeLost() == 100 && inbox.takeLost() == 0)
        // There is room again, and the counted news stay lost.
        inbox.put(7, isNews: true)
        #expect(inbox.take() == [7] && inbox.takeLost() == 0)
    }

    @Test("passes are news, and pauses, losses and the end are not")
    func kinds() {
        func event(_ kind: PlayerEvent.Kind) -> SessionEvent {
            .player(
                PlayerEvent(
                    kind: kind, frame: 0, section: 1, sectionFrames: 0..<1, pass: 1, passes: nil, speed: 1,
                    semitones: 0, clipFrame: 0, sound: .copy, isReversed: false))
        }
        #expect(event(.passStarted).isNews && event(.passEnded).isNews && SessionEvent.proceeded(section: 2).isNews)
        let kept: [SessionEvent] = [
            event(.paused(.user)), event(.resumed(.user)), event(.xrun(lostFrames: 1)), event(.finished(.completed)),
            .completed, .stopped,
        ]
        #expect(!kept.contains { $0.isNews })
    }
}
