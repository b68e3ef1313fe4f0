import TestSupport
import Testing

@testable import Queue

@Suite("Order of a queue")
struct QueueOrderTests {
    typealias ID = QueueItem.ID

    static func ids(_ numbers: ClosedRange<UInt64>) -> [ID] { numbers.map { ID(number: $0) } }
    static func ids(_ numbers: UInt64...) -> [ID] { numbers.map { ID(number: $0) } }

    /// The order with its first item chosen.
    static func order(_ count: UInt64) -> QueueOrder {
        var order = QueueOrder(ids(1...count))
        _ = order.step(wraps: false)
        return order
    }

    @Test("the order of a queue is that of the list, and ends with the list")
    func plain() {
        var order = Self.order(4)
        #expect(order.upcoming(10) == Self.ids(2...4))
        #expect(order.step(wraps: false) == ID(number: 2))
        order.arrive(at: ID(number: 4))
        #expect(order.upcoming(10).isEmpty && order.step(wraps: false) == nil)
        #expect(order.stepBack() == ID(number: 3) && order.current == ID(number: 3))
    }

    @Test("a repeated queue begins anew after its last item, and a repeated item stays")
    func repeated() {
        var order = Self.order(3)
        order.repeats = .all
        #expect(order.upcoming(7) == Self.ids(2, 3, 1, 2, 3, 1, 2))
        order.arrive(at: ID(number: 3))
        #expect(order.upcoming(2) == Self.ids(1, 2))
        order.arrive(at: ID(number: 1))
        #expect(order.stepBack() == ID(number: 3))
        order.repeats = .one
        #expect(order.upcoming(3) == Self.ids(3, 3, 3))
        #expect(order.step(wraps: true) == ID(number: 1))
        var single = Self.order(1)
        single.repeats = .all
        #expect(single.upcoming(3) == Self.ids(1, 1, 1))
    }

    @Test("a shuffled order has each item once a round, keeps the current item, and can be undone")
    func shuffled() {
        var order = Self.order(20)
        order.arrive(at: ID(number: 7))
        order.repeats = .all
        order.shuffle(seed: 5)
        #expect(order.current == ID(number: 7))
        let two = [ID(number: 7)] + order.upcoming(39)
        #expect(Set(two[..<20]) == Set(Self.ids(1...20)) && Set(two[20...]) == Set(Self.ids(1...20)))
        #expect(two[19] != two[20] && Array(two[..<20]) != Array(two[20...]))
        // The same seed gives the same order.
        var other = Self.order(20)
        other.arrive(at: ID(number: 7))
        other.repeats = .all
        other.shuffle(seed: 5)
        #expect(other.upcoming(39) == order.upcoming(39))
        order.shuffle(seed: nil)
        #expect(order.upcoming(3) == Self.ids(8, 9, 10))
    }

    @Test("the order of a queue passes over unplayable items until one is chosen")
    func unplayable() {
        var order = Self.order(4)
        order.markUnplayable(ID(number: 2))
        order.markUnplayable(ID(number: 4))
        order.repeats = .all
        #expect(order.upcoming(4) == Self.ids(3, 1, 3, 1))
        #expect(order.jump(to: ID(number: 2)) && order.upcoming(3) == Self.ids(3, 1, 2))
        for id in Self.ids(1...4) { order.markUnplayable(id) }
        #expect(order.upcoming(3).isEmpty && order.step(wraps: true) == nil)
        #expect(order.stepBack() == nil)
    }

    @Test("the order of a queue follows insertions, removals and moves, and keeps the current item")
    func changes() {
        var order = Self.order(4)
        order.arrive(at: ID(number: 2))
        order.insert(Self.ids(5, 6), at: 1)
        #expect(order.list == Self.ids(1, 5, 6, 2, 3, 4) && order.current == ID(number: 2))
        order.move(ID(number: 1), to: 99)
        #expect(order.list == Self.ids(5, 6, 2, 3, 4, 1) && order.upcoming(9) == Self.ids(3, 4, 1))
        order.remove(ID(number: 2))
        #expect(order.current == ID(number: 3) && order.upcoming(9) == Self.ids(4, 1))
        for number: UInt64 in [4, 1, 3] { order.remove(ID(number: number)) }
        #expect(order.current == nil && order.list == Self.ids(5, 6))
    }

    @Test("the order of a queue loses and repeats no item within a round after any changes")
    func random() {
        var generator = SeededGenerator(printedFor: #function)
        for _ in 0..<cases(300, few: 30) {
            var order = Self.order(UInt64.random(in: 1...8, using: &generator))
            var made: UInt64 = 100
            for _ in 0..<40 {
                let id = order.list.randomElement(using: &generator)
                switch Int.random(in: 0..<9, using: &generator) {
                case 0: order.shuffle(seed: Bool.random(using: &generator) ? generator.next() : nil)
                case 1:
                    made += 1
                    order.insert([ID(number: made)], at: Int.random(in: -1...9, using: &generator))
                case 2: if let id { order.remove(id) }
                case 3: if let id { order.move(id, to: Int.random(in: -1...9, using: &generator)) }
                case 4: if let id { _ = order.jump(to: id) }
                case 5: order.repeats = QueueRepeat.allCases.randomElement(using: &generator) ?? .off
                case 6: _ = order.stepBack()
                case 7: if let next = order.upcoming(1).first { order.arrive(at: next) }
                default: _ = order.step(wraps: order.repeats != .off)
                }
                #expect(Set(order.round) == Set(order.list) && order.round.count == order.list.count, "\(generator)")
                if let place = order.place { #expect(order.round.indices.contains(place), "\(generator)") }
                #expect(order.seed != nil || order.round == order.list, "\(generator)")
                // The predicted order comes true.
                var walk = order
                for next in order.upcoming(5) {
                    walk.arrive(at: next)
                    #expect(walk.current == next, "\(generator)")
                }
            }
        }
    }
}
