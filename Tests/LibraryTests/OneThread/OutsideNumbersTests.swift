import AudioFiles
import Database
import Foundation
import Sections
import SoundFileSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

/// Numbers, names and places that no other copy of this program writes.
@Suite("Values from outside")
struct OutsideNumbersTests {
    private static func catalogue(_ key: RecordingKey, _ fields: String) -> [UInt8] {
        let text = #"{"id": "\#(key)", "fields": {"title": ["Other", 5], "added": [5000, 5], \#(fields)}}"#
        return Array(#"{"catalogue": "woodshed library", "v": 1, "recordings": [\#(text)]}"#.utf8)
    }

    @Test("an impossible recording of a catalogue is not shown, and the library works as before")
    func impossible() throws {
        let harness = try LibraryHarness()
        let item = try harness.library.add(fileAt: harness.wave("a.wav", seed: 1)).item
        let before = try contents(harness.library)
        for fields in [
            #""rate": [44100, 5], "frames": [9223372036854775807, 5]"#, #""rate": [1000001, 5], "frames": [4, 5]"#,
        ] {
            try harness.library.merge(catalogueIn: Self.catalogue(RecordingKey(high: 3, low: 4), fields))
        }
        #expect(try contents(harness.library) == before)
        #expect(try harness.library.items().map(\.key) == [item.key])
        let fields = #""rate": [44100, 5], "frames": [4, 5], "file": [{"bytes": 9223372036854775807}, 5]"#
        try harness.library.merge(catalogueIn: Self.catalogue(RecordingKey(high: 3, low: 5), fields))
        #expect(try harness.library.items().map(\.byteCount).min() == 0)
        for _ in 0..<3 { _ = try harness.library.catalogueText() }
        #expect(try harness.library.items().count == 2)
    }

    @Test("a loudness of any number is stored within limits", arguments: [Double.infinity, -.infinity, .nan, 1e300])
    func loudness(value: Double) throws {
        let harness = try LibraryHarness()
        let number = try harness.library.add(fileAt: harness.wave("a.wav", seed: 1)).item.number
        try harness.library.setLoudness(.init(integrated: value, truePeak: value), of: number)
        let kept = try #require(try harness.library.item(number)?.loudness)
        #expect(kept.integrated.magnitude == 1000 && kept.truePeak == kept.integrated)
    }

    @Test("a title changed in the future can be changed again")
    func future() throws {
        let harness = try LibraryHarness()
        let item = try harness.library.add(fileAt: harness.wave("a.wav", seed: 1)).item
        let fields = #""title": ["Later", 253402300799999], "rate": [44100, 5], "frames": [400, 5]"#
        try harness.library.merge(catalogueIn: Self.catalogue(item.key, fields))
        #expect(try harness.library.item(item.key)?.words.title == "Later")
        _ = try harness.library.edit(item.number) { $0.title = "Mine" }
        for _ in 0..<3 { _ = try harness.library.catalogueText() }
        #expect(try harness.library.items().map(\.words.title) == ["Mine"])
        // A store that took over such a time from an earlier version.
        try Database(path: harness.scratch.file("data/practice.db"), creating: false).run(
            "UPDATE merged SET content = replace(content, ',5]', ',9223372036854775807]')")
        _ = try harness.library.edit(item.number) { $0.title = "Again" }
        for _ in 0..<3 { _ = try harness.library.catalogueText() }
        #expect(try harness.library.items().map(\.words.title) == ["Again"])
    }

    @Test("an edit is exported with a readable time, even after the last possible time")
    func lastTime() throws {
        let harness = try LibraryHarness()
        let item = try harness.library.add(fileAt: harness.wave("a.wav", seed: 1)).item
        _ = try harness.library.edit(item.number) { $0.title = "Mine" }
        _ = try harness.library.catalogueText()
        try Database(path: harness.scratch.file("data/practice.db"), creating: false).run(
            """
            UPDATE merged SET content = replace(content, '"title":["Mine",', '"title":["Mine",253402300799999],"x":["x",')
            """)
        _ = try harness.library.edit(item.number) { $0.title = "Again" }
        func titlesElsewhere() throws -> [String] {
            let there = try LibraryHarness()
            try there.library.merge(catalogueIn: Array(harness.library.catalogueText().utf8))
            return try there.library.items().map(\.words.title)
        }
        #expect(try titlesElsewhere() == ["Again"])
        // After this change, a removal and an undo.
        _ = try harness.library.remove([item.number])
        #expect(try titlesElsewhere().isEmpty)
        _ = try harness.library.undoRemoval()
        for _ in 0..<2 { #expect(try titlesElsewhere() == ["Again"]) }
    }

    @Test("a recording has the rate and length of its file once the file is here")
    func otherRate() throws {
        let harness = try LibraryHarness()
        let path = try harness.wave("a.wav", seed: 1)
        let key = try RecordingKey(ofFileAt: path)
        try harness.library.merge(catalogueIn: Self.catalogue(key, #""rate": [300000, 5], "frames": [9, 5]"#))
        let item = try harness.library.add(fileAt: path).item
        #expect(item.recording.sampleRate == 44_100 && item.recording.frameCount == 400)
        try harness.store.apply(.mark(frame: 200, name: "here"), to: item.recording)
        #expect(try harness.store.sections(of: key)?.sections.isEmpty == false)
    }

    @Test(
        "a take whose model has an impossible speed is listed without a model", arguments: ["1e300", "1e-300", "0"])
    func impossibleSpeed(speed: String) throws {
        let full = try FullLibrary()
        let count = try full.harness.store.takes().count
        try Database(path: full.path, creating: false).run(
            "UPDATE take SET model = json_set(model, '$.speed', \(speed))")
        let takes = try full.harness.store.takes()
        #expect(takes.count == count && takes.allSatisfy { $0.model == nil })
        let text =
            #"{"v":1,"device":"","model":{"key":"\#(full.songs[0].key)","section":null,"name":"","start_frame":0,"#
        let rest = #""end_frame":9,"pass":0,"speed":\#(speed),"semitones":0,"start":0,"alignment":"measured"}}"#
        let attachment = try #require(TakeAttachment(text + rest))
        #expect(attachment.model == nil)
    }

    @Test("byte counts of any size add up for the quota without an overflow")
    func quota() throws {
        let harness = try LibraryHarness()
        for seed in 1...3 { try harness.library.add(fileAt: harness.wave("\(seed).wav", seed: UInt64(seed))) }
        try Database(path: harness.scratch.file("data/practice.db"), creating: false).run(
            "UPDATE item SET byte_count = \(Int64.max)")
        let limited = try RecordingLibrary(
            PracticeStore(.file(harness.scratch.file("data/practice.db"))),
            folder: harness.scratch.file("data/library"),
            quota: 1 << 30)
        let path = try harness.wave("b.wav", seed: 9)
        #expect(libraryError { _ = try limited.add(fileAt: path) } == .overQuota)
    }

    @Test("the length of a playlist adds up for any lengths of its recordings")
    func playlistLength() throws {
        let harness = try LibraryHarness()
        let key = RecordingKey(high: 3, low: 4)
        let fields = #""rate": [1, 5], "frames": [9007199254740992, 5]"#
        try harness.library.merge(catalogueIn: Self.catalogue(key, fields))
        let item = try #require(try harness.library.item(key))
        let playlist = try harness.library.makePlaylist("Long")
        _ = try harness.library.add([item.number, item.number], to: playlist)
        let found = try #require(try harness.library.playlists().first)
        #expect(found.entryCount == 2 && found.seconds > 9e12)
        // Also where an earlier version has accepted a greater number.
        try Database(path: harness.scratch.file("data/practice.db"), creating: false).run(
            "UPDATE recording SET frame_count = \(Int64.max)")
        #expect(try harness.library.playlists().map(\.entryCount) == [2])
    }

    @Test("the frames of takes that move to a recording of another rate are limited")
    func otherRates() throws {
        let harness = try LibraryHarness()
        let giver = PracticeRecording(key: RecordingKey(high: 1, low: 1), sampleRate: 1, frameCount: 400)
        let taker = PracticeRecording(key: RecordingKey(high: 1, low: 2), sampleRate: 48_000, frameCount: 4000)
        let given = try #require(
            try harness.store.apply(.add([SectionDraft(0..<100, name: "a")]), to: giver).added.first)
        let take = try harness.store.addTake(
            inFileAt: "/nowhere/a.wav", .init(time: 7, sampleRate: 44_100, channelCount: 1, frameCount: 300),
            model: .init(key: giver.key, sectionID: given.id, frames: 0..<(1 << 53)), of: giver)
        _ = try harness.store.apply(.add([SectionDraft(0..<4000, name: "a")]), to: taker) { change in
            Dictionary(
                uniqueKeysWithValues: change.added.map {
                    ($0.id, SectionOrigin(key: giver.key, sectionID: given.id))
                })
        }
        #expect(try harness.store.take(take.number)?.model?.frames == 0..<4000)
    }

    @Test("a place in a restored store never lies outside the library's folder", arguments: [false, true])
    func places(isMerged: Bool) throws {
        let (here, there) = (try LibraryHarness(), try LibraryHarness())
        for seed in 1...2 { try here.library.add(fileAt: here.wave("\(seed).wav", seed: UInt64(seed))) }
        let backup = here.scratch.file("backup")
        try here.library.backUp(to: backup)
        let target = try there.text("mine.txt", "mine")
        let store = try #require(here.names(backup).first { $0.hasPrefix("practice-") })
        try Database(path: backup + "/" + store, creating: false).run(
            "UPDATE item SET path = '../../mine.txt' WHERE id = 1")
        if isMerged { try there.library.add(fileAt: there.wave("own.wav", seed: 9)) }
        _ = try there.library.restore(from: backup, merging: isMerged)
        let folder = there.library.folderPath
        func isInside() throws -> Bool {
            try there.library.items().allSatisfy { $0.path.hasPrefix(folder) && !$0.path.contains("..") }
        }
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "mine")
        #expect(try there.library.items().count == (isMerged ? 3 : 2) && isInside())
        #expect(try there.library.items().allSatisfy { !$0.isMissing })
        // A store that has such a place already.
        try Database(path: there.scratch.file("data/practice.db"), creating: false).run(
            "UPDATE item SET path = '../../mine.txt' WHERE id = (SELECT min(id) FROM item)")
        #expect(try there.library.items().count == (isMerged ? 3 : 2) && isInside())
        _ = try there.library.remove(there.library.items().map(\.number))
        try there.library.undoRemoval()
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "mine")
    }

    @Test("a search for any text works, also for a quotation mark with an accent")
    func marks() throws {
        let harness = try LibraryHarness()
        _ = try harness.library.add(fileAt: harness.wave("a.wav", seed: 1)).item
        for text in ["a\"\u{301}b", "\"\u{301} OR \"\u{301}", "日本\"\u{301}語", "\0\u{301}a"] {
            _ = try harness.library.items { $0.text = text }
        }
        _ = try harness.library.edit(1) { $0.title = "中文歌" }
        for text in ["\"中文\"", "\"中", "中文歌\"", "\"中文歌\""] {
            #expect(try harness.library.items { $0.text = text }.count == 1, "\(text)")
        }
        #expect(try harness.library.items { $0.text = "zz\"\u{301} OR a" }.isEmpty)
        #expect(
            libraryError {
                _ = try harness.library.edit(1) { $0.title = "a" + String(repeating: "\u{301}", count: 60_000) }
            }
                == .textRefused)
    }
}
