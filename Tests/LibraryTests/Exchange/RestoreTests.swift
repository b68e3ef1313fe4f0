import AudioFiles
import Database
import Files
import Foundation
import Practice
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("Restoring of a backup")
struct RestoreTests {
    /// A library with a recording and a take, and its backup with a configuration.
    private func filled(_ settings: String) throws -> (here: LibraryHarness, backup: String, settings: String) {
        let here = try LibraryHarness()
        try here.library.add(fileAt: here.wave("a.wav", seed: 1))
        _ = try here.store.addTake(
            inFileAt: here.wave("Solo.wav", seed: 9, frames: 300),
            .init(time: 7, sampleRate: 44_100, channelCount: 1, frameCount: 300))
        let path = here.scratch.file("woodshed.conf")
        try Data(settings.utf8).write(to: URL(fileURLWithPath: path))
        let backup = here.scratch.file("backup")
        try here.library.backUp(to: backup, settings: [path])
        return (here, backup, path)
    }

    @Test("a restore leaves no file beside a temporary store", arguments: [false, true])
    func leftovers(isMerged: Bool) throws {
        let (here, backup, _) = try filled("")
        defer { withExtendedLifetime(here) {} }
        let there = try LibraryHarness()
        if isMerged { try there.library.add(fileAt: there.wave("x.wav", seed: 20)) }
        try there.library.restore(from: backup, merging: isMerged)
        let names = there.names(there.scratch.file("data"))
        #expect(!names.contains { $0.contains(FilePlace.ownPrefix) }, "\(names)")
        #expect(there.names(there.library.folderPath + "/parts").isEmpty)
    }

    @Test(
        "a restore works from a damaged store, also beside a program with partial downloads", arguments: [false, true])
    func damaged(isMerged: Bool) throws {
        let (here, backup, _) = try filled("")
        defer { withExtendedLifetime(here) {} }
        let store = try #require(try BackupManifest(in: backup)).store
        let file = try #require(FileHandle(forUpdatingAtPath: backup + "/" + store))
        try file.write(contentsOf: Data("no SQLite header".utf8))
        try file.close()
        let there = try LibraryHarness()
        if isMerged { try there.library.add(fileAt: there.wave("x.wav", seed: 20)) }
        try there.library.folder.make()
        let restored = try there.library.folder.writingParts {
            try there.library.restore(from: backup, merging: isMerged)
        }
        #expect(restored.recordings == 1 && restored.refused.isEmpty, "\(restored)")
        #expect(try there.library.items().count == (isMerged ? 2 : 1) && there.store.takes().count == 1)
        let names = there.names(there.scratch.file("data"))
        #expect(!names.contains { $0.contains("damaged") || $0.contains(FilePlace.ownPrefix) }, "\(names)")
    }

    @Test("a restore reports that the store of the backup has lost rows", arguments: [false, true])
    func lostRows(isMerged: Bool) throws {
        let (here, backup, _) = try filled("")
        defer { withExtendedLifetime(here) {} }
        let store = backup + "/" + (try #require(try BackupManifest(in: backup)).store)
        let page = try #require(
            try Database(path: store, creating: false).first("SELECT rootpage FROM sqlite_schema WHERE name = 'take'") {
                (row) throws(DatabaseError) in try row.integer(0)
            })
        let file = try #require(FileHandle(forUpdatingAtPath: store))
        try file.seek(toOffset: UInt64(page - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 64))
        try file.close()
        let there = try LibraryHarness()
        if isMerged { try there.library.add(fileAt: there.wave("x.wav", seed: 20)) }
        let restored = try there.library.restore(from: backup, merging: isMerged)
        #expect(restored.recordings == 1 && restored.refused.map { $0.hasPrefix(store) } == [true], "\(restored)")
        #expect(try there.library.items().count == (isMerged ? 2 : 1))
    }

