import AudioFiles
import Foundation
import Practice
import SoundFileSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

/// Backups and bundles on a disk that fails for good at some call. The tests try every call in turn.
@Suite("Backups and bundles on a failing disk")
struct ExchangeFaultTests {
    private static let mostCalls = 200

    /// Repeats `body` with calls that fail at the first, the second and so on, until the first success.
    ///
    /// - Returns: The number of failures.
    private func failures(_ body: (FailingCalls) throws -> Bool) throws -> Int {
        for count in 0..<Self.mostCalls where try body(FailingCalls(after: count)) { return count }
        Issue.record("it fails even after \(Self.mostCalls) calls")
        return 0
    }

    private func keys(_ library: RecordingLibrary) throws -> Set<RecordingKey> { Set(try library.items().map(\.key)) }

    /// A library in the harness's place on a failing disk.
    private func library(_ harness: LibraryHarness, _ calls: FailingCalls) throws -> RecordingLibrary {
        try RecordingLibrary(harness.store, folder: harness.scratch.file("data/library"), calls: calls)
    }

    @Test("a failed backup leaves the previous one, and the next backup is whole")
    func backup() throws {
        let here = try LibraryHarness()
        try here.library.add(fileAt: here.wave("a.wav", seed: 1))
        let old = try keys(here.library)
        let target = here.scratch.file("backup")
        try here.library.backUp(to: target)
        try here.library.add(fileAt: here.wave("b.wav", seed: 2))
        let new = try keys(here.library)
        let count = try failures { calls in
            let summary = try? library(here, calls).backUp(to: target)
            let isDone = summary.map { $0.problems.isEmpty } ?? false
            let there = try LibraryHarness()
            try there.library.restore(from: target)
            let restored = try keys(there.library)
            #expect(isDone ? restored == new : restored == old || restored == new)
            #expect(
                try there.library.items().allSatisfy {
                    isDone ? !$0.isMissing : old.contains($0.key) ? !$0.isMissing : true
                })
            return isDone
        }
        #expect(count > 3)
        #expect(try here.library.check().isClean)
    }

    @Test("a failed bundle leaves the file of its name as it was, and no file beside it")
    func bundle() throws {
        let here = try LibraryHarness()
        try here.library.add(fileAt: here.wave("a.wav", seed: 1))
        let path = here.scratch.file("all.tar")
        try Data("before".utf8).write(to: URL(fileURLWithPath: path))
        let names = here.names(here.scratch.path)
        let count = try failures { calls in
            let isDone = (try? library(here, calls).writeBundle(to: path)) != nil
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(isDone == (bytes != Data("before".utf8)))
            #expect(here.names(here.scratch.path) == names)
            return isDone
        }
        #expect(count > 1)
    }

    @Test("a failed import leaves no half recording, and the next import adds the rest")
    func importing() throws {
        let here = try LibraryHarness()
        for seed in 1...2 { try here.library.add(fileAt: here.wave("\(seed).wav", seed: UInt64(seed))) }
        let path = here.scratch.file("all.tar")
        try here.library.writeBundle(to: path)
        let all = try keys(here.library)
        let count = try failures { calls in
            let there = try LibraryHarness()
            let summary = try? library(there, calls).importFile(at: path)
            let isDone = summary.map { $0.problem == nil && $0.refused.isEmpty && $0.recordings == 2 } ?? false
            for item in try there.library.items() where !item.isMissing {
                #expect(try RecordingKey(ofFileAt: item.path) == item.key)
            }
            _ = try there.library.importFile(at: path)
            #expect(try keys(there.library) == all && there.library.items().allSatisfy { !$0.isMissing })
            #expect(try there.library.check().isClean)
            return isDone
        }
        #expect(count > 3)
    }
}
