import AudioFiles
import Files
import Foundation
import Practice
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

/// A library with a copied recording, a linked recording, a recording in the trash, sections, a playlist and a take.
private func filled() throws -> LibraryHarness {
    let harness = try LibraryHarness()
    let first = try harness.library.add(fileAt: harness.wave("a.wav", seed: 1)).item
    let linked = try harness.library.add(fileAt: harness.wave("b.wav", seed: 2), .link).item
    let gone = try harness.library.add(fileAt: harness.wave("c.wav", seed: 3)).item
    try harness.library.remove([gone.number])
    try harness.store.apply(.add([SectionDraft(5..<50, name: "Intro")]), to: first.recording)
    let playlist = try harness.library.makePlaylist("Monday")
    try harness.library.add([linked.number, first.number], to: playlist)
    let take = try harness.store.addTake(
        inFileAt: harness.wave("take.wav", seed: 9, frames: 300),
        .init(time: 7, sampleRate: 44_100, channelCount: 1, frameCount: 300),
        model: .init(key: first.key, sectionID: 1, frames: 5..<50), of: first.recording)
    try harness.store.edit(take: take.number, .rate(4))
    return harness
}

private func shown(_ harness: LibraryHarness) throws -> [String] {
    var lines = try harness.library.items().map {
        "\($0.number) \($0.index) \($0.key) \($0.words) \($0.place) \($0.addedAt)"
    }
    lines += try harness.library.items { $0.isTrash = true }.map { "trash \($0.key)" }
    for item in try harness.library.items() {
        lines.append("\(try harness.store.sections(of: item.key)?.sections ?? [])")
    }
    for playlist in try harness.library.playlists() {
        lines.append("\(playlist.name) \(try harness.library.entries(of: playlist).map(\.item.key))")
    }
    lines += try harness.store.takes().map {
        "\($0.number) \($0.sound) \(String(describing: $0.model)) \($0.rating ?? 0)"
    }
    return lines
}

