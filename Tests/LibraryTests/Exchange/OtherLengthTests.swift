import AudioFiles
import Database
import JSON
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store
@testable import TextFormats

/// Decoders of different versions count the frames of a recording differently.
@Suite("Catalogue with another length of a recording")
struct OtherLengthTests {
    /// A catalogue of one recording with a section.
    private static func catalogue(_ key: RecordingKey, _ sound: String, title: String, rest: String = "") -> [UInt8] {
        let fields = #""title": ["\#(title)", 5], "added": [5000, 5], \#(sound)"#
        let section = #"{"id": "s", "fields": {"range": [[10, 401], 6], "name": ["Head", 6]}}"#
        let text = #"{"id": "\#(key)", "fields": {\#(fields)}, "sections": [\#(section)]\#(rest)}"#
        return Array(#"{"catalogue": "woodshed library", "v": 1, "recordings": [\#(text)]}"#.utf8)
    }

    private func added(_ harness: LibraryHarness) throws -> RecordingKey {
        try harness.library.add(fileAt: harness.wave("a.wav", seed: 1)).item.key
    }

    private func sections(_ harness: LibraryHarness, _ key: RecordingKey) throws -> [Range<Int64>] {
        try harness.store.sections(of: key)?.sections.map(\.frames) ?? []
    }

    private func told(_ harness: LibraryHarness, _ key: RecordingKey, _ field: String) throws -> Int64? {
        let catalogue = try LibraryCatalogue(reading: Array(harness.library.catalogueText().utf8))
        return catalogue.recordings[ExactText("\(key)")]?.item[field]?.integer(in: .counts)
    }

    @Test(
        "a length that differs by frames lets a catalogue bring titles, sections and removals",
        arguments: [399, 401, 8592])
    func padding(frames: Int) throws {
        let harness = try LibraryHarness()
        let key = try added(harness)
        let sound = #""rate": [44100, 5], "frames": [\#(frames), 5]"#
        let summary = try harness.library.merge(catalogueIn: Self.catalogue(key, sound, title: "Other"))
        #expect(summary.changed == 1 && summary.sections == 1 && summary.otherSound.isEmpty)
        let item = try #require(try harness.library.item(key))
        #expect(item.words.title == "Other" && item.recording.frameCount == 400)
        #expect(try sections(harness, key) == [10..<400])
        #expect(try harness.library.merge(catalogueIn: Self.catalogue(key, sound, title: "Other")).isEmpty)
        let removal = Self.catalogue(key, sound, title: "Other", rest: #", "deleted": 9999999999999"#)
        #expect(try harness.library.merge(catalogueIn: removal).removed == 1)
        #expect(try harness.library.items().isEmpty)
    }

    @Test(
        "a length that differs by seconds or rate brings the title but no sections, and is reported",
        arguments: [
            #""rate": [48000, 5], "frames": [400, 5]"#, #""rate": [44100, 5], "frames": [8593, 5]"#,
            #""rate": [0, 5]"#, #""frames": [null, 5]"#,
        ])
    func otherSound(sound: String) throws {
        let harness = try LibraryHarness()
        let key = try added(harness)
        let summary = try harness.library.merge(catalogueIn: Self.catalogue(key, sound, title: "Other"))
        #expect(summary.changed == 1 && summary.sections == 0 && summary.otherSound.count == 1)
        #expect(try harness.library.item(key)?.words.title == "Other")
        #expect(try sections(harness, key).isEmpty)
        // Exports describe the sound on this computer.
        #expect(try told(harness, key, CatalogueField.sampleRate) == 44100)
        #expect(try told(harness, key, CatalogueField.frameCount) == 400)
        #expect(try harness.library.merge(catalogueIn: Self.catalogue(key, sound, title: "Other")).isEmpty)
        let right = Self.catalogue(key, #""rate": [44100, 5], "frames": [400, 5]"#, title: "Other")
        #expect(try harness.library.merge(catalogueIn: right).sections == 1)
        #expect(try sections(harness, key) == [10..<400])
    }

    @Test("a rate that an earlier version adopted wrongly is corrected in exports")
    func poisoned() throws {
        let harness = try LibraryHarness()
        let key = try added(harness)
        _ = try harness.library.catalogueText()
        let changed = try Database(path: harness.scratch.file("data/practice.db"), creating: false).run(
            """
            UPDATE merged SET content = replace(content, '"rate":[44100,0]', '"rate":[48000,9]')
            WHERE instr(content, '"rate":[44100,0]') > 0
            """)
        #expect(changed == 1)
        #expect(try told(harness, key, CatalogueField.sampleRate) == 44100)
    }

    @Test("a merge restores the rate and length of a recording of which a repair kept only the key")
    func lost() throws {
        let harness = try LibraryHarness()
        let key = try added(harness)
        try Database(path: harness.scratch.file("data/practice.db"), creating: false).run(
            "UPDATE recording SET sample_rate = 1, frame_count = 0")
        let sound = #""rate": [44100, 5], "frames": [401, 5]"#
        #expect(try harness.library.merge(catalogueIn: Self.catalogue(key, sound, title: "Other")).sections == 1)
        let recording = try #require(try harness.library.item(key)).recording
        #expect(recording.sampleRate == 44_100 && recording.frameCount == 401)
        #expect(try sections(harness, key) == [10..<401])
    }
}