    @Test("a restore never replaces recordings that another program added meanwhile")
    func meanwhile() throws {
        let (here, backup, _) = try filled("")
        defer { withExtendedLifetime(here) {} }
        let there = try LibraryHarness()
        let wave = try there.wave("x.wav", seed: 20)
        var added: LibraryItem?
        #expect(
            libraryError {
                _ = try there.library.restore(from: backup) {
                    if added == nil { added = try? there.another().add(fileAt: wave).item }
                    return false
                }
            } == .notEmpty)
        let item = try #require(added)
        #expect(try there.library.items().map(\.key) == [item.key])
        #expect(try there.library.restore(from: backup, merging: true).refused.isEmpty)
        #expect(try there.library.items().count == 2 && there.library.items().allSatisfy { !$0.isMissing })
    }

    @Test("the first of two simultaneous restores to end is kept whole")
    func twice() throws {
        let (here, backup, _) = try filled("")
        defer { withExtendedLifetime(here) {} }
        let there = try LibraryHarness()
        var other: ImportSummary?
        #expect(
            libraryError {
                _ = try there.library.restore(from: backup) {
                    if other == nil { other = try? there.another().restore(from: backup) }
                    return false
                }
            } == .notEmpty)
        #expect(other?.merge.added == 1)
        #expect(try there.library.items().map(\.isMissing) == [false] && there.store.takes().count == 1)
        let names = there.names(there.scratch.file("data"))
        #expect(!names.contains { $0.contains(FilePlace.ownPrefix) }, "\(names)")
    }

    @Test("a restore is refused if downloads wait, and works by a merge")
    func downloads() throws {
        let (here, backup, _) = try filled("")
        defer { withExtendedLifetime(here) {} }
        let there = try LibraryHarness()
        _ = try there.library.askFor("https://example.org/later.mp3")
        #expect(libraryError { _ = try there.library.restore(from: backup) } == .notEmpty)
        #expect(try there.library.restore(from: backup, merging: true).recordings == 1)
        #expect(try there.library.pendingFetches().count == 1)
    }

    @Test("a restore names the missing store of the backup")
    func missingStore() throws {
        let (here, backup, _) = try filled("")
        defer { withExtendedLifetime(here) {} }
        let store = backup + "/" + (try #require(try BackupManifest(in: backup)).store)
        try FileManager.default.removeItem(atPath: store)
        let there = try LibraryHarness()
        let error = #expect(throws: RecordingLibraryError.self) { try there.library.restore(from: backup) }
        #expect(error?.kind == .unknown && error?.message.hasPrefix(store) == true, "\(error?.message ?? "")")
    }

    @Test("a restore omits options that start programs, and reports them")
    func programs() throws {
        let omitted = ["extractor = \"sh -c true\"", " opener=sh", "output = file:'|sh',raw"]
        let kept = "quota = 1GB\noutput = hw:1,0\n"
        let (here, backup, _) = try filled(kept + omitted.joined(separator: "\n") + "\nsnap = yes\n")
        defer { withExtendedLifetime(here) {} }
        let there = try LibraryHarness()
        let place = there.scratch.file("config/woodshed.conf")
        let restored = try there.library.restore(from: backup, settings: [place])
        #expect(restored.settings == [place] && restored.omittedSettings == omitted, "\(restored)")
        #expect(try String(contentsOfFile: place, encoding: .utf8) == kept + "snap = yes\n")
        // The same configuration without its programs does not count as another configuration.
        let again = try there.library.restore(from: backup, merging: true, settings: [place])
        #expect(again.settings.isEmpty && again.otherSettings.isEmpty, "\(again)")
    }

    @Test("unusable settings fail neither a restore nor a backup")
    func settings() throws {
        let (here, backup, path) = try filled("quota = 1GB\n")
        let there = try LibraryHarness()
        let file = there.scratch.file("file")
        try Data("file".utf8).write(to: URL(fileURLWithPath: file))
        let restored = try there.library.restore(from: backup, settings: [file + "/woodshed.conf"])
        #expect(restored.recordings == 1 && restored.refused.count == 1, "\(restored)")
        #expect(try there.library.items().count == 1)
        try FileManager.default.removeItem(atPath: backup + "/settings")
        try Data("file".utf8).write(to: URL(fileURLWithPath: backup + "/settings"))
        let summary = try here.library.backUp(to: backup, settings: [path])
        #expect(summary.files == 2 && summary.settings == 0 && summary.problems.count == 1, "\(summary)")
    }

    @Test(
        "a restore leaves a listed take its name, although its file is missing or in the trash",
        arguments: [false, true])
    func listedTakes(isTrashed: Bool) throws {
        let (here, backup, _) = try filled("")
        defer { withExtendedLifetime(here) {} }
        let there = try LibraryHarness()
        let folder = there.scratch.file("data/takes")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let take = try there.store.addTake(
            inFileAt: there.wave("data/takes/Solo.wav", seed: 70, frames: 300),
            .init(time: 8, sampleRate: 44_100, channelCount: 1, frameCount: 300))
        if isTrashed {
            _ = try there.store.trash(takes: [take.number])
        } else {
            try FileManager.default.removeItem(atPath: take.path)
        }
        #expect(try there.library.restore(from: backup, merging: true).takes == 1)
        let names = there.names(folder).filter { !$0.hasPrefix(".") }
        #expect(names == ["Solo (2).wav"], "\(names)")
    }

    /// A library of two takes in the trash, deleted together, and its backup; with the bytes of the takes, by number.
    private func deleted() throws -> (here: LibraryHarness, backup: String, bytes: [Int: Data]) {
        let here = try LibraryHarness()
        var bytes: [Int: Data] = [:]
        for (name, seed) in [("Solo.wav", 9), ("Riff.wav", 10)] {
            let wave = try here.wave(name, seed: UInt64(seed), frames: 300)
            let take = try here.store.addTake(
                inFileAt: wave, .init(time: Int64(seed), sampleRate: 44_100, channelCount: 1, frameCount: 300))
            bytes[take.number] = try Data(contentsOf: URL(fileURLWithPath: wave))
        }
        let hidden = try here.store.trash(takes: [1, 2]).map(\.currentPath)
        let backup = here.scratch.file("backup")
        for files in [2, 0] {
            let summary = try here.library.backUp(to: backup, isVerifying: true)
            #expect(summary.copied == files && summary.compared == 2 - files && summary.problems.isEmpty, "\(summary)")
        }
        for path in hidden { try FileManager.default.removeItem(atPath: path) }
        return (here, backup, bytes)
    }

    @Test("a cancelled restore leaves no hidden file of a take in the trash, and can be repeated")
    func cancelledDeletedTakes() throws {
        let (here, backup, _) = try deleted()
        // Its end removes the backup.
        defer { withExtendedLifetime(here) {} }
        let there = try LibraryHarness()
        var askedCount = 0
        #expect(throws: RecordingLibraryError.cancelled) {
            try there.library.restore(from: backup) {
                askedCount += 1
                return askedCount == 2
            }
        }
        #expect(askedCount == 2 && there.names(there.library.takesFolder).isEmpty)
        #expect(try there.library.restore(from: backup).takes == 2)
        #expect(try there.store.undoTrash().count == 2)
    }

    @Test("after a restore, takes undo brings back the takes in the trash, with their bytes")
    func deletedTakes() throws {
        let (here, backup, bytes) = try deleted()
        let there = try LibraryHarness()
        let restored = try there.library.restore(from: backup)
        #expect(restored.takes == 2 && restored.refused.isEmpty, "\(restored)")
        #expect(try there.store.takes().isEmpty && there.library.check().isClean)
        #expect(there.names(there.library.takesFolder).allSatisfy { $0.hasPrefix(".") })
        for take in try there.store.undoTrash() {
            #expect(try Data(contentsOf: URL(fileURLWithPath: take.path)) == bytes[take.number])
        }
        #expect(there.names(there.library.takesFolder) == ["Riff.wav", "Solo.wav"])
        // The backup has the only copies now, and reports the missing files until the trash is emptied.
        #expect(try here.library.backUp(to: backup).problems.count == 2)
        #expect(try #require(try BackupManifest(in: backup)).files.count == 2)
        _ = try here.store.emptyTrash()
        #expect(try here.library.backUp(to: backup).problems.isEmpty)
    }

    @Test(
        "a take in the trash with the same sound stands in for the missing or changed file of a listed take",
        arguments: [false, true])
    func standIn(isChanged: Bool) throws {
        let here = try LibraryHarness()
        try here.library.add(fileAt: here.wave("a.wav", seed: 1))
        let wave = try here.wave("Solo.wav", seed: 9, frames: 300)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: wave))
        let copy = here.scratch.file("Copy.wav")
        try bytes.write(to: URL(fileURLWithPath: copy))
        for path in [wave, copy] {
            _ = try here.store.addTake(
                inFileAt: path, .init(time: 9, sampleRate: 44_100, channelCount: 1, frameCount: 300))
        }
        let hidden = try here.store.trash(takes: [2]).map(\.currentPath)
        try here.library.findTakes()
        try FileManager.default.removeItem(atPath: wave)
        if isChanged { _ = try here.wave("Solo.wav", seed: 10, frames: 300) }
        let backup = here.scratch.file("backup")
        let summary = try here.library.backUp(to: backup)
        #expect(summary.files == 2 && summary.problems.map { $0.hasPrefix(wave) } == [true], "\(summary)")
        for path in hidden { try FileManager.default.removeItem(atPath: path) }
        let there = try LibraryHarness()
        let restored = try there.library.restore(from: backup)
        #expect(restored.takes == 2 && restored.refused.isEmpty, "\(restored)")
        let take = try #require(try there.store.takes().first)
        #expect(try Data(contentsOf: URL(fileURLWithPath: take.path)) == bytes)
        #expect(try there.store.undoTrash().count == 1)
    }

    @Test("a restore merges no takes in the trash, and replaces no file with the hidden name of a take")
    func hiddenNames() throws {
        let (here, backup, _) = try deleted()
        defer { withExtendedLifetime(here) {} }
        let there = try LibraryHarness()
        try there.library.add(fileAt: there.wave("x.wav", seed: 20))
        let merged = try there.library.restore(from: backup, merging: true)
        #expect(merged.takes == 0 && merged.refused.isEmpty && there.names(there.library.takesFolder).isEmpty)
        let other = try LibraryHarness()
        let taken = TakeTrash.path(of: other.library.takesFolder + "/x", number: 1)
        try FileManager.default.createDirectory(atPath: other.library.takesFolder, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: taken))
        let restored = try other.library.restore(from: backup)
        #expect(restored.takes == 1 && restored.refused.count == 1, "\(restored)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: taken)) == Data("mine".utf8))
    }
}
