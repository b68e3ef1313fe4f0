import JSON
import Testing

@testable import TextFormats

/// Bytes, and the number of bytes requested at once.
private final class NotedSource: CatalogueSource, @unchecked Sendable {
    private let content: [UInt8]
    var most = 0

    init(_ text: String) { content = Array(text.utf8) }

    var byteCount: Int { content.count }

    func bytes(in range: Range<Int>) -> [UInt8] {
        most = max(most, range.count)
        return Array(content[range])
    }
}

private struct UnreadableSource: CatalogueSource {
    let byteCount = 100
    func bytes(in range: Range<Int>) throws(CatalogueError) -> [UInt8] { throw .unreadable("no disk") }
}

@Suite("Catalogue in pieces")
struct CataloguePiecesTests {
    private static let recording = #"{"fields":{"title":["T",5],"added":[9000,5]},"id":"b"}"#
    private static let twice =
        #"{"id":"b","fields":{"added":[9000,4]},"sections":[{"id":"s","fields":{"name":["N",7]}}],"#
        + #""tags":{"x":[true,8]}}"#
    private static let removed = #"{"id":"c","deleted":9}"#
    private static let first = #"{"id":"a","fields":{"added":[9000,5]}}"#
    private static let earlier = #"{"id":"d","fields":{"added":[8000,5]}}"#

    private func read(_ text: String) throws -> CataloguePieces { try CataloguePieces(reading: Array(text.utf8)) }

    @Test("the pieces have removals first, then recordings in order, with repeated ones merged")
    func order() throws {
        let list = [Self.recording, Self.first, Self.twice, Self.removed, Self.earlier].joined(separator: " ,\n ")
        let playlists = #"{"id":"p","fields":{"name":["N",3]}}, {"id":"q"} ,{"fields":{"name":["M",2]},"id":"p"}"#
        for text in [
            #"{"catalogue":"woodshed library","v":1,"recordings":[\#(list)],"playlists":[\#(playlists)],"takes":[{"id":"t"}]}"#,
            #" {"takes":[{"id":"t"}],"new":[1,[2]],"playlists":[\#(playlists)],"recordings":[ \#(list) ],"v":1,"catalogue":"woodshed library"} "#,
        ] {
            let pieces = try read(text)
            #expect(try pieces.count == 4 && pieces.playlists().count == 2 && pieces.takes.count == 1)
            #expect(try pieces.playlists()["p"]?["name"] == .string("N"))
            let all = try pieces.recordings(0..<4)
            #expect(all.map(\.id) == ["c", "d", "a", "b"])
            #expect(all[3].recording.item["title"] == .string("T") && all[3].recording.item.currentMembers == ["x"])
            #expect(all[3].recording.sections.count == 1)
            let whole = try LibraryCatalogue(reading: Array(text.utf8))
            #expect(CataloguePieces(whole).count == 4)
            #expect(try CataloguePieces(whole).playlists() == pieces.playlists())
            #expect(try CataloguePieces(whole).recordings(0..<4).map(\.id) == all.map(\.id))
            #expect(try CataloguePieces(whole).recordings(3..<4).map(\.recording) == [all[3].recording])
        }
    }

    @Test("a catalogue in pieces is never in memory as a whole")
    func memory() throws {
        let title = String(repeating: "t", count: 300)
        let list = (0..<5000).map { #"{"id":"\#($0)","fields":{"title":["\#(title) \#($0)",5],"added":[\#($0),5]}}"# }
        let source = NotedSource(
            #"{"catalogue":"woodshed library","v":1,"recordings":[\#(list.joined(separator: ",\n"))]}"#)
        let pieces = try CataloguePieces(reading: source)
        #expect(pieces.count == 5000 && source.most * 4 < source.byteCount)
        source.most = 0
        let all = try pieces.recordings(0..<5000)
        #expect(source.most < 2 * title.count)
        for (number, found) in all.enumerated() {
            #expect(found.id.text == "\(number)" && found.recording.item["title"] == .string("\(title) \(number)"))
        }
        #expect(throws: CatalogueError.unreadable("no disk")) { _ = try CataloguePieces(reading: UnreadableSource()) }
    }

    @Test("a catalogue with one unreadable part is refused as a whole")
    func refusals() {
        func kind(_ text: String) -> CatalogueError.Kind? {
            do throws(CatalogueError) {
                _ = try CataloguePieces(reading: Array(text.utf8))
                return nil
            } catch { return error.kind }
        }
        let head = #""catalogue":"woodshed library""#
        #expect(kind(#"{\#(head),"v":1,"recordings":[\#(Self.recording),{"id":""}]}"#) == .broken)
        #expect(kind(#"{\#(head),"v":1,"recordings":[\#(Self.recording),{"id":"x","fields":3}]}"#) == .broken)
        #expect(kind(#"{\#(head),"v":1,"takes":{}}"#) == .broken)
        #expect(kind(#"{"recordings":[{"id":"x","fields":3}],\#(head),"v":2}"#) == .newer)
        #expect(kind(#"{\#(head),"v":1,"recordings":[\#(Self.recording),]}"#) == .foreign)
        #expect(kind(#"{\#(head),"v":1,"recordings":[\#(Self.recording)"#) == .foreign)
        #expect(kind(#"{\#(head),"v":1,"recordings":[]} x"#) == .foreign)
        #expect(kind(#"{"v":1,"recordings":[{"id":"x","fields":3}]}"#) == .foreign)
        #expect(kind("[1]") == .foreign && kind("{}") == .foreign)
    }

    @Test("the text of a catalogue consists of short pieces, the same for recordings in groups of any size")
    func pieces() throws {
        var catalogue = LibraryCatalogue()
        for number in 0..<2000 {
            var recording = LibraryCatalogue.Recording()
            recording.item.set("title", .string(String(repeating: "é", count: 300) + "\(number)"), at: 2)
            if number % 3 == 0 { recording.sections = ["b": recording.item, "a": CatalogueItem()] }
            catalogue.recordings[ExactText("\(number)")] = recording
        }
        for number in 0..<2 {
            catalogue.playlists[ExactText("p\(number)")] = catalogue.recordings["1"]?.item
            catalogue.takes[ExactText("t\(number)")] = catalogue.recordings["2"]?.item
        }
        let keys = catalogue.recordings.keys.sorted()
        for size in [1, 7, 1000, 2000] {
            var text = CatalogueText()
            for first in stride(from: 0, to: keys.count, by: size) {
                var group: [ExactText: LibraryCatalogue.Recording] = [:]
                for key in keys[first..<min(first + size, keys.count)] { group[key] = catalogue.recordings[key] }
                text.add(group)
            }
            text.end(playlists: catalogue.playlists, takes: catalogue.takes)
            #expect(text.pieces.count > 4 && text.pieces.allSatisfy { $0.count < 300_000 })
            #expect(text.joined == catalogue.text, "groups of \(size)")
        }
        #expect(try LibraryCatalogue(reading: Array(catalogue.text.utf8)) == catalogue)
    }
}
