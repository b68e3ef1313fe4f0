import Database
import Files
import Foundation
import SoundFileSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("The remains of a repair that was killed")
struct InterruptedRepairTests {
    @Test("from another store are told at once, and removed by the next one", arguments: 1...3)
    func copies(step: Int) async throws {
        let full = try FullLibrary()
        let library = full.harness.library
        let (old, before) = (try full.copy("practice.db.damaged"), try contents(library))
        #expect(try library.check().parts.isEmpty)
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
        let parts = try library.check().parts
        #expect(!parts.isEmpty && parts.count == full.harness.names(library.folder.parts).count)
        #expect(try contents(library) == before)
        // Those of a program that is at work are not told, and stay.
        var told: [Int] = []
        let summary = try library.salvage(storeAt: old) {
            told.append((try? library.check().parts.count) ?? -1)
            return false
        }
        #expect(told == [0, 0, 0] && summary.isEmpty)
        #expect(full.harness.names(library.folder.parts).isEmpty)
    }

    @Test("stay if they are what rows are to be brought back from")
    func source() throws {
        let full = try FullLibrary()
        let library = full.harness.library
        let old = library.folder.parts + "/store" + FilePlace.temporaryName()
        try FileManager.default.copyItem(atPath: full.path, toPath: old)
        #expect(try library.salvage(storeAt: old).isComplete)
        #expect(full.harness.names(library.folder.parts).map { library.folder.parts + "/" + $0 } == [old])
    }

    @Test("of the store itself are told at once unless one is under way, and removed by the next one")
    func besideStore() throws {
        let full = try FullLibrary()
        let (library, path) = (full.harness.library, full.path)
        let remains = ["", "-journal", "-empty", "-copy", "-copy.new"].map { path + ".repairing" + $0 }
        for name in remains { try Data("half".utf8).write(to: URL(fileURLWithPath: name)) }
        // Its other name, which comes last.
        try FileManager.default.linkItem(atPath: path, toPath: path + ".damaged")
        #expect(try Set(library.check().parts.map(\.path)) == Set(remains))
        do {
            let folder = unsafe open(FilePlace.folder(of: path), O_RDONLY | O_DIRECTORY)
            defer { close(folder) }
            #expect(try FileLock.take(folder) == .taken)
            #expect(try library.check().parts.isEmpty)
        }
        let before = try contents(library)
        let cause = StoreError(.damaged("a test"), path: path)
        let repair = try #require(try StoreRepair(of: path, schema: .current, cause: cause, busyTimeout: 5000))
        #expect(repair.damagedPath == path + ".damaged" && repair.isComplete)
        let names = full.harness.names(FilePlace.folder(of: path))
        #expect(!names.contains { $0.contains(".repairing") || $0.hasSuffix(".damaged-2") }, "\(names)")
        #expect(try contents(library) == before)
    }
}
