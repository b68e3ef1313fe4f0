import JSON
import Testing

@testable import TextFormats

@Suite("Catalogue with a part of a hostile size")
struct CatalogueLimitTests {
    /// - Parameter end: The end of the text, behind the catalogue.
    private func text(recordings: String = "", playlists: String = "", end: String = "") -> [UInt8] {
        Array(
            """
            {"recordings":[{"id":"a"},\(recordings.isEmpty ? #"{"id":"b"}"# : recordings)],"playlists":[\(playlists)],
            "catalogue":"woodshed library","v":1}\(end)
            """.utf8)
    }

    private func fields(_ count: Int, _ name: String = "f") -> String {
        "{\((0..<count).map { #""\#(name)\#($0)":["V",1]"# }.joined(separator: ","))}"
    }

    private func refusal(_ text: [UInt8]) -> CatalogueError? {
        do throws(CatalogueError) {
            _ = try CataloguePieces(reading: text)
            return nil
        } catch { return error }
    }

    @Test("a catalogue beyond a limit is refused with the part and the limit")
    func refusals() throws {
        let many = #"{"id":"b","fields":\#(fields(50_001))}"#
        #expect(
            refusal(text(recordings: many))?.message
                == "The catalogue is broken: it has a recording, number 2, with more than 50000 fields and tags")
        let tagged = #"{"id":"b","fields":{"f":["x",1]},"tags":\#(tags(50_000))}"#
        #expect(refusal(text(recordings: tagged))?.kind == .broken)
        // As long as the whole is not a catalogue, the error reports this fault.
        #expect(refusal(text(recordings: many, end: "x"))?.kind == .foreign)
        let entries = "[\(String(repeating: "0,", count: 200_000))0]"
        let newer = #"{"catalogue":"woodshed library","v":2,"takes":[{"id":"t","fields":{"f":\#(entries)}}]}"#
        #expect(refusal(Array(newer.utf8))?.kind == .newer)
        let long = String(repeating: "t", count: 1 << 22)
        let number = "[\(String(repeating: "0,", count: 100_000))0]"
        for value in ["\"\(long)\"", number, #"{"a":\#(number)}"#] {
            for recording in [
                #"{"id":"b","fields":{"title":[\#(value),1]}}"#,
                #"{"id":"b","sections":[{"id":"s","fields":{"text":[\#(value),1]}}]}"#, #"{"id":\#(value)}"#,
                #"{"id":"b","deleted":\#(value)}"#,
            ] {
                let error = refusal(text(recordings: recording))
                #expect(error?.kind == .broken && error?.message.contains("number 2") == true, "\(value.count)")
            }
        }
    }

    private func tags(_ count: Int) -> String {
        "{\((0..<count).map { #""t\#($0)":[true,1]"# }.joined(separator: ","))}"
    }

    @Test("a catalogue within the limits is read, and unknown parts may have any size")
    func accepted() throws {
        let text = String(repeating: "\\u001f", count: 65_536)
        let sections = (0..<1500).map { #"{"id":"s\#($0)","fields":{"text":["T",1]}}"# }.joined(separator: ",")
        let unknown = "[\(String(repeating: "[[],0],", count: 120_000))0]"
        let pieces = try CataloguePieces(
            reading: self.text(
                recordings: """
                    {"unknown":\(unknown),"fields":\(fields(40_000)),"id":"b",
                    "sections":[{"id":"long","fields":{"text":["\(text)",1]}},\(sections)]}
                    """,
                playlists: #"{"id":"p","fields":\#(fields(60_000, "entry x "))}"#))
        #expect(try pieces.playlists()["p"]?.fields.count == 60_000)
        let found = try pieces.recordings(0..<2).first { $0.id == "b" }?.recording
        #expect(found?.item.fields.count == 40_000 && found?.sections.count == 1501)
        #expect(found?.sections["long"]?["text"]?.stringValue?.utf8.count == 65_536)
    }

    @Test("a time by a wrong clock is written as a time that others can read")
    func times() throws {
        for (time, told) in [(Int64.min, "0"), (-5, "0"), (7, "7"), (.max, "253402300799999")] as [(Int64, String)] {
            var item = CatalogueItem()
            item.set(CatalogueField.title, .string("T"), at: time)
            item.setMember("slow", true, at: time)
            item.delete(at: time)
            var catalogue = LibraryCatalogue()
            catalogue.takes["t"] = item
            #expect(catalogue.text.contains(#""deleted":\#(told)"#))
            let again = try LibraryCatalogue(reading: Array(catalogue.text.utf8))
            #expect(again.takes["t"]?["title"] == .string("T") && again.takes["t"]?.currentMembers == ["slow"])
        }
        // A change after the last possible time still counts.
        var item = CatalogueItem()
        for text in ["T", "A", "B"] { item.set(CatalogueField.title, .string(text), at: .max) }
        #expect(item["title"] == .string("B"))
        for text in ["A", "T"] { item.set(CatalogueField.title, .string(text), at: 253_402_300_800_000) }
        for isMember in [true, false] { item.setMember("slow", isMember, at: .max) }
        #expect(item["title"] == .string("T") && item.currentMembers.isEmpty)
    }
}