@Suite("Backups")
struct BackupTests {
    @Test("a backup restores a library on an empty computer")
    func roundTrip() throws {
        let (here, there) = (try filled(), try LibraryHarness())
        let backup = here.scratch.file("backup")
        let summary = try here.library.backUp(to: backup)
        #expect(
            summary.files == 3 && summary.copied == 3 && summary.linked == 1 && summary.problems.isEmpty, "\(summary)")
        let take = try #require(try here.store.takes().first)
        try FileManager.default.removeItem(atPath: take.path)
        let restored = try there.library.restore(from: backup)
        #expect(restored.recordings == 2 && restored.takes == 1 && restored.refused.isEmpty, "\(restored)")
        #expect(try shown(here) == shown(there))
        #expect(try there.library.items().allSatisfy { !$0.isMissing })
        #expect(try there.library.check().isClean)
        #expect(there.isThere(try #require(try there.store.takes().first).path))
        #expect(try there.library.undoRemoval().first?.isMissing == false)
        #expect(libraryError { _ = try there.library.restore(from: backup) } == .notEmpty)
        #expect(try there.library.restore(from: backup, merging: true).merge.isEmpty)
    }

    @Test("a backup copies only new files, and the last complete backup counts")
    func incremental() throws {
        let here = try filled()
        let backup = here.scratch.file("backup")
        try here.library.backUp(to: backup)
        #expect(try here.library.backUp(to: backup).copied == 0)
        try here.library.add(fileAt: here.wave("d.wav", seed: 4))
        #expect(try here.library.backUp(to: backup).copied == 1)
        #expect(here.names(backup).count == 5, "\(here.names(backup))")
        // The remains of an interrupted backup: other files, and no manifest of its own.
        try Data("half".utf8).write(to: URL(fileURLWithPath: backup + "/practice-half.woodshed.db"))
        try Data("half".utf8).write(to: URL(fileURLWithPath: backup + "/recordings/.woodshed-1-2.part"))
        let there = try LibraryHarness()
        try there.library.restore(from: backup)
        #expect(try shown(here) == shown(there))
        try here.library.backUp(to: backup)
        #expect(here.names(backup).count == 5 && here.names(backup + "/recordings").count == 3)
    }

    @Test("a backup leaves the user's files in its folder, and removes its store named by version 0.2.0")
    func ownFiles() throws {
        let here = try filled()
        let backup = here.scratch.file("backup")
        try here.library.backUp(to: backup)
        let copy = try #require(here.names(backup).first { $0.hasPrefix("practice-") })
        // The name that version 0.2.0 gives.
        let earlier = "practice-3w5e11264sgsf.db"
        try FileManager.default.moveItem(atPath: backup + "/" + copy, toPath: backup + "/" + earlier)
        let manifest = try String(contentsOfFile: backup + "/manifest.json", encoding: .utf8)
        try Data(manifest.replacing(copy, with: earlier).utf8).write(
            to: URL(fileURLWithPath: backup + "/manifest.json"))
        let mine = ["practice-mine.db", "practice-2026.db", "practice-beforeupdate.db", "practice-mine.db-journal"]
        for name in mine { try Data("mine".utf8).write(to: URL(fileURLWithPath: backup + "/" + name)) }
        try here.library.backUp(to: backup)
        let names = here.names(backup)
        #expect(Set(mine).isSubset(of: names) && !names.contains(earlier), "\(names)")
        try LibraryHarness().library.restore(from: backup)
    }

    @Test("a backup never replaces a list that is not its own, and leaves the list's folder unchanged")
    func foreignLists() throws {
        let here = try filled()
        let folder = here.scratch.file("mine")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let list = folder + "/manifest.json"
        func refusal(_ content: String) throws -> RecordingLibraryError.Kind? {
            try Data(content.utf8).write(to: URL(fileURLWithPath: list))
            let kind = libraryError { _ = try here.library.backUp(to: folder) }
            #expect(try String(contentsOfFile: list, encoding: .utf8) == content)
            #expect(here.names(folder) == ["manifest.json"])
            return kind
        }
        #expect(try refusal(#"{"name":"my web page"}"#) == .notEmpty && refusal("") == .notEmpty)
        let later = #"{"backup":"woodshed backup","v":2,"time":1,"store":"practice-1.woodshed.db","files":[]}"#
        #expect(try refusal(later) == .badBundle)
        try FileManager.default.removeItem(atPath: list)
        // Opening a pipe to write would wait for a reader.
        try #require(unsafe mkfifo(list, 0o600) == 0)
        #expect(libraryError { _ = try here.library.backUp(to: folder) } == .notEmpty)
        try FileManager.default.removeItem(atPath: list)
        #expect(try here.library.backUp(to: folder).problems.isEmpty)
    }

    @Test("two simultaneous backups without locks are whole, in any interleaving")
    func withoutLocks() throws {
        let here = try filled()
        let backup = here.scratch.file("backup")
        // Each backup has its own settings.
        let (first, second) = (here.scratch.file("settings.conf"), here.scratch.file("second/settings.conf"))
        try FileManager.default.createDirectory(
            atPath: here.scratch.file("second"), withIntermediateDirectories: true)
        @Sendable func write(_ library: RecordingLibrary, _ settings: String, _ speed: Int) throws -> BackupSummary {
            try Data("speed = \(speed)%\n".utf8).write(to: URL(fileURLWithPath: settings))
            return try library.backUp(
                to: backup, settings: [settings], isVerifying: false, lock: { (_) throws(FileFault) in .unsupported },
                isCancelled: { false })
        }
        let other = try here.another()
        #expect(try write(here.library, first, 1).problems.isEmpty)
        var step = 0
        while true {
            let speed = 2 * (step + 1)
            let calls = CallsBeforeStep(step) {
                #expect((try? write(other, second, speed + 1))?.problems.isEmpty == true, "\(speed)")
            }
            let library = try RecordingLibrary(here.store, folder: here.library.folderPath, calls: calls)
            #expect(try write(library, first, speed).problems.isEmpty, "\(step)")
            guard calls.wasReached else { break }
            let there = try LibraryHarness()
            let place = there.scratch.file("settings.conf")
            let restored = try there.library.restore(from: backup, settings: [place])
            #expect(restored.refused.isEmpty && restored.settings == [place], "\(step): \(restored)")
            #expect(try shown(here) == shown(there), "\(step)")
            step += 1
        }
        #expect(step > 10)
        // With the lock, the next backup removes the remains.
        try here.library.backUp(to: backup, settings: [first])
        #expect(here.names(backup).count { $0.hasPrefix("practice-") } == 1)
        #expect(here.names(backup + "/settings").count == 1)
    }

    @Test("an unfinished backup is refused")
    func unfinished() throws {
        let (here, there) = (try filled(), try LibraryHarness())
        let backup = here.scratch.file("backup")
        var count = 0
        #expect(
            libraryError {
                _ = try here.library.backUp(to: backup) {
                    count += 1
                    return count > 1
                }
            } == .cancelled)
        #expect(libraryError { _ = try there.library.restore(from: backup) } == .badBundle)
        #expect(libraryError { _ = try there.library.restore(from: here.scratch.file("none")) } == .badBundle)
        #expect(try here.library.backUp(to: backup).copied == 2)
        // An interrupted restoration leaves the library empty, and the next restoration continues.
        count = 0
        #expect(
            libraryError {
                _ = try there.library.restore(from: backup) {
                    count += 1
                    return count > 1
                }
            } == .cancelled)
        #expect(try there.library.items().isEmpty)
        let restored = try there.library.restore(from: backup)
        #expect(restored.recordings == 1 && restored.passedOver == 2, "\(restored)")
        #expect(try there.library.check().isClean)
    }

    @Test("a backup is merged into a library that is not empty")
    func merging() throws {
        let (here, there) = (try filled(), try LibraryHarness())
        let backup = here.scratch.file("backup")
        try here.library.backUp(to: backup)
        try there.library.add(fileAt: there.wave("x.wav", seed: 20))
        let restored = try there.library.restore(from: backup, merging: true)
        #expect(restored.recordings == 1 && restored.takes == 1 && restored.merge.added == 2, "\(restored)")
        #expect(try there.library.items().count == 3)
        #expect(try there.store.takes().first?.rating == 4)
    }

    @Test(
        "restored takes keep their names beside existing files, and no path of the backup is trusted",
        arguments: [false, true])
    func names(isMerged: Bool) throws {
        let (here, there) = (try LibraryHarness(), try LibraryHarness())
        try here.library.add(fileAt: here.wave("a.wav", seed: 1))
        func add(_ name: String, _ seed: UInt64) throws -> StoredTake {
            let folder = FilePlace.folder(of: here.scratch.file(name))
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            return try here.store.addTake(
                inFileAt: here.wave(name, seed: seed, frames: 300),
                .init(time: Int64(seed), sampleRate: 44_100, channelCount: 1, frameCount: 300))
        }
        let names = [
            "one/Solo – 1.WAV", "two/Solo – 1.WAV", "one/.hidden.wav", "one/a\u{1B}.wav", "one/mine.wav",
            "one/text.txt",
        ]
        var takes: [StoredTake] = []
        for (seed, name) in names.enumerated() { takes.append(try add(name, UInt64(seed + 20))) }
        let keys = try takes.map { try RecordingKey(ofFileAt: $0.path) }
        let backup = here.scratch.file("backup")
        try here.library.backUp(to: backup)
        // The path of one take belongs to another sound here, as on another computer.
        for take in takes.dropFirst() { try FileManager.default.removeItem(atPath: take.path) }
        _ = try here.wave("one/Solo – 1.WAV", seed: 99)
        if isMerged { try there.library.add(fileAt: there.wave("x.wav", seed: 50)) }
        let folder = there.scratch.file("data/takes")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let mine = try there.wave("data/takes/mine.wav", seed: 60)
        let before = try Data(contentsOf: URL(fileURLWithPath: mine))
        let restored = try there.library.restore(from: backup, merging: isMerged)
        #expect(restored.takes == 6 && restored.refused.isEmpty, "\(restored)")
        let expected = [
            "Solo – 1.WAV", "Solo – 1 (2).WAV", "take-\(keys[2]).wav", "take-\(keys[3]).wav", "mine (2).wav",
            "text.txt",
            "mine.wav",
        ]
        #expect(Set(there.names(folder)) == Set(expected), "\(there.names(folder))")
        #expect(try Data(contentsOf: URL(fileURLWithPath: mine)) == before)
        for take in try there.store.takes() {
            let key = try RecordingKey(ofFileAt: take.path)
            #expect(FilePlace.folder(of: take.path) == folder && keys.contains(key), "\(take.path)")
        }
        #expect(try there.store.takes().count == 6)
    }

    @Test("a backup has all documents, also those in the trash, except linked ones")
    func documents() throws {
        let (here, there, other) = (try filled(), try LibraryHarness(), try LibraryHarness())
        let backup = here.scratch.file("backup")
        let number = try #require(try here.library.items().last).number
        for name in ["a.pdf", "b.txt", "c.pdf"] {
            try here.library.attach(fileAt: here.text(name, name), to: number, link: name == "c.pdf")
        }
        try here.library.removeDocument(2, of: number)
        let summary = try here.library.backUp(to: backup)
        #expect(summary.files == 5 && summary.linked == 2 && summary.problems.isEmpty, "\(summary)")
        #expect(here.names(backup + "/documents").count == 2)
        #expect(try here.library.backUp(to: backup).copied == 0)
        let restored = try there.library.restore(from: backup)
        #expect(restored.documents == 2 && restored.refused.isEmpty, "\(restored)")
        #expect(try there.documents(number) == ["a.pdf", "c.pdf"] && there.documentFiles.count == 1)
        #expect(try there.trashedDocumentFiles.count == 1 && there.library.check().isClean)
        #expect(try there.library.undoRemoval().count == 1 && there.documents(number).count == 3)
        // A restoration refuses a file whose content does not match its name.
        let name = here.names(backup + "/documents")[0]
        try Data("other".utf8).write(to: URL(fileURLWithPath: "\(backup)/documents/\(name)"))
        #expect(try other.library.restore(from: backup).refused.count == 1)
        try other.library.add(fileAt: other.wave("x.wav", seed: 20))
        #expect(try other.library.restore(from: backup, merging: true).merge.isEmpty)
    }

    @Test("a restore refuses files that do not match their names, and reports missing files")
    func damaged() throws {
        let (here, there) = (try filled(), try LibraryHarness())
        let backup = here.scratch.file("backup")
        try here.library.backUp(to: backup)
        let names = here.names(backup + "/recordings")
        try FileManager.default.removeItem(atPath: "\(backup)/recordings/\(names[0])")
        try FileManager.default.removeItem(atPath: "\(backup)/recordings/\(names[1])")
        try FileManager.default.copyItem(
            atPath: here.scratch.file("b.wav"), toPath: "\(backup)/recordings/\(names[1])")
        #expect(try there.library.restore(from: backup).refused.count == 2)
        #expect(libraryError { _ = try here.library.backUp(to: here.library.folderPath + "/x") } == .textRefused)
        #expect(libraryError { _ = try LibraryHarness().library.backUp(to: here.scratch.file("b2")) } == .unknown)
    }
}
