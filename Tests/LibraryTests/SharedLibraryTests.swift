import AudioFiles
import Explanations
import Files
import Foundation
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("Library of several programs")
struct SharedLibraryTests {
    @Test("recordings that are added, removed and restored by programs at once are whole, and none is lost")
    func atOnce() throws {
        let harness = try LibraryHarness()
        let paths = try (0..<6).map { try harness.wave("\($0).wav", seed: UInt64($0 + 1)) }
        let libraries = try (0..<4).map { _ in try harness.another() }
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            let library = libraries[index]
            var random = SeededGenerator(seed: UInt64(index + 1))
            for _ in 0..<12 {
                let path = paths.randomElement(using: &random) ?? paths[0]
                switch Int.random(in: 0..<4, using: &random) {
                case 0, 1: _ = try? library.add(fileAt: path)
                case 2:
                    if let item = try? library.items().randomElement(using: &random) {
                        _ = try? library.remove([item.number])
                    }
                default: _ = try? Bool.random(using: &random) ? library.emptyTrash().items : library.undoRemoval()
                }
            }
        }
        let report = try harness.library.check()
        #expect(report.missing.isEmpty && report.changed.isEmpty && report.orphans.isEmpty && report.misplaced.isEmpty)
        for item in try harness.library.items() { #expect(try RecordingKey(ofFileAt: item.path) == item.key) }
        for path in paths { #expect(harness.isThere(path)) }
    }

    @Test("a library works without a lock only if there is no folder to lock, and names the limit of open files")
    func noDescriptor() async throws {
        let missing = LibraryFolder(path: "/nonexistent/library")
        #expect(try missing.exclusively { true } && missing.writingParts { true })
        // In a separate process, which may open no more descriptors.
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let folder = LibraryFolder(path: "/tmp")
            let attempts: [() throws -> Void] = [
                { try folder.exclusively { _ = Issue.record("worked without a lock") } },
                { try folder.writingParts { _ = Issue.record("worked without a lock") } },
            ]
            for attempt in attempts {
                let error = #expect(throws: RecordingLibraryError.self) { try attempt() }
                #expect(error?.message.hasSuffix(": \(SystemLimit.files.cause)") == true, "\(error?.message ?? "")")
                #expect(error?.remedy == SystemLimit.files.remedy && error?.exitStatus == .tryAgain)
            }
            // Nobody can tell whether another program holds the lock.
            #expect(FileLock.asking(forFolder: "/tmp") { $0 } == .held)
        }
    }
}
