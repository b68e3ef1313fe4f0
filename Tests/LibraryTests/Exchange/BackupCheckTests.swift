import AudioFiles
import Database
import Foundation
import SoundFileSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("Backup comparison")
struct BackupCheckTests {
    /// A library with recordings and its backup.
    private func filled(_ count: Int) throws -> (here: LibraryHarness, backup: String) {
        let here = try LibraryHarness()
        for seed in 0..<count { try here.library.add(fileAt: here.wave("\(seed).wav", seed: UInt64(seed))) }
        let backup = here.scratch.file("backup")
        try here.library.backUp(to: backup)
        return (here, backup)
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    /// Changes only the sound of a file.
    private func spoil(_ path: String) throws {
        var data = try bytes(path)
        data[data.count - 7] ^= 0x55
        try data.write(to: URL(fileURLWithPath: path))
    }

    /// Replaces a recording and the copy with incomparable files.
    ///
    /// - Returns: The path of the recording.
    @discardableResult
    private func makeUnknown(_ harness: LibraryHarness, _ copy: String) throws -> String {
        let source = harness.library.folderPath + "/" + String(copy.split(separator: "/").last ?? "")
        // The header of a format that only ffmpeg reads, with or without ffmpeg.
        for path in [source, copy] {
            let count = try bytes(path).count
            let content: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3] + [UInt8](repeating: 7, count: count - 4)
            try Data(content).write(to: URL(fileURLWithPath: path))
        }
        return source
    }

    private func copies(_ harness: LibraryHarness, _ backup: String) -> [String] {
        harness.names(backup + "/recordings").map { "\(backup)/recordings/\($0)" }
    }

    @Test("ten backups compare every file once, and --verify compares every file at once")
    func rounds() throws {
        let (here, backup) = try filled(13)
        let all = copies(here, backup)
        let whole = try all.map { try bytes($0) }
        for path in all { try spoil(path) }
        var repaired: [String] = []
        for _ in 0..<7 {
            let summary = try here.library.backUp(to: backup)
            #expect(summary.compared <= 2 && summary.problems.isEmpty && summary.copied == summary.repaired.count)
            repaired += summary.repaired
        }
        #expect(repaired.count == 13 && Set(repaired) == Set(all))
        #expect(try all.map { try bytes($0) } == whole)
        for path in all { try spoil(path) }
        let verified = try here.library.backUp(to: backup, isVerifying: true)
        #expect(verified.compared == 13 && Set(verified.repaired) == Set(all) && verified.files == 13, "\(verified)")
        #expect(try here.library.backUp(to: backup, isVerifying: true).repaired.isEmpty)
    }

    @Test("ten backups compare every file even if some fail, and report the failures each time")
    func roundsPastUnknown() throws {
        let (here, backup) = try filled(13)
        let all = copies(here, backup)
        for copy in all.prefix(2) { try makeUnknown(here, copy) }
        let rest = Array(all.dropFirst(2))
        for path in rest { try spoil(path) }
        var repaired: [String] = []
        for _ in 0..<6 {
            let summary = try here.library.backUp(to: backup)
            #expect(summary.compared <= 2 && summary.problems.count == 2 && summary.files == 13, "\(summary)")
            repaired += summary.repaired
        }
        #expect(repaired.count == 11 && Set(repaired) == Set(rest))
    }

