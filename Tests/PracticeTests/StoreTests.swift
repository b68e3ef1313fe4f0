import AudioFiles
import Database
import Foundation
import Practice
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import Store

/// A recording of ten seconds at 1000 frames a second, so that frames read as milliseconds.
func recording(_ number: UInt64 = 1, title: String = "Blue in Green") -> PracticeRecording {
    PracticeRecording(
        key: RecordingKey(high: number, low: ~number), sampleRate: 1000, frameCount: 10_000, title: title,
        path: "/music/\(number).flac")
}

/// The kind of a store's error.
func storeError(_ body: () throws -> Void) -> StoreError.Kind? {
    do {
        try body()
        return nil
    } catch {
        let error = error as? StoreError
        #expect(error?.message.isEmpty == false && error?.remedy.isEmpty == false)
        return error?.kind
    }
}

@Suite("Practice stores")
struct StoreTests {
    @Test("a store keeps sections, texts, settings and the position until it is opened again")
    func keeping() throws {
        let scratch = try Scratch()
        let path = scratch.file("data/woodshed/practice.db")
        let one = recording()
        let draft = SectionDraft(
            1000..<2500, name: "Solo „A“", text: "first line\nsecond", isHard: true, settings: ["speed": "70%"])
        do {
            let store = try PracticeStore(.file(path))
            try store.apply(.add([draft]), to: one)
            try store.apply(.mark(frame: 5000, name: "Bridge"), to: one)
            try store.remember(one, position: 4321, settings: ["speed": "80%", "passes": "3"])
        }
        let store = try PracticeStore(.file(path))
        let list = try store.sections(of: one)
        #expect(list.sections.map(\.frames) == [0..<5000, 1000..<2500, 5000..<10_000])
        let solo = try list.section(named: "Solo „A“")
        #expect(solo.text == draft.text && solo.isHard && solo.settings == draft.settings && solo.kind == .range)
        let kept = try #require(try store.recording(one.key))
        #expect(kept.recording == one && kept.position == 4321 && kept.sectionCount == 3)
        #expect(kept.settings == ["speed": "80%", "passes": "3"] && kept.lastSeen > 1_700_000_000)
        #expect(try store.sections(of: one.key) == list && store.repair == nil)
    }

    @Test("a store is not made by reading, nor by a refused edit")
    func reading() throws {
        let scratch = try Scratch()
        let path = scratch.file("data/practice.db")
        let store = try PracticeStore(.file(path))
        #expect(try store.recordings().isEmpty && store.recordings(matching: "blue").isEmpty)
        #expect(try store.recording(recording().key) == nil && store.sections(of: recording().key) == nil)
        #expect(try store.sections(of: recording()).sections.isEmpty)
        #expect(throws: SectionError.self) { try store.apply(.rename(id: 1, name: "x"), to: recording()) }
        #expect(throws: SectionError.self) { try store.undo(recording().key) }
        #expect(!FileManager.default.fileExists(atPath: scratch.file("data")))
    }

    @Test("a replaced store file has another data version")
    func replaced() throws {
        let scratch = try Scratch()
        let (path, other) = (scratch.file("practice.db"), scratch.file("other.db"))
        for path in [path, other] {
            try PracticeStore(.file(path)).remember(recording(), position: 1, settings: [:])
        }
        var file = StoreFile(path: path, isInMemory: false, keepsReserve: false)
        let before = file.dataVersion()
        let unchanged = file.dataVersion()
        #expect(unchanged == before)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: other, toPath: path)
        let after = file.dataVersion()
        #expect(before != nil && after != nil && after != before)
    }

