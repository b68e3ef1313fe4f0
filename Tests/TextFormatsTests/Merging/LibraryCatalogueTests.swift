import JSON
import TestSupport
import Testing

@testable import TextFormats

/// Catalogues with few ids, texts and times, so that merging them meets every kind of conflict.
private struct RandomCatalogues {
    var random: SeededGenerator

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func value() -> JSONValue {
        // Composed and decomposed letters are equal texts in Swift, but other bytes.
        pick([
            .string("é"), .string("e\u{301}"), .string(""), .null, .bool(true), .integer(1), .number(1), .number(-0.0),
            .number(0.1),
            .string("https://h.org/a?auth=x"), .string("https://h.org/a?auth=y"), .string("https://h.org/a"),
            .array([.string("é"), .integer(2)]), .object([.init("a", .string("\u{0}\u{7F}\"\\🎷"))]),
        ])
    }

    private mutating func item() -> CatalogueItem {
        var item = CatalogueItem()
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let time = Int64.random(in: 0...4, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: item.delete(at: time)
            case 1: item.setMember(pick(["jazz", "é", "e\u{301}", ""]), Bool.random(using: &random), at: time)
            default: item.set(pick(["title", "source", "later", "é", "e\u{301}"]), value(), at: time)
            }
        }
        return item
    }

    private mutating func items() -> [ExactText: CatalogueItem] {
        var items: [ExactText: CatalogueItem] = [:]
        for _ in 0..<Int.random(in: 0...3, using: &random) { items[pick(["a", "b", "é", "e\u{301}"])] = item() }
        return items
    }

    mutating func catalogue() -> LibraryCatalogue {
        var catalogue = LibraryCatalogue()
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            var recording = LibraryCatalogue.Recording()
            recording.item = item()
            recording.sections = items()
            catalogue.recordings[pick(["00ff", "01", "é", "e\u{301}"])] = recording
        }
        (catalogue.playlists, catalogue.takes) = (items(), items())
        return catalogue
    }
}

private func refusal(_ text: String) -> CatalogueError? {
    do throws(CatalogueError) {
        _ = try LibraryCatalogue(reading: Array(text.utf8))
        return nil
    } catch {
        return error
    }
}

@Suite("Catalogue merging")
struct LibraryCatalogueTests {
    private static let cases = 1000

    @Test("a merge of two catalogues is the same in either order, byte for byte")
    func commutative() {
        var random = RandomCatalogues(random: SeededGenerator(printedFor: "merge is commutative"))
        for _ in 0..<Self.cases {
            let (one, two) = (random.catalogue(), random.catalogue())
            let (first, second) = (one.merged(with: two), two.merged(with: one))
            #expect(first == second && first.text.utf8.elementsEqual(second.text.utf8), "\(random.random)")
        }
    }

