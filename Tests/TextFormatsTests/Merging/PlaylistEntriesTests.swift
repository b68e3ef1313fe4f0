import JSON
import TestSupport
import Testing

@testable import TextFormats

extension CatalogueItem {
    /// The recordings of a playlist.
    fileprivate var list: [String] { self[CatalogueField.entries]?.elements?.compactMap(\.stringValue) ?? [] }

    /// Changes the list as a computer does when showing the list.
    fileprivate mutating func change(_ list: [String], at time: Int64, settles: Bool = true) {
        let shown = Set(self.list.map { ExactText($0) })
        set(CatalogueField.entries, .array(list.map { .string($0) }), at: time)
        if settles { settleEntries(removing: shown) }
    }

    fileprivate func united(_ other: CatalogueItem) -> CatalogueItem {
        var both = merged(with: other)
        both.settleEntries()
        return both
    }
}

@Suite("Catalogue playlists")
struct PlaylistEntriesTests {
    private func playlist(_ list: [String], at time: Int64 = 1) -> CatalogueItem {
        var item = CatalogueItem()
        item.set(CatalogueField.name, .string("Monday"), at: 1)
        item.change(list, at: time)
        return item
    }

    @Test("additions, removals and moves by two computers are merged entry by entry, in either order")
    func entries() {
        let base = playlist(["a", "b", "c"])
        func merged(_ one: [String], _ two: [String]) -> [String] {
            var (left, right) = (base, base)
            left.change(one, at: 5)
            right.change(two, at: 6)
            let both = left.united(right)
            #expect(both == right.united(left) && both == both.united(left) && both.united(right) == both)
            return both.list
        }
        #expect(merged(["a", "b", "c", "x"], ["y", "a", "b", "c"]) == ["y", "a", "b", "c", "x"])
        #expect(merged(["a", "b", "c", "x"], ["a", "b", "c", "y"]) == ["a", "b", "c", "x", "y"])
        #expect(merged(["a", "c"], ["a", "b", "c", "y"]) == ["a", "c", "y"])
        #expect(merged(["b", "c"], ["a", "b"]) == ["b"])
        #expect(merged(["c", "a", "b"], ["a", "b", "c", "y"]) == ["c", "a", "b", "y"])
        #expect(merged(["a", "x", "b", "c"], ["a", "b", "y", "c"]) == ["a", "x", "b", "y", "c"])
        // A recording added by both computers is there once; a single computer may have the recording twice.
        #expect(merged(["a", "b", "c", "x"], ["x", "a", "b", "c"]).count { $0 == "x" } == 1)
        #expect(merged(["a", "b", "a", "c"], ["a", "b", "c", "y"]) == ["a", "b", "a", "c", "y"])
        #expect(merged([], ["a", "b", "c", "y"]) == ["y"])
    }

    @Test("an entry that two computers have added at one place stays removed after a removal")
    func samePlace() {
        let base = playlist(["a"])
        var (left, right) = (base, base)
        left.change(["a", "x"], at: 5)
        right.change(["a", "y"], at: 5)
        (left, right) = (left.united(right), right.united(left))
        #expect(left == right && left.list == ["a", "x", "y"])
        left.change(["a", "x", "y", "z"], at: 21)
        right.change(["a", "y"], at: 20)
        #expect(left.united(right).list == ["a", "y", "z"])
        // Between the two there is no place.
        var between = base.united(left)
        between.change(["a", "x", "between", "y", "z"], at: 30)
        #expect(between.list == ["a", "x", "between", "y", "z"])
    }

    @Test("a playlist of an earlier version is read, and a later change by that version counts as a whole")
    func earlier() {
        var old = CatalogueItem()
        old.change(["a", "b"], at: 3, settles: false)
        var new = old
        new.settleEntries()
        #expect(new.list == ["a", "b"])
        new.change(["a", "b", "x"], at: 5)
        #expect(new.united(old).list == ["a", "b", "x"] && old.united(new) == new.united(old))
        // The change keeps the fields of entries, and changes the list alone.
        var changed = new
        changed.change(["b", "y", "x"], at: 7, settles: false)
        #expect(changed.list == ["b", "y", "x"] && new.united(changed).list == ["b", "y", "x"])
        #expect(new.united(changed) == changed.united(new))
        // A computer without an entry in view does not remove the entry.
        var hidden = playlist(["a", "b", "c"])
        hidden.set(CatalogueField.entries, .array([.string("a"), .string("x")]), at: 9)
        hidden.settleEntries(removing: ["a", "c"])
        #expect(Set(hidden.list) == ["a", "b", "x"])
    }