    @Test("edits can be undone and redone across openings, and a new change drops the redo list")
    func history() throws {
        let scratch = try Scratch()
        let one = recording()
        func store() throws -> PracticeStore { try PracticeStore(.file(scratch.file("practice.db"))) }
        try store().apply(.mark(frame: 2000), to: one)
        try store().apply(.mark(frame: 4000), to: one)
        #expect(try store().history(of: one.key) == ("marked a point", nil))
        try store().undo(one.key)
        try store().undo(one.key)
        #expect(try store().sections(of: one).sections.isEmpty)
        #expect(throws: SectionError.self) { try store().undo(one.key) }
        try store().redo(one.key)
        #expect(try store().sections(of: one).sections.map(\.frames) == [0..<2000, 2000..<10_000])
        let change = try store().apply(.mark(frame: 6000), to: one)
        // The numbers of undone sections are not reused.
        #expect(change.added.map(\.id).max() == 4)
        #expect(throws: SectionError.self) { try store().redo(one.key) }
    }

    @Test("a store keeps the last 1000 changes")
    func historyLimit() throws {
        let store = try PracticeStore(.memory)
        let one = recording()
        for frame in 1...1010 { try store.apply(.mark(frame: Int64(frame)), to: one) }
        for _ in 0..<1000 { try store.undo(one.key) }
        #expect(throws: SectionError.self) { try store.undo(one.key) }
        #expect(try store.sections(of: one).sections.count == 11)
    }

