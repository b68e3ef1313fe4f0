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

@Suite("Restoring a backup")
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

    @Test("leaves no file beside a temporary store", arguments: [false, true])
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

    @Test("works where the store of the backup is damaged, beside a program with parts, too", arguments: [false, true])
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

    @Test("leaves out the options that start programs, and tells them")
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
        // The same without its programs is no other configuration.
        let again = try there.library.restore(from: backup, merging: true, settings: [place])
        #expect(again.settings.isEmpty && again.otherSettings.isEmpty, "\(again)")
    }

    @Test("does not fail because of the configuration, and neither does a backup")
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

    @Test("leaves a listed take its name, although its file is missing or in the trash", arguments: [false, true])
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
}
