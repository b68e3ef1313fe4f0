import Explanations
import Sections
import TestSupport
import Testing

@Suite("Section lists")
struct SectionListTests {
    /// Ten seconds at 1000 frames a second, so that frames read as milliseconds.
    private func list(_ ranges: [Range<Int64>] = [], names: [String] = []) throws -> SectionList {
        var list = SectionList(sampleRate: 1000, frameCount: 10_000)
        try list.apply(
            .add(ranges.enumerated().map { SectionDraft($1, name: names.indices.contains($0) ? names[$0] : "") }))
        return list
    }

    private func ranges(_ list: SectionList) -> [Range<Int64>] { list.sections.map(\.frames) }

    private func kind(_ edit: SectionEdit, on list: SectionList) -> SectionError.Kind? {
        var copy = list
        do throws(SectionError) {
            try copy.apply(edit)
            return nil
        } catch {
            #expect(copy == list && !error.message.isEmpty && !error.remedy.isEmpty)
            return error.kind
        }
    }

    @Test("sections are sorted by start, the longer first, and count from 1")
    func order() throws {
        let list = try list([5000..<6000, 1000..<2000, 1000..<3000], names: ["c", "b", "a"])
        #expect(list.sections.map(\.name) == ["a", "b", "c"])
        #expect(list.section(number: 1)?.frames == 1000..<3000 && list.number(ofID: 1) == 3)
        #expect(list.section(number: 0) == nil && list.section(number: 4) == nil)
    }

    @Test("three marked points make four parts, without a gap")
    func points() throws {
        var list = try list()
        for frame: Int64 in [2000, 8000, 5000] { try list.apply(.mark(frame: frame)) }
        #expect(ranges(list) == [0..<2000, 2000..<5000, 5000..<8000, 8000..<10_000])
        try list.apply(.mark(frame: 5000, name: "Bridge"))
        #expect(list.sections.count == 4 && list.sections[2].name == "Bridge")
        #expect(list.sections.allSatisfy { $0.kind == .part })
    }

    @Test("a part cannot be moved so far that a neighbour would overlap a third part")
    func movedFar() throws {
        var list = try list()
        for frame: Int64 in [2000, 4000, 6000, 7000] { try list.apply(.mark(frame: frame)) }
        // 0-2000, 2000-4000, nothing, 6000-7000, nothing.
        try list.apply(.remove(ids: [3, 5]))
        #expect(kind(.move(id: 2, frames: 8000..<9000), on: list) == .overlapping)
    }

    @Test("several edits are one change: carried out together or not at all, undone together")
    func several() throws {
        var list = try list()
        let before = list
        #expect(kind(.all([.mark(frame: 2000), .mark(frame: 20_000)], summary: "two"), on: list) == .outsideRecording)
        let change = try list.apply(
            .all([.mark(frame: 2000), .rename(id: 2, name: "B"), .mark(frame: 5000)], summary: "three"))
        #expect(list.sections.map(\.name) == ["", "B", ""] && change.summary == "three" && change.added.count == 3)
        list.apply(change.reversed)
        #expect(list.sections == before.sections)
        // Used identities are not reused.
        #expect(try list.apply(.mark(frame: 0)).added.map(\.id) == [4])
    }

    @Test("a point at the beginning makes one part, and a point over a removed part begins a new part")
    func pointsAtEdges() throws {
        var list = try list()
        try list.apply(.mark(frame: 0))
        #expect(ranges(list) == [0..<10_000])
        try list.apply(.mark(frame: 4000))
        try list.apply(.remove(ids: [1]))
        try list.apply(.mark(frame: 1000, name: "again"))
        #expect(ranges(list) == [1000..<4000, 4000..<10_000])
        #expect(kind(.mark(frame: 10_000), on: list) == .outsideRecording)
    }

    @Test("a point does not split a range")
    func rangesAreTheirOwn() throws {
        var list = try list([2000..<4000])
        try list.apply(.mark(frame: 3000))
        #expect(ranges(list) == [0..<3000, 2000..<4000, 3000..<10_000])
    }

    @Test("a part's neighbours follow its edges, and are never passed over")
    func moveParts() throws {
        var list = try list()
        for frame: Int64 in [2000, 5000, 8000] { try list.apply(.mark(frame: frame)) }
        let middle = list.sections[1]
        try list.apply(.move(id: middle.id, frames: 2500..<4000))
        #expect(ranges(list) == [0..<2500, 2500..<4000, 4000..<8000, 8000..<10_000])
        #expect(kind(.move(id: middle.id, frames: 2500..<8000), on: list) == .empty)
        #expect(kind(.move(id: middle.id, frames: 0..<4000), on: list) == .empty)
        try list.apply(.remove(ids: [list.sections[2].id]))
        #expect(kind(.move(id: middle.id, frames: 2500..<9000), on: list) == .overlapping)
    }

    @Test("a split keeps the identity of the first part and the name of both, and joining reverts it")
    func splitAndJoin() throws {
        var list = try list([1000..<3000], names: ["Verse"])
        try list.apply(.split(id: 1, frame: 1500))
        #expect(ranges(list) == [1000..<1500, 1500..<3000] && list.sections.map(\.name) == ["Verse", "Verse"])
        #expect(kind(.split(id: 1, frame: 1000), on: list) == .splitOutside)
        #expect(kind(.split(id: 1, frame: 1500), on: list) == .splitOutside)
        try list.apply(.join(ids: [2, 1]))
        #expect(ranges(list) == [1000..<3000] && list.sections[0].id == 1 && list.sections[0].name == "Verse")
        #expect(kind(.join(ids: [1]), on: list) == .cannotJoin)
        try list.apply(.add([SectionDraft(4000..<5000)]))
        #expect(kind(.join(ids: [1, 3]), on: list) == .cannotJoin)
    }