    @Test("a merge of three catalogues is the same in any order")
    func associative() {
        var random = RandomCatalogues(random: SeededGenerator(printedFor: "merge is associative"))
        for _ in 0..<Self.cases {
            let (one, two, three) = (random.catalogue(), random.catalogue(), random.catalogue())
            #expect(
                one.merged(with: two).merged(with: three) == one.merged(with: two.merged(with: three)),
                "\(random.random)")
        }
    }

    @Test("an address exported without keys never replaces the full address of the same time")
    func keys() throws {
        func item(_ source: String, _ time: Int64) -> CatalogueItem {
            var item = CatalogueItem()
            item.set(CatalogueField.source, .string(source), at: time)
            return item
        }
        func source(_ items: CatalogueItem...) -> [String?] {
            // In both orders.
            let orders = [items, items.reversed()]
            return orders.map { $0.reduce(CatalogueItem()) { $0.merged(with: $1) }[CatalogueField.source]?.stringValue }
        }
        // The shorter text is the greater text, too: "b" is after "a".
        for full in ["https://h.org/f?auth=k", "https://h.org/f?auth=k&b=1", "https://a:k@h.org/f"] {
            var short = item(full, 5)
            let isShortened = short.removeKeys()
            #expect(isShortened && source(item(full, 5), short) == [full, full], "\(full)")
        }
        // A later change counts, with or without a key.
        #expect(
            source(item("https://h.org/f?auth=k", 5), item("https://h.org/f", 6)) == [
                "https://h.org/f", "https://h.org/f",
            ])
        let keyed = ["https://h.org/f?auth=m", "https://h.org/f?auth=m"]
        #expect(source(item(keyed[0], 5), item("https://h.org/f?auth=k", 5), item("https://h.org/f", 5)) == keyed)
    }

    @Test("merging a catalogue again, with an empty one or with itself changes nothing")
    func idempotent() {
        var random = RandomCatalogues(random: SeededGenerator(printedFor: "merge is idempotent"))
        for _ in 0..<Self.cases {
            let (one, two) = (random.catalogue(), random.catalogue())
            let both = one.merged(with: two)
            #expect(one.merged(with: one) == one && one.merged(with: LibraryCatalogue()) == one, "\(random.random)")
            #expect(both.merged(with: two) == both && both.merged(with: one) == both, "\(random.random)")
        }
    }

    @Test("the text of a catalogue has the names of fields in the order of their bytes, and no empty parts of things")
    func exactText() {
        var catalogue = LibraryCatalogue()
        #expect(catalogue.text == #"{"catalogue":"woodshed library","v":1,"recordings":[],"playlists":[],"takes":[]}"#)
        var recording = LibraryCatalogue.Recording()
        recording.item.set("title", .string("A \"é\"\n\u{7F}["), at: 2)
        recording.item.set("e\u{301}", .number(1), at: 1)
        recording.item.set("a{\"", .array([.null, .object([.init("x", .array([])), .init("y", .object([]))])]), at: 0)
        recording.item.setMember("jazz", false, at: 3)
        recording.item.delete(at: 4)
        recording.sections["s"] = CatalogueItem()
        (catalogue.recordings["02"], catalogue.recordings["01"]) = (recording, LibraryCatalogue.Recording())
        catalogue.takes["t"] = CatalogueItem()
        let item = #"""
            "fields":{"a{\"":[[null,{"x":[],"y":{}}],0],"e\#u{301}":[1.0,1],"title":["A \"é\"\n\u007f[",2]},\#
            "tags":{"jazz":[false,3]},"deleted":4
            """#
        let text = #"""
            {"catalogue":"woodshed library","v":1,"recordings":[{"id":"01"},{"id":"02",\#(item),\#
            "sections":[{"id":"s"}]}],"playlists":[],"takes":[{"id":"t"}]}
            """#
        #expect(catalogue.text.utf8.elementsEqual(text.utf8), "\(catalogue.text)")
        #expect(recording.item.storedText.utf8.elementsEqual("{\(item)}".utf8) && CatalogueItem().storedText == "{}")
    }

    @Test("a catalogue comes back from its JSON, and equal catalogues have equal JSON")
    func json() throws {
        var random = RandomCatalogues(random: SeededGenerator(printedFor: "catalogues in JSON"))
        for _ in 0..<Self.cases {
            let one = random.catalogue()
            let text = one.text
            let again = try LibraryCatalogue(reading: Array(text.utf8))
            #expect(again == one && again.text.utf8.elementsEqual(text.utf8), "\(random.random)")
            for item in Array(one.recordings.values.map(\.item)) + one.takes.values {
                #expect(CatalogueItem(stored: item.storedText) == item, "\(random.random)")
            }
        }
    }

    @Test("an item comes back from its stored text, whatever the length, and another text is refused")
    func stored() {
        var item = CatalogueItem()
        for number in 0..<20_000 { item.set("entry \(number)", .string("é\"\(number)"), at: Int64(number)) }
        item.set("entries", .array((0..<20_000).map { .string("\($0)") }), at: .max)
        item.setMember("slow", false, at: 3)
        item.delete(at: 4)
        #expect(CatalogueItem(stored: item.storedText) == item)
        let known = CatalogueItem(stored: #" {"new":[1,{}],"deleted":-5,"fields":{"a":["b",1e99]},"tags":{}} "#)
        #expect(known?.deletion == 0 && known?.fields["a"]?.time == 0 && known?["a"] == .string("b"))
        for text in [
            "", "3", "[]", "{", "{}x", #"{"fields":3}"#, #"{"fields":{"a":3}}"#, #"{"fields":{"a":["b"]}}"#,
            #"{"tags":{"a":["b",1]}}"#, #"{"tags":[]}"#, #"{"fields":{"a":["b",1]}"#, #"{"deleted":}"#,
        ] { #expect(CatalogueItem(stored: text) == nil, "\(text)") }
    }

    @Test("catalogues that computers exchange in any order become equal")
    func exchange() {
        var random = RandomCatalogues(random: SeededGenerator(printedFor: "exchange of catalogues"))
        for _ in 0..<100 {
            let all = (0..<6).map { _ in random.catalogue() }
            var ends: Set<LibraryCatalogue> = []
            for _ in 0..<5 {
                let order = (all + all).shuffled(using: &random.random)
                ends.insert(order.reduce(LibraryCatalogue()) { $0.merged(with: $1) })
            }
            #expect(ends.count == 1, "\(random.random)")
        }
    }

    @Test("the last change of each field wins, from either side")
    func fields() {
        var (one, two) = (CatalogueItem(), CatalogueItem())
        one.set(CatalogueField.title, .string("old"), at: 1)
        one.set(CatalogueField.artist, .string("new"), at: 4)
        two.set(CatalogueField.title, .string("new"), at: 2)
        two.set(CatalogueField.artist, .string("old"), at: 3)
        let both = one.merged(with: two)
        #expect(both["title"] == .string("new") && both["artist"] == .string("new") && both["note"] == nil)
        one.set(CatalogueField.artist, .string("older"), at: 2)
        #expect(one["artist"] == .string("new"))
        one.set(CatalogueField.artist, .null, at: 5)
        #expect(one["artist"] == nil)
    }

    @Test("tags are united, and a removed tag stays away unless it was added later")
    func tags() {
        var (one, two) = (CatalogueItem(), CatalogueItem())
        for (name, time) in [("jazz", Int64(1)), ("slow", 1)] { one.setMember(name, true, at: time) }
        two = one
        one.setMember("jazz", false, at: 2)
        two.setMember("blues", true, at: 3)
        #expect(one.merged(with: two).currentMembers == ["blues", "slow"])
        two.setMember("jazz", true, at: 4)
        #expect(one.merged(with: two).currentMembers == ["blues", "jazz", "slow"])
    }

    @Test("a deleted item stays deleted unless it was changed later, and then returns whole")
    func deletions() {
        var one = LibraryCatalogue()
        one.recordings["01"] = .init()
        one.recordings["01"]?.item.set("title", .string("T"), at: 1)
        one.recordings["01"]?.item.setMember("jazz", true, at: 1)
        one.recordings["01"]?.sections["s"] = CatalogueItem()
        one.recordings["01"]?.sections["s"]?.set("name", .string("A"), at: 1)
        var two = one
        two.recordings["01"]?.item.delete(at: 3)
        two.recordings["01"]?.sections["s"]?.delete(at: 3)
        #expect(one.merged(with: two).visibleRecordings.isEmpty)
        one.recordings["01"]?.item.set("artist", .string("A"), at: 3)
        #expect(one.merged(with: two).visibleRecordings.isEmpty)
        one.recordings["01"]?.item.set("artist", .string("A"), at: 4)
        let back = one.merged(with: two).visibleRecordings
        #expect(
            back.first?.recording.item["title"] == .string("T") && back.first?.recording.item.currentMembers == ["jazz"]
        )
        #expect(back.first?.recording.sections.visible.isEmpty == true)
        // A computer with knowledge of the deletion only.
        var three = LibraryCatalogue()
        three.recordings["01"] = .init()
        three.recordings["01"]?.item.delete(at: 9)
        #expect(one.merged(with: three).visibleRecordings.isEmpty)
    }

    @Test("a time in the far future leaves room for later changes, and reads the same at any time")
    func future() throws {
        let text = """
            {"catalogue": "woodshed library", "v": 1, "recordings": [{"id": "01", "deleted": 253402300799999,
              "fields": {"title": ["T", 253402300799999], "artist": ["A", 3]}, "tags": {"slow": [true, 4102444800000]}}]}
            """
        var item = try #require(LibraryCatalogue(reading: Array(text.utf8)).recordings["01"]?.item)
        let time = try #require(item.fields["title"]?.time)
        #expect(time < 253_402_300_799_999 && item.deletion == time && item.fields["artist"]?.time == 3)
        #expect(item.members["slow"]?.time == 4_102_444_800_000)
        item.set("title", .string("later"), at: time + 1)
        #expect(item.isVisible && CatalogueItem(stored: item.storedText) == item)
        #expect(try LibraryCatalogue(reading: Array(text.utf8)) == LibraryCatalogue(reading: Array(text.utf8)))
    }

    @Test("fields of later versions are kept and merged, and other unknown keys are ignored")
    func later() throws {
        let text = """
            {"new": [1], "catalogue": "woodshed library", "v": 1, "recordings": [
              {"id": "01", "mood": 1, "fields": {"tempo": [[120, {"x": null}], 7]}},
              {"id": "01", "fields": {"tempo": [0, 6], "title": ["T", 1]}}]}
            """
        let catalogue = try LibraryCatalogue(reading: Array(text.utf8))
        let item = try #require(catalogue.recordings["01"]?.item)
        #expect(
            item["tempo"] == .array([.integer(120), .object([.init("x", .null)])]) && item["title"] == .string("T"))
        #expect(catalogue.text.contains("[[120,{\"x\":null}],7]") && !catalogue.text.contains("mood"))
    }

    @Test("a file that is no catalogue, a newer one or an impossible one is refused")
    func refusals() {
        func catalogue(_ recordings: String) -> String {
            "{\"catalogue\": \"woodshed library\", \"v\": 1, \"recordings\": \(recordings)}"
        }
        for text in [
            "", "{}", "[]", "{\"v\": 1}", "{\"catalogue\": \"x\", \"v\": 1}", "{\"catalogue\": \"woodshed library\"}",
        ] {
            #expect(refusal(text)?.kind == .foreign)
        }
        #expect(refusal("{\"catalogue\": \"woodshed library\", \"v\": 2, \"recordings\": 5}")?.kind == .newer)
        for recordings in [
            "1", "[1]", "[{}]", "[{\"id\": 1}]", "[{\"id\": \"\"}]", "[{\"id\": \"a\", \"fields\": 1}]",
            "[{\"id\": \"a\", \"fields\": {\"x\": 1}}]",
            "[{\"id\": \"a\", \"fields\": {\"x\": [1]}}]", "[{\"id\": \"a\", \"fields\": {\"x\": [1, -1]}}]",
            "[{\"id\": \"a\", \"fields\": {\"x\": [1, 253402300800000]}}]",
            "[{\"id\": \"a\", \"tags\": {\"x\": [1, 1]}}]",
            "[{\"id\": \"a\", \"deleted\": \"x\"}]", "[{\"id\": \"a\", \"deleted\": 1.5}]",
            "[{\"id\": \"a\", \"sections\": {}}]",
        ] {
            let error = refusal(catalogue(recordings))
            #expect(error?.kind == .broken && error?.remedy.isEmpty == false, "\(recordings)")
        }
        #expect(refusal(catalogue("[]")) == nil)
    }

    @Test("a catalogue of ten thousand recordings is merged and written")
    func many() throws {
        var (one, two) = (LibraryCatalogue(), LibraryCatalogue())
        for number in 0..<10_000 {
            let key = ExactText("\(number)")
            one.recordings[key, default: .init()].item.set("title", .string("Title \(number)"), at: 1)
            two.recordings[key, default: .init()].item.set("title", .string("Other \(number)"), at: Int64(number % 3))
        }
        let both = one.merged(with: two)
        #expect(
            try LibraryCatalogue(reading: Array(both.text.utf8)) == both
                && both.visibleRecordings.count == 10_000)
    }
}