    @Test("three computers that change a list at random end with one list, and lose no change")
    func exchange() {
        var random = SeededGenerator(printedFor: "lists of three computers")
        for round in 0..<200 {
            var items = Array(repeating: playlist((0..<6).map { "r\($0)" }), count: 3)
            var (time, next): (Int64, Int) = (10, 0)
            var (added, removed): (Set<String>, Set<String>) = ([], [])
            for _ in 0..<12 {
                let place = Int.random(in: 0..<3, using: &random)
                var list = items[place].list
                time += 1
                switch Int.random(in: 0..<4, using: &random) {
                case 0: items[place] = items[place].united(items[(place + 1) % 3])
                case 1 where !list.isEmpty:
                    let key = list.remove(at: Int.random(in: 0..<list.count, using: &random))
                    removed.insert(key)
                    items[place].change(list, at: time)
                case 2 where list.count > 1:
                    // Only an entry removed by no computer: a later move would bring a removed entry back.
                    list.swapAt(0, list.count - 1)
                    let moved = Set([list[0], list[list.count - 1]])
                    if moved.isDisjoint(with: removed), Bool.random(using: &random) {
                        items[place].change(list, at: time)
                    }
                default:
                    next += 1
                    added.insert("x\(next)")
                    list.insert("x\(next)", at: Int.random(in: 0...list.count, using: &random))
                    items[place].change(list, at: time)
                }
                #expect(items[place].list.count == Set(items[place].list).count)
            }
            let orders = [[0, 1, 2], [2, 1, 0], [1, 0, 2, 1, 0]]
            let ends = orders.map { order in order.dropFirst().reduce(items[order[0]]) { $0.united(items[$1]) } }
            #expect(Set(ends).count == 1, "round \(round) \(random)")
            #expect(Set(ends[0].list).isSuperset(of: added.subtracting(removed)), "round \(round) \(random)")
        }
    }

    @Test("a very long position makes no other position as long")
    func longPosition() {
        let long = String(repeating: "z", count: 100_000)
        var item = CatalogueItem()
        item.set(CatalogueField.entry + "a 1", .string(long), at: 1)
        item.set(CatalogueField.entry + "b 1", .string(long + "1"), at: 1)
        item.set(CatalogueField.settledEntries, .bool(true), at: 1)
        item.settleEntries()
        #expect(item.list == ["a", "b"])
        let list = ["a"] + (0..<200).map { "x\($0)" } + ["b"]
        item.change(list, at: 5)
        #expect(item.list == list)
        let entries = item.fields.filter { $0.key.text.hasPrefix(CatalogueField.entry) }
        let positions = entries.map(\.value.value.stringValue)
        #expect(positions.count == 202 && positions.allSatisfy { ($0?.utf8.count ?? 0) <= 3 })
        // Entries added singly in front of all others do not make the keys long either.
        var most = 0
        for number in 0..<1000 {
            item.change(["y\(number % 5)"] + item.list.prefix(3), at: Int64(10 + number))
            most = max(most, item.fields.values.compactMap { $0.value.stringValue?.utf8.count }.max() ?? 0)
        }
        #expect(most > EntryPosition.longest && most <= EntryPosition.longest + 4)
    }

    @Test("a position between two others always exists, and one more at the end is seldom longer")
    func positions() {
        var random = SeededGenerator(printedFor: "positions of entries")
        var places = EntryPosition.between(nil, nil, count: 1000)
        #expect(places.map(\.text.utf8.count).max() ?? 9 <= 3)
        for _ in 0..<2000 {
            let index = Int.random(in: 0...places.count, using: &random)
            let (low, high) = (index > 0 ? places[index - 1] : nil, index < places.count ? places[index] : nil)
            places.insert(
                contentsOf: EntryPosition.between(low, high, count: Int.random(in: 1...3, using: &random)), at: index)
        }
        // At one place, and at the end.
        for _ in 0..<500 { places.insert(contentsOf: EntryPosition.between(places[7], places[8], count: 1), at: 8) }
        var last = places.last
        for _ in 0..<500 {
            last = EntryPosition.between(last, nil, count: 1).first
            if let last { places.append(last) }
        }
        #expect(
            zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
                && places.allSatisfy { EntryPosition.isValid($0.text) })
        #expect(last?.text.utf8.count ?? 99 < 30)
        // Every catalogue gets an answer.
        let odd: [(String, String?)] = [
            ("V", "V"), ("z", "V"), (String(repeating: "z", count: 100_000), nil), ("VV", "V"),
        ]
        for (low, high) in odd {
            #expect(EntryPosition.between(ExactText(low), high.map { ExactText($0) }, count: 3).count == 3)
        }
        for text in ["", "V0", "é", "0", "V V"] { #expect(!EntryPosition.isValid(text)) }
    }
}