    @Test("joining keeps different names and all words, and is hard if one part was hard")
    func joinedWords() throws {
        var list = SectionList(sampleRate: 1000, frameCount: 10_000)
        try list.apply(
            .add([
                SectionDraft(0..<1000, name: "A", text: "one"),
                SectionDraft(500..<2000, name: "B", text: "two", isHard: true),
                SectionDraft(2000..<2500, name: "A"),
            ]))
        try list.apply(.join(ids: list.sections.map(\.id)))
        let joined = try #require(list.sections.first)
        #expect(list.sections.count == 1 && joined.frames == 0..<2500 && joined.isHard)
        #expect(joined.name == "A / B" && joined.text == "one\ntwo")
    }

    @Test("reversed, empty or outside sections, unknown numbers and unfit names are refused without change")
    func refused() throws {
        let list = try list([1000..<3000])
        #expect(kind(.add([SectionDraft(0..<500), SectionDraft(700..<700)]), on: list) == .empty)
        #expect(kind(.add([SectionDraft(9000..<10_001)]), on: list) == .outsideRecording)
        #expect(kind(.add([SectionDraft(-1..<10)]), on: list) == .outsideRecording)
        #expect(kind(.rename(id: 2, name: "x"), on: list) == .unknown)
        #expect(kind(.remove(ids: [1, 9]), on: list) == .unknown)
        #expect(kind(.rename(id: 1, name: "a\nb"), on: list) == .textRefused)
        #expect(kind(.rename(id: 1, name: String(repeating: "ä", count: 2049)), on: list) == .textRefused)
        #expect(kind(.describe(id: 1, text: "a\0b"), on: list) == .textRefused)
    }

    @Test("a section that is added twice is listed once, and a section beyond the limit is refused")
    func duplicates() throws {
        var list = try list([1000..<3000], names: ["x"])
        #expect(try list.apply(.add([SectionDraft(1000..<3000, name: "x")])).isEmpty && list.sections.count == 1)
        let many = SectionList(sampleRate: 1000, frameCount: 1_000_000)
        let drafts = (0...Int64(100_000)).map { SectionDraft($0..<$0 + 5) }
        #expect(kind(.add(drafts), on: many) == .tooMany)
        var full = many
        try full.apply(.add(Array(drafts.dropLast())))
        #expect(full.sections.count == 100_000 && kind(.split(id: 5, frame: 6), on: full) == .tooMany)
        #expect(kind(.mark(frame: 7), on: full) == .tooMany)
    }

    @Test("a section is found by name, by number, and by name in any case, unless the name is ambiguous")
    func names() throws {
        let list = try list(
            [0..<1000, 1000..<2000, 2000..<3000, 3000..<4000], names: ["Intro", "chorus", "Chorus", "1"])
        #expect(try list.section(named: "intro").id == 1 && list.section(named: "2").id == 2)
        #expect(try list.section(named: "Chorus").id == 3 && list.section(named: "1").id == 4)
        #expect(throws: SectionError.self) { try list.section(named: "CHORUS") }
        #expect(throws: SectionError.self) { try list.section(named: "5") }
    }

    @Test("random edits can be undone and redone, keep the list sorted, and never reuse identities")
    func randomEdits() throws {
        var random = SeededGenerator(printedFor: "random edits")
        for _ in 0..<50 {
            var list = SectionList(sampleRate: 1000, frameCount: 10_000)
            var states = [list]
            var changes: [SectionChange] = []
            var seen = Set<Int>()
            for _ in 0..<60 {
                let before = list
                guard let change = try? list.apply(edit(of: list, by: &random)) else {
                    #expect(list == before)
                    continue
                }
                let new = Set(change.added.map(\.id)).subtracting(change.removed.map(\.id))
                #expect(new.isDisjoint(with: seen))
                seen.formUnion(new)
                checkOrder(list)
                changes.append(change)
                states.append(list)
            }
            for (index, change) in changes.enumerated().reversed() {
                list.apply(change.reversed)
                #expect(list.sections == states[index].sections)
            }
            for (index, change) in changes.enumerated() {
                list.apply(change)
                #expect(list.sections == states[index + 1].sections)
            }
        }
    }

    private func checkOrder(_ list: SectionList) {
        let keys = list.sections.map { ($0.frames.lowerBound, -$0.frames.upperBound) }
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(list.sections.allSatisfy { !$0.frames.isEmpty && $0.frames.upperBound <= list.frameCount })
        let parts = list.sections.filter { $0.kind == .part }
        #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.frames.upperBound <= $1.frames.lowerBound })
    }

    private func edit(of list: SectionList, by random: inout SeededGenerator) -> SectionEdit {
        func frame() -> Int64 { Int64.random(in: 0...10_000, using: &random) }
        func range() -> Range<Int64> {
            let (left, right) = (frame(), frame())
            return min(left, right)..<max(left, right)
        }
        func id() -> Int { list.sections.randomElement(using: &random)?.id ?? 1 }
        switch Int.random(in: 0..<11, using: &random) {
        case 0, 1: return .add([SectionDraft(range(), name: "n\(frame())"), SectionDraft(range())])
        case 2, 3: return .mark(frame: frame(), name: Bool.random(using: &random) ? "p" : "")
        case 4: return .split(id: id(), frame: frame())
        case 5: return .join(ids: [id(), id()])
        case 6: return .move(id: id(), frames: range())
        case 7: return .rename(id: id(), name: "r\(frame())")
        case 8: return .setHard(id: id(), Bool.random(using: &random))
        case 9: return .remove(ids: [id()])
        default: return .set(id: id(), option: "speed", value: Bool.random(using: &random) ? "70%" : nil)
        }
    }
}
