import AudioFiles
import Files
import Foundation
import Glibc
import Practice
import Sections
import SoundFileSupport
import TestSupport
import Testing
import TextFormats

@testable import Catalogue
@testable import Library
@testable import Store

/// The bytes of an archive with these members.
private func archive(_ members: [(name: String, bytes: [UInt8])], isEnded: Bool = true) -> [UInt8] {
    var all: [UInt8] = []
    for (name, bytes) in members {
        all += TarHeader(name: Array(name.utf8), byteCount: Int64(bytes.count)).blocks + bytes
        all += TarHeader.padding(Int64(bytes.count))
    }
    return all + [UInt8](repeating: 0, count: isEnded ? 1024 : 0)
}

private func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
}

private func bytes(_ path: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(fileURLWithPath: path))) }

/// A library with two recordings, a section, a playlist and a take.
private func filled() throws -> LibraryHarness {
    let harness = try LibraryHarness()
    let first = try harness.library.add(fileAt: harness.wave("a.wav", seed: 1)).item
    let second = try harness.library.add(fileAt: harness.wave("b.wav", seed: 2), .link).item
    try harness.library.edit(second.number) { $0.tags = ["modal"] }
    try harness.store.apply(
        .add([SectionDraft(5..<50, name: "Intro"), SectionDraft(60..<90, name: "Head")]), to: first.recording)
    let playlist = try harness.library.makePlaylist("Monday")
    try harness.library.add([second.number, first.number], to: playlist)
    let sound = try harness.wave("take.wav", seed: 9, frames: 300)
    let take = try harness.store.addTake(
        inFileAt: sound, .init(time: 7, sampleRate: 44_100, channelCount: 1, frameCount: 300, device: "mic"),
        model: .init(key: first.key, sectionID: 2, sectionName: "Head", frames: 60..<90, pass: 3, speed: 0.5),
        of: first.recording)
    try harness.store.edit(take: take.number, .rename("slow"))
    try harness.store.edit(take: take.number, .rate(4))
    return harness
}

