import Practice
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("Playlists")
struct PlaylistTests {
    @Test("any sequence of changes to a playlist gives the order of a model")
    func order() throws {
        let harness = try LibraryHarness()
        let library = harness.library
        let numbers = try (1...6).map {
            try library.add(fileAt: try harness.wave("\($0).wav", seed: UInt64($0))).item.number
        }
        let playlist = try library.makePlaylist("Warm up")
        var model: [Int] = []
        for seed in 1...cases(4, few: 1) {
            var random = SeededGenerator(seed: UInt64(seed))
            for step in 0..<60 {
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1:
                    let new = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                        numbers.randomElement(using: &random) ?? 1
                    }
                    let place = Int.random(in: 1...model.count + 2, using: &random)
                    try library.add(new, to: playlist, at: place)
                    model.insert(contentsOf: new, at: min(place - 1, model.count))
                case 2 where !model.isEmpty:
                    let index = Int.random(in: 1...model.count, using: &random)
                    try library.removeEntries([index], from: playlist)
                    model.remove(at: index - 1)
                default:
                    guard !model.isEmpty else { continue }
                    let index = Int.random(in: 1...model.count, using: &random)
                    let target = Int.random(in: 1...model.count, using: &random)
                    try library.moveEntry(index, to: target, in: playlist)
                    model.insert(model.remove(at: index - 1), at: target - 1)
                }
                let entries = try library.entries(of: playlist)
                #expect(entries.map(\.item.number) == model, "seed \(seed), step \(step)")
                #expect(entries.map(\.index) == Array(1...max(1, model.count)).prefix(model.count).map { $0 })
            }
        }
    }

    @Test("an entry that is moved to one place repeatedly always finds room")
    func gaps() throws {
        let harness = try LibraryHarness()
        let numbers = try (1...3).map {
            try harness.library.add(fileAt: try harness.wave("\($0).wav", seed: UInt64($0))).item.number
        }
        let playlist = try harness.library.makePlaylist("x")
        try harness.library.add(numbers, to: playlist)
        for _ in 0..<60 { try harness.library.moveEntry(3, to: 2, in: playlist) }
        #expect(try harness.library.entries(of: playlist).map(\.item.number) == numbers)
        for _ in 0..<61 { try harness.library.moveEntry(3, to: 2, in: playlist) }
        #expect(try harness.library.entries(of: playlist).map(\.item.number) == [numbers[0], numbers[2], numbers[1]])
    }

    @Test("a place in a playlist is that of the listed entry, also after a permanent removal")
    func permanentlyRemoved() throws {
        let harness = try LibraryHarness()
        let library = harness.library
        let numbers = try (1...4).map {
            try library.add(fileAt: try harness.wave("\($0).wav", seed: UInt64($0))).item.number
        }
        let playlist = try library.makePlaylist("x", of: numbers)
        try library.remove([numbers[0]])
        #expect(try library.playlists().map(\.entryCount) == [4], "a recording in the trash is still listed")
        try library.emptyTrash()
        let counted = try #require(try library.playlists().first)
        let length = try library.entries(of: playlist).map(\.item.seconds).reduce(0, +)
        // The list counts whole milliseconds of each entry.
        #expect(counted.entryCount == 3 && abs(counted.seconds - length) < 0.004)
        func listed() throws -> [Int] { try library.entries(of: playlist).map(\.item.number) }
        try library.moveEntry(3, to: 1, in: playlist)
        #expect(try listed() == [numbers[3], numbers[1], numbers[2]])
        try library.removeEntries([2], from: playlist)
        #expect(try listed() == [numbers[3], numbers[2]])
        try library.add([numbers[1]], to: playlist, at: 2)
        #expect(try listed() == [numbers[3], numbers[1], numbers[2]])
        #expect(libraryError { try harness.library.removeEntries([4], from: playlist) } == .unknown)
    }

    @Test("a deleted playlist takes its entries along, and no recording and no file")
    func deleting() throws {
        let harness = try LibraryHarness()
        let item = try harness.library.add(fileAt: try harness.wave("a.wav", seed: 1)).item
        let playlist = try harness.library.makePlaylist("x")
        try harness.library.add([item.number, item.number], to: playlist)
        #expect(try harness.library.playlists().map(\.entryCount) == [2])
        try harness.library.delete(playlist)
        #expect(try harness.library.playlists().isEmpty && harness.library.items().count == 1)
        #expect(harness.isThere(item.path))
        #expect(libraryError { try harness.library.add([item.number], to: playlist) } == .unknown)
        #expect(libraryError { try harness.library.delete(playlist) } == .unknown)
    }

    @Test("a playlist made of recordings has all of them, or is not made, and its name stays free")
    func whole() throws {
        let harness = try LibraryHarness()
        let number = try harness.library.add(fileAt: try harness.wave("a.wav", seed: 1)).item.number
        #expect(libraryError { _ = try harness.library.makePlaylist("x", of: [number, 99]) } == .unknown)
        #expect(try harness.library.playlists().isEmpty)
        let playlist = try harness.library.makePlaylist("x", of: [number, number])
        #expect(try harness.library.entries(of: playlist).map(\.item.number) == [number, number])
        #expect(playlist.entryCount == 2)
        #expect(libraryError { _ = try harness.library.makePlaylist("x", of: [number]) } == .nameTaken)
    }

    @Test("a playlist name is a single line, and no two playlists share a name")
    func names() throws {
        let harness = try LibraryHarness()
        let one = try harness.library.makePlaylist("  Warm\tup ")
        #expect(one.name == "Warm up")
        #expect(libraryError { try harness.library.makePlaylist("Warm up") } == .nameTaken)
        #expect(libraryError { try harness.library.makePlaylist("\n") } == .textRefused)
        let two = try harness.library.makePlaylist("Other")
        #expect(libraryError { try harness.library.rename(two, to: "Warm up") } == .nameTaken)
        #expect(try harness.library.rename(two, to: "Last").name == "Last")
        #expect(try harness.library.playlist(named: "WARM UP")?.number == one.number)
        #expect(try harness.library.playlist(named: "Other") == nil)
    }

    @Test("a wrong place in a playlist changes nothing")
    func wrongPlaces() throws {
        let harness = try LibraryHarness()
        let item = try harness.library.add(fileAt: try harness.wave("a.wav", seed: 1)).item
        let playlist = try harness.library.makePlaylist("x")
        #expect(libraryError { try harness.library.removeEntries([1], from: playlist) } == .unknown)
        try harness.library.add([item.number], to: playlist)
        #expect(libraryError { try harness.library.removeEntries([1, 2], from: playlist) } == .unknown)
        #expect(libraryError { try harness.library.moveEntry(0, to: 1, in: playlist) } == .unknown)
        #expect(libraryError { try harness.library.add([item.number, 99], to: playlist) } == .unknown)
        #expect(try harness.library.entries(of: playlist).count == 1)
    }
}
