internal import Samples

/// The repeat mode of a queue.
public enum QueueRepeat: String, Sendable, Hashable, CaseIterable {
    /// No repeat: the queue ends with its last item.
    case off
    /// Repeats the current item.
    case one
    /// Repeats the whole queue.
    case all
}

/// The order of the items of a queue: a value, without sound.
///
/// A *round* contains each item of the list once: in the order of the list, or shuffled by a seed. Items that cannot be
/// opened are skipped.
struct QueueOrder: Equatable {
    typealias ID = QueueItem.ID

    /// Items in the user's order.
    private(set) var list: [ID] = []
    /// Items in the order of the current round.
    private(set) var round: [ID] = []
    /// Place of the current item in the round; nil if there is none.
    private(set) var place: Int?
    var repeats = QueueRepeat.off
    /// Seed of the shuffle; nil for the order of the list.
    private(set) var seed: UInt64?
    private var roundNumber: UInt64 = 0
    private var unplayable: Set<ID> = []

    init(_ list: [ID] = []) { (self.list, round) = (list, list) }

    /// The item that is playing, or is about to play.
    var current: ID? { place.map { round[$0] } }

    func isPlayable(_ id: ID) -> Bool { !unplayable.contains(id) }

    // MARK: What follows

    /// Returns the next items in playing order, at most `count`.
    func upcoming(_ count: Int) -> [ID] {
        if repeats == .one, let current, isPlayable(current) { return Array(repeating: current, count: count) }
        var (walk, found) = (self, [ID]())
        while found.count < count, let id = walk.step(wraps: repeats != .off) { found.append(id) }
        return found
    }

    /// Moves to the next item, on request or at the end of the current item.
    ///
    /// - Parameter wraps: True if a new round begins after the last item.
    /// - Returns: The item; nil if there is no next item, and then nothing changes.
    mutating func step(wraps: Bool) -> ID? {
        var next = self
        // At most every item of this round and of the next round.
        for _ in 0..<2 * list.count + 1 {
            if let place = next.place, place + 1 >= next.round.count {
                guard wraps, !list.isEmpty else { return nil }
                next.beginRound()
            } else {
                next.place = (next.place ?? -1) + 1
            }
            guard let place = next.place, next.round.indices.contains(place) else { return nil }
            if isPlayable(next.round[place]) {
                self = next
                return next.round[place]
            }
        }
        return nil
    }

    private mutating func beginRound() {
        let last = current
        roundNumber &+= 1
        round = arranged()
        // Plays no item twice in a row if there are other items.
        if seed != nil, round.count > 1, round.first == last { round.swapAt(0, round.count - 1) }
        place = 0
    }

    /// Follows playback to an item that has begun at a joint.
    mutating func arrive(at id: ID) {
        if repeats == .one, current == id { return }
        var walk = self
        for _ in 0..<2 * list.count + 1 {
            guard let next = walk.step(wraps: repeats != .off) else { break }
            if next == id {
                self = walk
                return
            }
        }
        if let found = round.firstIndex(of: id) { place = found }
    }

    /// Moves to the item before the current item.
    ///
    /// - Returns: The item; nil if there is no item before, and then nothing changes.
    mutating func stepBack() -> ID? {
        guard let place else { return nil }
        let before = round[..<place].lastIndex(where: isPlayable)
        let wrapped = seed == nil && repeats != .off ? round[place...].lastIndex(where: isPlayable) : nil
        guard let target = before ?? wrapped, target != place else { return nil }
        self.place = target
        return round[target]
    }

    /// Moves to an item of the user's choice. The other items of the round keep their turn.
    ///
    /// - Returns: False if there is no such item.
    mutating func jump(to id: ID) -> Bool {
        guard let found = round.firstIndex(of: id) else { return false }
        unplayable.remove(id)
        guard seed != nil, let place, found != place else {
            place = found
            return true
        }
        round.remove(at: found)
        let after = found < place ? place : place + 1
        round.insert(id, at: after)
        self.place = after
        return true
    }

    /// Marks an item that cannot be opened. The item is skipped until chosen again.
    mutating func markUnplayable(_ id: ID) { unplayable.insert(id) }

    // MARK: Changes

    /// Inserts items in front of the item at `index` of the list.
    mutating func insert(_ items: [ID], at index: Int) {
        list.insert(contentsOf: items, at: min(max(0, index), list.count))
        guard let seed else { return adoptList() }
        for id in items {
            var generator = SplitMix64(seed: seed ^ roundNumber &* 0x9E37_79B9 ^ id.number &* 0x85EB_CA77)
            let first = place.map { $0 + 1 } ?? 0
            round.insert(id, at: first + generator.number(below: round.count - first + 1))
        }
    }

    /// Removes an item. After the removal of the current item, the next item is current.
    mutating func remove(_ id: ID) {
        let held = current
        var next = self
        let follower = held == id ? next.step(wraps: repeats != .off) : held
        list.removeAll { $0 == id }
        unplayable.remove(id)
        round.removeAll { $0 == id }
        place = follower.flatMap { round.firstIndex(of: $0) }
    }

    /// Moves an item to the place `index` in the list without this item.
    mutating func move(_ id: ID, to index: Int) {
        guard list.contains(id) else { return }
        list.removeAll { $0 == id }
        list.insert(id, at: min(max(0, index), list.count))
        if seed == nil { adoptList() }
    }

    /// Shuffles all items but the current item, which comes first. Nil returns to the order of the list, from the
    /// current item on.
    mutating func shuffle(seed: UInt64?) {
        let held = current
        (self.seed, roundNumber) = (seed, 0)
        round = arranged()
        if seed != nil, let held {
            round.removeAll { $0 == held }
            round.insert(held, at: 0)
        }
        place = held.flatMap { round.firstIndex(of: $0) }
    }

    private mutating func adoptList() {
        let held = current
        round = list
        place = held.flatMap { round.firstIndex(of: $0) }
    }

    /// Returns the list in the order of the current round number.
    private func arranged() -> [ID] {
        guard let seed else { return list }
        var generator = SplitMix64(seed: seed &+ roundNumber &* 0x9E37_79B9_7F4A_7C15)
        var items = list
        for index in stride(from: items.count - 1, to: 0, by: -1) {
            items.swapAt(index, generator.number(below: index + 1))
        }
        return items
    }
}

extension SplitMix64 {
    /// Returns a number from 0 to `limit` − 1. The bias is below one part in 2^32 for any list.
    fileprivate mutating func number(below limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }
}