    @Test("a backup of a store that lost rows does not replace the store that has the rows")
    func lostRows() throws {
        let (here, backup) = try filled(3)
        let last = backup + "/" + (try #require(try BackupManifest(in: backup)).store)
        let path = here.scratch.file("data/practice.db")
        let page = try #require(
            try Database(path: path, creating: false).first("SELECT rootpage FROM sqlite_schema WHERE name = 'item'") {
                (row) throws(DatabaseError) in try row.integer(0)
            })
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: UInt64(page - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 64))
        try file.close()
        // A program that has not read the page yet.
        let library = try here.another()
        let names = here.names(backup)
        #expect(libraryError { try library.backUp(to: backup) } == .changed)
        #expect(library.store.repair?.isComplete == false)
        #expect(here.names(backup) == names)
        let there = try LibraryHarness()
        #expect(try there.library.restore(from: backup).recordings == 3)
        // The library refuses the first backup; a second request writes the readable part.
        #expect(try library.salvage(storeAt: last).items == 3)
        #expect(try library.backUp(to: backup).problems.isEmpty && library.items().count == 3)
        #expect(!here.isThere(last))
    }

    @Test("a backup of version 0.2.0 without times is continued, and its unlisted files are compared")
    func earlier() throws {
        let (here, backup) = try filled(3)
        let manifest = URL(fileURLWithPath: backup + "/manifest.json")
        let text = try String(contentsOf: manifest, encoding: .utf8)
        let earlier = text.replacing(/,"compared":[0-9]+/, with: "")
        #expect(earlier != text)
        try Data(earlier.utf8).write(to: manifest)
        #expect(try here.library.backUp(to: backup).compared == 1)
        try FileManager.default.removeItem(at: manifest)
        try spoil(copies(here, backup)[2])
        let summary = try here.library.backUp(to: backup)
        #expect(summary.compared == 3 && summary.repaired.count == 1 && summary.problems.isEmpty, "\(summary)")
    }

    @Test("a damaged, changed or missing source never replaces a whole copy in the backup")
    func sources() throws {
        let (here, backup) = try filled(3)
        let all = copies(here, backup)
        let whole = try all.map { try bytes($0) }
        let sources = here.names(here.library.folderPath).filter { $0.hasSuffix(".wav") }.map {
            "\(here.library.folderPath)/\($0)"
        }
        try spoil(sources[0])
        try Data("short".utf8).write(to: URL(fileURLWithPath: sources[1]))
        try FileManager.default.removeItem(atPath: sources[2])
        for _ in 0..<2 {
            let summary = try here.library.backUp(to: backup, isVerifying: true)
            #expect(summary.files == 3 && summary.copied == 0 && summary.problems.count == 3, "\(summary)")
            #expect(summary.problems.allSatisfy { $0.contains("its copy in the backup is whole") }, "\(summary)")
            #expect(try all.map { try bytes($0) } == whole)
        }
        let there = try LibraryHarness()
        #expect(try there.library.restore(from: backup).recordings == 3 && there.library.check().isClean)
        // Damage to both: the backup reports the damage, and drops the file.
        try spoil(all[0])
        let summary = try here.library.backUp(to: backup, isVerifying: true)
        #expect(summary.files == 2 && summary.problems.contains { $0.contains("damaged") }, "\(summary)")
    }

    @Test("a file that cannot be compared keeps its copy and its place in the backup, with the reason")
    func unknown() throws {
        let (here, backup) = try filled(2)
        let copy = copies(here, backup)[0]
        let source = try makeUnknown(here, copy)
        let summary = try here.library.backUp(to: backup, isVerifying: true)
        #expect(summary.files == 2 && summary.copied == 0 && summary.problems.count == 1, "\(summary)")
        #expect(summary.problems.allSatisfy { $0.contains("could not be compared: ") }, "\(summary)")
        // Without a copy, the backup keeps at least the bytes.
        try FileManager.default.removeItem(atPath: copy)
        let copied = try here.library.backUp(to: backup, isVerifying: true)
        #expect(copied.files == 2 && copied.copied == 1 && copied.problems.count == 1, "\(copied)")
        #expect(try bytes(copy) == bytes(source))
        let contents = try here.library.writeBundle(to: here.scratch.file("all.tar"))
        #expect(contents.recordings == 2 && contents.changed.isEmpty && contents.missing.isEmpty, "\(contents)")
    }

    @Test("a comparison time far in the future does not end the round of comparisons")
    func clock() throws {
        let (here, backup) = try filled(3)
        let manifest = URL(fileURLWithPath: backup + "/manifest.json")
        let text = try String(contentsOf: manifest, encoding: .utf8)
        try Data(text.replacing(/"compared":[0-9]+/, with: "\"compared\":4000000000000").utf8).write(to: manifest)
        let all = copies(here, backup)
        for path in all { try spoil(path) }
        var repaired: Set<String> = []
        for _ in 0..<3 { repaired.formUnion(try here.library.backUp(to: backup).repaired) }
        #expect(repaired == Set(all))
    }
}
