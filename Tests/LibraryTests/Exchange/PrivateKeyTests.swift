import Foundation
import SoundFileSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("Private keys in exchanged files")
struct PrivateKeyTests {
    private static let full = "https://ana:word@h.org/a.mp3?auth=K3Y&b=1"
    private static let short = "https://h.org/a.mp3?b=1"

    private func filled() throws -> LibraryHarness {
        let harness = try LibraryHarness()
        let item = try harness.library.add(fileAt: harness.wave("a.wav", seed: 1)).item
        try harness.library.edit(item.number) { $0.source = Self.full }
        return harness
    }

    private func source(_ harness: LibraryHarness) throws -> String? { try harness.library.items().first?.words.source }

    private func hasKey(_ path: String) throws -> Bool {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        return data.range(of: Data("K3Y".utf8)) != nil || data.range(of: Data("word@".utf8)) != nil
    }

    @Test("a bundle and an export omit private keys unless requested, and a backup keeps them")
    func places() throws {
        let (here, there) = (try filled(), try LibraryHarness())
        let path = here.scratch.file("all.tar")
        #expect(try here.library.writeBundle(to: path).shortenedAddresses == 1)
        #expect(try !hasKey(path) && !here.library.catalogueText().contains("K3Y"))
        _ = try there.library.importFile(at: path)
        #expect(try source(there) == Self.short)
        // An address without a key changes nothing.
        #expect(try there.library.writeBundle(to: there.scratch.file("b.tar")).shortenedAddresses == 0)
        #expect(try here.library.writeBundle(to: path, withKeys: true).shortenedAddresses == 0)
        #expect(try hasKey(path) && here.library.catalogueText(withKeys: true).contains("K3Y"))
        // The key comes with the file, and no later merge removes the key.
        #expect(try there.library.importFile(at: path).merge.changed == 1)
        #expect(try source(there) == Self.full)
        #expect(try there.library.merge(catalogueIn: Array(here.library.catalogueText().utf8)).isEmpty)
        #expect(try source(there) == Self.full)
        let (backup, third) = (here.scratch.file("backup"), try LibraryHarness())
        // A folder that others may read.
        try FileManager.default.createDirectory(atPath: backup, withIntermediateDirectories: true)
        try here.library.backUp(to: backup)
        let copy = try #require(try BackupManifest(in: backup)).store
        let found = try FileManager.default.attributesOfItem(atPath: backup + "/" + copy)
        #expect(found[.posixPermissions] as? Int == 0o600)
        try third.library.restore(from: backup)
        #expect(try source(third) == Self.full)
    }

    @Test("merging an address without its key changes no key, in any order and number of merges")
    func merging() throws {
        let (here, there) = (try filled(), try LibraryHarness())
        func give(_ source: LibraryHarness, _ target: LibraryHarness) throws -> MergeSummary {
            try target.library.merge(catalogueIn: Array(source.library.catalogueText().utf8))
        }
        #expect(try give(here, there).added == 1)
        for _ in 0..<3 {
            #expect(try give(there, here).isEmpty && source(here) == Self.full)
            #expect(try give(here, there).isEmpty && source(there) == Self.short)
            #expect(try here.library.catalogueText() == there.library.catalogueText())
        }
        // Another change there comes here without touching the key.
        let number = try #require(try there.library.items().first).number
        try there.library.edit(number) { $0.title = "Blue" }
        #expect(try give(there, here).changed == 1)
        #expect(try source(here) == Self.full && here.library.items().first?.words.title == "Blue")
        // A later change of the address itself counts, like any other change.
        try there.library.edit(number) { $0.source = "https://h.org/new" }
        #expect(try give(there, here).changed == 1)
        #expect(try source(here) == "https://h.org/new" && give(here, there).isEmpty)
    }

    @Test("an address with its keys finds a recording imported without keys, and completes its address")
    func lookup() throws {
        let (here, there) = (try filled(), try LibraryHarness())
        _ = try there.library.merge(catalogueIn: Array(here.library.catalogueText().utf8))
        #expect(try there.library.item(from: Self.full) == nil)
        // Without the file there is nothing to play.
        #expect(try there.library.items(fromAddress: Self.full).isEmpty)
        let item = try #require(try there.library.item(from: Self.short))
        #expect(there.library.completeSource(of: item, with: "https://h.org/b.mp3?auth=K3Y") == item)
        #expect(there.library.completeSource(of: item, with: Self.full).words.source == Self.full)
        #expect(try source(there) == Self.full)
        // On the way back without the key, the address removes nothing.
        _ = try here.library.merge(catalogueIn: Array(there.library.catalogueText().utf8))
        #expect(try source(here) == Self.full)
    }

    @Test("an address means the recording that came from it, or all that have it without its keys")
    func several() throws {
        let harness = try LibraryHarness()
        let library = harness.library
        let numbers = try [UInt64(1), 2, 3].map { seed in
            try library.add(fileAt: harness.wave("\(seed).wav", seed: seed)).item.number
        }
        for number in numbers { try library.edit(number) { $0.source = Self.short } }
        func meant(_ address: String) throws -> [Int] {
            let found = try library.items(fromAddress: address)
            let numbers = found.map(\.number)
            // With the indexes of the recordings.
            #expect(try found == library.items().filter { numbers.contains($0.number) })
            return numbers
        }
        #expect(try meant(Self.full) == numbers.reversed() && meant(Self.short) == numbers.reversed())
        #expect(try meant("https://h.org/b.mp3?auth=K3Y").isEmpty)
        try library.remove([numbers[0]])
        #expect(try meant(Self.full) == [numbers[2], numbers[1]])
        try library.edit(numbers[1]) { $0.source = Self.full }
        #expect(try meant(Self.full) == [numbers[1]] && meant(Self.short) == [numbers[2]])
        try library.remove([numbers[1]])
        #expect(try meant(Self.full) == [numbers[2]])
    }
}
