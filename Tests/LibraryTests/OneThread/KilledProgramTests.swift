import Database
import Files
import Foundation
import SoundFileSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

/// The library reports unfinished files as soon as the writing program is gone, and never during the program's life.
@Suite("Unfinished files of a killed program")
struct KilledProgramTests {
    /// All names beside the store and in the library's folder for parts; these names belong to unfinished files.
    private func remains(_ harness: LibraryHarness) -> [String] {
        harness.names(harness.library.folder.parts)
            + harness.names(harness.scratch.file("data")).filter { $0.contains(FilePlace.ownPrefix) }
    }

    /// Checks that the library reports all remains, and removes the remains on request.
    private func expectRemoved(_ harness: LibraryHarness) throws {
        let (library, names) = (harness.library, remains(harness))
        let before = try contents(library)
        let parts = try library.check().parts
        #expect(!names.isEmpty && parts.map { fileName($0.path) }.sorted() == names.sorted())
        _ = try library.clean(parts)
        #expect(try remains(harness).isEmpty && library.check().parts.isEmpty)
        #expect(try contents(library) == before)
    }

    @Test("unfinished files of a killed salvage are removed", arguments: 1...3)
    func salvage(step: Int) async throws {
        let full = try FullLibrary()
        let library = full.harness.library
        let old = try full.copy("practice.db.damaged")
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [
                store = full.path as String, folder = library.folderPath as String, old = old as String,
                step = step as Int
            ] in
            var asked = 0
            _ = try RecordingLibrary(PracticeStore(.file(store)), folder: folder).salvage(storeAt: old) {
                asked += 1
                if asked == step { raise(SIGKILL) }
                return false
            }
        }
        // A check during the salvage does not wait, and does not report the salvage's files.
        var told: [Int] = []
        let summary = try library.salvage(storeAt: old) {
            told.append((try? library.check().parts.count) ?? -1)
            return false
        }
        #expect(told.count > 2 && told.allSatisfy { $0 == 0 } && summary.isEmpty)
        try expectRemoved(full.harness)
    }

    @Test("unfinished files of a killed addition are removed")
    func adding() async throws {
        let full = try FullLibrary()
        let library = full.harness.library
        let path = try full.harness.wave("new.wav", seed: 50)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [store = full.path as String, folder = library.folderPath as String, path = path as String] in
            let calls = CallsBeforeStep { raise(SIGKILL) }
            let library = try RecordingLibrary(PracticeStore(.file(store)), folder: folder, calls: calls)
            _ = try library.add(fileAt: path)
        }
        // While another program is about to name its copy.
        let calls = CallsBeforeStep { #expect((try? library.check().parts) == []) }
        let other = try RecordingLibrary(PracticeStore(.file(full.path)), folder: library.folderPath, calls: calls)
        #expect(try other.add(fileAt: full.harness.wave("other.wav", seed: 51)).isNew && calls.wasReached)
        try expectRemoved(full.harness)
    }

    @Test("unfinished files of a killed attachment are removed")
    func attaching() async throws {
        let full = try FullLibrary()
        let (library, number) = (full.harness.library, full.songs[0].number)
        let path = try full.harness.text("new.pdf", "more notes")
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [
                store = full.path as String, folder = library.folderPath as String, path = path as String,
                number = number as Int
            ] in
            let calls = CallsBeforeStep { raise(SIGKILL) }
            let library = try RecordingLibrary(PracticeStore(.file(store)), folder: folder, calls: calls)
            _ = try library.attach(fileAt: path, to: number)
        }
        try expectRemoved(full.harness)
    }

    @Test(
        "unfinished files of a killed restore are removed, also in the middle of a recording",
        arguments: [false, true], [false, true])
    func restoring(isMerged: Bool, isCopying: Bool) async throws {
        let full = try FullLibrary()
        defer { withExtendedLifetime(full) {} }
        let backup = full.harness.scratch.file("backup")
        try full.harness.library.backUp(to: backup)
        let there = try LibraryHarness()
        if isMerged { try there.library.add(fileAt: there.wave("x.wav", seed: 20)) }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [
                store = there.scratch.file("data/practice.db") as String, folder = there.library.folderPath as String,
                backup = backup as String, isMerged = isMerged as Bool, isCopying = isCopying as Bool
            ] in
            let calls = CallsBeforeStep { raise(SIGKILL) }
            let library = try RecordingLibrary(PracticeStore(.file(store)), folder: folder, calls: calls)
            _ = try library.restore(from: backup, merging: isMerged) {
                if !isCopying { raise(SIGKILL) }
                return false
            }
        }
        #expect(!remains(there).isEmpty)
        var told: [Int] = []
        let restored = try there.library.restore(from: backup, merging: isMerged) {
            told.append((try? there.library.check().parts.count) ?? -1)
            return false
        }
        #expect(Set(told) == [0] && restored.refused.isEmpty, "\(told) \(restored)")
        try expectRemoved(there)
    }

    @Test("files of a killed repair are removed only while no other program repairs the store")
    func besideStore() throws {
        let full = try FullLibrary()
        let (library, path) = (full.harness.library, full.path)
        let remains = ["", "-journal", "-empty", "-copy", "-copy.new"].map { path + ".repairing" + $0 }
        func make() throws {
            for name in remains { try Data("half".utf8).write(to: URL(fileURLWithPath: name)) }
        }
        func areThere() -> Bool { remains.allSatisfy { full.harness.isThere($0) } }
        try make()
        let report = try library.check()
        #expect(Set(report.parts.map(\.path)) == Set(remains))
        do {
            // Another program has begun a repair since.
            let folder = unsafe open(FilePlace.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { FileLock.release(folder) }
            #expect(try FileLock.take(folder) == .taken)
            #expect(try library.check().parts.isEmpty)
            try library.repair(report)
            #expect(try library.clean(report.parts) == 0 && areThere())
        }
        try library.repair(report)
        #expect(!remains.contains { full.harness.isThere($0) })
        // The next repair removes the remains, too, and gives the damaged store one name.
        try make()
        try FileManager.default.linkItem(atPath: path, toPath: path + ".damaged")
        let before = try contents(library)
        let cause = StoreError(.damaged("a test"), path: path)
        let repair = try #require(try StoreRepair(of: path, schema: .current, cause: cause, busyTimeout: 5000))
        #expect(repair.damagedPath == path + ".damaged" && repair.isComplete)
        let names = full.harness.names(FilePlace.folder(of: path))
        #expect(!names.contains { $0.contains(".repairing") || $0.hasSuffix(".damaged-2") }, "\(names)")
        #expect(try contents(library) == before)
    }
}