@Suite("Bundles")
struct BundleTests {
    @Test("a bundle brings a library with its sound to another computer, and a repetition changes nothing")
    func roundTrip() throws {
        let (here, there) = (try filled(), try LibraryHarness())
        // Numbers of sections differ there.
        let first = try #require(try here.library.items().last)
        let other = try there.library.add(fileAt: here.wave("a.wav", seed: 1)).item
        try there.store.apply(.add([SectionDraft(1..<3, name: "mine")]), to: other.recording)
        let path = here.scratch.file("all.tar")
        let contents = try here.library.writeBundle(to: path)
        #expect(contents.recordings == 2 && contents.takes == 1 && contents.missing.isEmpty)
        let summary = try there.library.importFile(at: path)
        #expect(summary.recordings == 1 && summary.takes == 1 && summary.passedOver == 1, "\(summary)")
        #expect(summary.refused.isEmpty && summary.problem == nil)
        #expect(
            try there.library.items().map { "\($0.key) \($0.words)" }.sorted()
                == here.library.items().map { "\($0.key) \($0.words)" }.sorted())
        #expect(try there.library.items().allSatisfy { !$0.isMissing && $0.place == .kept })
        // The file has no title, and must not remove the stored title.
        let second = try #require(try here.library.items().first)
        #expect(try there.store.recording(second.key)?.recording.title == second.words.title)
        #expect(try there.library.check().isClean)
        try checkWords(of: there.library)
        let take = try #require(try there.store.takes().first)
        #expect(take.name == "slow" && take.rating == 4 && take.sound.device == "mic")
        #expect(take.path.hasPrefix(there.scratch.file("data/takes/")) && there.isThere(take.path))
        let model = try #require(take.model)
        #expect(model.pass == 3 && model.speed == 0.5 && model.key == first.key)
        let section = try #require(try there.store.sections(of: first.key)?.sections.first { $0.id == model.sectionID })
        #expect(section.name == "Head")
        let again = try there.library.importFile(at: path)
        #expect(again.merge.isEmpty && again.recordings == 0 && again.takes == 0 && again.passedOver == 3)
        // The changes from there reach this library, too.
        #expect(try here.library.merge(catalogueIn: Array(there.library.catalogueText().utf8)).sections == 1)
        #expect(try here.library.catalogueText() == there.library.catalogueText())
    }

    @Test("a bundle brings documents to another computer, whether copied or linked")
    func documents() throws {
        let (here, there) = (try filled(), try LibraryHarness())
        let number = try #require(try here.library.items().last).number
        for name in ["a.pdf", "b.txt", "c.pdf"] {
            try here.library.attach(fileAt: here.text(name, name), to: number, link: name != "a.pdf")
        }
        // A changed file is no longer the attached document.
        _ = try here.text("c.pdf", "changed")
        let path = here.scratch.file("all.tar")
        let contents = try here.library.writeBundle(to: path)
        #expect(contents.documents == 2 && contents.missingDocuments.map(\.name) == ["c.pdf"], "\(contents)")
        let summary = try there.library.importFile(at: path)
        #expect(summary.documents == 2 && summary.merge.documents == 3 && summary.refused.isEmpty, "\(summary)")
        let item = try #require(try there.library.items().first { $0.documentCount == 3 })
        let documents = try there.library.documents(of: item.number)
        #expect(
            Set(documents.map(\.name)) == ["a.pdf", "b.txt", "c.pdf"] && documents.allSatisfy { $0.place == .kept })
        #expect(documents.filter(\.isMissing).map(\.name) == ["c.pdf"])
        #expect(try there.library.check().missingDocuments.map(\.name) == ["c.pdf"])
        let again = try there.library.importFile(at: path)
        #expect(again.merge.isEmpty && again.documents == 0)
        #expect(try here.library.catalogueText() == there.library.catalogueText())
        #expect(try here.library.catalogueText().contains("a.pdf"))
        // A removal there is a removal here, and an undo reaches this library, too.
        let first = try #require(documents.first { $0.name == "a.pdf" })
        try there.library.removeDocument(first.index, of: item.number)
        #expect(try here.library.merge(catalogueIn: Array(there.library.catalogueText().utf8)).documents == 1)
        #expect(try here.documents(number) == ["b.txt", "c.pdf"] && here.trashedDocumentFiles.count == 1)
        try there.library.undoRemoval()
        #expect(try here.library.merge(catalogueIn: Array(there.library.catalogueText().utf8)).documents == 1)
        #expect(try here.documents(number) == ["a.pdf", "b.txt", "c.pdf"] && here.documentFiles.count == 1)
        #expect(try here.library.check().isClean)
    }

    @Test("a bundle replaces no file of a take that the user unlisted and changed")
    func changedTake() throws {
        let (here, there) = (try filled(), try LibraryHarness())
        let path = here.scratch.file("all.tar")
        _ = try here.library.writeBundle(to: path)
        _ = try there.library.importFile(at: path)
        let take = try #require(try there.store.takes().first)
        try there.store.forget(take: take.number)
        try writeWave(take.path, music(frameCount: 200, channelCount: 1, seed: 5))
        let changed = try bytes(take.path)
        let summary = try there.library.importFile(at: path)
        #expect(summary.takes == 1 && summary.refused.isEmpty, "\(summary)")
        let again = try #require(try there.store.takes().first)
        #expect(again.path != take.path && there.isThere(again.path))
        #expect(try bytes(take.path) == changed && here.isThere(path) && there.isThere(take.path))
    }

    @Test("a bundle is an archive for other programs, and may hold chosen recordings alone")
    func foreignReader() throws {
        let here = try filled()
        let path = here.scratch.file("one.tar")
        let item = try #require(try here.library.items().first)
        #expect(try here.library.writeBundle(to: path, of: [item.number], withTakes: false).recordings == 1)
        let listing = try output("tar", "-tf", path)
        #expect(listing == "catalogue.json\nrecordings/\(item.key).wav\n")
        #expect(libraryError { _ = try here.library.writeBundle(to: path, of: [99]) } == .unknown)
        #expect(libraryError { _ = try here.library.writeBundle(to: path) { true } } == .cancelled)
        #expect(try output("tar", "-tf", path) == listing)
    }

    @Test("a truncated bundle is imported up to its end", arguments: [1, 511, 512, 700, 1024, 2000])
    func cutOff(cut: Int) throws {
        let here = try filled()
        let path = here.scratch.file("all.tar")
        try here.library.writeBundle(to: path)
        let whole = try bytes(path)
        let there = try LibraryHarness()
        let short = here.scratch.file("short.tar")
        try write(Array(whole.dropLast(1024 + cut)), to: short)
        let summary = try there.library.importFile(at: short)
        #expect(summary.problem?.kind == .badBundle && summary.recordings == (cut < 1500 ? 2 : 1))
        #expect(try there.library.items().count == 2)
        #expect(there.names(there.scratch.file("data/library/parts")).isEmpty)
        // A cut within the catalogue imports nothing.
        let none = try LibraryHarness()
        try write(Array(whole.prefix(512 + cut % 512)), to: short)
        #expect(libraryError { _ = try none.library.importFile(at: short) } == .badBundle)
        #expect(try none.library.items().isEmpty)
        #expect(try there.library.importFile(at: path).problem == nil)
        #expect(try here.library.catalogueText() == there.library.catalogueText())
    }

    @Test("a bundle is read from a pipe, too")
    func pipes() throws {
        // The harness removes its files on release.
        let here = try filled()
        let catalogue = try Array(here.library.catalogueText().utf8)
        var ends: [Int32] = [-1, -1]
        #expect(unsafe pipe(&ends) == 0)
        defer { close(ends[0]) }
        // Less than the capacity of a pipe without a reader.
        try FileBytes.append(archive([("catalogue.json", catalogue)])[...], to: ends[1])
        close(ends[1])
        var reader = TarReader(ends[0])
        let member = try reader.next()
        let pieces = try reader.catalogue()
        let end = try reader.next()
        #expect(member?.byteCount == Int64(catalogue.count))
        #expect(pieces.count == 2 && end == nil)
        withExtendedLifetime(here) {}
    }

    @Test("a bundle writes no file outside the library, whatever names and kinds it has")
    func hostile() throws {
        let here = try filled()
        let catalogue = try here.library.catalogueText()
        let item = try #require(try here.library.items().last)
        let sound = try bytes(item.path)
        let path = here.scratch.file("bad.tar")
        let key = "\(item.key)"
        var members: [(String, [UInt8])] = [("catalogue.json", Array(catalogue.utf8))]
        for name in [
            "../evil", "/tmp/woodshed-evil", "recordings/../../evil", "recordings/\(key).wav/x", "recordings/\(key)",
            "recordings/\(key)../x", "takes/\(key).wav", "documents/../../evil", "documents/\(key)", "documents/x.pdf",
            "recordings/\(key.uppercased()).WAV", "recordings//\(key).wav",
            String(repeating: "long/", count: 100) + "x", "", "\u{0}",
        ] { members.append((name, sound)) }
        // The sound of another recording.
        members.append(("recordings/\(try #require(try here.library.items().first).key).wav", sound))
        var all = archive(members, isEnded: false)
        for type in "123456VSDMN" {
            all += TarHeader(name: Array("recordings/\(key).wav".utf8), byteCount: 0, type: type.asciiValue ?? 0).blocks
        }
        all += TarHeader(name: [0xFF, 0xFE, 0x2F], byteCount: 0).blocks
        all += archive([("recordings/\(key).wav", sound)])
        try write(all, to: path)
        let there = try LibraryHarness()
        let summary = try there.library.importFile(at: path)
        #expect(summary.problem == nil && summary.recordings == 1 && summary.refused.count >= 20, "\(summary)")
        #expect(summary.refused.allSatisfy { !$0.contains("\u{0}") })
        #expect(
            there.names(there.scratch.path) == ["data"]
                && there.names(there.scratch.file("data")) == ["library", "practice.db"])
        #expect(there.names(there.scratch.file("data/library")) == ["\(key).wav", "parts", "trash"])
        #expect(!there.isThere("/tmp/woodshed-evil"))
    }

    @Test("a bundle with damaged heads or wrong sizes ends with a cause")
    func damaged() throws {
        let here = try filled()
        let path = here.scratch.file("all.tar")
        try here.library.writeBundle(to: path)
        let whole = try bytes(path)
        let bad = here.scratch.file("bad.tar")
        var random = SeededGenerator(seed: 4711)
        for _ in 0..<60 {
            var changed = whole
            for _ in 0..<3 {
                changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try write(changed, to: bad)
            let there = try LibraryHarness()
            // With any outcome: no crash, and the imported part is right.
            _ = try? there.library.importFile(at: bad)
            #expect(try there.library.check().orphans.isEmpty)
            for item in try there.library.items() where !item.isMissing {
                #expect(try RecordingKey(ofFileAt: item.path) == item.key)
            }
        }
        for size in [Int64.max >> 5, 1 << 50, TarHeader.largestSize] {
            let catalogue = try here.library.catalogueText()
            let key = try #require(try here.library.items().last).key
            try write(
                archive([("catalogue.json", Array(catalogue.utf8))], isEnded: false)
                    + TarHeader(name: Array("recordings/\(key).wav".utf8), byteCount: size).blocks + [1, 2, 3], to: bad)
            let there = try LibraryHarness()
            do {
                let summary = try there.library.importFile(at: bad)
                #expect(summary.problem?.kind == .badBundle)
            } catch let error as RecordingLibraryError { #expect(error.kind == .diskFull) }
            #expect(there.names(there.scratch.file("data/library/parts")).isEmpty)
        }
    }

    @Test("a file that is no bundle is refused")
    func foreign() throws {
        let here = try filled()
        let there = try LibraryHarness()
        let path = here.scratch.file("x")
        for content in [
            [], [1, 2, 3], [UInt8](repeating: 0, count: 2048), archive([("a", [1])]), archive([("recordings/x", [1])]),
        ] {
            try write(content, to: path)
            #expect(libraryError { _ = try there.library.importFile(at: path) } == .badBundle)
        }
        #expect(libraryError { _ = try there.library.importFile(at: here.scratch.file("none")) } == .unknown)
        #expect(there.names(there.scratch.path).isEmpty)
    }

    @Test("numbers of any size and long names in a bundle are read back")
    func headers() throws {
        let here = try LibraryHarness()
        for (name, size) in [
            ("a", Int64(0)), (String(repeating: "é", count: 400), 3), ("b", TarHeader.largestSize + 1), ("c", 1 << 50),
        ] {
            let path = here.scratch.file("h.tar")
            try write(TarHeader(name: Array(name.utf8), byteCount: size).blocks, to: path)
            let file = try unsafe RegularFile(path)
            var reader = TarReader(file.descriptor)
            #expect(try reader.next() == .init(name: Array(name.utf8), byteCount: size, isFile: true))
        }
    }
}

private func output(_ program: String, _ arguments: String...) throws -> String {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["timeout", "--kill-after=10", "300", program] + arguments
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
}
