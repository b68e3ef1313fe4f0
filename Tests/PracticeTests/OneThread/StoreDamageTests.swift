import AudioFiles
import Database
import Foundation
import Practice
import Sections
import SoundFileSupport
import Store
import TestSupport
import Testing

@Suite("Damaged stores")
struct StoreDamageTests {
    private static let recordings: UInt64 = 40

    /// A store with enough content for tables of several pages.
    private static func make(_ path: String) throws -> [UInt8] {
        let store = try PracticeStore(.file(path))
        for number in 0..<recordings {
            let drafts = (0..<10).map { index in
                SectionDraft(
                    index..<index + 10, name: "n\(number) \(index)", text: String(repeating: "text ", count: 40))
            }
            try store.apply(.add(drafts), to: recording(number))
            let sound = StoredTake.Sound(time: 1, sampleRate: 48_000, channelCount: 1, frameCount: 5)
            try store.addTake(inFileAt: "/takes/\(number).wav", sound)
            try store.review(section: 1, of: recording(number), .good, at: 1_790_000_000)
            let entry = PracticeEntry(
                key: recording(number).key, sectionID: 1, frames: 0..<10, began: 0, ended: 9, seconds: 9)
            try store.log(entry, of: recording(number))
        }
        return Array(FileManager.default.contents(atPath: path) ?? Data())
    }

    /// Damages a file with these bytes, in one of several ways.
    private static func damage(_ kind: Int, _ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        let page = 4096 * Int.random(in: 1..<bytes.count / 4096, using: &generator)
        func random(_ range: Range<Int>) {
            for index in range { bytes[index] = UInt8.random(in: 0...255, using: &generator) }
        }
        switch kind {
        case 0: random(0..<bytes.count)
        case 1: random(0..<16)
        case 2: random(0..<100)
        case 3: random(100..<4096)
        case 4: bytes.removeLast(bytes.count / 2)
        case 5: bytes.removeLast(bytes.count - 4096)
        case 6: bytes.removeLast(bytes.count - 100)
        case 7: bytes.removeLast(bytes.count - 1)
        case 8: bytes.removeLast(1000)
        case 9: bytes.replaceSubrange(0..<bytes.count, with: Array("not a database at all".utf8))
        case 10: bytes.replaceSubrange(page..<page + 4096, with: Array(repeating: 0, count: 4096))
        case 11: random(page..<page + 4096)
        case 12: random(page..<page + 12)
        case 13: bytes.insert(contentsOf: [1, 2, 3], at: page)
        case 14: bytes.removeSubrange(page..<page + 4096)
        case 15: bytes.swapAt(page, 4096)
        case 16: bytes.replaceSubrange(4096..<bytes.count, with: Array(repeating: 0, count: bytes.count - 4096))
        case 17: for _ in 0..<20 { bytes[Int.random(in: 100..<bytes.count, using: &generator)] ^= 1 }
        case 18: for _ in 0..<200 { bytes[Int.random(in: 4096..<bytes.count, using: &generator)] ^= 0xFF }
        default: bytes = []
        }
        return bytes
    }

    @Test("a store with any damage can be used, keeps the damaged file, and invents no row")
    func damages() throws {
        var generator = SeededGenerator(printedFor: "damaged stores")
        let scratch = try Scratch()
        let whole = try Self.make(scratch.file("whole.db"))
        let known = try PracticeStore(.file(scratch.file("whole.db"))).recordings().count
        #expect(known == Self.recordings)
        var saved = 0
        for kind in 0..<20 {
            for round in 0..<environmentCount("WOODSHED_FUZZ_STORES", short: 1) {
                let path = scratch.file("d\(kind)-\(round).db")
                let bytes = Self.damage(kind, whole, using: &generator)
                #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
                let store = try PracticeStore(.file(path))
                let one = recording(1000)
                do {
                    try store.apply(.mark(frame: 5000), to: one)
                    for kept in try store.recordings() {
                        saved += try store.sections(of: kept.recording).sections.count
                    }
                    _ = try store.recordings(matching: "n1")
                    #expect(try store.sections(of: one).sections.count == 2, "kind \(kind)")
                    #expect(try PracticeStore(.file(path)).recordings().count <= Self.recordings + 1, "kind \(kind)")
                } catch let error as StoreError {
                    // A header of another program or another version is left alone.
                    #expect(
                        [.foreign, .newer].contains(error.kind) && kind <= 3 || kind == 17, "kind \(kind): \(error)")
                    #expect(FileManager.default.contents(atPath: path) == Data(bytes), "kind \(kind)")
                }
                if let repair = store.repair {
                    #expect(FileManager.default.fileExists(atPath: repair.damagedPath))
                    #expect(!repair.message.isEmpty && !repair.remedy.isEmpty)
                }
                #expect(!scratch.names.contains { $0.contains(".repairing") }, "kind \(kind)")
            }
        }
        print("damaged stores: \(saved) sections read")
        #expect(saved > 1000)
    }

    @Test("a second damage keeps the first damaged file, and a damaged header loses no row")
    func keptAside() throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        _ = try Self.make(path)
        let store = try PracticeStore(.file(path))
        for count in 1...3 {
            // The first page of a table, so that rows are lost.
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.seek(toOffset: 0)
            try file.write(contentsOf: Data("no SQLite header".utf8))
            try file.close()
            let again = try PracticeStore(.file(path))
            #expect(try again.recordings().count == Int(Self.recordings))
            let repair = try #require(again.repair)
            #expect(repair.damagedPath == path + (count == 1 ? ".damaged" : ".damaged-\(count)"))
            #expect(repair.recordingCount == Int(Self.recordings) && repair.sectionCount == 10 * Int(Self.recordings))
            #expect(try repair.takeCount == Int(Self.recordings) && again.takes().count == Int(Self.recordings))
            #expect(try repair.reviewCount == Int(Self.recordings) && again.reviews().count == Int(Self.recordings))
            #expect(
                try repair.practiceCount == Int(Self.recordings) && again.practiceLog().count == Int(Self.recordings))
            #expect(try again.recordings(matching: "n7").map(\.recording.key.high) == [7])
        }
        // A store that was open all the time continues with the repaired file.
        try store.apply(.mark(frame: 1), to: recording(5))
        #expect(try PracticeStore(.file(path)).sections(of: recording(5)).sections.count == 12)
    }

    @Test(
        "damage that SQLite reports as a wrong statement is repaired",
        arguments: [
            "UPDATE section_words_config SET v = 0 WHERE k = 'version'", "DROP TABLE change", "DROP TABLE file",
            "DELETE FROM section_words_docsize",
        ])
    func reportedAsMistake(_ damage: String) throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        _ = try Self.make(path)
        try Database(path: path, creating: false).run(damage)
        let store = try PracticeStore(.file(path))
        try store.apply(.mark(frame: 5000), to: recording(3))
        try store.remember(recording(4), position: 1, settings: [:])
        #expect(try store.recordings(matching: "n7").map(\.recording.key.high) == [7])
        #expect(try store.undo(recording(3).key).removed.isEmpty == false)
        #expect(try store.recordings().count == Int(Self.recordings))
    }
}