    @Test("a store equals a list in memory after random edits, undoing, redoing and reopening")
    func model() throws {
        var generator = SeededGenerator(printedFor: "stores and a list in memory")
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        var store = try PracticeStore(.file(path))
        var models = [Model(), Model(), Model()]
        for _ in 0..<cases(300, few: 60) {
            let number = Int.random(in: 0..<models.count, using: &generator)
            let one = recording(UInt64(number))
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: store = try PracticeStore(.file(path))
            case 1...2: #expect((try? store.undo(one.key)) == models[number].undo())
            case 3: #expect((try? store.redo(one.key)) == models[number].redo())
            default:
                let edit = models[number].edit(using: &generator)
                #expect((try? store.apply(edit, to: one)) == models[number].apply(edit))
            }
            #expect(try store.sections(of: one) == models[number].list)
        }
        for (number, model) in models.enumerated() {
            #expect(try store.sections(of: recording(UInt64(number))) == model.list)
            #expect(try store.recording(recording(UInt64(number)).key)?.sectionCount ?? 0 == model.list.sections.count)
        }
        try StoreSchema.checkWords(in: Database(path: path, creating: false))
    }

    @Test("titles, names and texts are found by the beginnings of words, ignoring case and accents")
    func search() throws {
        let store = try PracticeStore(.memory)
        let (cafe, blue) = (recording(1, title: "Cafés de Paris"), recording(2, title: "Blue Train"))
        try store.apply(.add([SectionDraft(0..<10, name: "Intro", text: "Wünsche\nund Träume")]), to: cafe)
        try store.apply(
            .add([SectionDraft(0..<10, name: "Über allem"), SectionDraft(5..<10, name: "100 % \"loud\"")]), to: blue)
        func found(_ text: String) throws -> [UInt64] { try store.recordings(matching: text).map(\.recording.key.high) }
        #expect(try found("cafe") == [1] && found("PARIS caf") == [1] && found("traume") == [1] && found("wün") == [1])
        #expect(
            try found("uber") == [2] && found("tr") == [2, 1] && found("100") == [2] && found("\"loud\" 100%") == [2])
        #expect(
            try found("blue intro").isEmpty && found("nothing").isEmpty && found("").isEmpty
                && found("* \" ' -").isEmpty)
        for text in ["NEAR(a b)", "a AND", "title:blue", "bl*", "^blue", "{blue", "a\u{0}b", "x + y"] {
            _ = try found(text)
        }
        try store.apply(.rename(id: 1, name: "Ending"), to: cafe)
        var renamed = blue
        renamed.title = "Giant Steps"
        try store.remember(renamed, position: nil, settings: [:])
        #expect(try found("intro").isEmpty && found("ending") == [1] && found("blue").isEmpty && found("giant") == [2])
        try store.apply(.remove(ids: [1]), to: cafe)
        #expect(try found("ending").isEmpty && store.recordings().count == 2)
    }

    @Test("words with letters like ß or Ł are found by plain letters, and the other way round")
    func foldedSearch() throws {
        let store = try PracticeStore(.memory)
        let (street, city) = (recording(1, title: "Große Straße"), recording(2, title: "Lodz"))
        try store.apply(.add([SectionDraft(0..<10, name: "Ænima", text: "ﬁne ｶﾞ")]), to: street)
        try store.apply(.add([SectionDraft(0..<10, name: "Oresund Strasse")]), to: city)
        func found(_ text: String) throws -> [UInt64] { try store.recordings(matching: text).map(\.recording.key.high) }
        #expect(try found("strasse") == [2, 1] && found("Straße") == [2, 1] && found("STRAẞE gros") == [1])
        #expect(try found("Łódź") == [2] && found("Øresund") == [2] && found("aenima") == [1] && found("æn") == [1])
        #expect(try found("fine") == [1] && found("ガ") == [1] && found("ß").isEmpty)
        try store.apply(.rename(id: 1, name: "Þing"), to: street)
        var renamed = city
        renamed.title = "Đorđe"
        try store.remember(renamed, position: nil, settings: [:])
        #expect(try found("aenima").isEmpty && found("thing") == [1] && found("lodz").isEmpty && found("dorde") == [2])
        try store.apply(.remove(ids: [1]), to: street)
        #expect(try found("thing").isEmpty)
        try store.change { (rows) throws(DatabaseError) in
            try StoreSchema.checkWords(in: rows.database)
        }
    }

    @Test("recordings stored in one step are found by their titles at its end")
    func searchAfterOneStep() throws {
        let store = try PracticeStore(.memory)
        try store.apply(.add([]), to: recording(1, title: "Blue Train"))
        try store.change { (rows) throws(DatabaseError) in
            try rows.addingWordsAtOnce { (rows) throws(DatabaseError) in
                for (number, title) in [(2, "Giant Steps"), (3, "Naima"), (1, "Blue Bossa"), (2, "Countdown")] {
                    _ = try rows.see(recording(UInt64(number), title: title), at: 1)
                }
            }
        }
        func found(_ text: String) throws -> [UInt64] { try store.recordings(matching: text).map(\.recording.key.high) }
        #expect(try found("giant").isEmpty && found("countdown") == [2] && found("naima") == [3])
        #expect(try found("train").isEmpty && found("bossa") == [1])
        var renamed = recording(2)
        renamed.title = "Syeeda"
        try store.remember(renamed, position: nil, settings: [:])
        #expect(try found("countdown").isEmpty && found("syeeda") == [2])
        try store.change { (rows) throws(DatabaseError) in try StoreSchema.checkWords(in: rows.database) }
    }

    @Test("a recording with another length or rate is refused")
    func otherRecording() throws {
        let store = try PracticeStore(.memory)
        let one = recording()
        try store.apply(.mark(frame: 1), to: one)
        for other in [(44_100, one.frameCount), (one.sampleRate, one.frameCount + 8193)] {
            let other = PracticeRecording(key: one.key, sampleRate: other.0, frameCount: other.1, title: "x")
            #expect(storeError { try store.apply(.mark(frame: 2), to: other) } == .otherRecording)
            #expect(storeError { _ = try store.sections(of: other) } == .otherRecording)
            #expect(storeError { try store.remember(other, position: 1, settings: [:]) } == .otherRecording)
        }
        #expect(try store.recording(one.key)?.recording == one && store.sections(of: one).sections.count == 2)
    }

    @Test("sections survive another count of a file's padding, and end at its end")
    func otherPadding() throws {
        let store = try PracticeStore(.memory)
        let one = recording()
        try store.apply(.add([SectionDraft(one.frameCount - 1000..<one.frameCount)]), to: one)
        try store.apply(.mark(frame: one.frameCount - 1), to: one)
        for count in [one.frameCount - 44, one.frameCount + 44, one.frameCount - 2112] {
            let other = PracticeRecording(key: one.key, sampleRate: one.sampleRate, frameCount: count, title: "x")
            let read = try store.sections(of: other)
            #expect(read.frameCount == count && read.sections.allSatisfy { $0.frames.upperBound <= count })
            try store.apply(.rename(id: 1, name: "End \(count)"), to: other)
            let kept = try #require(try store.sections(of: one.key))
            #expect(kept.frameCount == count && kept.sections.first { $0.id == 1 }?.name == "End \(count)")
            #expect(try store.recording(one.key)?.recording.frameCount == count)
        }
    }

    @Test("a store keeps the envelopes of recordings, and finds recordings by length")
    func envelopes() throws {
        let store = try PracticeStore(.memory)
        try store.setEnvelope([1, 2, 3], of: recording(1))
        try store.remember(recording(2), position: 0, settings: [:])
        #expect(try store.envelope(of: recording(1).key) == [1, 2, 3] && store.envelope(of: recording(2).key) == nil)
        let found = try store.recordings(lasting: 9.95...10.05).map(\.recording.key)
        #expect(Set(found) == [recording(1).key, recording(2).key])
        #expect(try store.recordings(lasting: 10.05...11).isEmpty)
    }

    @Test("a store reports changed recordings to listeners, also those by another connection")
    func changes() async throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        let (store, other) = (try PracticeStore(.file(path)), try PracticeStore(.file(path)))
        try store.apply(.mark(frame: 1), to: recording(1))
        let changes = store.changes
        try store.apply(.mark(frame: 2), to: recording(1))
        try other.apply(.mark(frame: 2), to: recording(2))
        try other.remember(recording(3), position: 1, settings: [:])
        var seen: Set<RecordingKey> = []
        try await withPatience {
            for await keys in changes {
                seen.formUnion(keys)
                if seen.count == 3 { break }
            }
        }
        #expect(seen == Set([recording(1).key, recording(2).key, recording(3).key]))
    }

    @Test("a released store ends its sequence of changes")
    func endOfChanges() async throws {
        var store: PracticeStore? = try PracticeStore(.memory)
        let changes = try #require(store?.changes)
        store = nil
        try await withPatience { for await _ in changes { Issue.record("nothing has changed") } }
    }
}

