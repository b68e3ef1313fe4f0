// The queue of reports for the main loop, when reports come faster than the loop takes them.
import Testing

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
}
