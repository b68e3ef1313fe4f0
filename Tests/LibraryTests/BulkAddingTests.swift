import Catalogue
import Library
import Practice
import SoundFileSupport
import Store
import TestSupport
import Testing

@Suite("Bulk adding")
struct BulkAddingTests {
    @Test("the bad files among many are reported, and the other files added")
    func many() throws {
        let harness = try LibraryHarness()
        var paths = try (0..<20).map { try harness.wave("\($0).wav", seed: UInt64($0 + 1)) }
        paths.insert(try harness.scratch.write("bad.wav", [1, 2, 3]), at: 7)
        let results = harness.library.add(paths, .copy, change: { $0.tags = ["bulk"] })
        let failed = results.indices.filter { if case .failure = results[$0] { true } else { false } }
        #expect(failed == [7])
        #expect(try harness.library.items { $0.tags = ["BULK"] }.count == 20)
        #expect(harness.names(harness.library.folderPath).filter { $0.hasSuffix(".wav") }.count == 20)
    }

    @Test("a recording that comes twice in one step is found by its new words only")
    func twiceInOneStep() throws {
        let harness = try LibraryHarness()
        let paths = try [
            harness.wave("blue bossa.wav", seed: 1), harness.wave("giant steps.wav", seed: 2),
            harness.wave("blue again.wav", seed: 1),
        ]
        let results = harness.library.add(paths, .link)
        let items = results.compactMap { try? $0.get() }
        #expect(items.map(\.isNew) == [true, true, false])
        #expect(items[0].item.number == items[2].item.number)
        func numbers(_ text: String) throws -> [Int] { try harness.library.items { $0.text = text }.map(\.number) }
        #expect(try numbers("bossa") == [items[0].item.number])
        try harness.library.edit(items[0].item.number) { $0.title = "Recordame" }
        #expect(try numbers("bossa").isEmpty && numbers("recordame") == [items[0].item.number])
    }

    @Test("each of many files is reported in order, once it is in the store")
    func tellingMany() throws {
        let harness = try LibraryHarness()
        let paths = try (0..<40).map { try harness.wave("\($0).wav", seed: UInt64($0 + 1)) }
        var told: [Int] = []
        let library = harness.library
        _ = library.add(
            paths, .link,
            told: { index, result in
                told.append(index)
                let number = (try? result.get())?.item.number ?? 0
                #expect(((try? library.item(number)) ?? nil) != nil)
            })
        #expect(told == Array(0..<40))
    }

    @Test(
        "a cancelled bulk addition keeps its finished files, and leaves none by half",
        arguments: [0, 20, 41, 60, 70, 1000])
    func cancelledMany(questions: Int) throws {
        let harness = try LibraryHarness()
        let paths = try (0..<40).map { try harness.wave("\($0).wav", seed: UInt64($0 + 1)) }
        var asked = 0
        let results = harness.library.add(
            paths, .copy,
            isCancelled: {
                asked += 1
                return asked > questions
            })
        let added = results.count { if case .success = $0 { true } else { false } }
        let cancelled = results.count {
            if case .failure(let error as RecordingLibraryError) = $0 { error.kind == .cancelled } else { false }
        }
        #expect(added + cancelled == 40)
        // The library asks 41 times while reading files, and 41 times while copying files.
        if questions <= 41 { #expect(added == 0) }
        if questions >= 82 { #expect(cancelled == 0) }
        #expect(harness.names(harness.library.folderPath).filter { $0.hasSuffix(".wav") }.count == added)
        #expect(harness.names(harness.library.folderPath + "/parts").isEmpty)
    }
}