/// A list with its history in memory, as simple as possible.
struct Model {
    private(set) var list = SectionList(sampleRate: 1000, frameCount: 10_000)
    private var done: [SectionChange] = []
    private var undone: [SectionChange] = []

    mutating func apply(_ edit: SectionEdit) -> SectionChange? {
        guard let change = try? list.apply(edit) else { return nil }
        if !change.isEmpty { (done, undone) = (done + [change], []) }
        return change
    }

    mutating func undo() -> SectionChange? {
        guard let change = done.popLast() else { return nil }
        undone.append(change)
        list.apply(change.reversed)
        return change.reversed
    }

    mutating func redo() -> SectionChange? {
        guard let change = undone.popLast() else { return nil }
        done.append(change)
        list.apply(change)
        return change
    }

    /// An edit that the list sometimes refuses.
    func edit(using generator: inout SeededGenerator) -> SectionEdit {
        let ids = list.sections.map(\.id) + [999]
        func id() -> Int { ids.randomElement(using: &generator) ?? 999 }
        func frame() -> Int64 { Int64.random(in: -100...10_100, using: &generator) }
        let (first, other) = (frame(), frame())
        let frames = min(first, other)..<max(first, other)
        switch Int.random(in: 0..<11, using: &generator) {
        case 0...1: return .add([SectionDraft(frames, name: "n\(first)", settings: ["speed": "\(other)"])])
        case 2...3: return .mark(frame: first, name: first % 2 == 0 ? "point" : "")
        case 4: return .split(id: id(), frame: first)
        case 5: return .join(ids: [id(), id()])
        case 6: return .move(id: id(), frames: frames)
        case 7: return .rename(id: id(), name: first % 5 == 0 ? "two\nlines" : "name \(first)")
        case 8: return .set(id: id(), option: "speed", value: first % 2 == 0 ? "70%" : nil)
        case 9:
            return first % 3 == 0
                ? .replaceAll([SectionDraft(0..<100), SectionDraft(frames)]) : .setHard(id: id(), true)
        default: return .remove(ids: [id()])
        }
    }
}
