import AudioFiles
import Files
import Foundation
import Practice
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

extension LibraryHarness {
    var documentFiles: [String] { names(library.folderPath + "/documents") }
    var trashedDocumentFiles: [String] { names(library.folderPath + "/trash/documents") }

    /// The number of a recording added now.
    func recording(_ seed: UInt64) throws -> Int {
        try library.add(fileAt: try wave("song\(seed).wav", seed: seed)).item.number
    }
    func text(_ name: String, _ words: String) throws -> String { try scratch.write(name, Array(words.utf8)) }
    func documents(_ number: Int) throws -> [String] { try library.documents(of: number).map(\.name) }
}

@Suite("Documents of recordings")
struct DocumentTests {
    @Test("a copied document is equal, is named by its content, and the original stays")
    func copying() throws {
        let harness = try LibraryHarness()
        let (number, path) = (try harness.recording(1), try harness.text("Blue Bossa.PDF", "%PDF-1.4 notes"))
        let attached = try harness.library.attach(fileAt: path, to: number)
        let document = attached.document
        #expect(attached.isNew && document.name == "Blue Bossa.PDF" && document.place == .kept && document.index == 1)
        #expect(document.path == harness.library.folderPath + "/documents/\(document.hash).pdf")
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(contentsOf: URL(filePath: document.path)))
        #expect(document.byteCount == 14 && !document.isMissing)
        #expect(try harness.another().documents(of: number) == [document])
        #expect(try harness.library.items()[0].documentCount == 1 && harness.library.check().isClean)
        #expect(harness.names(harness.library.folderPath + "/parts").isEmpty)
    }

    @Test("equal documents are attached once, and one file serves several recordings")
    func twice() throws {
        let harness = try LibraryHarness()
        let (one, two) = (try harness.recording(1), try harness.recording(2))
        let (path, other) = (try harness.text("a.pdf", "same"), try harness.text("b.txt", "same"))
        try harness.library.attach(fileAt: path, to: one)
        let again = try harness.library.attach(fileAt: other, to: one)
        #expect(!again.isNew && again.document.name == "a.pdf")
        #expect(try harness.library.attach(fileAt: other, to: two).isNew)
        #expect(harness.documentFiles.count == 1)
        #expect(try harness.documents(one) == ["a.pdf"] && harness.documents(two) == ["b.txt"])
        // While one of the two recordings needs the file, the file stays.
        try harness.library.remove([one])
        #expect(harness.documentFiles.count == 1 && harness.trashedDocumentFiles.isEmpty)
        try harness.library.emptyTrash()
        #expect(harness.documentFiles.count == 1)
        #expect(try !harness.library.documents(of: two)[0].isMissing && harness.library.check().isClean)
    }

    @Test("a linked document stays in place, and becomes a copy on request")
    func linking() throws {
        let harness = try LibraryHarness()
        let (number, path) = (try harness.recording(1), try harness.text("a.pdf", "notes"))
        let linked = try harness.library.attach(fileAt: path, to: number, link: true)
        #expect(linked.isNew && linked.document.place == .linked && linked.document.path == path)
        #expect(harness.documentFiles.isEmpty)
        #expect(try !harness.library.attach(fileAt: path, to: number, link: true).isNew)
        #expect(try harness.library.attach(fileAt: path, to: number).document.place == .kept)
        #expect(harness.documentFiles.count == 1 && harness.isThere(path))
        // The other way round, a copy stays a copy.
        #expect(try harness.library.attach(fileAt: path, to: number, link: true).document.place == .kept)
        // After a removal of the copy, no document needs the file.
        try harness.library.removeDocument(1, of: number)
        #expect(try harness.library.attach(fileAt: path, to: number, link: true).document.place == .linked)
        #expect(harness.documentFiles.isEmpty && harness.trashedDocumentFiles.isEmpty)
        #expect(try harness.library.check().isClean)
    }

    // MARK: The trash

    @Test("undo returns a removed document, and a document attached again leaves the trash")
    func removing() throws {
        let harness = try LibraryHarness()
        let number = try harness.recording(1)
        for name in ["a.pdf", "b.pdf"] { try harness.library.attach(fileAt: harness.text(name, name), to: number) }
        #expect(libraryError { try harness.library.removeDocument(3, of: number) } == .unknown)
        #expect(try harness.library.removeDocument(1, of: number).name == "a.pdf")
        #expect(try harness.documents(number) == ["b.pdf"] && harness.library.documents(of: number)[0].index == 1)
        #expect(harness.documentFiles.count == 1 && harness.trashedDocumentFiles.count == 1)
        #expect(try harness.library.trashedDocumentCount == 1 && harness.library.check().isClean)
        #expect(try harness.library.undoRemoval().map(\.number) == [number])
        #expect(try harness.documents(number) == ["a.pdf", "b.pdf"] && harness.documentFiles.count == 2)
        #expect(libraryError { try harness.library.undoRemoval() } == .nothingToUndo)
        try harness.library.removeDocument(2, of: number)
        #expect(try harness.library.attach(fileAt: harness.scratch.file("b.pdf"), to: number).isNew)
        #expect(harness.documentFiles.count == 2 && harness.trashedDocumentFiles.isEmpty)
        #expect(try harness.library.check().isClean)
    }

    @Test("the documents of a recording go into the trash with it, and return with it")
    func removingRecording() throws {
        let harness = try LibraryHarness()
        let number = try harness.recording(1)
        for name in ["a.pdf", "b.pdf"] { try harness.library.attach(fileAt: harness.text(name, name), to: number) }
        try harness.library.removeDocument(1, of: number)
        try harness.library.remove([number])
        #expect(harness.documentFiles.isEmpty && harness.trashedDocumentFiles.count == 2)
        #expect(libraryError { try harness.library.attach(fileAt: harness.text("c", "c"), to: number) } == .trashed)
        #expect(try harness.library.check().isClean)
        // Each undo takes back a single removal.
        try harness.library.undoRemoval()
        #expect(try harness.documents(number) == ["b.pdf"] && harness.documentFiles.count == 1)
        try harness.library.undoRemoval()
        #expect(try harness.documents(number) == ["a.pdf", "b.pdf"] && harness.library.check().isClean)
        // Adding a recording again while in the trash brings the documents, too.
        try harness.library.remove([number])
        try harness.library.add(fileAt: harness.scratch.file("song1.wav"))
        #expect(try harness.documentFiles.count == 2 && harness.library.check().isClean)
    }

    @Test("an emptied trash frees the reported bytes, and forgets the documents")
    func emptying() throws {
        let harness = try LibraryHarness()
        let library = harness.library
        let (one, two) = (try harness.recording(1), try harness.recording(2))
        let long = String(repeating: "words ", count: 10_000)
        try library.attach(fileAt: harness.text("a.txt", long), to: one)
        try library.attach(fileAt: harness.text("b.txt", long + "b"), to: two)
        try library.removeDocument(1, of: two)
        try library.remove([one])
        let bytes = try library.trashByteCount()
        let emptied = try library.emptyTrash()
        #expect(emptied.bytes == bytes && bytes >= 120_000 && emptied.items.map(\.number) == [one])
        #expect(harness.trashedDocumentFiles.isEmpty && harness.documentFiles.isEmpty)
        #expect(try library.trashedDocumentCount == 0 && library.check().isClean)
        #expect(libraryError { try library.undoRemoval() } == .nothingToUndo)
        try library.add(fileAt: harness.scratch.file("song1.wav"))
        #expect(try harness.documents(one).isEmpty && harness.documents(two).isEmpty && library.check().isClean)
        #expect(try library.attach(fileAt: harness.scratch.file("a.txt"), to: one).isNew)
    }

    // MARK: The disk

    @Test("a check finds missing, orphaned and misplaced documents, and a repair restores most")
    func checking() throws {
        let harness = try LibraryHarness()
        let library = harness.library
        let number = try harness.recording(1)
        for name in ["a.pdf", "b.pdf", "c.pdf", "d.pdf"] {
            try library.attach(fileAt: harness.text(name, name), to: number, link: name == "d.pdf")
        }
        let documents = try library.documents(of: number)
        try FileManager.default.removeItem(atPath: documents[0].path)
        let moved = library.folderPath + "/trash/documents/" + fileName(documents[1].path)
        try FileManager.default.moveItem(atPath: documents[1].path, toPath: moved)
        try FileManager.default.removeItem(atPath: documents[3].path)
        let stray = try harness.scratch.write("data/library/documents/stray.pdf", [1])
        let report = try library.check()
        #expect(report.missingDocuments.map(\.name) == ["a.pdf", "d.pdf"])
        #expect(report.misplaced.map(\.path) == [moved] && report.orphans.map(\.path) == [stray])
        #expect(try report.missing.isEmpty && library.check() == report)
        try library.repair(report)
        let after = try library.check()
        #expect(after.misplaced.isEmpty && harness.isThere(documents[1].path) && after.missingDocuments.count == 2)
        // The library leaves a file without a document in place, and can attach the file.
        #expect(after.orphans.map(\.path) == [stray])
        try library.attach(fileAt: stray, to: number)
        try FileManager.default.removeItem(atPath: stray)
        _ = try harness.text("a.pdf", "a.pdf")
        #expect(try library.attach(fileAt: harness.scratch.file("a.pdf"), to: number).isNew)
        try library.removeDocument(4, of: number)
        #expect(try library.check().isClean)
        #expect(try harness.documents(number) == ["a.pdf", "b.pdf", "c.pdf", "stray.pdf"])
    }

    @Test("a failure of any disk call leaves either no document or a whole one", arguments: 0..<8)
    func faults(_ step: Int) throws {
        let harness = try LibraryHarness()
        let number = try harness.recording(1)
        let path = try harness.text("a.pdf", String(repeating: "notes", count: 1000))
        let calls = FailingCalls(after: step)
        let library = try RecordingLibrary(harness.store, folder: harness.scratch.file("data/library"), calls: calls)
        let attached = try? library.attach(fileAt: path, to: number)
        let fresh = try harness.another()
        #expect(try fresh.check().isClean && harness.isThere(path))
        #expect(try fresh.documents(of: number).count == (attached == nil ? 0 : 1))
        #expect(harness.documentFiles.count == (attached == nil ? 0 : 1))
        calls.stopFailing()
        let document = try library.attach(fileAt: path, to: number).document
        #expect(DocumentFile.hash(ofFileAt: document.path) == document.hash)
    }

    @Test("a document of a killed program between two steps does no harm")
    func killed() throws {
        let harness = try LibraryHarness()
        let (number, path) = (try harness.recording(1), try harness.text("a.pdf", "notes"))
        let hash = try #require(DocumentFile.hash(ofFileAt: path))
        // Before the change in the store.
        try harness.library.folder.make(forDocuments: true)
        let place = harness.library.folder.document(DocumentFile.name(hash, original: "a.pdf"))
        try FileManager.default.copyItem(atPath: path, toPath: place)
        #expect(try harness.library.documents(of: number).isEmpty)
        #expect(try harness.library.check().orphans.map(\.path) == [place])
        #expect(try harness.library.attach(fileAt: path, to: number).isNew && harness.library.check().isClean)
        // After the removal in the store, and before the file was moved.
        try harness.library.remove([number])
        let trashed = harness.library.folder.trashedDocument(fileName(place))
        try FileManager.default.moveItem(atPath: trashed, toPath: place)
        let report = try harness.library.check()
        #expect(report.misplaced.map(\.path) == [place])
        try harness.library.repair(report)
        #expect(try harness.isThere(trashed) && harness.library.check().isClean)
    }

    @Test("document names of every kind are kept, and never become names in the library's folder")
    func names() throws {
        let harness = try LibraryHarness()
        let number = try harness.recording(1)
        let names = [
            "caf\u{E9}.pdf", "cafe\u{301}.pdf", "a\u{1B}[31m\nb.pdf", "-n", ".hidden", "日本語.musicxml",
            "two  blanks .PDF",
            String(repeating: "ü", count: 120) + ".pdf", "x.y z",
        ]
        for (index, name) in names.enumerated() {
            let path = harness.scratch.file(name)
            try Data("\(index)".utf8).write(to: URL(filePath: path))
            #expect(try harness.library.attach(fileAt: path, to: number).isNew, "\(name)")
        }
        let kept = try harness.documents(number)
        #expect(kept.map { Array($0.utf8) } == names.map { Array(line($0).utf8) })
        let endings = Set(harness.documentFiles.map { $0.split(separator: ".").last.map(String.init) ?? "" })
        #expect(endings == ["pdf", "document", "hidden", "musicxml"])
        // Bytes that are not UTF-8.
        let raw = FileName.bytes(of: harness.scratch.path + "/") + [0xFF, 0xFE] + Array(".pdf".utf8)
        let path = FileName.text(of: raw)
        let descriptor = unsafe open(FileName.systemName(path), O_WRONLY | O_CREAT, 0o600)
        #expect(unsafe write(descriptor, "raw", 3) == 3)
        close(descriptor)
        #expect(try harness.library.attach(fileAt: path, to: number).isNew)
        #expect(try harness.library.attach(fileAt: path, to: number, link: true).document.name == fileName(path))
        let tooLong = harness.scratch.file(String(repeating: "n", count: 300))
        #expect(libraryError { try harness.library.attach(fileAt: tooLong, to: number) } == .unknown)
        #expect(try harness.library.check().isClean)
    }

    @Test("a path that is no file, and a document beyond the limit, are refused without a trace")
    func refusing() throws {
        let harness = try LibraryHarness()
        let number = try harness.recording(1)
        let pipe = harness.scratch.file("pipe")
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        for path in [harness.scratch.path, harness.scratch.file("none.pdf"), pipe, ""] {
            #expect(libraryError { try harness.library.attach(fileAt: path, to: number) } == .unknown, "\(path)")
        }
        let path = try harness.text("a.pdf", String(repeating: "n", count: 5000))
        #expect(libraryError { try harness.library.attach(fileAt: path, to: 99) } == .unknown)
        let small = try RecordingLibrary(harness.store, folder: harness.library.folderPath, quota: 3000)
        #expect(libraryError { try small.attach(fileAt: path, to: number) } == .overQuota)
        #expect(try small.attach(fileAt: path, to: number, link: true).isNew)
        #expect(harness.documentFiles.isEmpty && harness.names(harness.library.folderPath + "/parts").isEmpty)
    }

    @Test("several programs that attach and remove at once leave whole documents, each once")
    func atOnce() throws {
        let harness = try LibraryHarness()
        let numbers = [try harness.recording(1), try harness.recording(2)]
        let paths = try (0..<3).map { try harness.text("\($0).txt", "words \($0)") }
        let libraries = try (0..<4).map { _ in try harness.another() }
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            var random = SeededGenerator(seed: UInt64(index + 1))
            for _ in 0..<12 {
                let number = numbers.randomElement(using: &random) ?? numbers[0]
                let path = paths.randomElement(using: &random) ?? paths[0]
                switch Int.random(in: 0..<6, using: &random) {
                case 0...2: _ = try? libraries[index].attach(fileAt: path, to: number)
                case 3: _ = try? libraries[index].removeDocument(1, of: number)
                case 4: _ = try? libraries[index].undoRemoval()
                default: _ = try? libraries[index].emptyTrash()
                }
            }
        }
        let report = try harness.library.check()
        #expect(report.isClean, "\(report)")
        for number in numbers {
            let documents = try harness.library.documents(of: number)
            #expect(Set(documents.map(\.hash)).count == documents.count)
            for document in documents { #expect(DocumentFile.hash(ofFileAt: document.path) == document.hash) }
        }
    }

    @Test("a repaired store still has its documents")
    func repaired() throws {
        let harness = try LibraryHarness()
        let number = try harness.recording(1)
        for name in ["a.pdf", "b.pdf"] { try harness.library.attach(fileAt: harness.text(name, name), to: number) }
        try harness.library.removeDocument(1, of: number)
        let documents = try harness.library.documents(of: number)
        let file = try #require(FileHandle(forUpdatingAtPath: harness.scratch.file("data/practice.db")))
        try file.write(contentsOf: Data("no SQLite header".utf8))
        try file.close()
        let library = try harness.another()
        #expect(try library.documents(of: number) == documents && library.store.repair?.isComplete == true)
        #expect(try library.undoRemoval().count == 1 && library.documents(of: number).count == 2)
        #expect(try library.check().isClean)
    }

    @Test("the storage of documents is counted by itself, and a linked document takes none")
    func storage() throws {
        let harness = try LibraryHarness()
        let number = try harness.recording(1)
        let before = try harness.library.storage()
        try harness.library.attach(
            fileAt: harness.text("a.pdf", String(repeating: "n", count: 50_000)), to: number)
        try harness.library.attach(fileAt: harness.text("b.pdf", "b"), to: number, link: true)
        let after = try harness.library.storage()
        #expect(after.bytes[.documents] ?? 0 >= 50_000 && before.bytes[.documents] == 0)
        #expect(after.bytes[.recordings] == before.bytes[.recordings])
    }
}
